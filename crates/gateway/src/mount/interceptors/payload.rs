//! Converts interceptor payloads to middleware content, and back to their original shape.

use mcp_sieve::{
    Error,
    json::{Members, Object, Raw},
};

use crate::middleware::{Content, Outcome};

/// The payload of an event as content: messages, items, or an object whose strings are text.
pub(super) struct Payload<'a> {
    pub content: Content<'a>,
    pub shape: PayloadSlot,
}

pub(super) enum PayloadSlot {
    Items,
    /// An object, which the function receives like a tool call.
    Object,
}

const WRAPPED: &str = "dev.mcpsieve/tool_call";

impl<'a> Payload<'a> {
    pub fn read(raw: Raw<'a>) -> Result<Self, Error> {
        if raw.get().starts_with('[') {
            return Ok(Self { content: Content::read(raw)?, shape: PayloadSlot::Items });
        }
        let mut out = Vec::new();
        Object::push_array(&mut out, [raw], |out, raw| {
            let mut item = Object::open(out);
            item.text("type", WRAPPED);
            item.raw("input", raw.get().as_bytes());
            item.close();
        });
        let text = String::from_utf8(out).unwrap_or_default();
        Ok(Self { content: Content::read(Raw::parse(&text)?)?.into_owned(), shape: PayloadSlot::Object })
    }
}

impl PayloadSlot {
    /// Returns the payload in its original shape; `None` if the function added items that do not fit.
    pub fn write(&self, outcome: &Outcome<'_>) -> Option<String> {
        match self {
            Self::Items => Some(outcome.content.to_json()),
            Self::Object => {
                let mut items = outcome.content.items();
                let (item, None) = (items.next()?, items.next()) else { return None };
                Members::parse(item)?.get("input").map(|raw| raw.get().to_owned())
            }
        }
    }
}
