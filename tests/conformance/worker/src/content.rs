use serde_json::{Value, json};

/// A red pixel.
pub(crate) const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A header and no sound behind it.
pub(crate) const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// The result of a tool.
pub(crate) fn result(content: impl Into<Vec<Value>>) -> Value {
    json!({"content": content.into()})
}

/// The result of a tool that says one thing.
pub(crate) fn text(text: &str) -> Value {
    result([json!({"type": "text", "text": text})])
}

pub(crate) fn image() -> Value {
    json!({"type": "image", "data": PNG, "mimeType": "image/png"})
}

pub(crate) fn resource(uri: &str, media: &str, text: &str) -> Value {
    json!({"type": "resource", "resource": {"uri": uri, "mimeType": media, "text": text}})
}
