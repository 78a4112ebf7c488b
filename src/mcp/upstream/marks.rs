//! Arguments that a stateless server wants repeated as headers (`x-mcp-header`). A caller of the handshake
//! era has never heard of them, so the gateway remembers which they are and writes them.

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use super::meta::encode;
use crate::json::{self, Members, Raw};

const MARK: &str = "x-mcp-header";
/// Deepest nesting of `properties` that is searched for marks.
const MAX_DEPTH: usize = 8;

/// The marked arguments of every tool that has some.
#[derive(Debug, Default)]
pub(super) struct Marks(BTreeMap<String, Vec<Mark>>);

#[derive(Debug)]
struct Mark {
    header: HeaderName,
    /// Where the argument is, from the root of `arguments`.
    path: Vec<String>,
}

impl Marks {
    /// Takes in a page of tools. Of two with one name the first counts, as in the catalog.
    pub fn learn(&mut self, tools: Raw<'_>) {
        // Most servers mark nothing; looking for the word spares them the parse.
        if !tools.get().contains(MARK) {
            return;
        }
        for tool in json::elements(tools).unwrap_or_default() {
            let tool: Value = serde_json::from_str(tool.get()).unwrap_or_default();
            let (Some(name), Some(schema)) =
                (tool.get("name").and_then(Value::as_str), tool.get("inputSchema"))
            else {
                continue;
            };
            let mut marks = Vec::new();
            walk(schema, &mut Vec::new(), &mut marks);
            self.0.entry(name.to_owned()).or_insert(marks);
        }
    }

    /// Adds the headers that a call of a tool lacks.
    pub fn complete(&self, headers: &mut HeaderMap, params: Option<Raw<'_>>) {
        let Some(params) = params.and_then(Members::read).filter(|_| !self.0.is_empty()) else { return };
        let name = params.get("name").and_then(json::text).unwrap_or_default();
        let Some(marks) = self.0.get(name.as_ref()).filter(|marks| !marks.is_empty()) else { return };
        let arguments = params.get("arguments").map_or("null", Raw::get);
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
        for Mark { header, path } in marks {
            let argument = path.iter().try_fold(&arguments, |value, key| value.get(key));
            let text = match argument {
                Some(Value::String(text)) => encode(text),
                Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
                _ => continue,
            };
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.entry(header).or_insert(value);
            }
        }
    }
}

fn walk(schema: &Value, path: &mut Vec<String>, marks: &mut Vec<Mark>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.filter(|_| path.len() < MAX_DEPTH);
    for (key, property) in properties.into_iter().flatten() {
        path.push(key.clone());
        match property.get(MARK).and_then(Value::as_str) {
            Some(mark) => {
                let header = HeaderName::try_from(format!("mcp-param-{mark}")).ok();
                marks.extend(header.map(|header| Mark { header, path: path.clone() }));
            }
            None => walk(property, path, marks),
        }
        path.pop();
    }
}
