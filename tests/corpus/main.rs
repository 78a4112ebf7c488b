//! Runs every row of the corpus in `tests/fixtures` on each interface ("face") of the engine in Rust: natively, in
//! WebAssembly, and through the JavaScript interface in WebAssembly.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod checks;
mod face;
#[cfg(all(target_arch = "wasm32", feature = "command"))]
mod javascript;
mod native;
mod picker;
mod rows;

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

/// Declares tests that run a check on each face.
macro_rules! on_every_face {
    ($($check:ident),*) => {$(
        #[test]
        #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
        fn $check() {
            checks::$check::<native::Native>();
            checks::$check::<native::Restored>();
            #[cfg(all(target_arch = "wasm32", feature = "command"))]
            checks::$check::<javascript::Engine>();
        }
    )*};
}

on_every_face!(select, refuse, explain, facets, lint, expressions, views);

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn pages() {
    native::pages();
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn picker() {
    picker::picker();
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn syntax() {
    native::syntax();
}
