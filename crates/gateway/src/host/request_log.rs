//! The attributes of an active request, for its line in the request log.

use std::cell::RefCell;

use serde_json::{Map, Value};

use crate::host::operation;

/// The attributes of a message that is being answered.
#[derive(Debug, Default)]
pub(crate) struct RequestLog(RefCell<Map<String, Value>>);

impl RequestLog {
    /// Sets an attribute.
    pub fn set(&self, name: &str, value: impl Into<Value>) {
        self.0.borrow_mut().insert(name.to_owned(), value.into());
    }

    /// Sets an attribute to text from a client, cut to the maximum length.
    pub fn set_text(&self, name: &str, text: &str) {
        self.set(name, operation::cut(text));
    }

    /// Sets an attribute that is not set yet.
    pub fn set_missing(&self, name: &str, value: &str) {
        self.0.borrow_mut().entry(name).or_insert_with(|| value.into());
    }

    /// Removes and returns all attributes.
    pub fn take(&self) -> Map<String, Value> {
        self.0.take()
    }
}
