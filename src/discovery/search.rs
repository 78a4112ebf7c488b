use std::borrow::Cow;

use super::{Answer, groups, tools::Tools};
use crate::{
    catalog::Kind,
    json::{self, Members, Object, push_array},
    rank::{Hit, Scratch},
};

/// Maximum number of results of one search.
pub const MAX_RESULTS: usize = 50;
/// Number of results unless the search says otherwise.
pub const DEFAULT_RESULTS: usize = 10;
/// The score of a tool whose name the query has.
const EXACT: u32 = 1000;

/// Answers with the tools that fit the words of `query`: first those that it names, then the others, best first, as a
/// search orders them. Tools with the same score as another are marked: their order says nothing.
pub(super) fn search(tools: &Tools<'_>, given: &Members<'_>) -> Answer {
    let text = |key: &str| given.get(key).and_then(json::text);
    let (query, group) = (text("query").unwrap_or_default(), text("group"));
    let limit = given.get("limit").and_then(|limit| limit.get().parse().ok()).unwrap_or(DEFAULT_RESULTS);
    let within = tools.members(group.as_deref());
    let index = tools.view().index(Kind::Tool);
    let mut scratch = Scratch::default();
    // A search puts a tool that repeats a better result further behind. The scores of both stay as they are.
    let by_index = |hits: &[Hit]| {
        let mut slots = vec![0; tools.view().catalog().kind_index(Kind::Tool).len()];
        for Hit { index, score } in hits {
            slots.get_mut(*index).into_iter().for_each(|slot| *slot = *score);
        }
        slots
    };
    let scores = by_index(index.scores(&query, usize::MAX, &mut scratch));
    let shares = by_index(index.shares(&query, usize::MAX, &mut scratch));
    let mut found: Vec<(usize, u32, bool)> = named(tools, &query)
        .filter(|index| within.contains(*index))
        .map(|index| (index, EXACT, true))
        .collect();
    for Hit { index, .. } in index.search_within(&query, &within, usize::MAX, &mut scratch) {
        if found.iter().all(|(known, ..)| known != index) {
            found.push((*index, scores.get(*index).copied().unwrap_or_default(), false));
        }
    }
    let Some(more) = (!found.is_empty()).then(|| found.len().saturating_sub(limit)) else {
        return nothing(tools, &query, group);
    };
    let share = |index: usize| shares.get(index).copied().unwrap_or_default();
    let tied = |index: usize| {
        found.iter().filter(|(other, _, exact)| !exact && share(*other) == share(index)).count() > 1
    };
    Answer::of(|answer| {
        push_array(answer.value("tools"), found.iter().take(limit), |out, (index, score, exact)| {
            let mut entry = Object::open(out);
            tools.summarize(*index, &mut entry);
            entry.raw("score", score.to_string().as_bytes());
            if *exact {
                entry.raw("exact", b"true");
            } else if tied(*index) {
                entry.raw("tied", b"true");
            }
            entry.close();
        });
        if more > 0 {
            answer.raw("more", more.to_string().as_bytes());
        }
    })
}

/// The tools whose names the query has: as a whole, or as one of its words.
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

/// Why there is no result, and which groups there are.
fn nothing(tools: &Tools<'_>, query: &str, group: Option<Cow<'_, str>>) -> Answer {
    let message = match group {
        _ if query.trim().is_empty() => "The query is empty.".to_owned(),
        Some(group) if tools.members(Some(&group)).count() == 0 => {
            ["There is no group `", &group, "`."].concat()
        }
        Some(group) => {
            ["No tool of the group `", &group, "` fits these words. Try other words, or all groups."].concat()
        }
        None => {
            "No tool fits these words. Try other words, or name the thing that the tool works on.".to_owned()
        }
    };
    Answer::of(|answer| {
        answer.raw("tools", b"[]");
        answer.text("message", &message);
        groups::write(tools, answer);
    })
}
