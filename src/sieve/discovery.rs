//! The tools by which a model finds the tools of a selection.

use super::Selection;
use crate::{
    Kind,
    catalog::{Bitset, KindIndex},
    discovery::{self, DiscoveryTool, Tools},
    json::Object,
    policy::DisclosureMode,
};

/// The tools that a server lists to a model in place of a long list: a few by which the model finds, reads and calls the
/// others.
///
/// [`Selection::discovery`] makes it from the tools that can be found. A server lists [`json`](Self::json), and passes
/// every tool call to [`call`](Self::call).
///
/// ```
/// use mcp_sieve::{Caller, Config, Discovered, Filter, Sieve, policy::DisclosureMode};
///
/// let lists = r#"{"tools":[
///     {"name":"find_hotels","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
///     {"name":"rent_car","inputSchema":{"type":"object"}}]}"#;
/// let view = Sieve::compile(lists, &Config::default())?.view(&Caller::anonymous());
/// let discovery = view.tools(&Filter::default())?.discovery(DisclosureMode::Search);
/// assert!(discovery.json().starts_with(r#"{"tools":[{"name":"search_tools","#));
///
/// let Discovered::Result(found) = discovery.call("search_tools", r#"{"query":"hotel"}"#) else { panic!() };
/// assert!(found.contains("find_hotels"));
/// let call = discovery.call("call_tool", r#"{"name":"rent_car","arguments":{"days":2}}"#);
/// let expected = Discovered::Call { name: "rent_car".to_owned(), arguments: r#"{"days":2}"#.to_owned() };
/// assert_eq!(call, expected);
/// # Ok::<(), mcp_sieve::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Discovery {
    found: Selection,
    mode: DisclosureMode,
}

/// The outcome of a tool call in a [`Discovery`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Discovered {
    /// The result of the call, the JSON of a `tools/call` result.
    Result(String),
    /// The call that the server makes instead.
    Call {
        /// The name of the tool.
        name: String,
        /// Its arguments, a JSON object.
        arguments: String,
    },
}

impl Selection {
    /// Returns the tools by which a model finds the selected ones. Those that a rule pins are listed in every mode.
    /// [`DisclosureMode::Auto`] lists all tools while they take at most
    /// [`DEFAULT_BUDGET`](DisclosureMode::DEFAULT_BUDGET) tokens, and is a search beyond that.
    ///
    /// Nothing is found in a selection of another kind, nor tools that only applications may call (MCP Apps).
    pub fn discovery(&self, mode: DisclosureMode) -> Discovery {
        let discovery = Discovery { found: self.clone(), mode };
        let mode = match mode {
            DisclosureMode::Auto => {
                let tokens = self.view.catalog().tokens(Kind::Tool, &discovery.members());
                match tokens.count > u64::from(DisclosureMode::DEFAULT_BUDGET) {
                    true => DisclosureMode::Search,
                    false => DisclosureMode::Flat,
                }
            }
            mode => mode,
        };
        Discovery { mode, ..discovery }
    }
}

impl Discovery {
    /// Returns the mode, which is not `auto`.
    pub fn mode(&self) -> DisclosureMode {
        self.mode
    }

    /// Writes the list that the model receives, `{"tools":[…]}`: the tools of discovery, then those that the mode lists
    /// itself.
    pub fn json(&self) -> String {
        let (found, kind_index) = (self.members(), self.kind_index());
        let own = if found.count() == 0 { &[] } else { DiscoveryTool::listed_in(self.mode) };
        let always = Tools::always_listed(&self.found.view, &found, None);
        let lists_all = matches!(self.mode, DisclosureMode::Flat | DisclosureMode::Outline);
        let outlines = |at| self.mode == DisclosureMode::Outline && !always.contains(at);
        let mut direct = if lists_all { found } else { always.clone() };
        // A discovery tool replaces a server's tool of the same name.
        own.iter().filter_map(|tool| kind_index.find(tool.name())).for_each(|at| direct.remove(at));
        let mut out = Vec::new();
        let mut list = Object::open(&mut out);
        let own = own.iter().map(|tool| (false, tool.definition().as_bytes()));
        let direct = direct.iter().filter_map(|at| Some((outlines(at), kind_index.listed(at)?)));
        Object::push_array(list.value("tools"), own.chain(direct), |out, (outlined, tool)| match outlined {
            true => Tools::push_outline(tool, out),
            false => out.extend_from_slice(tool),
        });
        list.close();
        // Definitions are text.
        String::from_utf8(out).unwrap_or_default()
    }

    /// Returns instructions for the model: how it finds tools, and the names of groups. Empty if all tools are listed.
    pub fn instructions(&self) -> String {
        let members = self.members();
        self.tools(&members).instructions(self.mode)
    }

    /// Decides about a tool call. A discovery tool returns its result or the call that it makes, and any other tool its
    /// own call. A tool that cannot be found, and arguments that do not fit its schema, give a result with `isError`.
    ///
    /// `arguments` is a JSON object; an empty text stands for none.
    pub fn call(&self, tool: &str, arguments: &str) -> Discovered {
        let arguments = if arguments.is_empty() { "{}" } else { arguments };
        let members = self.members();
        match self.tools(&members).call(tool, arguments) {
            discovery::Outcome::Call { index, arguments } => Discovered::Call {
                name: self.kind_index().id(index).unwrap_or_default().to_owned(),
                arguments: arguments.unwrap_or_else(|| "{}".to_owned()),
            },
            discovery::Outcome::Answer(answer) => {
                let mut out = Vec::new();
                let mut result = Object::open(&mut out);
                answer.write(&mut result);
                result.close();
                Discovered::Result(String::from_utf8(out).unwrap_or_default())
            }
        }
    }

    /// Returns the tools that can be found.
    fn members(&self) -> Bitset {
        match self.found.kind {
            Kind::Tool => Tools::new(&self.found.view, &self.found.bits).members(None),
            _ => Bitset::none(self.kind_index().len()),
        }
    }

    fn tools<'a>(&'a self, members: &'a Bitset) -> Tools<'a> {
        Tools::new(&self.found.view, members)
    }

    fn kind_index(&self) -> &KindIndex {
        self.found.view.catalog().kind_index(Kind::Tool)
    }
}
