//! `groups/list`, `tags/list` and `listConcerns`: the groups, tags and concerns that this caller can use.
//!
//! The lists have the form of SEP-1300, with the `_meta` that the operator defines. [`FacetQuery`] has their parameters.

use http::Response;
use mcp_sieve::{
    Digest, Kind,
    catalog::Catalog,
    json::{Object, Raw},
    policy::FacetQuery,
};

use crate::protocol::cursor::Cursor;
use serde_json::json;

use crate::{
    host::Host,
    methods::{concern_members, disclosed},
    protocol::{disclosure::EXTENSION, error::RpcError, response::Body},
    request::context::Context,
};

/// Maximum number of items on one page. It is large because clients of the proposal do not expect pages.
const PAGE_SIZE: usize = 1000;

pub(crate) fn groups<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let query = FacetQuery::of_groups(&|name| sieve_param(context, name))?;
    let groups = query.groups(&context.view);
    let sep_2084 = context.exchange.config.engine.assignments.expose_sep_2084_groups;
    page(
        context,
        "groups",
        &groups,
        |group| group.name.clone(),
        |group, out| query.write_group(&context.view, group, sep_2084, out),
    )
}

pub(crate) fn tags<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let query = FacetQuery::of_tags(&|name| sieve_param(context, name))?;
    page(
        context,
        "tags",
        &context.view.tags(),
        |tag| tag.name.clone(),
        |tag, out| query.write_tag(&context.view, tag, out),
    )
}

pub(crate) fn concerns<H: Host>(context: &Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let members = concern_members::wanted(sieve_param(context, "members"))?;
    let concerns = context.concerns();
    let declared: Vec<_> = concerns.iter().collect();
    page(
        context,
        "concerns",
        &declared,
        |concern| concern.name.clone(),
        |concern, out| {
            // Serialized through a value like capabilities, so that the bytes are the same in both.
            let mut written = json!(concern);
            if members {
                concern_members::add(&mut written, &context.view, &concern.name);
            }
            out.extend_from_slice(written.to_string().as_bytes());
        },
    )
}

/// Writes one page, which holds the whole list unless it is too long.
pub(super) fn page<H: Host, T>(
    context: &Context<'_, H>,
    key: &str,
    items: &[T],
    name: impl Fn(&T) -> String,
    write: impl Fn(&T, &mut Vec<u8>),
) -> Result<Response<Body>, RpcError> {
    let mut list = Digest::new();
    list.part(key.as_bytes());
    if disclosed::served(context) {
        list.part(EXTENSION.as_bytes());
    }
    for param in ["parent", "counts", "members"] {
        list.part(sieve_param(context, param).map_or("", Raw::get).as_bytes());
    }
    context.caller.presets.iter().for_each(|name| list.part(name.as_bytes()));
    // The hash of the list's name distinguishes this cursor from those of tool lists.
    let cursor = Cursor { kind: Kind::Tool, filter: list.end(), principal: context.principal() };
    let key_of_cursors = context.exchange.host.key();
    let from = match context.message.cursor()? {
        None => 0,
        Some(token) => {
            let find = |after: &str| items.iter().position(|item| name(item) == after);
            cursor.open(key_of_cursors, &token)?.locate(find)
        }
    };
    let rest = items.get(from..).unwrap_or_default();
    let (page, more) = rest.split_at_checked(PAGE_SIZE).unwrap_or((rest, &[]));
    context.reply(|result| {
        Object::push_array(result.value(key), page, |out, item| write(item, out));
        if let (Some(last), false) = (page.last(), more.is_empty()) {
            result.text("nextCursor", &cursor.seal(key_of_cursors, &name(last), from + page.len()));
        }
    })
}

/// Returns a parameter specific to Sieve, by its own name or with our prefix.
fn sieve_param<'a, H: Host>(context: &Context<'a, H>, name: &str) -> Option<Raw<'a>> {
    let prefixed = || context.message.param(&format!("{prefix}/{name}", prefix = Catalog::PREFIX));
    context.message.param(name).or_else(prefixed)
}
