//! Context middleware: the rows of `fixtures/middleware.json`, and properties of all functions and chains.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod beside;
mod chain_run;
mod chains;
mod contexts;
mod failures;
mod harm_seeking;
mod judge;
mod limits;
#[cfg(not(target_arch = "wasm32"))]
mod printed;
mod registry;
mod rows;
mod shout;
mod texts;
mod tools;
mod world;
