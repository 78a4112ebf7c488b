//! The arguments of a call once they have passed the tool's schema.
//!
//! Ranges, lengths, enumerations and defaults are the schema's business (`check`), so a tool only picks up
//! values here. A value of another type than the tool expects means that the tool and its schema disagree:
//! a fault of this program, never of the caller.

use serde_json::{Map, Value};

use super::error::Fail;

/// Checked arguments, defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Args(pub(crate) Map<String, Value>);

impl Args {
    /// The same with one argument more.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut members = self.0.clone();
        members.insert(name.to_owned(), value.into());
        Self(members)
    }

    /// Whether it was given or has a default; `null` counts.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A text that is required or has a default.
    pub(crate) fn text(&self, name: &str) -> Result<&str, Fail> {
        self.may_text(name)?.ok_or_else(|| fault(name))
    }

    /// A text that may be left out, or be `null`.
    pub(crate) fn may_text(&self, name: &str) -> Result<Option<&str>, Fail> {
        self.may(name, Value::as_str)
    }

    /// An integer that is required or has a default.
    pub(crate) fn integer(&self, name: &str) -> Result<i64, Fail> {
        self.may(name, Value::as_i64)?.ok_or_else(|| fault(name))
    }

    /// A number that is required.
    pub(crate) fn number(&self, name: &str) -> Result<f64, Fail> {
        self.may_number(name)?.ok_or_else(|| fault(name))
    }

    /// A number that may be left out.
    pub(crate) fn may_number(&self, name: &str) -> Result<Option<f64>, Fail> {
        self.may(name, Value::as_f64)
    }

    /// A boolean that has a default.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Fail> {
        self.may_flag(name)?.ok_or_else(|| fault(name))
    }

    /// A boolean that may be left out.
    pub(crate) fn may_flag(&self, name: &str) -> Result<Option<bool>, Fail> {
        self.may(name, Value::as_bool)
    }

    /// An object that may be left out, as arguments of its own.
    pub(crate) fn may_object(&self, name: &str) -> Result<Option<Self>, Fail> {
        self.may(name, |value| value.as_object().cloned().map(Self))
    }

    /// A list that is required or has a default.
    pub(crate) fn list(&self, name: &str) -> Result<&[Value], Fail> {
        self.may(name, |value| value.as_array().map(Vec::as_slice))?.ok_or_else(|| fault(name))
    }

    /// A list as JSON text, for SQLite's `json_each`; `[]` when it was left out.
    pub(crate) fn json_list(&self, name: &str) -> Result<String, Fail> {
        if !self.has(name) {
            return Ok("[]".into());
        }
        self.list(name).and_then(|items| serde_json::to_string(items).map_err(|_| fault(name)))
    }

    fn may<'a, T>(&'a self, name: &str, read: impl Fn(&'a Value) -> Option<T>) -> Result<Option<T>, Fail> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| fault(name)),
        }
    }
}

fn fault(name: &str) -> Fail {
    Fail::Fault(format!("the tool and its schema disagree about `{name}`"))
}
