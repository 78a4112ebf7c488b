//! Concern values that a server keeps to itself (#1936), learned from its lists.
//!
//! The server is listed once for each value of each concern that it declares, unless all primitives state a value of
//! it. A primitive has the values that it states, or else those for which it is listed; one that is listed for all of
//! them has none. The values are kept with the declarations of the server and learned again only if the names in its
//! lists or its declarations change, or the server reports changed lists.

use std::collections::{HashMap, HashSet};

use mcp_sieve::{
    Digest, Kind,
    catalog::Primitive,
    json::{Members, Object, Raw},
};

use crate::{
    backend::{
        declarations::Facet,
        declared::learned::{AGAIN, PROBLEM},
        status::ListProblem,
    },
    config::ConcernUse,
    upstream::{
        Fetch, Upstream,
        collected_lists::Collected,
        concern_lists::{ConcernLister, ListedNames, Missed},
        connection::Connection,
        enumerable_concern::EnumerableConcern,
        lock,
        meta::concerns_key,
    },
};

/// Maximum number of requests for learning the concern values of one server: for pages of lists, sessions and
/// `updateConcerns`.
pub const MAX_LEARNING_REQUESTS: usize = 48;

/// The value of primitives that are listed for no declared value: no caller can ask for it.
pub(crate) const OTHER_VALUE: &str = "(undeclared)";

impl Upstream {
    /// Learns the concern values that the lists in `all` do not state, until `until` at most, in milliseconds since
    /// 1970. If the values of the last listing still apply, only refers to them. `has_sessions` states whether a server
    /// of the stateless era keeps sessions too.
    pub(super) async fn learn_concerns<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        has_sessions: bool,
        all: &mut Collected,
        until: u64,
    ) {
        if self.endpoint.concerns != ConcernUse::Learn || all.declared.concerns.items.is_empty() {
            return;
        }
        let stated = stated(all);
        let concerns = self.unstated(all, &stated);
        let kinds = listed_kinds(all);
        if concerns.is_empty() || kinds.is_empty() {
            return;
        }
        let source = source(&kinds, &all.declared.concerns);
        let known = lock(&self.learned_from).clone();
        // Without one of its lists, less would be learned than is known.
        let is_partial = all.problems.iter().any(|problem| !ListProblem::is_final(problem));
        if !known.is_empty() && (known == source || is_partial) {
            all.declared.learned_from = known;
            return;
        }
        let mut lister = ConcernLister::new(self, fetch, connection, &kinds, until);
        if has_sessions {
            lister.offer_sessions();
        }
        let learned = learn(&mut lister, &concerns, &kinds, &stated).await;
        let mut facet = Facet::default();
        facet.add(learned.iter().map(Learned::text));
        all.declared.learned = facet;
        let is_done = learned.iter().all(|one| one.missed.as_ref().is_none_or(|missed| !missed.again));
        all.declared.learned_from = if is_done { source } else { String::new() };
    }

    /// Sets from which lists the known values were learned; empty if they have to be learned again.
    pub(crate) fn set_learned_from(&self, source: &str) {
        source.clone_into(&mut lock(&self.learned_from));
    }

    /// Returns from which lists the known concern values were learned, for a host that lists the server elsewhere. Empty
    /// if they have to be learned again.
    pub fn learned_from(&self) -> String {
        lock(&self.learned_from).clone()
    }

    /// Returns the declared concerns of which not all listed primitives state a value.
    fn unstated(&self, all: &Collected, stated: &Stated) -> Vec<EnumerableConcern> {
        let total = all.primitives().count();
        let mut concerns: Vec<EnumerableConcern> = Vec::new();
        for concern in all.declared.concerns.items.iter().filter_map(|item| EnumerableConcern::read(item)) {
            let is_known = concerns.iter().any(|known| known.name == concern.name);
            let is_stated = stated.get(&concern.name).is_some_and(|by| by.len() >= total);
            if !is_known && !is_stated && self.endpoint.concern_names.get(&concern.name).is_some() {
                concerns.push(concern);
            }
        }
        concerns
    }
}

/// The primitives that state a value, by the name of the concern.
type Stated = HashMap<String, HashSet<(Kind, String)>>;

/// Returns which primitives state values of concerns.
fn stated(all: &Collected) -> Stated {
    let prefixed = concerns_key();
    let mut stated = Stated::new();
    for ((kind, name), primitive) in all.primitives() {
        let meta = Members::read(primitive).and_then(|members| members.get("_meta").and_then(Members::read));
        let Some(meta) = meta else { continue };
        for values in ["concerns", &prefixed].into_iter().filter_map(|key| meta.get(key)) {
            for (concern, _) in Members::read(values).unwrap_or_default().0 {
                stated.entry(concern.into_owned()).or_default().insert((kind, name.to_string()));
            }
        }
    }
    stated
}

/// What is known of one concern after the listings.
struct Learned {
    name: String,
    /// The values, each with the primitives that have it.
    values: Vec<(String, Vec<(Kind, String)>)>,
    missed: Option<Missed>,
}

