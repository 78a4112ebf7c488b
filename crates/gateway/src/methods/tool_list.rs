//! The tool list in the modes in which models search for tools: the discovery tools, and the tools that are always
//! listed.

use mcp_sieve::{
    Filter, Kind,
    catalog::Bitset,
    discovery::{DiscoveryTool, Tools},
    filter::{Fields, Selection},
    json::{Members, Object},
    policy::{DisclosureMode, View},
    revision::Era,
};

use crate::{
    host::Host,
    protocol::{error::RpcError, method::Method},
    request::{context::Context, visibility::look},
    tasks,
};

/// The tools that a caller can find with discovery tools.
#[derive(Debug)]
pub(crate) struct Findable {
    /// The caller's view for `tools/list`.
    view: View,
    tools: Bitset,
}

impl Findable {
    /// Returns the tools in the form that discovery tools search.
    pub fn tools(&self) -> Tools<'_> {
        Tools::new(&self.view, &self.tools)
    }
}

/// Returns the tools that a flat list would contain without the request's own filter. They are viewed with the method
/// `tools/list`, because policies may read the method.
pub(crate) fn findable<H: Host>(context: &Context<'_, H>) -> Result<Findable, RpcError> {
    let list = Method::ListTools;
    let view = if context.message.known == Some(list) {
        context.view.clone()
    } else {
        let caller = context.caller.asking(list.name());
        let query = context.exchange.request.uri().query().unwrap_or_default();
        let (guarded, declared) = (&context.backend.guarded, &context.backend.declared);
        look(context.exchange.config, guarded, declared, &caller, query)?.0
    };
    let (_, narrowing) = context.narrow_by(None)?;
    let mut selection = Selection::default();
    let tools = view.select(&narrowing, Kind::Tool, &mut selection).clone();
    Ok(Findable { view, tools })
}

/// Returns the mode in which tools are listed. `auto` depends on the number of tokens of the tools that the caller can
/// find.
pub(crate) fn mode<H: Host>(context: &Context<'_, H>) -> Result<DisclosureMode, RpcError> {
    if context.disclosure != DisclosureMode::Auto {
        return Ok(context.disclosure);
    }
    let budget = u64::from(context.exchange.config.disclosure.budget);
    let tokens = context.view.catalog().tokens(Kind::Tool, &findable(context)?.tools).count;
    Ok(if tokens > budget { DisclosureMode::Search } else { DisclosureMode::Flat })
}

/// The tool list of a caller in another mode than plain `flat`.
#[derive(Debug)]
pub(crate) struct ToolList {
    /// The discovery tools, which are listed first.
    pub tools: &'static [DiscoveryTool],
    /// The other listed tools.
    pub bits: Bitset,
    /// Those of the listed tools that hosts are asked to load at once.
    pub always: Bitset,
    /// Those of the listed tools that have one line and no schema.
    pub outlined: Bitset,
}

impl ToolList {
    /// Appends a page and returns the index at which the next one starts. The first page begins with the discovery
    /// tools.
    pub fn write<H: Host>(
        &self,
        context: &Context<'_, H>,
        fields: &Fields,
        from: usize,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        for tool in self.tools.iter().filter(|_| from == 0) {
            push_definition(context, *tool, out);
            out.push(b',');
        }
        let start = out.len();
        let next = self.write_page(context, fields, from, out);
        if from == 0 && !self.tools.is_empty() && out.len() == start {
            out.pop();
        }
        next
    }

    fn write_page<H: Host>(
        &self,
        context: &Context<'_, H>,
        fields: &Fields,
        from: usize,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        let (definitions, catalog) = (&context.backend.definitions, context.view.catalog());
        let limit = context.exchange.config.page_size;
        let is_plain = self.always.count() == 0 || !fields.is_whole();
        if is_plain && self.outlined.count() == 0 {
            return definitions.write_page(catalog, Kind::Tool, (&self.bits, fields), from, limit, out);
        }
        Selection::write_each(&self.bits, from, limit, out, &mut |index, out| {
            if self.outlined.contains(index) {
                return push_outline(catalog.kind_index(Kind::Tool).bytes(index), fields, out);
            }
            if is_plain || !self.always.contains(index) {
                return definitions.write(catalog, Kind::Tool, index, fields, out);
            }
            let mut tool = Vec::new();
            definitions.write(catalog, Kind::Tool, index, fields, &mut tool);
            push_always_loaded(&tool, out);
        })
    }
}

