use js_sys::Error;
use wasm_bindgen::{JsCast, JsValue};

/// An error that the package's JavaScript made of what was thrown.
#[derive(Debug)]
pub(super) struct Thrown {
    /// What kind of failure it is, such as `TimeoutError`.
    pub name: String,
    /// What happened, for the operator.
    pub message: String,
}

impl Thrown {
    pub fn read(error: &JsValue) -> Self {
        // Members of an error may be anything: a text that is none would trap when it is converted.
        let text = |value: JsValue| value.as_string().unwrap_or_default();
        match error.dyn_ref::<Error>() {
            Some(error) => Self { name: text(error.name().into()), message: text(error.message().into()) },
            None => Self { name: String::new(), message: "a value that is no error was thrown".to_owned() },
        }
    }

    /// Whether time ran out.
    pub fn is_late(&self) -> bool {
        self.name == "TimeoutError"
    }
}
