//! Content items for the results of the conformance server: text, image, audio and resource.

use serde_json::{Value, json};

/// A PNG image of one red pixel, in base64.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A WAV file with a header and no samples, in base64.
pub(crate) const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// Returns a tool result with this content.
pub(crate) fn result(content: impl Into<Vec<Value>>) -> Value {
    json!({"content": content.into()})
}

/// Returns a tool result with one text.
pub(crate) fn text(text: &str) -> Value {
    result([json!({"type": "text", "text": text})])
}

pub(crate) fn image() -> Value {
    json!({"type": "image", "data": PNG, "mimeType": "image/png"})
}

pub(crate) fn resource(uri: &str, media: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": media, "text": text}})
}
