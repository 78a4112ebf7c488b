//! Parameters that servers cannot read in two ways.
//!
//! JSON leaves open which of two members with one name counts, and some parsers match names regardless of case. The
//! gateway decides by the last member with the exact name, so a request that another parser may read otherwise is
//! refused before it is forwarded. Inside `arguments` names are the tool's own: only arguments that a header repeats
//! are checked, where they are read (`marks`).

use crate::{
    json::{Members, Raw},
    mcp::protocol::{error::RpcError, message::Message},
};

/// Members that the protocol defines in the parameters of forwarded requests.
const PARAMS: [&str; 11] = [
    "_meta",
    "name",
    "uri",
    "arguments",
    "argument",
    "ref",
    "context",
    "task",
    "inputResponses",
    "requestState",
    "cursor",
];
/// Members of `_meta` that servers read.
const META: [&str; 6] = [
    "progressToken",
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/logLevel",
    "io.modelcontextprotocol/related-task",
];
/// Members of the objects that a request may hold beside `arguments`, by the member that holds each.
const INNER: [(&str, &[&str]); 3] = [("_meta", &META), ("ref", &["type", "name", "uri"]), ("task", &["ttl"])];

/// Checks the parameters of a request that is to be forwarded.
///
/// # Errors
/// `repeated_member` for a member that is given twice, and `member_case` for one that differs from a member of the
/// protocol in case alone: in the parameters, and in their `_meta`, `ref` and `task`.
pub(crate) fn check(message: &Message<'_>) -> Result<(), RpcError> {
    check_named(message, None)
}

/// The same, where the operator has declared a parameter that names a primitive.
///
/// # Errors
/// As [`check`].
pub(crate) fn check_named(message: &Message<'_>, parameter: Option<&str>) -> Result<(), RpcError> {
    let Some(params) = message.params.and_then(Members::read) else { return Ok(()) };
    let defined: Vec<&str> = PARAMS.into_iter().chain(parameter).collect();
    unique("params", &params, &defined)?;
    for (key, defined) in INNER {
        if let Some(inner) = params.get(key).and_then(Members::read) {
            unique(&format!("params.{key}"), &inner, defined)?;
        }
    }
    Ok(())
}

fn unique(place: &str, members: &Members<'_>, defined: &[&str]) -> Result<(), RpcError> {
    let mut names: Vec<&str> = members.0.iter().map(|(name, _)| name.as_ref()).collect();
    names.sort_unstable();
    if let Some(name) = names.windows(2).find_map(|pair| match pair {
        [one, other] if one == other => Some(one),
        _ => None,
    }) {
        return Err(repeated(&format!("{place}.{name}")));
    }
    for name in names.into_iter().filter(|name| !defined.contains(name)) {
        if let Some(known) = defined.iter().find(|known| fold(name).eq(fold(known))) {
            let message = format!("`{place}` has a member `{name}`, expected the spelling `{known}`");
            return Err(RpcError::handle("member_case", message));
        }
    }
    Ok(())
}

/// The only member of this name in the object that `raw` is; none in another kind of value.
///
/// # Errors
/// `repeated_member` for a member that is given twice.
pub(crate) fn only<'a>(raw: Raw<'a>, name: &str) -> Result<Option<Raw<'a>>, RpcError> {
    let members = Members::read(raw).unwrap_or_default();
    let mut found = members.0.iter().filter(|(key, _)| key == name).map(|(_, value)| *value);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(repeated(name)),
        (value, None) => Ok(value),
    }
}

fn repeated(name: &str) -> RpcError {
    RpcError::handle("repeated_member", format!("`{name}` occurs twice, expected each member once"))
}

/// Letters that parsers may take for one: those with one lower case of their upper case, `ſ` and the Kelvin sign
/// among them.
fn fold(name: &str) -> impl Iterator<Item = char> {
    name.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}
