//! The lists of a server as they are collected, and the comparison of two of them.

use std::{borrow::Cow, collections::HashSet};

use mcp_sieve::{
    Kind,
    json::{self, Members, Raw},
};

use crate::{
    backend::{declarations::Declarations, introduction::Introduction},
    upstream::header_params::HeaderParams,
};

/// The lists of a server in one revision.
#[derive(Default)]
pub(crate) struct Collected {
    /// The arrays of primitives, in the server's order.
    pub pages: Vec<(Kind, String)>,
    /// Reports on primitives for the operator: the kind, the name, and the effect.
    pub reports: Vec<(Kind, String, String)>,
    pub bytes: usize,
    pub ttl_ms: Option<u64>,
    pub completions: bool,
    pub skills: bool,
    pub directory_read: bool,
    pub header_params: HeaderParams,
    pub introduction: Introduction,
    pub declared: Declarations,
}

impl Collected {
    /// Returns every primitive with its kind and its name or URI.
    pub fn primitives(&self) -> impl Iterator<Item = ((Kind, Cow<'_, str>), Raw<'_>)> {
        let arrays = self.pages.iter().filter_map(|(kind, array)| Some((*kind, Raw::parse(array).ok()?)));
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
