//! The method `server/discover` of the stateless revision.

use http::Response;
use mcp_sieve::{json::Raw, revision::Revision};
use serde_json::{Value, json};

use crate::{
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
    let cache = context.cache(DISCOVER_TTL_MS);
    let tag = tags::of_server(context);
    let capabilities = capabilities::server_capabilities(context);
    let out =
        result(context.id, &context.shape(), cache, &capabilities, (instructions.as_deref(), tag.as_deref()));
    response::json(out)
}

/// Returns the response to `server/discover` for any server.
pub(crate) fn result(
    id: Raw<'_>,
    shape: &ResultShape<'_>,
    cache: Cache,
    capabilities: &Value,
    (instructions, tag): (Option<&str>, Option<&str>),
) -> Vec<u8> {
    response::write(id, shape, Some(cache), |result| {
        result.raw("supportedVersions", json!(Revision::dates()).to_string().as_bytes());
        result.raw("capabilities", capabilities.to_string().as_bytes());
        if let Some(instructions) = instructions {
            result.text("instructions", instructions);
        }
        if let Some(tag) = tag {
            result.text("tag", tag);
        }
    })
}
