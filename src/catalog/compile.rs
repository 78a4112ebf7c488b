use std::{borrow::Cow, sync::Arc};

use super::{
    Assignments, Catalog, Collision, Facets, Group, Kind, Report, Rule, Shelf, Source, Tag,
    facets::Names,
    lineage::Lineage,
    lists::Item,
    merge,
    primitive::{Listed, join},
    render,
    shelf::Memberships,
};
use crate::{digest::Digest, json};

impl Catalog {
    /// Compiles the lists of all sources, in the order given, under the operator's assignments.
    ///
    /// Never fails: a primitive that cannot be used is left out and [reported](Catalog::reports), the
    /// rest is served. Of two with one name the first is kept.
    pub fn compile(sources: &[Source<'_>], assignments: &Assignments) -> Self {
        Self::compile_as(sources, assignments, &|_| None)
    }

    /// The same, where `rename` gives some primitives another name than they have.
    pub(super) fn compile_as(sources: &[Source<'_>], assignments: &Assignments, rename: Rename<'_>) -> Self {
        let mut facets = Facets::default();
        let mut found = Found::default();
        assignments.groups.iter().for_each(|group| _ = facets.groups.intern(&group.name));
        assignments.tags.iter().for_each(|tag| _ = facets.tags.intern(&tag.name));

        let lineage = Lineage::new(&assignments.groups);
        let stacks = Kind::ALL
            .map(|kind| stack(kind, sources, assignments, &lineage, rename, &mut facets, &mut found));
        // A concern's bitsets need every value of it, whichever kind maps it: file them last.
        let shelves = stacks.map(|(mut shelf, memberships)| {
            shelf.file(&memberships, &facets);
            shelf
        });

        let groups = declared(
            &assignments.groups,
            &facets.groups,
            |group| &group.name,
            |name| Group { name: name.to_owned(), ..Group::default() },
        );
        let tags = declared(
            &assignments.tags,
            &facets.tags,
            |tag| &tag.name,
            |name| Tag { name: name.to_owned(), description: String::new() },
        );
        let hash = hash(&shelves, &facets, &groups, &tags);
        let Found { reports, collisions } = found;
        Self { shelves, facets, groups, tags, hash, costs: Default::default(), reports, collisions }
    }
}

/// What a primitive is called instead of what its server and the rules call it.
pub(super) type Rename<'a> = &'a dyn Fn(&Listed<'_>) -> Option<String>;

/// What the operator is to be told of.
#[derive(Default)]
struct Found {
    reports: Vec<Report>,
    collisions: Vec<Collision>,
}

impl Found {
    fn report(&mut self, kind: Kind, name: &str, problem: &str) {
        self.reports.push(Report { kind, name: name.to_owned(), problem: problem.to_owned() });
    }
}

/// The primitives of one kind, and their facets as numbers.
fn stack(
    kind: Kind,
    sources: &[Source<'_>],
    assignments: &Assignments,
    lineage: &Lineage<'_>,
    rename: Rename<'_>,
    facets: &mut Facets,
    found: &mut Found,
) -> (Shelf, Memberships) {
    let (mut shelf, mut memberships) = (Shelf::default(), Memberships::default());
    for source in sources {
        let (server, items) = (Arc::<str>::from(source.server), source.lists.items(kind));
        shelf.reserve(items.len(), items.iter().map(|item| item.raw.get().len()).sum());
        // What this server lists and the shelf does not have under the server's own name.
        let mut elsewhere = Names::default();
        for (place, item) in items.iter().enumerate() {
            let mut listed = match Listed::read(kind, source.server, lineage, item) {
                Ok(listed) => listed,
                Err(problem) => {
                    found.report(kind, &name_or_place(item, place), &problem);
                    continue;
                }
            };
            let twin = shelf.find(&listed.id).filter(|at| shelf.is(*at, &server, &listed.id));
            if twin.is_some() || elsewhere.find(&listed.id).is_some() {
                found.report(kind, &listed.id, "listed twice, the first is kept");
                continue;
            }
            if !apply(&assignments.rules, &mut listed) {
                elsewhere.intern(&listed.id);
                shelf.hide(&listed.id);
                continue;
            }
            let id = rename(&listed).map_or_else(|| Cow::Borrowed(listed.called()), Cow::Owned);
            if let Some(kept) = shelf.find(&id) {
                let of = shelf.server(kept).unwrap_or_default();
                let own = shelf.own_id(kept).unwrap_or_default();
                found.report(kind, &id, &merge::problem(kind, (own, of), (&listed.id, source.server)));
                found.collisions.push(Collision {
                    kind,
                    id: id.into_owned(),
                    kept: of.to_owned(),
                    left_out: source.server.to_owned(),
                });
                continue;
            }
            if id != listed.id {
                elsewhere.intern(&listed.id);
            }
            listed.problems.iter().for_each(|problem| found.report(kind, &id, problem));
            number(&listed, shelf.len(), facets, &mut memberships);
            shelf.push(&id, &listed.id, &server, |out| {
                render::write(&listed, &id, assignments.expose_concerns, out)
            });
        }
    }
    (shelf, memberships)
}

/// Applies the rules in order; false when one of them hides the primitive.
pub(super) fn apply<'a>(rules: &'a [Rule], listed: &mut Listed<'a>) -> bool {
    for rule in rules {
        if !rule.matches.holds(listed) {
            continue;
        }
        if rule.hide {
            return false;
        }
        rule.groups.iter().for_each(|name| join(&mut listed.groups, Cow::Borrowed(name)));
        rule.tags.iter().for_each(|name| join(&mut listed.tags, Cow::Borrowed(name)));
        let shown = &rule.shown;
        listed.name = shown.name.as_deref().or(listed.name);
        listed.title = shown.title.as_deref().or(listed.title);
        listed.description = shown.description.as_deref().or(listed.description);
        for (name, values) in &rule.concerns {
            let values = values.iter().map(|value| Cow::Borrowed(value.as_str())).collect();
            listed.set_concern(Cow::Borrowed(name), values);
        }
    }
    true
}

fn number(listed: &Listed<'_>, index: usize, facets: &mut Facets, memberships: &mut Memberships) {
    for name in listed.all_groups() {
        memberships.groups.push((index, facets.groups.intern(name)));
    }
    for name in &listed.tags {
        memberships.tags.push((index, facets.tags.intern(name)));
    }
    for (name, values) in &listed.concerns {
        for value in values {
            memberships.concerns.push((index, facets.intern_value(name, value)));
        }
    }
}

/// What was declared, then what was merely used: clients need a closed vocabulary.
fn declared<T: Clone>(
    declared: &[T],
    names: &Names,
    name_of: impl Fn(&T) -> &String,
    undeclared: impl Fn(&str) -> T,
) -> Vec<T> {
    let used = names.iter().filter(|name| !declared.iter().any(|known| name_of(known) == name));
    declared.iter().cloned().chain(used.map(undeclared)).collect()
}

/// A bad item is reported by its name if it has one.
fn name_or_place(item: &Item<'_>, place: usize) -> String {
    let name = item.members.as_ref().and_then(|members| members.get("name")).and_then(json::text);
    name.filter(|name| !name.is_empty()).map_or_else(|| format!("#{place}"), Cow::into_owned)
}

fn hash(shelves: &[Shelf; 4], facets: &Facets, groups: &[Group], tags: &[Tag]) -> u128 {
    let mut digest = Digest::new();
    let mut part = |bytes: &[u8]| digest.part(bytes);
    for shelf in shelves {
        part(shelf.raw());
    }
    for group in groups {
        part(group.name.as_bytes());
        part(group.title.as_deref().unwrap_or_default().as_bytes());
        part(group.description.as_deref().unwrap_or_default().as_bytes());
        part(group.parent.as_deref().unwrap_or_default().as_bytes());
    }
    for tag in tags {
        part(tag.name.as_bytes());
        part(tag.description.as_bytes());
    }
    // The concern mapping is internal: it is in no primitive's bytes.
    for (concern, (name, values)) in facets.concerns().enumerate() {
        part(name.as_bytes());
        for (value, text) in values.iter().enumerate() {
            part(text.as_bytes());
            for bits in shelves.iter().filter_map(|shelf| shelf.concern_value(concern, value)) {
                bits.iter().for_each(|index| part(&(index as u64).to_le_bytes()));
                part(&[]);
            }
        }
    }
    digest.end()
}