/// Learns one concern after the other, as far as the requests suffice.
async fn learn<F: Fetch>(
    lister: &mut ConcernLister<'_, F>,
    concerns: &[EnumerableConcern],
    kinds: &[ListedNames],
    stated: &Stated,
) -> Vec<Learned> {
    let mut all = Vec::with_capacity(concerns.len());
    for concern in concerns {
        let others: Vec<&str> =
            concerns.iter().map(|other| other.name.as_str()).filter(|other| *other != concern.name).collect();
        let mut learned = learn_one(lister, concern, &others, kinds, stated).await;
        // A server of both eras may know the concerns of sessions alone.
        if learned.is_idle() && lister.swap_form() {
            let other = learn_one(lister, concern, &others, kinds, stated).await;
            if other.values.is_empty() {
                lister.swap_form();
            } else {
                learned = other;
            }
            lister.keep_form();
        }
        all.push(learned);
    }
    all
}

async fn learn_one<F: Fetch>(
    lister: &mut ConcernLister<'_, F>,
    concern: &EnumerableConcern,
    others: &[&str],
    kinds: &[ListedNames],
    stated: &Stated,
) -> Learned {
    let name = concern.name.clone();
    let values = match &concern.values {
        Ok(values) => values,
        Err(problem) => {
            return Learned { name, values: Vec::new(), missed: Some(Missed::for_good(problem.clone())) };
        }
    };
    match lister.list_each(&name, values, others).await {
        Ok(listed) => Learned {
            name,
            values: values_of(kinds, values, &listed, stated.get(&concern.name)),
            missed: None,
        },
        Err(missed) => Learned { name, values: Vec::new(), missed: Some(missed) },
    }
}

/// Returns the values of primitives that are not listed for all of them. `listed` has the names for each value and kind.
/// Those in `stated` state their value.
fn values_of(
    kinds: &[ListedNames],
    values: &[String],
    listed: &[Vec<HashSet<String>>],
    stated: Option<&HashSet<(Kind, String)>>,
) -> Vec<(String, Vec<(Kind, String)>)> {
    let mut other = Vec::new();
    Object::push_text(&mut other, OTHER_VALUE);
    let other = String::from_utf8(other).unwrap_or_default();
    let mut of_value: Vec<(String, Vec<(Kind, String)>)> =
        values.iter().chain([&other]).map(|value| (value.clone(), Vec::new())).collect();
    for (at, ListedNames { kind, names, .. }) in kinds.iter().enumerate() {
        for name in names {
            let has = |lists: &Vec<HashSet<String>>| lists.get(at).is_some_and(|names| names.contains(name));
            let count = listed.iter().filter(|lists| has(lists)).count();
            if count == listed.len() || stated.is_some_and(|stated| stated.contains(&(*kind, name.clone()))) {
                continue;
            }
            let with = listed.iter().map(has).chain([count == 0]);
            for ((_, members), _) in of_value.iter_mut().zip(with).filter(|(_, with)| *with) {
                members.push((*kind, name.clone()));
            }
        }
    }
    of_value.retain(|(_, members)| !members.is_empty());
    of_value
}

impl Learned {
    /// Returns whether the lists do not depend on the concern.
    fn is_idle(&self) -> bool {
        self.values.is_empty() && self.missed.is_none()
    }

    /// Returns it as JSON: `{"name", "values": [{"value", "tools": [name]}]}`, or `{"name", "problem", "again"?}`.
    fn text(&self) -> String {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.text("name", &self.name);
        if let Some(Missed { problem, again }) = &self.missed {
            object.text(PROBLEM, problem);
            if *again {
                object.raw(AGAIN, b"true");
            }
        } else {
            Object::push_array(object.value("values"), &self.values, |out, (value, members)| {
                let mut object = Object::open(out);
                object.raw("value", value.as_bytes());
                for kind in Kind::ALL {
                    let of_kind = members.iter().filter(|(known, _)| *known == kind);
                    let names: Vec<&str> = of_kind.map(|(_, name)| name.as_str()).collect();
                    if !names.is_empty() {
                        object.texts(kind.list_key(), &names);
                    }
                }
                object.close();
            });
        }
        object.close();
        String::from_utf8(out).unwrap_or_default()
    }
}

/// Returns the kinds with primitives, and the names and the number of pages of each. Primitives that the server lists
/// only to clients with some capabilities are left out, because it is listed for each value without any.
fn listed_kinds(all: &Collected) -> Vec<ListedNames> {
    let mut kinds = Vec::new();
    for kind in Kind::ALL {
        let pages = all.pages.iter().filter(|page| page.kind == kind).count();
        let is_conditional = |raw: &Raw<'_>| raw.get().contains(Primitive::REQUIRED_CAPABILITIES);
        let own = all.primitives().filter(|((known, _), raw)| *known == kind && !is_conditional(raw));
        let mut names: Vec<String> = own.map(|((_, name), _)| name.into_owned()).collect();
        names.sort_unstable();
        names.dedup();
        if !names.is_empty() {
            kinds.push(ListedNames { kind, names, pages });
        }
    }
    kinds
}

/// Returns the hash of what the values depend on: the names in the lists, and the declarations. Other changes, such as a
/// description with the current time, would cause new requests at every expiry.
fn source(kinds: &[ListedNames], declared: &Facet) -> String {
    let mut digest = Digest::new();
    for ListedNames { kind, names, .. } in kinds {
        digest.part(kind.list_key().as_bytes());
        names.iter().for_each(|name| digest.part(name.as_bytes()));
        digest.part(&[]);
    }
    declared.items.iter().for_each(|item| digest.part(item.as_bytes()));
    Digest::hex(digest.end())
}
