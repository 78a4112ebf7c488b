use super::{Bits, Catalog, Kind};
use crate::expr::{Field, Op, Term};

/// A catalog, and what of it somebody may see. A name that only hidden primitives carry is unknown in it,
/// as it is in no catalog at all: whoever asks cannot tell the two apart.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    catalog: &'a Catalog,
    /// By kind; absent when everything is visible.
    visible: Option<&'a [Bits; 4]>,
}

impl<'a> Scope<'a> {
    /// The part of `catalog` that is in `visible`, by kind in the order of [`Kind::ALL`].
    pub fn new(catalog: &'a Catalog, visible: Option<&'a [Bits; 4]>) -> Self {
        Self { catalog, visible }
    }

    /// The visible primitives of a kind.
    pub fn bits(self, kind: Kind) -> &'a Bits {
        let Some([tools, resources, templates, prompts]) = self.visible else {
            return self.catalog.shelf(kind).all();
        };
        match kind {
            Kind::Tool => tools,
            Kind::Resource => resources,
            Kind::Template => templates,
            Kind::Prompt => prompts,
        }
    }

    /// Whether group number `id` exists here: something visible is in it, or nothing is in it at all.
    pub fn shows_group(self, id: usize) -> bool {
        self.shows(|kind| self.catalog.shelf(kind).group(id))
    }

    /// Whether tag number `id` exists here.
    pub fn shows_tag(self, id: usize) -> bool {
        self.shows(|kind| self.catalog.shelf(kind).tag(id))
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
            self.catalog.shelf(kind).silent(id).is_some_and(|silent| self.bits(kind).exceeds(silent))
        };
        (self.visible.is_none() || Kind::ALL.into_iter().any(maps)).then_some(id)
    }

    /// The number of a concern's value that some primitive has.
    pub(crate) fn value(self, concern: &str, value: &str) -> Option<usize> {
        self.catalog.facets.concern(concern)?.1.find(value)
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

    fn shows(self, members: impl Fn(Kind) -> Option<&'a Bits>) -> bool {
        if self.visible.is_none() {
            return true;
        }
        let mut empty = true;
        Kind::ALL.into_iter().filter_map(|kind| Some((kind, members(kind)?))).any(|(kind, members)| {
            empty = empty && members.count() == 0;
            members.meets(self.bits(kind))
        }) || empty
    }
}

impl<'a> From<&'a Catalog> for Scope<'a> {
    /// All of it.
    fn from(catalog: &'a Catalog) -> Self {
        Self::new(catalog, None)
    }
}
