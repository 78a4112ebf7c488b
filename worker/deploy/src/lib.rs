//! The Worker as it is deployed: all of `sieve-worker`, with its tracker.

use sieve_worker as _;
