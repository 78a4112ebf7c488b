//! The lists of a server as they are collected, and the comparison of two of them.

use std::{borrow::Cow, collections::HashSet};

use mcp_sieve::{
    Kind,
    json::{self, Members, Raw},
};

use crate::{
    backend::{
        declarations::Declarations, features::Features, introduction::Introduction, status::ListProblem,
    },
    protocol::error::RpcError,
    upstream::header_params::HeaderParams,
};

/// Some primitives of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    pub kind: Kind,
    /// The JSON array of the primitives.
    pub array: String,
    /// Whether they are hidden from clients that do not declare the capabilities that they require.
    pub is_conditional: bool,
}

/// The pages of one list.
#[derive(Debug)]
pub(crate) struct ListPages {
    pub kind: Kind,
    /// The results of the pages, with the array of primitives of each.
    pub pages: Vec<String>,
    /// The result of the first page.
    pub first: Option<Vec<u8>>,
    /// The shortest lifetime that a page states, in milliseconds.
    pub ttl_ms: Option<u64>,
    /// Whether a page states that no shared cache may store it.
    pub private: bool,
    /// The failure that ended the list.
    pub problem: Option<RpcError>,
}

/// The lists of a server in one revision.
#[derive(Default)]
pub(crate) struct Collected {
    /// The primitives, in the server's order.
    pub pages: Vec<Page>,
    /// Reports on primitives for the operator: the kind, the name, and the effect.
    pub reports: Vec<(Kind, String, String)>,
    pub bytes: usize,
    pub ttl_ms: Option<u64>,
    pub features: Features,
    pub header_params: HeaderParams,
    pub introduction: Introduction,
    pub declared: Declarations,
    /// The lists that are missing or incomplete.
    pub problems: Vec<ListProblem>,
    /// The failure of the first of them.
    pub failure: Option<RpcError>,
}

impl Collected {
    /// Adds a list. Only a stateless server states how long and by whom lists may be stored, and marks arguments to be repeated as headers.
    pub fn add(&mut self, list: ListPages, is_stateless: bool) {
        let ListPages { kind, pages, first, ttl_ms, private, problem } = list;
        let first = first.as_deref().and_then(|page| Members::parse(std::str::from_utf8(page).ok()?));
        first.iter().for_each(|page| self.introduction.learn_list(kind, page));
        if is_stateless {
            self.features.private |= private;
            self.ttl_ms = self.ttl_ms.into_iter().chain(ttl_ms).min();
            let tools =
                pages.iter().filter(|_| kind == Kind::Tool).filter_map(|page| Raw::parse_deep(page).ok());
            tools.for_each(|tools| self.header_params.learn(tools));
        }
        self.pages.extend(pages.into_iter().map(|array| Page { kind, array, is_conditional: false }));
        if let Some(problem) = problem {
            self.fail_all([kind], &problem);
        }
    }

    /// Records a failure as the problem of lists.
    pub fn fail_all(&mut self, kinds: impl IntoIterator<Item = Kind>, failure: &RpcError) {
        self.failure.get_or_insert_with(|| failure.clone());
        self.add_problems(kinds.into_iter().map(|kind| ListProblem::new(kind, failure)));
    }

    /// Adds the problems of lists that have none yet.
    pub fn add_problems(&mut self, problems: impl IntoIterator<Item = ListProblem>) {
        for problem in problems {
            if !self.problems.iter().any(|known| known.list == problem.list) {
                self.problems.push(problem);
            }
        }
    }

    /// Reads which arguments of tools are repeated as headers.
    pub fn learn_header_params<'a>(&mut self, pages: impl Iterator<Item = &'a Page>) {
        let tools = pages.filter(|page| page.kind == Kind::Tool);
        let tools = tools.filter_map(|page| Raw::parse_deep(&page.array).ok());
        tools.for_each(|tools| self.header_params.learn(tools));
    }

    /// Returns the problem of the list of a kind, if it has one.
    pub fn problem(&self, kind: Option<Kind>) -> Option<&ListProblem> {
        self.problems.iter().find(|problem| problem.kind() == kind)
    }

    /// Returns whether any list was fetched, which may be empty.
    pub fn has_lists(&self) -> bool {
        !self.pages.is_empty()
    }

    /// Returns every primitive with its kind and its name or URI.
    pub fn primitives(&self) -> impl Iterator<Item = ((Kind, Cow<'_, str>), Raw<'_>)> {
        let arrays =
            self.pages.iter().filter_map(|page| Some((page.kind, Raw::parse_deep(&page.array).ok()?)));
        let primitives = arrays
            .flat_map(|(kind, array)| array.elements().into_iter().flatten().map(move |raw| (kind, raw)));
        primitives.filter_map(|(kind, raw)| Some(((kind, id(kind, raw)?), raw)))
    }
}

/// Returns the kind and the name or URI of each primitive.
pub(crate) fn ids(collected: &Collected) -> HashSet<(Kind, Cow<'_, str>)> {
    collected.primitives().map(|(key, _)| key).collect()
}

/// The difference between two definitions of one primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Difference {
    None,
    /// A difference only in `_meta`.
    Metadata,
    Definition,
}

impl Difference {
    pub fn between(one: Raw<'_>, other: Raw<'_>) -> Self {
        if one.get() == other.get() {
            return Self::None;
        }
        let [one, other] = [one, other].map(|raw| Members::read(raw).unwrap_or_default());
        let all_of = |one: &Members<'_>, other: &Members<'_>| {
            let mut members = one.0.iter().filter(|(key, _)| key != "_meta");
            members.all(|(key, value)| other.get(key).is_some_and(|other| other.get() == value.get()))
        };
        if all_of(&one, &other) && all_of(&other, &one) { Self::Metadata } else { Self::Definition }
    }
}

/// Returns the name or URI of a primitive.
pub(crate) fn id(kind: Kind, primitive: Raw<'_>) -> Option<Cow<'_, str>> {
    Members::read(primitive)?.get(kind.id_key()).and_then(json::Raw::text)
}

/// Returns a report with the number of further primitives that have the same problem.
pub(crate) fn counted(problem: &str, count: usize) -> String {
    match count.saturating_sub(1) {
        0 => problem.to_owned(),
        more => format!("{problem} ({more} more)"),
    }
}
