//! Errors that JavaScript throws.

use js_sys::Error;
use wasm_bindgen::{JsCast, JsValue};

/// A JavaScript error, created by the package from a thrown value.
#[derive(Debug)]
pub(super) struct Thrown {
    /// The kind of failure, such as `TimeoutError`.
    pub name: String,
    /// The message, for the operator.
    pub message: String,
}

impl Thrown {
    pub fn read(error: &JsValue) -> Self {
        // Members of an error may have any type. Converting another type than a string directly would trap.
        let text = |value: JsValue| value.as_string().unwrap_or_default();
        match error.dyn_ref::<Error>() {
            Some(error) => Self { name: text(error.name().into()), message: text(error.message().into()) },
            None => Self { name: String::new(), message: "a value that is no error was thrown".to_owned() },
        }
    }

    /// Returns whether the error is a timeout.
    pub fn is_late(&self) -> bool {
        self.name == "TimeoutError"
    }
}
