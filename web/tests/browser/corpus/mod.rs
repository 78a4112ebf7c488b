//! The rows of the corpus: through the engine, restored from a snapshot, and through the objects of this crate.

#[path = "../../../../tests/corpus/checks.rs"]
mod checks;
#[path = "../../../../tests/corpus/face.rs"]
mod face;
#[path = "../../../../tests/corpus/native.rs"]
mod native;
mod objects;
#[path = "../../../../tests/corpus/picker.rs"]
mod picker;
#[path = "../../../../tests/corpus/rows.rs"]
pub mod rows;

use wasm_bindgen_test::wasm_bindgen_test;

/// Declares a test of each check for a face.
macro_rules! face {
    ($name:ident, $face:ty: $($check:ident),*) => {
        mod $name {
            use super::*;

            $(
                #[wasm_bindgen_test]
                fn $check() {
                    checks::$check::<$face>();
                }
            )*
        }
    };
}

face!(engine, native::Native: select, refuse, explain, facets, lint, expressions, views);
face!(restored, native::Restored: select, refuse, explain, facets, expressions, views);
face!(typed, objects::Objects: select, refuse, explain, facets, expressions, views);

#[wasm_bindgen_test]
fn pages() {
    native::pages();
}

#[wasm_bindgen_test]
fn picker_steps() {
    picker::picker();
}

#[wasm_bindgen_test]
fn syntax() {
    native::syntax();
}
