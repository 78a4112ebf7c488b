//! The scope of a caller: a catalog limited to visible primitives, and the groups and tags that they have.

use super::bitset::Bitset;
use crate::{
    catalog::{
        Catalog,
        model::{
            kind::{ByKind, Kind},
            rules::{Group, ServerWords, Tag},
        },
    },
    expr::{Field, Op, Term},
};

impl Catalog {
    /// Returns the groups of the whole catalog.
    pub(crate) fn served_groups(&self) -> Vec<&Group> {
        Scope::everything(self).groups()
    }

    /// Returns the tags of the whole catalog.
    pub(crate) fn served_tags(&self) -> Vec<&Tag> {
        Scope::everything(self).tags()
    }
}

/// A catalog and the part of it that a caller may see. A name that only hidden primitives have is unknown, as if it did
/// not exist, so a caller cannot distinguish the two cases.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    catalog: &'a Catalog,
    /// The visible primitives by kind. `None` if everything is visible.
    visible: Option<&'a ByKind<Bitset>>,
}

impl<'a> Scope<'a> {
    /// Returns the scope of the whole catalog.
    pub fn everything(catalog: &'a Catalog) -> Self {
        Self { catalog, visible: None }
    }

    /// Returns the scope of the primitives in `visible`, by kind in the order of [`Kind::ALL`].
    pub(crate) fn part(catalog: &'a Catalog, visible: &'a ByKind<Bitset>) -> Self {
        Self { catalog, visible: Some(visible) }
    }

