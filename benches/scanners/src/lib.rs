//! The scanners as shipped modules have them, without what hands texts over to them: see `../scanners.mjs`.

use mcp_sieve::middleware::{
    pii::Scanner,
    scan::{PlaceholderMap, Redactor, Scan},
    secrets::Secrets,
};
use wasm_bindgen::prelude::*;

use random::Random;

#[path = "../../../tests/scanners/generate.rs"]
#[allow(
    dead_code,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "texts are made as the tests make them"
)]
mod generate;
#[path = "../../../tests/properties/random.rs"]
#[allow(
    dead_code,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "texts are made as the tests make them"
)]
mod random;

/// A text in memory.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Text(String);

#[wasm_bindgen]
impl Text {
    /// One that is given.
    #[wasm_bindgen(constructor)]
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// One of at least so many bytes, of which two sentences in five hold what is to be found.
    pub fn dense(bytes: usize) -> Self {
        let (mut text, mut seed) = (String::new(), 0);
        while text.len() < bytes {
            text.push_str(&generate::text(&mut Random::new(seed), 12).text);
            seed += 1;
        }
        Self(text)
    }

    /// The text itself.
    pub fn text(&self) -> String {
        self.0.clone()
    }

    /// How many findings of `pii`.
    pub fn find(&self) -> usize {
        Scanner::default().findings(&self.0).count()
    }

    /// How many bytes what is left of it has.
    pub fn redact(&self) -> usize {
        Redactor::new(Scanner::default(), PlaceholderMap::new()).redact(&self.0).len()
    }

    /// How many secrets.
    pub fn secrets(&self) -> usize {
        Secrets::default().secrets(&self.0).count()
    }
}
