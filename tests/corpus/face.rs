//! What every face can be asked, whatever it is made of.

use std::collections::BTreeMap;

use mcp_sieve::catalog::Kind;
use serde_json::Value;

use crate::rows::Asked;

/// A caller as a row writes it: its terms, and the values it has for each.
pub type Caller = BTreeMap<String, Vec<String>>;

pub trait Face: Sized {
    const NAME: &str;
    const HAS_CALLERS: bool;

    fn compile(lists: &str, config: Option<&str>) -> Result<Self, Refused>;
    /// The same for a caller; nobody, where the face has no callers.
    fn compile_for(lists: &str, config: Option<&str>, caller: &Caller) -> Result<Self, Refused>;
    fn ask(&mut self, kind: Kind, asked: &Asked) -> Result<Answer, Refused>;
    /// `{shown, reason}`.
    fn explain(&mut self, kind: Kind, asked: &Asked, of: &str) -> Value;
    /// `[{code, place, message, meant?}]` on a configuration's text, with lists or without, and on a filter.
    fn lint(config: &str, lists: Option<&str>, filter: &Asked) -> Result<Value, Refused>;
    /// `{hash, groups, tags, concerns, reports}`.
    fn about(&self) -> Value;
}

/// An error as it crosses a boundary.
#[derive(Debug, PartialEq)]
pub struct Refused {
    pub code: String,
    pub message: String,
    pub path: Option<String>,
    pub at: Option<u64>,
}

#[derive(Debug, Default)]
pub struct Answer {
    pub names: Vec<String>,
    pub count: usize,
    pub indices: Vec<u32>,
    pub list: String,
    pub hash: String,
    pub applied: Value,
    pub ignored: Vec<Value>,
}
