//! The deployed Worker: links the crate `sieve-worker` without additions.

use sieve_worker as _;
