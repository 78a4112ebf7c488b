use std::{borrow::Cow, sync::Arc};

use super::{
    Assignments, Catalog, Facets, Group, Kind, Report, Rule, Shelf, Source, Tag,
    facets::Names,
    lineage::Lineage,
    lists::Item,
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
        let mut facets = Facets::default();
        let mut reports = Vec::new();
        assignments.groups.iter().for_each(|group| _ = facets.groups.intern(&group.name));
        assignments.tags.iter().for_each(|tag| _ = facets.tags.intern(&tag.name));

        let lineage = Lineage::new(&assignments.groups);
        let stacks =
            Kind::ALL.map(|kind| stack(kind, sources, assignments, &lineage, &mut facets, &mut reports));
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
        Self { shelves, facets, groups, tags, hash, costs: Default::default(), reports }
    }
}

/// The primitives of one kind, and their facets as numbers.
fn stack(
    kind: Kind,
    sources: &[Source<'_>],
    assignments: &Assignments,
    lineage: &Lineage<'_>,
    facets: &mut Facets,
    reports: &mut Vec<Report>,
) -> (Shelf, Memberships) {
    let (mut shelf, mut memberships) = (Shelf::default(), Memberships::default());
    for source in sources {
        let (server, items) = (Arc::<str>::from(source.server), source.lists.items(kind));
        shelf.reserve(items.len(), items.iter().map(|item| item.raw.get().len()).sum());
        for (place, item) in items.iter().enumerate() {
            let mut report = |name: &str, problem: &str| {
                reports.push(Report { kind, name: name.to_owned(), problem: problem.to_owned() });
            };
            let mut listed = match Listed::read(kind, source.server, lineage, item) {
                Ok(listed) => listed,
                Err(problem) => {
                    report(&name_or_place(item, place), &problem);
                    continue;
                }
            };
            if shelf.find(&listed.id).is_some() || shelf.hides(&listed.id) {
                report(&listed.id, "listed twice, the first is kept");
            } else if apply(&assignments.rules, &mut listed) {
                listed.problems.iter().for_each(|problem| report(&listed.id, problem));
                number(&listed, shelf.len(), facets, &mut memberships);
                shelf.push(&listed.id, &server, |out| {
                    render::write(&listed, assignments.expose_concerns, out)
                });
            } else {
                shelf.hide(&listed.id);
            }
        }
    }
    (shelf, memberships)
}

/// Applies the rules in order; false when one of them hides the primitive.
fn apply<'a>(rules: &'a [Rule], listed: &mut Listed<'a>) -> bool {
    for rule in rules {
        if !rule.matches.holds(listed) {
            continue;
        }
        if rule.hide {
            return false;
        }
        rule.groups.iter().for_each(|name| join(&mut listed.groups, Cow::Borrowed(name)));
        rule.tags.iter().for_each(|name| join(&mut listed.tags, Cow::Borrowed(name)));
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
