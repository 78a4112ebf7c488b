//! The method `server/discover` of the stateless revision.

use http::Response;
use mcp_sieve::{json::Raw, revision::Revision};
use serde_json::{Value, json};

use crate::{
    config::Transport,
    host::Host,
    methods::{capabilities, tags, tool_list},
    protocol::response::{self, Body, Cache, ResultShape},
    request::context::Context,
};

/// Time, in milliseconds, for which a client may store the description of the server.
const DISCOVER_TTL_MS: u64 = 60_000;

/// Answers `server/discover`.
pub(crate) fn discover<H: Host>(context: &Context<'_, H>) -> Response<Body> {
    let instructions = tool_list::instructions(context);
    let mut cache = context.cache(DISCOVER_TTL_MS);
    // A caller with a token may be told other revisions.
    cache.private |= context.exchange.config.auth.is_some() && keeps_sessions(context);
    let tag = tags::of_server(context);
    let capabilities = capabilities::server_capabilities(context);
    let texts = (instructions.as_deref(), tag.as_deref());
    let out = result(context.id, &context.shape(), cache, (&revisions(context), &capabilities), texts);
    response::json(out)
}

/// Returns the dates of the revisions that a client is told to choose from. Nothing connects the calls of a stateless
/// client without a principal, so at a server that keeps sessions its calls would share no state. Such a client is told
/// the revisions with sessions alone, and opens one. Its stateless requests are served all the same.
pub(crate) fn revisions<H: Host>(context: &Context<'_, H>) -> Vec<&'static str> {
    let is_nobody = context.caller.principal().is_none() && context.caller.transport != Transport::Stdio;
    let with_sessions = is_nobody && keeps_sessions(context);
    let revisions = Revision::ALL.into_iter().filter(|revision| !(with_sessions && revision.is_stateless()));
    revisions.map(Revision::date).collect()
}

/// Returns whether a server that the caller may know of keeps state by session, for each of its clients.
fn keeps_sessions<H: Host>(context: &Context<'_, H>) -> bool {
    context.offers(|features| features.keeps_sessions)
}

/// Returns the response to `server/discover` for any server.
pub(crate) fn result(
    id: Raw<'_>,
    shape: &ResultShape<'_>,
    cache: Cache,
    (revisions, capabilities): (&[&str], &Value),
    (instructions, tag): (Option<&str>, Option<&str>),
) -> Vec<u8> {
    response::write(id, shape, Some(cache), |result| {
        result.raw("supportedVersions", json!(revisions).to_string().as_bytes());
        result.raw("capabilities", capabilities.to_string().as_bytes());
        if let Some(instructions) = instructions {
            result.text("instructions", instructions);
        }
        if let Some(tag) = tag {
            result.text("tag", tag);
        }
    })
}
