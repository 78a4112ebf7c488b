//! Tasks without a server: their state transitions and their queries.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod alike;
mod corpus;
mod life;
mod measure;
mod random;
#[path = "../properties/random.rs"]
#[allow(dead_code, reason = "the properties draw more than these tests do")]
mod split_mix;
mod storage;
