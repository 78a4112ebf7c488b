//! The arguments of a tool call, after validation against the tool's schema.
//!
//! `check` validates ranges, lengths and enumerations and fills in defaults, so a tool only reads values here. A value
//! of an unexpected type means that the tool and its schema disagree. That is a bug of this program, never of the
//! caller.

use serde_json::{Map, Value};

use super::error::Fail;

/// Validated arguments with defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Args(pub(crate) Map<String, Value>);

impl Args {
    /// Returns a copy with the text argument `name` added or replaced.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut members = self.0.clone();
        members.insert(name.to_owned(), value.into());
        Self(members)
    }

    /// Returns whether the argument was given or has a default; an explicit `null` counts.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns a string that is required or has a default.
    pub(crate) fn text(&self, name: &str) -> Result<&str, Fail> {
        self.may_text(name)?.ok_or_else(|| fault(name))
    }

    /// Returns a string that may be absent or `null`.
    pub(crate) fn may_text(&self, name: &str) -> Result<Option<&str>, Fail> {
        self.may(name, Value::as_str)
    }

    /// Returns an integer that is required or has a default.
    pub(crate) fn integer(&self, name: &str) -> Result<i64, Fail> {
        self.may(name, Value::as_i64)?.ok_or_else(|| fault(name))
    }

    /// Returns a number that is required.
    pub(crate) fn number(&self, name: &str) -> Result<f64, Fail> {
        self.may_number(name)?.ok_or_else(|| fault(name))
    }

    /// Returns a number that may be absent or `null`.
    pub(crate) fn may_number(&self, name: &str) -> Result<Option<f64>, Fail> {
        self.may(name, Value::as_f64)
    }

    /// Returns a boolean that has a default.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Fail> {
        self.may_flag(name)?.ok_or_else(|| fault(name))
    }

    /// Returns a boolean that may be absent or `null`.
    pub(crate) fn may_flag(&self, name: &str) -> Result<Option<bool>, Fail> {
        self.may(name, Value::as_bool)
    }

    /// Returns an object that may be absent or `null`, as arguments of its own.
    pub(crate) fn may_object(&self, name: &str) -> Result<Option<Self>, Fail> {
        self.may(name, |value| value.as_object().cloned().map(Self))
    }

    /// Returns an array that is required or has a default.
    pub(crate) fn list(&self, name: &str) -> Result<&[Value], Fail> {
        self.may(name, |value| value.as_array().map(Vec::as_slice))?.ok_or_else(|| fault(name))
    }

    /// Returns an array as JSON text for SQLite's `json_each`; `[]` if the argument is absent.
    pub(crate) fn json_list(&self, name: &str) -> Result<String, Fail> {
        if !self.has(name) {
            return Ok("[]".into());
        }
        self.list(name).and_then(|items| serde_json::to_string(items).map_err(|_| fault(name)))
    }

    /// Reads an argument, or returns `None` if it is absent or `null`.
    fn may<'a, T>(&'a self, name: &str, read: impl Fn(&'a Value) -> Option<T>) -> Result<Option<T>, Fail> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| fault(name)),
        }
    }
}

/// Returns the error for an argument whose type the tool does not expect.
fn fault(name: &str) -> Fail {
    Fail::Fault(format!("the tool and its schema disagree about `{name}`"))
}
