//! Errors that JavaScript receives as `SieveError`, and conversion of values to typed objects.

use js_sys::Object;
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const SIEVE_ERROR: &str = "/** What the module throws. */
export interface SieveError extends Error, ErrorDetails { readonly name: \"SieveError\"; }
";

/// What an error says besides its message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Tsify)]
pub struct ErrorDetails {
    /// The code, such as `filter_type`. It never changes.
    code: &'static str,
    /// The byte position of the error in a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    /// The path of the invalid member: `filter.groups[2]`, `rules[0].match`.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

/// An error that JavaScript receives as an `Error` with the members of [`ErrorDetails`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    message: String,
    details: ErrorDetails,
}

impl Failure {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { message: message.into(), details: ErrorDetails { code, at: None, path: None } }
    }
}

impl From<mcp_sieve::Error> for Failure {
    fn from(error: mcp_sieve::Error) -> Self {
        let (code, at, path) = (error.code(), error.at(), error.path().map(str::to_owned));
        Self { message: error.to_string(), details: ErrorDetails { code, at, path } }
    }
}

impl From<Failure> for JsValue {
    fn from(Failure { message, details }: Failure) -> Self {
        let error = js_sys::Error::new(&message);
        error.set_name("SieveError");
        // Texts and numbers can always be converted.
        if let Ok(details) = serde_wasm_bindgen::to_value(&details) {
            Object::assign(&error, details.unchecked_ref());
        }
        error.into()
    }
}

/// Converts a value to a typed object.
pub(crate) fn object<T: Tsify + Serialize>(value: &T) -> Result<Ts<T>, Failure> {
    value.into_ts().map_err(|error| Failure::new("json", error.to_string()))
}

/// Converts values to an array of typed objects.
pub(crate) fn objects<T: Tsify + Serialize>(
    values: impl IntoIterator<Item = T>,
) -> Result<Vec<Ts<T>>, Failure> {
    values.into_iter().map(|value| object(&value)).collect()
}

/// Converts JSON that the engine wrote to an object.
pub(crate) fn json_object(text: &str) -> Result<JsValue, Failure> {
    let failed = |message: String| Failure::new("json", message);
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| failed(error.to_string()))?;
    value.serialize(&Serializer::json_compatible()).map_err(|error| failed(error.to_string()))
}
