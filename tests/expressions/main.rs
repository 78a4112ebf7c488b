//! The expression language beyond its corpus: limits, orders, suggestions, and properties of every tree.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[cfg(not(target_arch = "wasm32"))]
mod forms;
mod guesses;
mod limits;
#[cfg(not(target_arch = "wasm32"))]
mod meaning;
mod orders;
#[cfg(not(target_arch = "wasm32"))]
mod trees;
