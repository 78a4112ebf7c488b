//! The result of a discovery tool, as the members of a `tools/call` result.

use crate::json::Object;

/// The answer of a discovery tool: the members of a result of `tools/call`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// A JSON object, or text of a refusal.
    content: String,
    /// Whether it is a refusal. The model can correct its call and try again.
    refusal: bool,
}

impl Answer {
    /// Returns a result that consists of the members that `body` writes.
    pub(super) fn from_members(body: impl FnOnce(&mut Object<'_>)) -> Self {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        body(&mut object);
        object.close();
        // Names and definitions are valid UTF-8, and the bytes between them are ASCII.
        Self { content: String::from_utf8(out).unwrap_or_default(), refusal: false }
    }

    /// Returns a refusal.
    pub fn refusal(message: impl Into<String>) -> Self {
        Self { content: message.into(), refusal: true }
    }

    /// Returns whether it is a refusal.
    pub fn is_refusal(&self) -> bool {
        self.refusal
    }

    /// Writes the members of the result: the text for the model and, unless it is a refusal, the same JSON as
    /// `structuredContent`.
    pub fn write(&self, result: &mut Object<'_>) {
        let content = result.value("content");
        content.extend_from_slice(br#"[{"type":"text","text":"#);
        Object::push_text(content, &self.content);
        content.extend_from_slice(b"}]");
        match self.refusal {
            true => result.raw("isError", b"true"),
            false => result.raw("structuredContent", self.content.as_bytes()),
        }
    }
}
