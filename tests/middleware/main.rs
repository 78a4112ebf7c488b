//! Context middleware: the rows of `fixtures/middleware.json`, and properties of all functions and chains.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[cfg(not(target_arch = "wasm32"))]
mod actions;
mod beside;
mod chain_run;
mod chains;
mod contexts;
#[cfg(not(target_arch = "wasm32"))]
mod conversations;
mod failures;
#[cfg(not(target_arch = "wasm32"))]
#[path = "../../crates/redact/tests/scanners/generate.rs"]
#[allow(dead_code, clippy::string_slice, reason = "texts are made as the tests of the scanners make them")]
mod generate;
mod harm_seeking;
mod judge;
mod limits;
#[cfg(not(target_arch = "wasm32"))]
mod printed;
#[cfg(not(target_arch = "wasm32"))]
#[path = "../properties/random.rs"]
#[allow(dead_code, reason = "the properties ask more of it")]
mod random;
mod registry;
mod rows;
#[cfg(not(target_arch = "wasm32"))]
#[path = "../../crates/redact/tests/scanners/secret_samples.rs"]
#[allow(dead_code, clippy::string_slice, reason = "secrets are drawn as the tests of the scanners draw them")]
mod secret_samples;
mod shout;
#[cfg(not(target_arch = "wasm32"))]
mod speed;
mod texts;
mod tools;
mod world;
