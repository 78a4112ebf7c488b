//! `x-mcp-header`: arguments that a tool wants repeated as headers, for routing (revision 2026-07-28).

use std::{borrow::Cow, collections::HashSet, fmt};

use http::HeaderName;
use mcp_sieve::{catalog::BoundArgument, json::Raw};
use serde_json::{Map, Value};

use crate::{
    object::deserialize,
    protocol::{error::RpcError, params},
};

/// Maximum depth of nested `properties` at which an argument may be marked.
pub const MAX_MARK_DEPTH: usize = 8;
/// The keyword that marks a property.
pub(crate) const MARK: &str = "x-mcp-header";
/// Types that may be sent as headers. `number` is left out because a number has several spellings.
const TYPES: [&str; 3] = ["string", "integer", "boolean"];

/// Keywords whose values are data and never schemas.
const DATA: [&str; 4] = ["default", "const", "enum", "examples"];

/// A marked argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HeaderParam {
    /// The name of the header, `mcp-param-…`.
    pub header: HeaderName,
    /// The name in the tool's mark, in its original case.
    pub name: String,
    /// The path of the argument from the root of `arguments`.
    pub path: Vec<String>,
}

impl HeaderParam {
    /// Returns the argument in a call's `arguments`, unless it is absent or `null`.
    ///
    /// # Errors
    /// `repeated_member` for a duplicate argument: the server might read the value that is not in the header.
    pub fn find<'a>(&self, arguments: Option<Raw<'a>>) -> Result<Option<Raw<'a>>, RpcError> {
        let mut found = arguments;
        for key in &self.path {
            let Some(raw) = found else { return Ok(None) };
            found = params::only(raw, key)?;
        }
        Ok(found.filter(|raw| !raw.is_null()))
    }
}

/// Returns the marked arguments of a tool, in the order of its schema.
///
/// # Errors
/// Marks for which clients ignore a tool: one that is not a header name, is used twice, or does not belong to a string,
/// integer or boolean argument.
pub(crate) fn read(tool: &str) -> Result<Vec<HeaderParam>, MarkError> {
    // Few tools have marks, and searching for the keyword is cheaper than parsing.
    if !tool.contains(MARK) {
        return Ok(Vec::new());
    }
    let tool: Value = deserialize(tool).unwrap_or_default();
    let mut reading = ParamReader::default();
    match tool.get("inputSchema") {
        Some(schema) if schema.get(MARK).is_some() => Err(reading.fault("marks no argument")),
        Some(schema) => reading.properties(schema).map(|()| reading.marks),
        None => Ok(Vec::new()),
    }
}

/// Returns the marks of a bound argument, which has left the schema of its tool.
pub(crate) fn bound_marks(argument: &BoundArgument) -> Vec<HeaderParam> {
    let Some(marked) = &argument.marked else { return Vec::new() };
    let mut reading = ParamReader::default();
    let property: Value = deserialize(marked).unwrap_or_default();
    let schema = argument.path.iter().rev().fold(property, |property, key| {
        let properties = Map::from_iter([(key.clone(), property)]);
        Value::Object(Map::from_iter([("properties".to_owned(), Value::Object(properties))]))
    });
    // The marks were valid in the tool's own schema, which the catalog requires.
    match reading.properties(&schema) {
        Ok(()) => reading.marks,
        Err(_) => Vec::new(),
    }
}

/// A mark for which clients ignore a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkError {
    /// The path of the marked argument from the root of `arguments`; empty for a mark of the schema itself.
    path: Vec<String>,
    problem: Cow<'static, str>,
}

impl fmt::Display for MarkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_slice() {
            [] => write!(f, "`{MARK}` {}, left out", self.problem),
            path => write!(f, "`{MARK}` of `{}` {}, left out", path.join("."), self.problem),
        }
    }
}

impl std::error::Error for MarkError {}

#[derive(Default)]
struct ParamReader {
    marks: Vec<HeaderParam>,
    names: HashSet<HeaderName>,
    path: Vec<String>,
}

impl ParamReader {
    fn properties(&mut self, schema: &Value) -> Result<(), MarkError> {
        self.nowhere_below(schema)?;
        let properties = schema.get("properties").and_then(Value::as_object);
        for (key, property) in properties.into_iter().flatten() {
            self.path.push(key.clone());
            if let Some(name) = property.get(MARK) {
                self.mark(name, property)?;
            }
            self.properties(property)?;
            self.path.pop();
        }
        Ok(())
    }

    fn mark(&mut self, name: &Value, property: &Value) -> Result<(), MarkError> {
        if self.path.len() > MAX_MARK_DEPTH {
            return Err(self.fault(format!("is deeper than {MAX_MARK_DEPTH} levels of `properties`")));
        }
        let name = name.as_str().filter(|name| !name.is_empty());
        let header = name.and_then(|name| HeaderName::try_from(format!("mcp-param-{name}")).ok());
        let (Some(name), Some(header)) = (name, header) else {
            return Err(self.fault("is no header name"));
        };
        if !property.get("type").and_then(Value::as_str).is_some_and(|kind| TYPES.contains(&kind)) {
            return Err(self.fault("marks something other than a string, integer or boolean"));
        }
        if !self.names.insert(header.clone()) {
            return Err(self.fault(format!("is `{name}` for the second time")));
        }
        self.marks.push(HeaderParam { header, name: name.to_owned(), path: self.path.clone() });
        Ok(())
    }

    /// Rejects marks outside `properties`, because they do not belong to one certain argument.
    fn nowhere_below(&self, schema: &Value) -> Result<(), MarkError> {
        let mut keywords = schema.as_object().into_iter().flatten();
        let elsewhere = |key: &str| key != "properties" && !DATA.contains(&key);
        match keywords.find(|(key, value)| elsewhere(key) && marked(value)) {
            Some((key, _)) => {
                Err(self.fault(format!("is below `{key}`, where it does not name one argument")))
            }
            None => Ok(()),
        }
    }

    fn fault(&self, problem: impl Into<Cow<'static, str>>) -> MarkError {
        MarkError { path: self.path.clone(), problem: problem.into() }
    }
}

/// Returns whether a schema, or an array or object of schemas, contains a mark at any depth. If the mark's value is an
/// object, it is the schema of a property with that name, not a mark.
fn marked(value: &Value) -> bool {
    match value {
        Value::Array(values) => values.iter().any(marked),
        Value::Object(members) => {
            let below = |(key, value): (&String, &Value)| !DATA.contains(&key.as_str()) && marked(value);
            members.get(MARK).is_some_and(|mark| !mark.is_object()) || members.iter().any(below)
        }
        _ => false,
    }
}
