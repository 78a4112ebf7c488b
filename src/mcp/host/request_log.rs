//! The attributes of a request under way, for the line that the operator's log has of it.

use std::cell::RefCell;

use serde_json::{Map, Value};

use crate::mcp::host::operation;

/// The attributes of a message under way.
#[derive(Debug, Default)]
pub(crate) struct RequestLog(RefCell<Map<String, Value>>);

impl RequestLog {
    /// Adds an attribute.
    pub fn say(&self, name: &str, value: impl Into<Value>) {
        self.0.borrow_mut().insert(name.to_owned(), value.into());
    }

    /// Adds an attribute whose text others chose.
    pub fn text(&self, name: &str, text: &str) {
        self.say(name, operation::cut(text));
    }

    /// Takes all attributes.
    pub fn take(&self) -> Map<String, Value> {
        self.0.take()
    }
}
