//! Tasks without a server: their state transitions and their queries.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod alike;
mod corpus;
mod life;
mod measure;
mod random;
mod storage;
