//! The set of tools that a caller can discover, with lookups by name and group.

use std::borrow::Cow;

use crate::{
    Kind,
    catalog::Bitset,
    expr::Expr,
    json::{self, Members, Object, Raw},
    policy::View,
};

use super::{
    Answer,
    bounds::{is_listable, push_fitting, write_left, write_names},
    line::line,
    tool::DiscoveryTool,
};

/// Writes the definition of the tool at an index, as the caller's list has it.
pub type Definitions<'a> = &'a dyn Fn(usize, &mut Vec<u8>);

/// A tool as it is passed to a model that ranks tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate<'a> {
    /// The name of the tool.
    pub name: &'a str,
    /// The first sentence of the description, of at most [`Answer::MAX_LINE`] characters; empty without one.
    pub description: String,
}

impl Candidate<'_> {
    /// Returns tools as JSON: an array of objects with `name` and `description`.
    pub fn to_json(tools: &[Self]) -> String {
        let mut out = Vec::new();
        Object::push_array(&mut out, tools, |out, tool| {
            let mut object = Object::open(out);
            object.text("name", tool.name);
            object.text("description", &tool.description);
            object.close();
        });
        String::from_utf8(out).unwrap_or_default()
    }
}

/// The tools that the model of a caller can find: none that only applications may call.
#[derive(Clone, Copy)]
pub struct Tools<'a> {
    view: &'a View,
    within: &'a Bitset,
    scores: Option<&'a [f32]>,
}

impl std::fmt::Debug for Tools<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tools").field("count", &self.count()).finish_non_exhaustive()
    }
}

impl<'a> Tools<'a> {
    /// Returns those of `within` that `view` shows and models may call.
    pub fn new(view: &'a View, within: &'a Bitset) -> Self {
        Self { view: view.for_models(), within, scores: None }
    }

    /// Returns the tools with a model's scores for the query of a search, one score for each tool in registration
    /// order. Searches combine the order by these scores with the order by words.
    pub fn scored(self, scores: Option<&'a [f32]>) -> Self {
        Self { scores, ..self }
    }

