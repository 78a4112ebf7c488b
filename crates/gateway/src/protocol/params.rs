//! Checks for parameters that servers could interpret differently.
//!
//! JSON does not define which of two members with one name counts, and some parsers match names regardless of case. The
//! gateway uses the last member with the exact name. A request that another parser may read differently is rejected
//! before it is forwarded. Names inside `arguments` belong to the tool. There, only arguments that a header repeats are
//! checked, when they are read (module `header_params`).

use mcp_sieve::json::{Members, Raw};

use crate::object::ReadObject;

use crate::protocol::{error::RpcError, message::Message};

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
/// Members of the objects that a request may contain besides `arguments`, by the member that contains them.
const INNER: [(&str, &[&str]); 3] = [("_meta", &META), ("ref", &["type", "name", "uri"]), ("task", &["ttl"])];

/// Checks the parameters of a request that is to be forwarded.
///
/// # Errors
/// `repeated_member` for a duplicate member, and `member_case` for one that differs from a member of the protocol in
/// case only: in the parameters, and in their `_meta`, `ref` and `task`.
pub(crate) fn check(message: &Message<'_>) -> Result<(), RpcError> {
    check_named(message, None)
}

/// Does the same as [`check`], with a parameter that the operator has declared as the name of a primitive.
///
/// # Errors
/// The errors of [`check`].
pub(crate) fn check_named(message: &Message<'_>, parameter: Option<&str>) -> Result<(), RpcError> {
    let Some(params) = message.params.as_ref().map(ReadObject::members) else { return Ok(()) };
    let defined: Vec<&str> = PARAMS.into_iter().chain(parameter).collect();
    unique("params", params, &defined)?;
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

/// Returns the member with this name in the object `raw`; `None` if it is absent or `raw` is not an object.
///
/// # Errors
/// `repeated_member` for a duplicate member.
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

/// Returns whether some parser may consider two names equal.
pub(crate) fn same_name(one: &str, other: &str) -> bool {
    one == other || fold(one).eq(fold(other))
}

/// Folds letters that a parser may consider equal: those that share an upper-case form, such as `s` and `ſ`, or a
/// lower-case form, such as `k` and the Kelvin sign.
fn fold(name: &str) -> impl Iterator<Item = char> {
    name.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}
