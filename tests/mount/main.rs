//! The HTTP endpoints of context middleware, natively: requests go to `handle_middleware` with an in-memory runtime.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod endpoint;
mod interceptors;
mod invocation;
mod limits;
mod printed;
#[path = "../proposals/mod.rs"]
mod proposals;
mod world;