    /// Returns the visible primitives of a kind.
    pub fn bits(self, kind: Kind) -> &'a Bitset {
        match self.visible {
            Some(visible) => kind.of(visible),
            None => self.catalog.kind_index(kind).all(),
        }
    }

    /// Returns whether group number `id` exists in this scope: it has a visible member, or the operator declares it and
    /// everything is visible. A declared group without members looks like one whose members are all hidden.
    pub fn shows_group(self, id: usize) -> bool {
        let [declared, _] = self.catalog.declared;
        self.shows(id < declared, |kind| self.catalog.kind_index(kind).group(id))
    }

    /// Returns whether tag number `id` exists in this scope.
    pub fn shows_tag(self, id: usize) -> bool {
        let [_, declared] = self.catalog.declared;
        self.shows(id < declared, |kind| self.catalog.kind_index(kind).tag(id))
    }

    /// Returns the groups of this scope in order. Groups that the operator does not declare are sorted by name, because
    /// the order of registration would reveal hidden primitives.
    pub fn groups(self) -> Vec<&'a Group> {
        let [groups, _] = self.catalog.declared;
        let shown = self.catalog.groups.iter().enumerate().filter(|(id, _)| self.shows_group(*id));
        let described = shown.map(|(id, group)| {
            let description_of =
                |words: &'a ServerWords| words.groups.iter().find(|known| known.name == group.name);
            let members = |kind| self.catalog.kind_index(kind).group(id);
            (id, self.described(&description_of, &members).unwrap_or(group))
        });
        self.ordered(described, groups, |group| &group.name)
    }

    /// Returns the tags of this scope, in the same order.
    pub fn tags(self) -> Vec<&'a Tag> {
        let [_, tags] = self.catalog.declared;
        let shown = self.catalog.tags.iter().enumerate().filter(|(id, _)| self.shows_tag(*id));
        let described = shown.map(|(id, tag)| {
            let description_of =
                |words: &'a ServerWords| words.tags.iter().find(|known| known.name == tag.name);
            let members = |kind| self.catalog.kind_index(kind).tag(id);
            (id, self.described(&description_of, &members).unwrap_or(tag))
        });
        self.ordered(described, tags, |tag| &tag.name)
    }

    /// Returns the description by the first server that has a visible member of that name. Descriptions by other
    /// servers are ignored, because they would reveal that those servers exist.
    fn described<T>(
        self,
        description_of: &dyn Fn(&'a ServerWords) -> Option<&'a T>,
        members: &dyn Fn(Kind) -> Option<&'a Bitset>,
    ) -> Option<&'a T> {
        self.catalog.words.iter().find_map(|words| {
            let description = description_of(words)?;
            Kind::ALL
                .into_iter()
                .any(|kind| self.shows_of(&words.server, kind, members(kind)))
                .then_some(description)
        })
    }

    /// Returns whether some visible primitive of a server is in `members`.
    fn shows_of(self, server: &str, kind: Kind, members: Option<&Bitset>) -> bool {
        let (kind_index, visible) = (self.catalog.kind_index(kind), self.bits(kind));
        let shown = |index: &usize| visible.contains(*index) && kind_index.server(*index) == Some(server);
        members.is_some_and(|members| members.iter().any(|index| shown(&index)))
    }

    /// Returns whether some visible primitive of a server has a value for a concern.
    pub fn maps_concern_of(self, server: &str, name: &str) -> bool {
        let Some((id, _)) = self.catalog.facets.concern(name) else { return false };
        Kind::ALL.into_iter().any(|kind| {
            let kind_index = self.catalog.kind_index(kind);
            let Some(silent) = kind_index.silent(id) else { return false };
            let maps = |index: &usize| !silent.contains(*index) && kind_index.server(*index) == Some(server);
            self.bits(kind).iter().any(|index| maps(&index))
        })
    }

    fn ordered<T>(
        self,
        shown: impl Iterator<Item = (usize, &'a T)>,
        declared: usize,
        name: fn(&T) -> &String,
    ) -> Vec<&'a T> {
        let (mut first, mut others): (Vec<&T>, Vec<&T>) = Default::default();
        for (id, item) in shown {
            let after = |known: &&T| name(known) <= name(item);
            match id < declared || self.visible.is_none() {
                true => first.push(item),
                false => others.insert(others.partition_point(after), item),
            }
        }
        first.append(&mut others);
        first
    }

    /// Returns whether everything is visible.
    pub(crate) fn is_whole(self) -> bool {
        self.visible.is_none()
    }

    pub(crate) fn catalog(self) -> &'a Catalog {
        self.catalog
    }

    pub(crate) fn group(self, name: &str) -> Option<usize> {
        self.catalog.facets.groups.find(name).filter(|id| self.shows_group(*id))
    }

    pub(crate) fn tag(self, name: &str) -> Option<usize> {
        self.catalog.facets.tags.find(name).filter(|id| self.shows_tag(*id))
    }

    /// Returns the number of a concern for which some visible primitive has a value.
    pub(crate) fn concern(self, name: &str) -> Option<usize> {
        let (id, _) = self.catalog.facets.concern(name)?;
        let maps = |kind: Kind| {
            self.catalog.kind_index(kind).silent(id).is_some_and(|silent| self.bits(kind).exceeds(silent))
        };
        (self.visible.is_none() || Kind::ALL.into_iter().any(maps)).then_some(id)
    }

    /// Returns the number of a concern's value that some primitive has.
    pub(crate) fn value(self, concern: &str, value: &str) -> Option<usize> {
        self.catalog.facets.concern(concern)?.1.find(value)
    }

    /// Returns the numbers of the values of a concern for which `holds` is true.
    pub(crate) fn values(self, concern: &str, holds: &dyn Fn(&str) -> bool) -> Vec<usize> {
        let Some((_, values)) = self.catalog.facets.concern(concern) else { return Vec::new() };
        (0..values.len()).filter(|id| values.get(*id).is_some_and(holds)).collect()
    }

    /// Returns why the name in a term is unknown, if the term names one group, tag or concern that does not exist in
    /// this scope.
    pub(crate) fn strange(self, term: &Term) -> Option<&'static str> {
        let (here, reason) = match term.field() {
            Field::Group => (self.group(term.value()).is_some(), "unknown group"),
            Field::Tag => (self.tag(term.value()).is_some(), "unknown tag"),
            Field::Concern(name) => return self.concern(name).is_none().then_some("unknown concern"),
            _ => return None,
        };
        let names = matches!(term.op(), Op::Matches | Op::Equals | Op::Differs) && !term.is_pattern();
        (names && !here).then_some(reason)
    }

    fn shows(self, declared: bool, members: impl Fn(Kind) -> Option<&'a Bitset>) -> bool {
        let meets = |kind| members(kind).is_some_and(|members| members.meets(self.bits(kind)));
        declared && self.visible.is_none() || Kind::ALL.into_iter().any(meets)
    }
}
