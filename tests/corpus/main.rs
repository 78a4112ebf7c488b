//! Runs every row of the corpus in `tests/fixtures` on the engine, and on the engine restored from a snapshot. The tests
//! of `web/` run them in a browser, those of the npm package in Node.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod checks;
mod face;
mod native;
mod picker;
mod rows;

/// Declares tests that run a check on each face.
macro_rules! on_every_face {
    ($($check:ident),*) => {$(
        #[test]
        fn $check() {
            checks::$check::<native::Native>();
            checks::$check::<native::Restored>();
        }
    )*};
}

on_every_face!(select, refuse, explain, facets, lint, expressions, views);

#[test]
fn pages() {
    native::pages();
}

#[test]
fn picker() {
    picker::picker();
}

#[test]
fn syntax() {
    native::syntax();
}
