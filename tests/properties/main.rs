//! Properties that hold for every input, tested on random inputs.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod bindings;
mod bytes;
mod claims;
mod connections;
mod differences;
mod expressions;
mod hashes;
mod histories;
mod json;
mod lint;
mod listeners;
mod many;
mod mutated;
mod names;
mod nesting;
mod oracle;
mod outer_members;
mod pages;
mod picker;
mod policies;
mod published;
mod quarkus;
mod random;
mod refreshes;
mod robust;
mod sep_1300;
mod shortened;
mod snapshots;
mod steps;
mod templates;
mod views;

#[path = "../json/passed_response.rs"]
mod passed_response;

use proptest::test_runner::Config;

/// Returns a configuration with this number of cases. A failure is shrunk and printed, and no file is written.
fn cases(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}
