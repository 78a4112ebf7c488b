//! The tool by which a caller signs in to a server, called by a caller that has signed in meanwhile.

use http::Response;
use mcp_sieve::{Kind, json};
use serde_json::json;

use crate::{
    config::AuthKind,
    host::Host,
    protocol::{error::RpcError, response::Body},
    request::context::Context,
    sign_in::{connected, tool_name},
};

/// Returns the result of `connect_NAME` for a caller that is connected to the server, whose lists contain the tool no
/// longer; `None` for any other call. A client may call it once more, because its question is answered.
pub(crate) fn already_connected<H: Host>(
    context: &Context<'_, H>,
) -> Option<Result<Response<Body>, RpcError>> {
    if context.route.is_ok() || !context.backend.is_of_caller {
        return None;
    }
    let called = context.message.param("name").and_then(json::Raw::text)?;
    let config = context.exchange.config;
    let is_called = |server: &&str| {
        let (settings, name) = (config.server_settings(server), tool_name(server));
        let prefixed =
            settings.prefix.as_ref().is_some_and(|prefix| called == [prefix, name.as_str()].concat());
        settings.auth.kind == AuthKind::User && (called == name || prefixed)
    };
    let mut servers = context.backend.upstreams.iter().map(|status| status.name.as_str());
    let server = servers.find(is_called)?;
    shows(context, server).then(|| {
        let content = json!([{"type": "text", "text": connected(server)}]).to_string();
        context.reply(|result| result.raw("content", content.as_bytes()))
    })
}

/// Returns whether the caller sees something of a server.
fn shows<H: Host>(context: &Context<'_, H>, server: &str) -> bool {
    let view = &context.view;
    Kind::ALL.into_iter().any(|kind| {
        let index = view.catalog().kind_index(kind);
        let bits = view.bits(kind);
        (0..index.len()).any(|at| index.server(at) == Some(server) && bits.contains(at))
    })
}