/// Returns the list for `selected`, the tools that the request and its URL select, or `None` if all of them are listed
/// unchanged. A request with its own filter gets all the tools that it selects.
pub(crate) fn listed<H: Host>(
    context: &Context<'_, H>,
    filter: Option<&Filter>,
    selected: &Bitset,
) -> Result<Option<ToolList>, RpcError> {
    let disclosure = &context.exchange.config.disclosure;
    if context.disclosure == DisclosureMode::Flat && !disclosure.always_load {
        return Ok(None);
    }
    let mut always = Tools::always_listed(&context.view, selected, disclosure.always.as_ref());
    let mut tools = DiscoveryTool::listed_in(mode(context)?);
    // Without tools to find there is no need for discovery tools.
    if !tools.is_empty() && findable(context)?.tools().count() == 0 {
        tools = &[];
    }
    let base = context.narrow_by(None).ok().map(|(base, _)| base);
    // A filter that repeats what the session has is a filter of the request, too.
    let on_unknown = context.exchange.config.engine.on_unknown_member;
    let given = context.message.param("filter").and_then(|raw| Filter::read(raw, on_unknown).ok());
    let is_given = given.is_some_and(|given| !given.filter.is_empty());
    let has_own_filter = filter.is_some() && (is_given || base.as_ref() != filter);
    let outlines = context.disclosure == DisclosureMode::Outline;
    let lists_all = tools.is_empty() || has_own_filter || outlines;
    let mut bits = if lists_all { selected.clone() } else { always.clone() };
    if context.disclosure != DisclosureMode::Flat {
        // Names are unique. A server's tool with the name of a discovery tool can be called through `call_tool`.
        let kind_index = context.view.catalog().kind_index(Kind::Tool);
        let own = DiscoveryTool::ALL.iter().filter_map(|tool| kind_index.find(tool.name()));
        own.for_each(|index| bits.remove(index));
    }
    let mut outlined = if outlines && !has_own_filter { bits.clone() } else { Bitset::none(0) };
    outlined.subtract(&always);
    if !disclosure.always_load {
        always.clear();
    }
    Ok(Some(ToolList { tools, bits, always, outlined }))
}

/// Appends a tool with one line and without its schema, or those of these members that `fields` selects.
fn push_outline(tool: Option<&[u8]>, fields: &Fields, out: &mut Vec<u8>) {
    if fields.is_whole() {
        return Tools::push_outline(tool.unwrap_or_default(), out);
    }
    let mut outline = Vec::new();
    Tools::push_outline(tool.unwrap_or_default(), &mut outline);
    fields.write(&outline, out);
}

/// Returns the `instructions` for a caller: the operator's, those for discovery tools if they are listed, and those of
/// servers that the caller may know of.
pub(crate) fn instructions<H: Host>(context: &Context<'_, H>) -> Option<String> {
    let found = || {
        let mode = mode(context).ok().filter(|mode| *mode != DisclosureMode::Flat)?;
        let findable = findable(context).ok().filter(|findable| findable.tools().count() > 0)?;
        Some(findable.tools().instructions(mode))
    };
    let own = [context.exchange.config.server.instructions.clone(), found()].into_iter().flatten();
    context.instructions_after(own.reduce(|own, more| [&own, "\n\n", &more].concat()))
}

/// Appends a discovery tool. Clients of a session request a task only if the tool declares support, so a discovery tool
/// that calls other tools declares it.
fn push_definition<H: Host>(context: &Context<'_, H>, tool: DiscoveryTool, out: &mut Vec<u8>) {
    const TASKS: &[u8] = br#","execution":{"taskSupport":"optional"}}"#;
    out.extend_from_slice(tool.definition().as_bytes());
    if tool.calls() && context.era() == Era::Session && tasks::methods::served(context) {
        out.pop();
        out.extend_from_slice(TASKS);
    }
}

/// Appends a tool with the member of `_meta` that asks hosts to load it at once.
fn push_always_loaded(tool: &[u8], out: &mut Vec<u8>) {
    const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";
    let Some(members) = std::str::from_utf8(tool).ok().and_then(Members::parse) else {
        return out.extend_from_slice(tool);
    };
    let meta = members.get("_meta").and_then(Members::read).unwrap_or_default();
    let mut object = Object::open(out);
    object.keep(&members, &["_meta"]);
    let mut inner = Object::open(object.value("_meta"));
    inner.keep(&meta, &[ALWAYS_LOAD]);
    inner.raw(ALWAYS_LOAD, b"true");
    inner.close();
    object.close();
}
