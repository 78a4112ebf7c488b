//! The discovery tool `search_tools`: ranks tools for a query and merges equal tools of several servers.

use std::borrow::Cow;

use crate::{
    Kind,
    catalog::Bitset,
    json::{self, Members, Object},
    rank::{Hit, Scratch},
};

use super::{
    Answer,
    arguments::whole,
    bounds::{push_fitting, repeated, write_left},
    groups,
    tools::Tools,
};

impl Answer {
    /// Maximum number of results of one search.
    pub const MAX_RESULTS: usize = 50;
    /// Default number of results.
    pub const DEFAULT_RESULTS: usize = 10;
}
/// The score of a tool whose name the query has.
const EXACT: u64 = 1000;

/// The message of an answer with fewer results than the call asks for, because they are long.
const FULL: &str =
    "No more results fit into this answer. Search with other words, or in a group, for the others.";

/// Number of results that are compared with each other, the best ones.
const FOLDED: usize = 100;

/// A result, and the tools of other servers that have the same definition.
struct Found {
    index: usize,
    /// Whether the query names it.
    exact: bool,
    same: Vec<usize>,
}

impl Found {
    /// Returns whether the result stands for the tool at `index`.
    fn holds(&self, index: usize) -> bool {
        self.index == index || self.same.contains(&index)
    }
}

/// The tools in the order of a search, and the scores by which results are compared.
struct Ranking {
    order: Vec<Hit>,
    /// The scores of all tools that match, the best first.
    shares: Vec<Hit>,
    /// The same scores by index in the catalog, 0 for tools that do not match.
    by_index: Vec<u64>,
    /// Whether the scores of a model are part of the order.
    by_model: bool,
}

impl Ranking {
    fn new(tools: &Tools<'_>, query: &str, within: &Bitset) -> Self {
        let index = tools.view().index(Kind::Tool);
        let mut scratch = Scratch::default();
        let ranked = tools.scores().filter(|_| !query.trim().is_empty());
        // The search moves a tool that repeats a better result further back. The scores of both do not change.
        let shares = match ranked {
            Some(ranked) => {
                index.search_ranked(query, &tools.members(None), ranked, usize::MAX, &mut scratch)
            }
            None => index.shares(query, usize::MAX, &mut scratch).to_vec(),
        };
        let order = match ranked {
            Some(_) => shares.iter().filter(|hit| within.contains(hit.index)).copied().collect(),
            None => index.search_within(query, within, usize::MAX, &mut scratch).to_vec(),
        };
        let mut by_index = vec![0; tools.view().catalog().kind_index(Kind::Tool).len()];
        for Hit { index, score } in &shares {
            by_index.get_mut(*index).into_iter().for_each(|slot| *slot = u64::from(*score));
        }
        Self { order, shares, by_index, by_model: ranked.is_some() }
    }

    fn share(&self, index: usize) -> u64 {
        self.by_index.get(index).copied().unwrap_or_default()
    }

    /// Returns the score of a result. Without a model, it is compared with the best of the others, leaving out tools
    /// that do the same.
    fn score(&self, result: &Found) -> u64 {
        if result.exact {
            return EXACT;
        }
        if self.by_model {
            return self.share(result.index);
        }
        let rival = self.shares.iter().find(|hit| !result.holds(hit.index)).map_or(0, |hit| hit.score.into());
        Hit::certainty(self.share(result.index), rival)
    }

    /// Returns whether another result has the same score.
    fn is_tied(&self, result: &Found, found: &[Found]) -> bool {
        let share = self.share(result.index);
        found.iter().filter(|other| !other.exact && self.share(other.index) == share).count() > 1
    }
}

/// Returns the tools that match the query of a call: first those that it names, then the others in the order of a
/// search, or of a search joined with the scores of a model. Equal tools of several servers are one result. Results
/// with equal scores are marked, because their order means nothing.
pub(super) fn search(tools: &Tools<'_>, given: &Members<'_>) -> Answer {
    let text = |key: &str| given.get(key).and_then(json::Raw::text);
    let (query, group) = (text("query").unwrap_or_default(), text("group"));
    let limit = given.get("limit").and_then(whole).unwrap_or(Answer::DEFAULT_RESULTS);
    let within = tools.members(group.as_deref());
    let ranking = Ranking::new(tools, &query, &within);
    let mut found = results(tools, &query, &within, &ranking.order);
    if found.is_empty() {
        return nothing(tools, &query, group);
    }
    let all = found.len();
    found.retain(|result| tools.is_listable(result.index));
    Answer::from_members(|answer| {
        let wanted = found.iter().take(limit);
        let written = push_fitting(answer.value("tools"), Answer::MAX_ENTRIES, wanted, |out, result| {
            let mut entry = Object::open(out);
            tools.summarize(result.index, &mut entry);
            entry.raw("score", ranking.score(result).to_string().as_bytes());
            if result.exact {
                entry.raw("exact", b"true");
            } else if ranking.is_tied(result, &found) {
                entry.raw("tied", b"true");
            }
            if !result.same.is_empty() {
                tools.list_names(&result.same, &mut entry);
            }
            entry.close();
        });
        write_left(answer, "more", found.len() - written);
        if written < limit.min(found.len()) {
            answer.text("message", FULL);
        }
        write_left(answer, groups::LONG_NAMES, all - found.len());
    })
}

/// Returns the tools that the query names, then the others in the given order, with equal tools as one result.
fn results(tools: &Tools<'_>, query: &str, within: &Bitset, order: &[Hit]) -> Vec<Found> {
    let mut found: Vec<Found> = named(tools, query)
        .filter(|index| within.contains(*index))
        .map(|index| Found { index, exact: true, same: Vec::new() })
        .collect();
    let mut compared = 0;
    for Hit { index, .. } in order {
        if found.iter().any(|known| known.holds(*index)) {
            continue;
        }
        let mut known = found.iter_mut().take(if compared < FOLDED { FOLDED } else { 0 });
        match known.find(|known| tools.repeats(known.index, *index)) {
            Some(known) => known.same.push(*index),
            None => found.push(Found { index: *index, exact: false, same: Vec::new() }),
        }
        compared += 1;
    }
    found
}

/// Returns the tools whose names the query has: as a whole, or as one of its words.
fn named<'a>(tools: &'a Tools<'_>, query: &'a str) -> impl Iterator<Item = usize> {
    let mut found = Vec::new();
    let trimmed = |word: &'a str| word.trim_matches(|c| "`'\".,;:!?()".contains(c));
    for word in [query.trim()].into_iter().chain(query.split_whitespace().map(trimmed)) {
        if let Some(index) = tools.find(word).filter(|index| !found.contains(index)) {
            found.push(index);
        }
    }
    found.into_iter()
}

/// Returns the reason why there is no result, and the groups.
fn nothing(tools: &Tools<'_>, query: &str, group: Option<Cow<'_, str>>) -> Answer {
    let message = match group {
        _ if query.trim().is_empty() => "The query is empty.".to_owned(),
        Some(group) if tools.members(Some(&group)).count() == 0 => {
            ["There is no group `", &repeated(&group), "`."].concat()
        }
        Some(group) => [
            "No tool of the group `",
            &repeated(&group),
            "` fits these words. Try other words, or all groups.",
        ]
        .concat(),
        None => {
            "No tool fits these words. Try other words, or name the thing that the tool works on.".to_owned()
        }
    };
    Answer::from_members(|answer| {
        answer.raw("tools", b"[]");
        answer.text("message", &message);
        groups::write(tools, 0, answer);
    })
}
