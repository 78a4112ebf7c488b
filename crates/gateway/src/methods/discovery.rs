//! Answers calls of discovery tools in `tools/call`.

use http::Response;
use mcp_sieve::{
    Kind,
    discovery::{Answer, DiscoveryTool, ToolCall},
    filter::Fields,
    json::{self, Members},
};

use crate::{
    host::Host,
    methods::{ranking, tool_list::findable},
    protocol::{
        error::{INVALID_PARAMS, RpcError},
        response::{self, Body},
    },
    request::{
        context::Context,
        discovery::{self, Discovered},
    },
};

/// Answers a call of a discovery tool. Returns `None` for a call of another tool that is to be forwarded. A call that
/// `call_read_only_tool` must not make, or whose arguments do not match, gets an error result.
pub(crate) async fn answer<H: Host>(context: &Context<'_, H>) -> Result<Option<Response<Body>>, RpcError> {
    let Some(Discovered { tool, .. }) = context.exchange.discovered.get() else { return Ok(None) };
    let arguments = discovery::arguments(context.message);
    let answer = if tool.calls() {
        refused(context, *tool)?
    } else {
        let (definitions, catalog) = (&context.backend.definitions, context.view.catalog());
        let tools = catalog.kind_index(Kind::Tool);
        let write = |index: usize, out: &mut Vec<u8>| match tools.short(index) {
            // A definition that lists shorten is returned in full.
            Some(_) => out.extend_from_slice(tools.bytes(index).unwrap_or_default()),
            None => definitions.write(catalog, Kind::Tool, index, &Fields::default(), out),
        };
        let findable = findable(context)?;
        let query = arguments.filter(|_| *tool == DiscoveryTool::SearchTools).and_then(Members::read);
        let query = query.and_then(|given| given.get("query").and_then(json::Raw::text)).unwrap_or_default();
        let scores = ranking::scores(context.exchange.host, &query, &findable.tools()).await;
        findable.tools().scored(scores.as_deref()).answer(*tool, arguments, &write)
    };
    Ok(answer.map(|answer| result(context, &answer)))
}

/// Returns the reason why a call of a visible tool is rejected, if it is.
///
/// # Errors
/// The error for an unknown tool, which says what to call instead.
fn refused<H: Host>(context: &Context<'_, H>, tool: DiscoveryTool) -> Result<Option<Answer>, RpcError> {
    let name = context.message.text_param("name")?;
    let tools = context.view.catalog().kind_index(Kind::Tool);
    let found = context.view.find(Kind::Tool, &name).filter(|index| tools.is_for_models(*index));
    let Some(index) = found else {
        let unknown = context.route.as_ref().err().filter(|failure| failure.code == INVALID_PARAMS);
        let Some(mut failure) = unknown.cloned() else { return Ok(None) };
        failure.message.push_str(&findable(context)?.tools().hint(&name));
        return Err(failure);
    };
    let definition = tools.bytes(index).unwrap_or_default();
    let definition = std::str::from_utf8(definition).unwrap_or_default();
    Ok(ToolCall::refused(tool, definition, discovery::arguments(context.message)))
}

/// Returns the response to `tools/call` with the answer of a discovery tool.
pub(crate) fn result<H: Host>(context: &Context<'_, H>, answer: &Answer) -> Response<Body> {
    let mut out = response::open(context.id);
    context.shape().write(&mut out, None, None, |result| answer.write(result));
    response::close(&mut out);
    response::json(out)
}
