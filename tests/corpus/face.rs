//! A face: an interface of the engine that runs the rows of the corpus.

use std::collections::BTreeMap;

use mcp_sieve::Kind;
use serde_json::Value;

use super::rows::FilterInput;

/// A caller in a row: the values of each field.
pub type Caller = BTreeMap<String, Vec<String>>;

/// An interface of the engine, for which the rows of the corpus run.
pub trait Face: Sized {
    const NAME: &str;
    const HAS_CALLERS: bool;

    fn compile(lists: &str, config: Option<&str>) -> Result<Self, Refused>;
    /// Compiles for a caller; a face without callers ignores it.
    fn compile_for(lists: &str, config: Option<&str>, caller: &Caller) -> Result<Self, Refused>;
    /// Selects primitives by a filter.
    fn ask(&mut self, kind: Kind, input: &FilterInput) -> Result<Answer, Refused>;
    /// Returns `{shown, reason}`.
    fn explain(&mut self, kind: Kind, input: &FilterInput, of: &str) -> Value;
    /// Returns `{hash, groups, tags, concerns, reports}`.
    fn about(&self) -> Value;
}

/// A face that checks configurations for mistakes that are no errors.
pub trait Linter: Face {
    /// Returns `[{code, place, message, meant?}]` for a configuration and a filter, with or without lists.
    fn lint(config: &str, lists: Option<&str>, filter: &FilterInput) -> Result<Value, Refused>;
}

/// An error in a form that all faces share.
#[derive(Debug, PartialEq)]
pub struct Refused {
    pub code: String,
    pub message: String,
    pub path: Option<String>,
    pub at: Option<u64>,
}

/// The result of a selection.
#[derive(Debug, Default)]
pub struct Answer {
    pub names: Vec<String>,
    pub count: usize,
    pub indices: Vec<u32>,
    pub list: String,
    pub hash: String,
    pub applied: Value,
    pub ignored: Vec<Value>,
    pub unknown: Vec<Value>,
}