    /// Returns the scores of a model, if there are any.
    pub(super) fn scores(&self) -> Option<&'a [f32]> {
        self.scores
    }

    /// Returns the tools that a model scores, in registration order.
    pub fn candidates(&self) -> impl Iterator<Item = Candidate<'a>> {
        let catalog = self.view.catalog();
        let (index, within) = (catalog.kind_index(Kind::Tool), self.within);
        self.view.bits(Kind::Tool).iter().filter(move |at| within.contains(*at)).filter_map(move |at| {
            let tool = catalog.primitive(Kind::Tool, at)?;
            let description = tool.member("description").and_then(json::Raw::text).unwrap_or_default();
            Some(Candidate { name: index.id(at)?, description: line(&description).into_owned() })
        })
    }

    /// Returns how many there are.
    pub fn count(&self) -> usize {
        self.within.common(self.view.bits(Kind::Tool))
    }

    /// Returns the view that the tools are from.
    pub fn view(&self) -> &'a View {
        self.view
    }

    /// Returns the tools of a group, or all of them.
    pub fn members(&self, group: Option<&str>) -> Bitset {
        let mut members = match group {
            Some(group) => self.view.members(Kind::Tool, group),
            None => self.view.bits(Kind::Tool).clone(),
        };
        members.intersect(self.within);
        members
    }

    /// Returns whether an answer can list the tool at an index.
    pub(super) fn is_listable(&self, index: usize) -> bool {
        self.view.catalog().kind_index(Kind::Tool).id(index).is_some_and(is_listable)
    }

    /// Returns the index of the tool with that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.view.find(Kind::Tool, name).filter(|index| self.within.contains(*index))
    }

    /// Returns the end of an error message about a name that no tool has: what to call instead, if there is an answer.
    pub fn hint(&self, name: &str) -> String {
        let meant = || Some([" (did you mean `", self.meant(name)?, "`?)"].concat());
        match DiscoveryTool::named(name) {
            Some(_) => " (call it directly)".to_owned(),
            None => meant().unwrap_or_default(),
        }
    }

    /// Returns the tool that a name may mean which no tool has: one that its server calls so, as descriptions of its
    /// other tools do, or one with a similar name.
    pub(super) fn meant(&self, name: &str) -> Option<&'a str> {
        let index = self.view.catalog().kind_index(Kind::Tool);
        let found = self.members(None).iter().find(|at| index.own_id(*at) == Some(name));
        let meant = found.and_then(|at| index.id(at)).or_else(|| Expr::nearest(name, &mut self.names()));
        meant.filter(|meant| is_listable(meant))
    }

    /// Returns the names, in registration order.
    fn names(&self) -> impl Iterator<Item = &'a str> {
        let index = self.view.catalog().kind_index(Kind::Tool);
        let within = self.within;
        self.view.bits(Kind::Tool).iter().filter(move |at| within.contains(*at)).filter_map(|at| index.id(at))
    }

    /// Writes the entry of a tool in a list of results.
    pub(super) fn summarize(&self, index: usize, entry: &mut Object<'_>) {
        let catalog = self.view.catalog();
        let Some(tool) = catalog.primitive(Kind::Tool, index) else { return };
        entry.text("name", catalog.kind_index(Kind::Tool).id(index).unwrap_or_default());
        let text =
            |key: &str| tool.member(key).and_then(json::Raw::text).filter(|text| !text.trim().is_empty());
        if let Some(title) = text("title") {
            entry.text("title", &line(&title));
        }
        if let Some(description) = text("description") {
            entry.text("description", &line(&description));
        }
        let groups = tool.groups();
        if !groups.is_empty() {
            write_names(entry, "groups", "moreGroups", &groups);
        }
        write_names(entry, "required", "moreRequired", &required(tool.member("inputSchema")));
        if is_read_only(tool.member("annotations")) {
            entry.raw("readOnly", b"true");
        }
        if let Some(tokens) = catalog.tokens_of(Kind::Tool, index) {
            entry.raw("tokens", tokens.count.to_string().as_bytes());
        }
    }
}

impl Tools<'_> {
    /// Returns whether two tools of different servers have the same definition except for their names, so that one can
    /// stand for both. A tool without a description is never equal to another.
    pub(super) fn repeats(&self, first: usize, second: usize) -> bool {
        let catalog = self.view.catalog();
        let index = catalog.kind_index(Kind::Tool);
        let [Some(one), Some(other)] = [first, second].map(|at| catalog.primitive(Kind::Tool, at)) else {
            return false;
        };
        let alike = |key: &str| {
            one.member(key).map(|value| value.get()) == other.member(key).map(|value| value.get())
        };
        index.server(first) != index.server(second)
            && one.member("description").is_some()
            && ["description", "inputSchema", "title", "annotations", "outputSchema"].into_iter().all(alike)
    }

    /// Writes the names of the equal tools in a result, each with its server.
    pub(super) fn list_names(&self, same: &[usize], entry: &mut Object<'_>) {
        let index = self.view.catalog().kind_index(Kind::Tool);
        let count = push_fitting(entry.value("same"), Answer::MAX_NAMES, same, |out, at| {
            let mut other = Object::open(out);
            other.text("name", index.id(*at).unwrap_or_default());
            other.text("server", index.server(*at).unwrap_or_default());
            other.close();
        });
        write_left(entry, "moreSame", same.len() - count);
    }
}

/// Returns the names of the arguments that a schema requires.
fn required(schema: Option<Raw<'_>>) -> Vec<Cow<'_, str>> {
    let names = schema.and_then(Members::read).and_then(|schema| schema.get("required"));
    names.and_then(json::Raw::elements).unwrap_or_default().into_iter().filter_map(json::Raw::text).collect()
}

/// Returns whether annotations contain `readOnlyHint: true`.
pub(super) fn is_read_only(annotations: Option<Raw<'_>>) -> bool {
    let hint = annotations.and_then(Members::read).and_then(|annotations| annotations.get("readOnlyHint"));
    hint.is_some_and(|hint| hint.get() == "true")
}
