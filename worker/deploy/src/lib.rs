//! The Worker as it is deployed: all of `sieve-worker`.

use sieve_worker as _;
