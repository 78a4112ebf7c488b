//! The concern values that were learned from the lists of a server, with the operator's names of concerns.

use std::collections::BTreeMap;

use mcp_sieve::{
    Kind,
    json::{Members, Number, Raw},
};

use crate::{
    backend::declarations::{Declarations, Facet},
    config::Renames,
};

/// The member of a learned concern that states why it was not learned.
pub(crate) const PROBLEM: &str = "problem";
/// The member of a learned concern that states whether the next listing tries again.
pub(crate) const AGAIN: &str = "again";

/// The values of one primitive: the name of each concern, and its values.
type ConcernValues = Vec<(String, Vec<String>)>;

/// Returns the values of each primitive that has any, sorted by kind and name.
pub(super) fn values(learned: &Facet, renames: &Renames) -> Vec<(Kind, String, ConcernValues)> {
    let mut all: BTreeMap<(usize, String), ConcernValues> = BTreeMap::new();
    for concern in learned.items.iter().filter_map(|item| Members::parse(item)) {
        let Some(name) = concern.get("name").and_then(Raw::text) else { continue };
        let Some(name) = renames.concerns.get(&name) else { continue };
        for entry in concern.get("values").and_then(Raw::elements).unwrap_or_default() {
            let entry = Members::read(entry).unwrap_or_default();
            let value = entry.get("value").and_then(text);
            let Some(value) = value else { continue };
            for kind in Kind::ALL {
                let ids = entry.get(kind.list_key()).and_then(Raw::elements).unwrap_or_default();
                for id in ids.into_iter().filter_map(Raw::text) {
                    let concerns = all.entry((kind as usize, id.into_owned())).or_default();
                    match concerns.last_mut().filter(|(known, _)| known == name) {
                        Some((_, values)) => values.push(value.clone()),
                        None => concerns.push((name.to_owned(), vec![value.clone()])),
                    }
                }
            }
        }
    }
    let primitive = |((kind, id), concerns)| Some((*Kind::ALL.get(kind)?, id, concerns));
    all.into_iter().filter_map(primitive).collect()
}

/// Returns why concerns were not learned.
pub(super) fn problems(learned: &Facet, renames: &Renames) -> Vec<String> {
    let problem = |item: &String| {
        let concern = Members::parse(item)?;
        let (name, problem) =
            (concern.get("name").and_then(Raw::text)?, concern.get(PROBLEM).and_then(Raw::text)?);
        let name = renames.concerns.get(&name)?;
        Some(format!("the concern `{name}` is not learned: {problem}"))
    };
    let single = learned.items.iter().filter_map(problem);
    single.chain(learned.problem.iter().map(|problem| format!("learned concerns: {problem}"))).collect()
}

/// Returns a value in the form of declarations: a number is written as text.
fn text(value: Raw<'_>) -> Option<String> {
    let number = || value.get().parse::<Number>().ok().map(|number| number.to_string());
    value.text().map(std::borrow::Cow::into_owned).or_else(number)
}

impl Declarations {
    /// Takes the values that were learned before: all of them if they still apply, and those of concerns that could not
    /// be learned now.
    pub(crate) fn keep_learned(&mut self, before: &Self) {
        if self.learned.items.is_empty() {
            if !self.learned_from.is_empty() && self.learned_from == before.learned_from {
                self.learned.clone_from(&before.learned);
            }
            return;
        }
        for item in &mut self.learned.items {
            let Some(members) = Members::parse(item).filter(|members| members.get(AGAIN).is_some()) else {
                continue;
            };
            let name = members.get("name").and_then(Raw::text);
            let known = before.learned.items.iter().find(|known| {
                Members::parse(known).is_some_and(|known| {
                    known.get("values").is_some() && known.get("name").and_then(Raw::text) == name
                })
            });
            if let Some(known) = known.cloned() {
                *item = known;
            }
        }
    }
}
