//! How tools are listed to a caller, and the calls that come by a discovery tool.
//!
//! A call that comes by `call_tool` is answered as if its caller had called the tool itself: its message is rewritten
//! before anything looks at it, so visibility, arguments, middleware, tasks and questions are those of the tool.

use std::cell::OnceCell;

use crate::{
    catalog::{Bitset, Kind},
    config::Config,
    discovery::{Answer, DiscoveryTool, ToolCall, Tools},
    error::{Error, ErrorKind},
    filter::{DISCLOSURE, Fields, Filter, Narrowing, Selection},
    json::{self, Members, Object, Raw, choice},
    mcp::{
        host::Host,
        protocol::{
            error::RpcError,
            message::Message,
            method::Method,
            params::{self, only},
        },
        request::{caller::Caller, context::Context},
    },
    policy::DisclosureMode,
};

/// The discovery tool that a request calls.
#[derive(Debug)]
pub(crate) struct Discovered {
    pub tool: DiscoveryTool,
    /// The name of the tool that it is asked to call, of one that calls another.
    pub name: Option<String>,
}

/// Where it is kept which discovery tool a request calls.
pub(crate) type DiscoveredCell = OnceCell<Discovered>;

/// What a call of a discovery tool asks for.
pub(crate) enum Entry {
    /// The request is what it says it is.
    None,
    /// The parameters of the call that it makes, as JSON.
    Call(String),
    /// Its arguments are not those of the tool.
    Refused(Answer),
}

/// Returns the mode that is set for a caller: by the URL, else by its presets, else by a rule for its client, else for
/// all.
///
/// # Errors
/// A mode in the URL that there is not.
pub(crate) fn setting(config: &Config, caller: &Caller<'_>, query: &str) -> Result<DisclosureMode, RpcError> {
    let mut parts = query.split('&').filter_map(|part| part.split_once('='));
    if let Some((_, value)) = parts.rfind(|(name, value)| *name == DISCLOSURE && !value.is_empty()) {
        return DisclosureMode::named(value).ok_or_else(|| {
            let message = ["expected ", &choice(DisclosureMode::NAMES)].concat();
            Error::new(ErrorKind::FilterType, message).field(["?", DISCLOSURE].concat()).into()
        });
    }
    let preset = |name: &String| config.presets.iter().find(|preset| preset.name == *name)?.disclosure;
    let of_preset = caller.presets.iter().find_map(preset);
    let of_client = || {
        let mut rules = config.disclosure.clients.iter();
        rules.find(|(when, _)| when.holds(caller)).map(|(_, mode)| *mode)
    };
    Ok(of_preset.or_else(of_client).unwrap_or(config.disclosure.mode))
}

/// Reads a call of a discovery tool, where the caller may be listed some. In `auto` these are known whatever is listed
/// now: a client keeps the list that it got.
///
/// # Errors
/// Parameters that servers could read in two ways, and a mode in the URL that there is not.
pub(crate) fn enter(
    config: &Config,
    caller: &Caller<'_>,
    query: &str,
    message: &Message<'_>,
    cell: &DiscoveredCell,
) -> Result<Entry, RpcError> {
    let named = (message.known == Some(Method::CallTool)).then(|| message.text_param("name").ok()).flatten();
    let Some(tool) = named.and_then(|name| DiscoveryTool::named(&name)) else { return Ok(Entry::None) };
    if setting(config, caller, query)? == DisclosureMode::Flat {
        return Ok(Entry::None);
    }
    params::check(message)?;
    let arguments = message.param("arguments");
    if !tool.calls() {
        _ = cell.set(Discovered { tool, name: None });
        return Ok(Entry::None);
    }
    for name in ["name", "arguments"] {
        arguments.map(|raw| only(raw, name)).transpose()?;
    }
    let call = ToolCall::read(tool, arguments);
    let name = call.as_ref().ok().map(|call| call.name.clone());
    _ = cell.set(Discovered { tool, name });
    Ok(match call {
        Ok(call) => Entry::Call(rewritten(message, &call)),
        Err(refusal) => Entry::Refused(refusal),
    })
}

/// The parameters of a request, as those of a call of the tool itself.
fn rewritten(message: &Message<'_>, call: &ToolCall) -> String {
    let members = message.params.and_then(Members::read).unwrap_or_default();
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.keep(&members, &["name", "arguments"]);
    object.text("name", &call.name);
    if let Some(arguments) = &call.arguments {
        object.raw("arguments", arguments.as_bytes());
    }
    object.close();
    // All of it was text.
    String::from_utf8(out).unwrap_or_default()
}

/// The tools that a caller can find: what its list would hold if it were flat, without a filter of the request.
pub(crate) fn findable<H: Host>(context: &Context<'_, H>) -> Result<Bitset, RpcError> {
    let (_, narrowing) = context.narrow_by(None)?;
    let mut selection = Selection::default();
    Ok(context.view.select(&narrowing, Kind::Tool, &mut selection).clone())
}

