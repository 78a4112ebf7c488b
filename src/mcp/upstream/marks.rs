//! Arguments that a stateless server wants repeated as headers (`x-mcp-header`). A caller of the handshake
//! era has never heard of them, so the gateway remembers which they are and writes them.

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderValue};
use serde_json::Value;

use super::meta::encode;
use crate::{
    json::{self, Members, Raw},
    mcp::marks::{self, Mark},
};

/// The marked arguments of every tool that has some.
#[derive(Debug, Default)]
pub(super) struct Marks(BTreeMap<String, Vec<Mark>>);

impl Marks {
    /// Takes in a page of tools. Of two with one name the first counts, as in the catalog.
    pub fn learn(&mut self, tools: Raw<'_>) {
        // Most servers mark nothing; looking for the word spares them the reading.
        if !tools.get().contains(marks::MARK) {
            return;
        }
        for tool in json::elements(tools).unwrap_or_default() {
            let name = Members::read(tool).and_then(|tool| tool.get("name")).and_then(json::text);
            // A tool that is marked wrongly is in no catalog, and the next of its name is.
            if let (Some(name), Ok(marks)) = (name, marks::read(tool.get().as_bytes())) {
                self.0.entry(name.into_owned()).or_insert(marks);
            }
        }
    }

    /// Adds the headers that a call of a tool lacks.
    pub fn complete(&self, headers: &mut HeaderMap, params: Option<Raw<'_>>) {
        let Some(params) = params.and_then(Members::read).filter(|_| !self.0.is_empty()) else { return };
        let name = params.get("name").and_then(json::text).unwrap_or_default();
        let Some(marks) = self.0.get(name.as_ref()).filter(|marks| !marks.is_empty()) else { return };
        let arguments = params.get("arguments").map_or("null", Raw::get);
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
        for mark in marks {
            let text = match mark.of(&arguments) {
                Some(Value::String(text)) => encode(text),
                Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
                _ => continue,
            };
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.entry(&mark.header).or_insert(value);
            }
        }
    }
}
