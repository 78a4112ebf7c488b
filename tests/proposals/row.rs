//! The rows of `tests/fixtures/proposals`; its README documents their members.

use std::{fs, path::PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

/// The documents that have rows.
pub const DOCUMENTS: [&str; 5] = ["000", "001", "002", "003", "004"];

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Row {
    #[serde(skip)]
    pub document: String,
    pub name: String,
    /// A description of the block in our words.
    pub title: String,
    pub line: usize,
    pub sha256: String,
    pub verdict: Verdict,
    /// The reason for a difference, or the part that describes no behavior; for an exact row, a remark.
    #[serde(default)]
    pub reason: String,
    /// The part of the text that is missing from the capture.
    pub lost: Option<String>,
    /// The JSON of the block with the same structure in other words.
    pub own: Option<Value>,
    /// The message that is sent or accepted instead, if it differs.
    pub answer: Option<Value>,
    /// The runner of `steps`.
    #[serde(default)]
    pub face: Face,
    #[serde(default)]
    pub world: Map<String, Value>,
    #[serde(default)]
    pub steps: Vec<Value>,
    /// Tests that assert the verdict, in addition to or instead of `steps`.
    #[serde(default)]
    pub tests: Vec<Named>,
}

#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Implemented as printed.
    Exact,
    /// Implemented as printed with a setting that is off by default.
    Setting,
    /// Implemented differently, for a stated reason.
    Differs,
    /// A sentence that describes no behavior of an implementation.
    None,
}

#[derive(Deserialize, Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Face {
    /// The protocol over HTTP, as in `tests/fixtures/protocol`.
    #[default]
    Protocol,
    /// The endpoint of context middleware.
    Middleware,
}

/// A test, by its file and its name.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Named {
    pub file: String,
    pub name: String,
}

/// Returns the rows of every document.
pub fn all() -> Vec<Row> {
    DOCUMENTS.iter().flat_map(|document| of(document)).collect()
}

/// Returns the rows of one document, in the order of its text.
pub fn of(document: &str) -> Vec<Row> {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", "proposals"].iter().collect();
    let path = folder.join(format!("{document}.json"));
    let mut rows: Vec<Row> = serde_json::from_slice(&fs::read(&path).unwrap())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    rows.iter_mut().for_each(|row| row.document = document.to_owned());
    rows
}