/// Returns the mode in which tools are listed to a caller now. `auto` is decided by the tokens of what it can find.
pub(crate) fn mode<H: Host>(context: &Context<'_, H>) -> Result<DisclosureMode, RpcError> {
    if context.disclosure != DisclosureMode::Auto {
        return Ok(context.disclosure);
    }
    let budget = u64::from(context.asked.config.disclosure.budget);
    let tokens = context.view.catalog().tokens(Kind::Tool, &findable(context)?).count;
    Ok(if tokens > budget { DisclosureMode::Search } else { DisclosureMode::Flat })
}

/// The list of tools of a caller that is not listed all of them in the usual way.
#[derive(Debug)]
pub(crate) struct Listed {
    /// The discovery tools, which stand before the others.
    pub tools: &'static [DiscoveryTool],
    /// The tools that are listed themselves.
    pub bits: Bitset,
    /// Those of them that hosts are asked to load at once.
    pub always: Bitset,
}

impl Listed {
    /// Appends a page, and returns the position that the next one starts from. The discovery tools are on the first.
    pub fn write<H: Host>(
        &self,
        context: &Context<'_, H>,
        fields: &Fields,
        from: usize,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        for tool in self.tools.iter().filter(|_| from == 0) {
            out.extend_from_slice(tool.definition().as_bytes());
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
        let limit = context.asked.config.page_size;
        if self.always.count() == 0 || !fields.is_whole() {
            return definitions.write_page(catalog, Kind::Tool, (&self.bits, fields), from, limit, out);
        }
        let mut page = self.bits.iter().skip_while(|index| *index < from);
        for (place, index) in page.by_ref().take(limit).enumerate() {
            if place > 0 {
                out.push(b',');
            }
            let mut tool = Vec::new();
            definitions.write(catalog, Kind::Tool, index, fields, &mut tool);
            match self.always.contains(index) {
                true => push_always_loaded(&tool, out),
                false => out.extend_from_slice(&tool),
            }
        }
        page.next()
    }
}

/// Returns what is listed of `selected`, the tools that the request and its URL select; `None` where it is all of them as
/// they are. A request with a filter of its own is listed what it selects: it knows what it asks for.
pub(crate) fn listed<H: Host>(
    context: &Context<'_, H>,
    filter: Option<&Filter>,
    selected: &Bitset,
) -> Result<Option<Listed>, RpcError> {
    let disclosure = &context.asked.config.disclosure;
    if context.disclosure == DisclosureMode::Flat && !disclosure.always_load {
        return Ok(None);
    }
    let mut always = selected.clone();
    match &disclosure.always {
        Some(always_where) => {
            let only = Filter { r#where: Some(always_where.clone()), ..Filter::default() };
            let (narrowing, mut selection) = (Narrowing::new(&context.view, &only), Selection::default());
            always.intersect(context.view.select(&narrowing, Kind::Tool, &mut selection));
        }
        None => always.clear(),
    }
    let mut tools = DiscoveryTool::of(mode(context)?);
    // Where there is nothing to find, nothing finds it.
    if !tools.is_empty() && findable(context)?.count() == 0 {
        tools = &[];
    }
    let base = filter.is_some() && context.narrow_by(None).ok().as_ref().map(|(base, _)| base) != filter;
    let mut bits = if tools.is_empty() || base { selected.clone() } else { always.clone() };
    if context.disclosure != DisclosureMode::Flat {
        // A name means one tool. The server's tool is called through `call_tool`.
        let kind_index = context.view.catalog().kind_index(Kind::Tool);
        let own = DiscoveryTool::ALL.iter().filter_map(|tool| kind_index.find(tool.name()));
        own.for_each(|index| bits.remove(index));
    }
    if !disclosure.always_load {
        always.clear();
    }
    Ok(Some(Listed { tools, bits, always }))
}

/// Returns what the client may tell its model of the mode, if tools have to be found.
pub(crate) fn instructions<H: Host>(context: &Context<'_, H>) -> Option<String> {
    let mode = mode(context).ok().filter(|mode| *mode != DisclosureMode::Flat)?;
    let findable = findable(context).ok().filter(|findable| findable.count() > 0)?;
    Some(Tools::new(&context.view, &findable).instructions(mode))
}

/// Writes a tool with the member of `_meta` that asks hosts to load it at once.
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

/// Whether how tools are listed depends on the caller.
pub(crate) fn reads_caller(config: &Config) -> bool {
    !config.disclosure.clients.is_empty()
}

/// The name of the tool that a discovery tool calls for a message, if it does.
pub(crate) fn called(cell: &DiscoveredCell) -> Option<&str> {
    cell.get()?.name.as_deref()
}

/// Whether a message is answered by a discovery tool itself.
pub(crate) fn is_own(cell: &DiscoveredCell) -> bool {
    cell.get().is_some_and(|discovered| discovered.name.is_none())
}

/// The arguments of a message, if they are an object.
pub(crate) fn arguments<'a>(message: &Message<'a>) -> Option<Raw<'a>> {
    message.param("arguments").filter(|raw| !json::is_null(*raw))
}
