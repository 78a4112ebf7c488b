//! Tests of the scanners for personal data and secrets: accuracy, streaming and restoration.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod blind;
mod corpus;
mod gaps;
mod generate;
mod halves;
mod lookalikes;
mod own_patterns;
mod own_text;
mod presidio;
mod properties;
mod quality;
#[path = "../../../../tests/properties/random.rs"]
#[allow(dead_code, reason = "the properties ask more of it")]
mod random;
mod secret_forms;
mod secret_samples;
mod secrets;
mod speed;
mod unseen;
