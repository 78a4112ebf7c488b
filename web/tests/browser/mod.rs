//! The tests of the crate, which run in a browser: `wasm-pack test --headless --chrome web`. The rows of
//! `tests/fixtures` run through the engine and through the objects of this crate.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unreachable
)]

mod corpus;
#[path = "../../../tests/expressions/main.rs"]
mod expressions;
mod failures;
mod inputs;
#[path = "../../../tests/middleware/main.rs"]
mod middleware;
mod picker;
#[path = "../../../tests/predicates.rs"]
mod predicates;
mod preference_store;
#[path = "../../../tests/rank/main.rs"]
mod rank;
#[path = "../../../tests/facade.rs"]
mod rust_api;
mod tasks;
#[path = "../../../tests/tokens.rs"]
mod tokens;
mod values;

use wasm_bindgen_test::wasm_bindgen_test_configure;

wasm_bindgen_test_configure!(run_in_browser);
