//! `tools/manifest` and `tools/describe` (SEP-2636, a draft): an index of the tools that the caller sees, and the
//! definitions of tools by name. Both show what `tools/list` shows to the same caller at the same URL.

use http::{Response, StatusCode};
use mcp_sieve::{
    Filter, Kind,
    filter::{Narrowing, Selection},
    json::{self, Members, Object},
};

use crate::protocol::cursor::Cursor;
use serde_json::json;

use crate::{
    host::Host,
    methods::list,
    protocol::{
        error::{INVALID_PARAMS, RpcError},
        response::Body,
    },
    request::context::Context,
    sha256_text::sha256_text,
};

/// Maximum number of tools that one request for definitions may name.
pub const MAX_NAMES: usize = 100;
/// The maximum while `experimental/groups/expand` is served, as that experiment requires.
const MAX_EXPANDED: usize = 50;
/// The members of a tool that an entry repeats.
const REPEATED: [&str; 2] = ["title", "annotations"];

/// Returns a page of entries: the name, the digest and the canonical length of each tool in its list.
pub(crate) fn manifest<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let (filter, narrowing) = context.narrow()?;
    let mut selection = Selection::default();
    let bits = context.view.select(&narrowing, Kind::Tool, &mut selection);
    let cursor = || {
        let mut bound = list::bound(context, &[&filter, &context.url].map(Filter::canonical));
        // Cursors of `tools/list` are not valid here.
        bound.part(context.message.method.as_bytes());
        Cursor { kind: Kind::Tool, filter: bound.end(), principal: context.principal() }
    };
    let from = list::start(context, cursor)?;
    let mut entries = bits.iter().skip_while(|index| *index < from);
    context.reply(|result| {
        let page = entries.by_ref().take(context.exchange.config.page_size);
        Object::push_array(result.value("entries"), page, |out, index| {
            push_entry(context, &narrowing, index, out)
        });
        if let Some(next) = entries.next() {
            result.text("nextCursor", &list::next_cursor(context, &cursor(), bits, next));
        }
    })
}

/// Appends the entry of a tool.
pub(crate) fn push_entry<H: Host>(
    context: &Context<'_, H>,
    narrowing: &Narrowing,
    index: usize,
    out: &mut Vec<u8>,
) {
    let (definitions, catalog) = (&context.backend.definitions, context.view.catalog());
    let mut text = Vec::new();
    definitions.write(catalog, Kind::Tool, index, narrowing.fields(), &mut text);
    let tool = std::str::from_utf8(&text).ok().and_then(Members::parse).unwrap_or_default();
    let (hash, size) =
        definitions.measure(catalog, Kind::Tool, index, narrowing.fields()).unwrap_or_default();
    let mut entry = Object::open(out);
    entry.text("name", catalog.kind_index(Kind::Tool).id(index).unwrap_or_default());
    for (key, value) in REPEATED.iter().filter_map(|key| Some((key, tool.get(key)?))) {
        entry.raw(key, value.get().as_bytes());
    }
    entry.text("digest", &sha256_text(&hash));
    entry.raw("size", size.to_string().as_bytes());
    entry.close();
}

/// Returns the definitions of the tools that the request names, in its order.
pub(crate) fn describe<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let (_, narrowing) = context.narrow()?;
    let mut selection = Selection::default();
    let bits = context.view.select(&narrowing, Kind::Tool, &mut selection);
    let names = names(context)?;
    let find = |name: &String| context.view.find(Kind::Tool, name).filter(|index| bits.contains(*index));
    let found: Vec<_> = names.iter().map(find).collect();
    let unknown: Vec<&String> =
        names.iter().zip(&found).filter(|(_, found)| found.is_none()).map(|(name, _)| name).collect();
    if !unknown.is_empty() {
        return Err(unlisted(context, &unknown));
    }
    context.reply(|result| {
        Object::push_array(result.value("tools"), found.into_iter().flatten(), |out, index| {
            let (definitions, catalog) = (&context.backend.definitions, context.view.catalog());
            definitions.write(catalog, Kind::Tool, index, narrowing.fields(), out);
        });
    })
}

/// Returns the names in a request.
///
/// # Errors
/// No names, more than [`MAX_NAMES`], duplicates, and values that are not strings.
fn names<H: Host>(context: &Context<'_, H>) -> Result<Vec<String>, RpcError> {
    let refuse = |message: String, data| Err(RpcError::new(StatusCode::OK, INVALID_PARAMS, message, data));
    let raw = context.message.param("names").and_then(json::Raw::elements);
    let Some(elements) = raw else {
        return Err(RpcError::params("`names` is required, an array of strings"));
    };
    let most = if context.exchange.config.drafts.deterministic_groups { MAX_EXPANDED } else { MAX_NAMES };
    match elements.len() {
        0 => return refuse("`names` is empty, expected a tool".to_owned(), json!({"reason": "empty"})),
        count if count <= most => {}
        _ => {
            let message = format!("`names` has more than {most} tools");
            return refuse(message, json!({"maxNames": most}));
        }
    }
    let names: Option<Vec<String>> = elements.into_iter().map(|name| name.text().map(Into::into)).collect();
    let Some(names) = names else { return Err(RpcError::params("`names` is required, an array of strings")) };
    // Duplicates are rejected, because a short request could get a very long response.
    let twice = names.iter().enumerate().find(|(at, name)| names.iter().take(*at).any(|one| one == *name));
    match twice {
        Some((at, _)) => {
            Err(RpcError::handle("repeated_name", format!("`names[{at}]` occurs twice, expected once")))
        }
        None => Ok(names),
    }
}

/// Returns the error for tools that are missing or hidden. Only the operator's log distinguishes them.
fn unlisted<H: Host>(context: &Context<'_, H>, unknown: &[&String]) -> RpcError {
    let tools = context.view.catalog().kind_index(Kind::Tool);
    let hidden = unknown.iter().any(|name| tools.find(name).is_some() || tools.hides(name));
    let failure =
        RpcError::new(StatusCode::OK, INVALID_PARAMS, "Unknown tool names", json!({"unknownNames": unknown}));
    match hidden {
        true => failure.denied("hidden"),
        false => failure.denied("unknown"),
    }
}
