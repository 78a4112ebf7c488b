//! Definition tags: an opaque string for each list that changes whenever the list does.
//!
//! A tag describes the list that the caller sees, after policies, presets, the filter in the URL and the concerns in
//! force. Page, order and cursor do not change it. A client sends the tags that it knows in the `_meta` of any request,
//! and the result names the lists whose tags have changed. Tags never cause an error.

use mcp_sieve::{
    Filter, Kind,
    catalog::Bitset,
    discovery::DiscoveryTool,
    filter::{Narrowing, Selection},
    json::{self, Members, Object, Raw},
};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{
    drafts::hints::KNOWN,
    host::Host,
    methods::{
        capabilities, discover, skills,
        tool_list::{self, ToolList, listed},
    },
    protocol::method::Method,
    request::{context::Context, visibility::look},
    sha256_text::sha256_text,
};

/// The prefix of the tag of a list that the request's own filter narrowed.
const FILTERED: &str = "filtered:";
/// Maximum length, in bytes, of the known tags of a request. Longer ones are ignored.
const MAX_KNOWN: usize = 4 * 1024;

/// Returns the tag of a list result, if the draft is on and the caller's revision has it.
pub(crate) fn of_list<H: Host>(
    context: &Context<'_, H>,
    kind: Kind,
    (bits, narrowing, tools): (&Bitset, &Narrowing, &[DiscoveryTool]),
    filter: &Filter,
) -> Option<String> {
    served(context).then(|| {
        let base = context.narrow_by(None).ok().map(|(base, _)| base);
        let mark = if base.as_ref() == Some(filter) { "" } else { FILTERED };
        [mark, &tag(context, kind, (bits, narrowing, tools))].concat()
    })
}

/// Returns the tag of the result of `server/discover`, if the draft is on.
pub(crate) fn of_server<H: Host>(context: &Context<'_, H>) -> Option<String> {
    served(context).then(|| {
        let described = json!({
            "instructions": tool_list::instructions(context),
            "capabilities": capabilities::server_capabilities(context),
            "supportedVersions": discover::revisions(context),
        });
        let (described, mut canonical) = (described.to_string(), Vec::new());
        Raw::known(&described).push_canonical(&mut canonical);
        sha256_text(&Sha256::digest(&canonical).into())
    })
}

/// Returns whether the draft is on and the caller's revision has cacheable results.
fn served<H: Host>(context: &Context<'_, H>) -> bool {
    context.exchange.config.drafts.definition_tags && context.is_stateless()
}

/// Returns the tag of a list that begins with the given discovery tools.
fn tag<H: Host>(
    context: &Context<'_, H>,
    kind: Kind,
    (bits, narrowing, tools): (&Bitset, &Narrowing, &[DiscoveryTool]),
) -> String {
    let hash = context.backend.definitions.list_hash(context.view.catalog(), kind, bits, narrowing);
    if tools.is_empty() {
        return sha256_text(&hash);
    }
    let mut hasher = Sha256::new();
    hasher.update(hash);
    tools.iter().for_each(|tool| hasher.update(tool.definition()));
    sha256_text(&hasher.finalize().into())
}

/// Returns the methods whose known tags differ from the current ones, as a JSON array; empty if there are none. Known
/// tags are hints, so invalid ones and those of other methods are ignored.
pub(crate) fn stale<H: Host>(context: &mut Context<'_, H>) -> Vec<u8> {
    let known = context.message.meta.get(KNOWN).filter(|known| known.get().len() <= MAX_KNOWN);
    let Some(known) = known.filter(|_| served(context)).and_then(Members::read) else { return Vec::new() };
    let (mut out, methods) = (Vec::new(), [Method::Discover.name()].into_iter());
    for method in methods.chain(Kind::ALL.map(Kind::list_method)) {
        let Some(tag) = known.get(method).and_then(json::Raw::text) else { continue };
        if tag.starts_with(FILTERED) {
            continue;
        }
        if present(context, method).is_some_and(|present| present != tag) {
            out.push(if out.is_empty() { b'[' } else { b',' });
            Object::push_text(&mut out, method);
        }
    }
    if !out.is_empty() {
        out.push(b']');
    }
    out
}

/// Returns the current tag of a method's result; `None` if the method is not served to this caller.
fn present<H: Host>(context: &mut Context<'_, H>, method: &str) -> Option<String> {
    // Policies may read the method, so each view is computed for the method of its list.
    let (config, query) =
        (context.exchange.config, context.exchange.request.uri().query().unwrap_or_default());
    let (guarded, declared) = (&context.backend.guarded, &context.backend.declared);
    let (view, url, _) = look(config, guarded, declared, &context.caller.asking(method), query).ok()?;
    let (view, url) = (std::mem::replace(&mut context.view, view), std::mem::replace(&mut context.url, url));
    let tag = match Kind::ALL.into_iter().find(|kind| kind.list_method() == method) {
        None => of_server(context),
        Some(Kind::Skill) if !skills::served(context) => None,
        Some(kind) => context.narrow_by(None).ok().map(|(_, narrowing)| {
            let mut selection = Selection::default();
            let bits = context.view.select(&narrowing, kind, &mut selection);
            let listed = match kind {
                Kind::Tool => listed(context, None, bits).ok().flatten(),
                _ => None,
            };
            match &listed {
                Some(ToolList { bits, tools, .. }) => tag(context, kind, (bits, &narrowing, tools)),
                None => tag(context, kind, (bits, &narrowing, &[])),
            }
        }),
    };
    (context.view, context.url) = (view, url);
    tag
}
