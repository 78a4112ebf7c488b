//! The scanners as in the shipped modules, without the code that passes texts to them; see `../scanners.mjs`.

use mcp_sieve_redact::{PlaceholderMap, Redactor, Scan, pii::Scanner, secrets::Secrets};
use wasm_bindgen::prelude::*;

use random::Random;

#[path = "../../../crates/redact/tests/scanners/generate.rs"]
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

/// A text in the module's memory.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Text(String);

#[wasm_bindgen]
impl Text {
    /// Stores a text from JavaScript.
    #[wasm_bindgen(constructor)]
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// Generates a text of at least this many bytes, in which two sentences in five contain a finding.
    pub fn dense(bytes: usize) -> Self {
        let (mut text, mut seed) = (String::new(), 0);
        while text.len() < bytes {
            text.push_str(&generate::text(&mut Random::new(seed), 12).text);
            seed += 1;
        }
        Self(text)
    }

    /// Returns the text.
    pub fn text(&self) -> String {
        self.0.clone()
    }

    /// Returns the number of PII findings.
    pub fn find(&self) -> usize {
        Scanner::default().findings(&self.0).count()
    }

    /// Returns the length of the redacted text, in bytes.
    pub fn redact(&self) -> usize {
        Redactor::new(Scanner::default(), PlaceholderMap::new()).redact(&self.0).len()
    }

    /// Returns the number of secrets found.
    pub fn secrets(&self) -> usize {
        Secrets::default().secrets(&self.0).count()
    }
}
