//! Reads the argument with the available tools, and looks up definitions for names.

use std::{borrow::Cow, collections::HashSet};

use mcp_sieve::{
    Error, ErrorKind,
    json::{self, Members, Object, Raw},
};

use crate::middleware::framework::environment::Environment;

/// Returns the JSON of a list of the tools, each once. Names alone are replaced by the environment's definitions.
///
/// # Errors
/// [`ErrorKind::ArgumentsInvalid`] for an element without a name.
pub(super) fn listed(available: &[Raw<'_>], environment: &dyn Environment) -> Result<String, Error> {
    let mut names = HashSet::new();
    let mut tools: Vec<Cow<'_, str>> = Vec::new();
    for (at, tool) in available.iter().enumerate() {
        let name = match tool.text() {
            Some(name) => Some(name),
            None => Members::read(*tool).and_then(|tool| tool.get("name")).and_then(json::Raw::text),
        };
        let refuse = || {
            let message = "expected a name, or a tool that has one";
            Error::new(ErrorKind::ArgumentsInvalid, message).field(format!("arguments.availableTools[{at}]"))
        };
        let name = name.filter(|name| !name.is_empty()).ok_or_else(refuse)?;
        let given = tool.get().starts_with('{');
        let tool =
            if given { Some(Cow::Borrowed(tool.get())) } else { environment.tool(&name).map(Cow::Owned) };
        if names.insert(name.clone()) {
            tools.push(tool.map_or_else(|| Cow::Owned(bare(&name)), schemed));
        }
    }
    Ok(format!("{{\"tools\":[{}]}}", tools.join(",")))
}

/// Returns the JSON of a tool of which only the name is known.
fn bare(name: &str) -> String {
    let mut out = Vec::new();
    out.extend(b"{\"name\":");
    Object::push_text(&mut out, name);
    out.extend(b",\"inputSchema\":{\"type\":\"object\"}}");
    String::from_utf8(out).unwrap_or_default()
}

/// Returns the tool with an `inputSchema`. Applications may omit it, but the parser of lists requires one.
fn schemed(tool: Cow<'_, str>) -> Cow<'_, str> {
    let has = Members::parse(&tool).is_none_or(|members| members.get("inputSchema").is_some());
    let open = tool.trim_end().strip_suffix('}').filter(|_| !has);
    let with = open.map(|open| format!("{open},\"inputSchema\":{{\"type\":\"object\"}}}}"));
    with.map_or(tool, Cow::Owned)
}
