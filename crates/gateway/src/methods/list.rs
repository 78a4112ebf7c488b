//! The list methods: filtered pages of tools, resources, templates, prompts and skills.

use std::borrow::Cow;

use http::Response;
use mcp_sieve::{
    Digest, Filter, Kind,
    catalog::{Bitset, Catalog},
    filter::{AppliedFilter, Selection},
    json::{Members, Object},
};

use crate::protocol::cursor::Cursor;

use crate::{
    gateway::report,
    host::{Host, request_log::RequestLog},
    methods::{
        tags,
        tool_list::{self, ToolList},
    },
    protocol::{
        disclosure::EXTENSION,
        error::RpcError,
        response::{self, Body},
    },
    request::{context::Context, disclosure, visibility},
};

/// Time, in milliseconds, for which a client may cache a list: none. One common client caches lists by method alone, so
/// it would reuse a cached list for another filter (typescript-sdk, client response cache).
const LIST_TTL_MS: u64 = 0;

/// Answers a list method.
pub(crate) fn list<H: Host>(context: &Context<'_, H>, kind: Kind) -> Result<Response<Body>, RpcError> {
    let applied = context.apply(kind)?;
    let AppliedFilter { filter, narrowing, selection, canonical, .. } = &*applied;
    let view = &context.view;
    let tools = match kind {
        Kind::Tool => tool_list::listed(context, Some(filter), selection.bits())?,
        _ => None,
    };
    let bits = tools.as_ref().map_or(selection.bits(), |tools| &tools.bits);
    if let (Some(log), Kind::Tool) = (context.exchange.log, kind) {
        log_counts(log, view.catalog(), bits, Filter::hash_canonical(canonical));
    }

    // Computed on demand, because most lists have one page and need no cursor.
    let cursor = || Cursor { kind, filter: bound(context, canonical).end(), principal: context.principal() };
    let from = start(context, cursor)?;
    let discovery_tools = tools.as_ref().map_or(&[][..], |tools| tools.tools);
    let tag = tags::of_list(context, kind, (bits, narrowing, discovery_tools), filter);
    let page = Page { kind, from, applied: &applied, tools: tools.as_ref(), bits };

    // Requests without a filter get no report.
    let is_reported = !filter.is_empty() || !context.url.is_empty() || !narrowing.ignored().is_empty();
    let servers = report::report(context);
    let (members, foreign) = foreign_members(context, kind, from);
    let mut out = response::open(context.id);
    context.shape().write_with_meta(&mut out, Some(context.cache(LIST_TTL_MS)), |result| {
        let list = result.value(kind.list_key());
        let start = list.len();
        list.push(b'[');
        let next = page.write(context, list);
        list.push(b']');
        let report = is_reported.then(|| page.report(context, list.get(start..).unwrap_or_default()));
        if let Some(next) = next {
            result.text("nextCursor", &next_cursor(context, &cursor(), bits, next));
        }
        if let Some(tag) = &tag {
            result.text("tag", tag);
        }
        let filter = report.map(|report| (Catalog::FILTER_REPORT_KEY, report));
        let servers = servers.as_ref().map(|(key, report)| (key.as_str(), report.as_slice().into()));
        // The upstream server's tag describes its unfiltered list.
        let replaced: &[&str] = if context.exchange.config.drafts.definition_tags { &["tag"] } else { &[] };
        result.keep(&members, replaced);
        let foreign = foreign.0.iter().map(|(key, value)| (key.as_ref(), value.get().as_bytes().into()));
        filter.into_iter().chain(servers).chain(foreign).collect()
    });
    response::close(&mut out);
    // Searches may use a model, so their results are not kept.
    if !narrowing.searches() && context.is_same_for_all() {
        context.exchange.host.may_keep(&context.backend);
    }
    Ok(response::json(out))
}

/// One page of a list.
struct Page<'a> {
    kind: Kind,
    /// The index at which the page starts.
    from: usize,
    applied: &'a AppliedFilter,
    /// The tool list, if it is another than the tools in `bits`.
    tools: Option<&'a ToolList>,
    /// The listed primitives, on all pages.
    bits: &'a Bitset,
}

impl<'a> Page<'a> {
    /// Appends the page and returns the index at which the next one starts.
    fn write<H: Host>(&self, context: &Context<'_, H>, out: &mut Vec<u8>) -> Option<usize> {
        let fields = self.applied.narrowing.fields();
        if let Some(tools) = self.tools {
            return tools.write(context, fields, self.from, out);
        }
        let (definitions, catalog) = (&context.backend.definitions, context.view.catalog());
        let page_size = context.exchange.config.page_size;
        definitions.write_page(catalog, self.kind, (self.bits, fields), self.from, page_size, out)
    }

