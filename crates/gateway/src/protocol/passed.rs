//! Methods of other vendors that the operator passes to a server (`passMethods`).

use std::borrow::Cow;

use mcp_sieve::Kind;

use crate::{
    config::{Config, PassedMethod},
    protocol::message::Message,
};

/// Returns the servers to which a method is passed, each with its first entry that covers the method.
pub(crate) fn servers<'a>(
    config: &'a Config,
    method: &'a str,
) -> impl Iterator<Item = (&'a str, &'a PassedMethod)> {
    let servers = config.upstream_settings().iter();
    servers.filter_map(move |server| Some((server.name.as_str(), find(&server.pass_methods, method)?)))
}

/// Returns the first entry that covers a method.
pub(crate) fn find<'a>(entries: &'a [PassedMethod], method: &str) -> Option<&'a PassedMethod> {
    entries.iter().find(|entry| entry.covers(method))
}

/// Returns whether a server's notification is passed, which requires an entry that names no primitive. For other
/// entries the primitive of a notification is not known.
pub(crate) fn passes_notification(entries: &[PassedMethod], method: &str) -> bool {
    find(entries, method).is_some_and(|entry| entry.primitive.is_none())
}

/// Returns the entry that passes a request, as written in the configuration. Logs contain it instead of the method,
/// which callers choose freely within a namespace.
pub(crate) fn pattern(config: &Config, message: &Message<'_>) -> Option<String> {
    let (_, entry) = servers(config, &message.method).next().filter(|_| message.known.is_none())?;
    Some(entry.pattern())
}

/// Returns the primitive that a passed request names: its kind, and its name or URI.
pub(crate) fn primitive<'a>(config: &Config, message: &Message<'a>) -> Option<(Kind, Cow<'a, str>)> {
    if message.known.is_some() {
        return None;
    }
    let (_, entry) = servers(config, &message.method).next()?;
    let (kind, parameter) = entry.primitive.as_ref()?;
    Some((*kind, message.text_param(parameter).ok()?))
}
