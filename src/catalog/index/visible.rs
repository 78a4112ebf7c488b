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
    /// The groups where nothing is hidden.
    pub(crate) fn served_groups(&self) -> Vec<&Group> {
        Scope::everything(self).groups()
    }

    /// The tags where nothing is hidden.
    pub(crate) fn served_tags(&self) -> Vec<&Tag> {
        Scope::everything(self).tags()
    }
}

/// A catalog, and the part of it that a caller may see. A name that only hidden primitives carry is unknown in it,
/// as it is in no catalog at all: a caller cannot tell the two apart.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    catalog: &'a Catalog,
    /// By kind; absent when everything is visible.
    visible: Option<&'a ByKind<Bitset>>,
}

impl<'a> Scope<'a> {
    /// All that `catalog` lists.
    pub(crate) fn everything(catalog: &'a Catalog) -> Self {
        Self { catalog, visible: None }
    }

    /// The part of `catalog` that is in `visible`, by kind in the order of [`Kind::ALL`].
    pub(crate) fn part(catalog: &'a Catalog, visible: &'a ByKind<Bitset>) -> Self {
        Self { catalog, visible: Some(visible) }
    }

    /// The visible primitives of a kind.
    pub fn bits(self, kind: Kind) -> &'a Bitset {
        match self.visible {
            Some(visible) => kind.of(visible),
            None => self.catalog.kind_index(kind).all(),
        }
    }

    /// Whether group number `id` exists here: something visible is in it, or the operator declares it and everything is
    /// visible. A declared group that nothing is in cannot be told from one of which all is hidden.
    pub fn shows_group(self, id: usize) -> bool {
        let [declared, _] = self.catalog.declared;
        self.shows(id < declared, |kind| self.catalog.kind_index(kind).group(id))
    }

    /// Whether tag number `id` exists here.
    pub fn shows_tag(self, id: usize) -> bool {
        let [_, declared] = self.catalog.declared;
        self.shows(id < declared, |kind| self.catalog.kind_index(kind).tag(id))
    }

    /// The groups here, in their order: those that the operator does not declare, by name, since the order in which they were met
    /// tells of what was met first, seen or not.
    pub fn groups(self) -> Vec<&'a Group> {
        let [groups, _] = self.catalog.declared;
        let shown = self.catalog.groups.iter().enumerate().filter(|(id, _)| self.shows_group(*id));
        let described = shown.map(|(id, group)| {
            let said = |words: &'a ServerWords| words.groups.iter().find(|said| said.name == group.name);
            let members = |kind| self.catalog.kind_index(kind).group(id);
            (id, self.described(&said, &members).unwrap_or(group))
        });
        self.ordered(described, groups, |group| &group.name)
    }

    /// The tags here, in the same order.
    pub fn tags(self) -> Vec<&'a Tag> {
        let [_, tags] = self.catalog.declared;
        let shown = self.catalog.tags.iter().enumerate().filter(|(id, _)| self.shows_tag(*id));
        let described = shown.map(|(id, tag)| {
            let said = |words: &'a ServerWords| words.tags.iter().find(|said| said.name == tag.name);
            let members = |kind| self.catalog.kind_index(kind).tag(id);
            (id, self.described(&said, &members).unwrap_or(tag))
        });
        self.ordered(described, tags, |tag| &tag.name)
    }

    /// What the first server says of a name that has something visible under it. A server of which nothing is visible there
    /// is not heard: its words would tell that it exists.
    fn described<T>(
        self,
        said: &dyn Fn(&'a ServerWords) -> Option<&'a T>,
        members: &dyn Fn(Kind) -> Option<&'a Bitset>,
    ) -> Option<&'a T> {
        self.catalog.words.iter().find_map(|words| {
            let said = said(words)?;
            Kind::ALL
                .into_iter()
                .any(|kind| self.shows_of(&words.server, kind, members(kind)))
                .then_some(said)
        })
    }

    /// Whether one of `members` is visible and of a server.
    fn shows_of(self, server: &str, kind: Kind, members: Option<&Bitset>) -> bool {
        let (kind_index, visible) = (self.catalog.kind_index(kind), self.bits(kind));
        let shown = |index: &usize| visible.contains(*index) && kind_index.server(*index) == Some(server);
        members.is_some_and(|members| members.iter().any(|index| shown(&index)))
    }

    /// Whether something visible of a server has a value of a concern.
    pub(crate) fn maps_concern_of(self, server: &str, name: &str) -> bool {
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

    /// Whether everything is visible.
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

    /// The number of a concern that something visible maps.
    pub(crate) fn concern(self, name: &str) -> Option<usize> {
        let (id, _) = self.catalog.facets.concern(name)?;
        let maps = |kind: Kind| {
            self.catalog.kind_index(kind).silent(id).is_some_and(|silent| self.bits(kind).exceeds(silent))
        };
        (self.visible.is_none() || Kind::ALL.into_iter().any(maps)).then_some(id)
    }

    /// The number of a concern's value that some primitive has.
    pub(crate) fn value(self, concern: &str, value: &str) -> Option<usize> {
        self.catalog.facets.concern(concern)?.1.find(value)
    }

    /// The numbers of a concern's values for which `holds` is true.
    pub(crate) fn values(self, concern: &str, holds: &dyn Fn(&str) -> bool) -> Vec<usize> {
        let Some((_, values)) = self.catalog.facets.concern(concern) else { return Vec::new() };
        (0..values.len()).filter(|id| values.get(*id).is_some_and(holds)).collect()
    }

    /// What a term names that is not here, if it names one group, tag or concern.
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