    /// Returns the report on the filter for the page `text`. Requests for the first page share one cached report.
    fn report<H: Host>(&self, context: &Context<'_, H>, text: &[u8]) -> Cow<'a, [u8]> {
        let write = || report(context, self.kind, self.applied, self.hash(context, text));
        match self.from == 0 && self.tools.is_none() {
            true => Cow::Borrowed(self.applied.report.get_or_init(write).as_slice()),
            false => Cow::Owned(write()),
        }
    }

    fn hash<H: Host>(&self, context: &Context<'_, H>, text: &[u8]) -> u128 {
        if self.tools.is_some() {
            return Selection::result_hash(text);
        }
        let (definitions, catalog) = (&context.backend.definitions, context.view.catalog());
        let (page_size, shown) =
            (context.exchange.config.page_size, (self.bits, self.applied.narrowing.fields()));
        definitions.page_hash(catalog, self.kind, shown, self.from, page_size, text)
    }
}

/// Returns the members of a single server's list result that Sieve does not know, and those of its `_meta`. They are
/// passed with the first page unless primitives may be hidden from the caller, because they might name these.
fn foreign_members<'a, H: Host>(
    context: &'a Context<'_, H>,
    kind: Kind,
    from: usize,
) -> (Members<'a>, Members<'a>) {
    let backend = &context.backend;
    let members = match (backend.upstreams.as_slice(), backend.introductions.as_slice()) {
        ([_], [(_, introduction)]) if from == 0 && !visibility::restricts(backend, &context.caller) => {
            introduction.list(kind).and_then(Members::parse).unwrap_or_default()
        }
        _ => Members::default(),
    };
    let (meta, members) = members.0.into_iter().partition(|(key, _)| key == "_meta");
    let meta = Members(meta).get("_meta").and_then(Members::read).unwrap_or_default();
    (Members(members), meta)
}

/// Returns the index at which the page of the request's cursor starts.
///
/// # Errors
/// A cursor of another list or caller.
pub(crate) fn start<H: Host>(
    context: &Context<'_, H>,
    cursor: impl FnOnce() -> Cursor,
) -> Result<usize, RpcError> {
    let Some(token) = context.message.cursor()? else { return Ok(0) };
    let (view, cursor) = (&context.view, cursor());
    let kind = cursor.kind;
    // A client can decode its cursor, so positions count only visible primitives.
    let place = |id: &str| Some(view.bits(kind).count_below(view.find(kind, id)?));
    let place = cursor.open(context.exchange.host.key(), &token)?.locate(place);
    Ok(view.bits(kind).nth(place).unwrap_or(view.catalog().kind_index(kind).len()))
}

/// Returns the cursor of the page that starts at index `next` among the primitives in `bits`.
pub(crate) fn next_cursor<H: Host>(
    context: &Context<'_, H>,
    cursor: &Cursor,
    bits: &Bitset,
    next: usize,
) -> String {
    // The cursor points behind the last primitive on the page, so hidden ones in between do not affect it.
    let last = bits.count_below(next).checked_sub(1).and_then(|place| bits.nth(place));
    let place = last.map_or(0, |last| context.view.bits(cursor.kind).count_below(last) + 1);
    let kind_index = context.view.catalog().kind_index(cursor.kind);
    let last = last.and_then(|last| kind_index.id(last)).unwrap_or_default();
    cursor.seal(context.exchange.host.key(), last, place)
}

/// Logs how many tools the policies and the filter were applied to, and how many are listed.
fn log_counts(log: &RequestLog, catalog: &Catalog, listed: &Bitset, filter: u128) {
    let all = catalog.kind_index(Kind::Tool).all();
    for (name, bits) in [("in", all), ("out", listed)] {
        log.set(&format!("{prefix}.tools.{name}", prefix = Catalog::PREFIX), bits.count());
        log.set(
            &format!("{prefix}.tokens.{name}", prefix = Catalog::PREFIX),
            catalog.tokens(Kind::Tool, bits).count,
        );
    }
    log.set(&format!("{prefix}.filter.hash", prefix = Catalog::PREFIX), Digest::hex(filter));
}

/// Returns a digest of everything that a cursor is bound to, besides the caller. A cursor of another narrowing is
/// rejected.
///
/// `applied` holds the filters of the request and of the URL, in canonical form.
pub(crate) fn bound<H: Host>(context: &Context<'_, H>, applied: &[Vec<u8>; 2]) -> Digest {
    let mut digest = Digest::new();
    applied.iter().for_each(|filter| digest.part(filter));
    digest.part(context.exchange.config.server.version().as_bytes());
    if disclosure::is_on(context.exchange.config, &context.caller) {
        digest.part(EXTENSION.as_bytes());
    }
    digest.part(&[context.disclosure as u8]);
    context.caller.presets.iter().for_each(|name| digest.part(name.as_bytes()));
    digest
}

/// Returns the report on the filter. Its totals count only primitives that policies show to the caller.
fn report<H: Host>(context: &Context<'_, H>, kind: Kind, applied: &AppliedFilter, result: u128) -> Vec<u8> {
    let AppliedFilter { narrowing, selection, canonical, .. } = applied;
    let mut out = Vec::new();
    let mut report = Object::open(&mut out);
    let [filter, url] = canonical;
    report.raw("applied", filter);
    if !context.url.is_empty() {
        report.raw("url", url);
    }
    report.filter_report(narrowing.ignored(), narrowing.unknown());
    report.raw("total", context.view.count(kind).to_string().as_bytes());
    report.raw("matched", selection.matched().to_string().as_bytes());
    if selection.bits().count() < selection.matched() {
        report.raw("limited", selection.bits().count().to_string().as_bytes());
    }
    let hashes = [
        ("catalogHash", context.view.hash()),
        ("filterHash", Filter::hash_canonical(canonical)),
        ("resultHash", result),
    ];
    for (key, hash) in hashes {
        report.text(key, &Digest::hex(hash));
    }
    report.close();
    out
}
