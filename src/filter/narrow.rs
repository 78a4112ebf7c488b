use super::{Filter, condition::Condition};
use crate::{
    catalog::{Bits, Catalog, Kind, Primitive, Scope, Shelf},
    concern::{Concerns, OnInvalid},
    error::{Error, Ignored},
};

/// Filters compiled against one catalog: an *and* of clauses.
#[derive(Debug, Clone, Default)]
pub struct Narrowing {
    pub(super) clauses: Vec<Clause>,
    ignored: Vec<Ignored>,
}

#[derive(Debug, Clone)]
pub(super) enum Clause {
    Facet(Facet),
    Where(Box<Condition>),
}

/// An *or* of bitsets.
#[derive(Debug, Clone)]
pub(super) struct Facet {
    pub asks: Asks,
    /// What the caller wrote, for explanations.
    pub wanted: Vec<String>,
    sets: Vec<Set>,
}

/// Which field of a filter a clause came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asks {
    Groups,
    Tags,
    Concern(String),
}

/// A bitset of a shelf, by number: one clause serves every kind.
#[derive(Debug, Clone, Copy)]
enum Set {
    Group(usize),
    Tag(usize),
    Silent(usize),
    Value(usize, usize),
}

/// Room for a selection, kept by whoever asks so that asking again allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    bits: Bits,
    spare: Bits,
}

impl Selection {
    /// What was selected last.
    pub fn bits(&self) -> &Bits {
        &self.bits
    }

    /// Selects nothing.
    pub fn clear(&mut self) {
        self.bits.clear();
    }
}

impl Filter {
    /// Settles the concerns of the filter against their declarations and compiles it. Gives the filter as
    /// it is applied, and the narrowing that reports `ignored` and what was dropped here.
    ///
    /// # Errors
    /// As [`Concerns::settle`].
    pub fn settle<'a>(
        mut self,
        scope: impl Into<Scope<'a>>,
        concerns: &Concerns,
        on_invalid: OnInvalid,
        mut ignored: Vec<Ignored>,
    ) -> Result<(Self, Narrowing), Error> {
        let scope = scope.into();
        let (settled, dropped) =
            concerns.settle(&self.concerns, on_invalid, |name| scope.concern(name).is_some())?;
        self.concerns = settled;
        let mut narrowing = Narrowing::new(scope, &self);
        ignored.extend(dropped);
        ignored.append(&mut narrowing.ignored);
        narrowing.ignored = ignored;
        Ok((self, narrowing))
    }
}

impl Narrowing {
    /// Compiles `filter` for `scope`: a catalog, or a view of one. Names that it does not know match
    /// nothing and are reported.
    pub fn new<'a>(scope: impl Into<Scope<'a>>, filter: &Filter) -> Self {
        let mut narrowing = Self::default();
        narrowing.add(scope, filter);
        narrowing
    }

    /// Narrows further: what is selected matches every filter added.
    pub fn add<'a>(&mut self, scope: impl Into<Scope<'a>>, filter: &Filter) {
        let scope = scope.into();
        if let Some(expr) = &filter.r#where {
            for term in expr.terms() {
                let strange =
                    scope.strange(term).map(|reason| Ignored { field: format!("where.{term}"), reason });
                self.ignored.extend(strange.filter(|strange| !self.ignored.contains(strange)));
            }
        }
        let mut unknown = |field: String, found: Option<usize>, reason| {
            if found.is_none() {
                self.ignored.push(Ignored { field, reason });
            }
            found
        };
        if !filter.groups.is_empty() {
            let named = filter.groups.iter().enumerate().filter_map(|(at, name)| {
                unknown(format!("groups[{at}]"), scope.group(name), "unknown group").map(Set::Group)
            });
            let sets = named.collect();
            self.clauses.push(Clause::Facet(Facet {
                asks: Asks::Groups,
                wanted: filter.groups.clone(),
                sets,
            }));
        }
        for (at, name) in filter.tags.iter().enumerate() {
            let found = unknown(format!("tags[{at}]"), scope.tag(name), "unknown tag");
            let sets = found.map(Set::Tag).into_iter().collect();
            self.clauses.push(Clause::Facet(Facet { asks: Asks::Tags, wanted: vec![name.clone()], sets }));
        }
        for (name, wanted) in filter.concerns.iter() {
            // A concern that nothing maps leaves everything in.
            let (Some(wanted), Some(id)) = (wanted, scope.concern(name)) else { continue };
            let values = wanted.iter().filter_map(|value| scope.value(name, value));
            let mapped = values.map(|value| Set::Value(id, value));
            let sets = std::iter::once(Set::Silent(id)).chain(mapped).collect();
            self.clauses.push(Clause::Facet(Facet {
                asks: Asks::Concern(name.to_owned()),
                wanted: wanted.to_vec(),
                sets,
            }));
        }
        self.clauses.extend(filter.r#where.clone().map(|expr| Clause::Where(Box::new(Condition::new(expr)))));
    }

    /// Parts of the filters that had no effect.
    pub fn ignored(&self) -> &[Ignored] {
        &self.ignored
    }

    /// Whether nothing is asked for, so that everything is selected.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    /// Selects from what is `visible` of a kind; `None` stands for all of it.
    pub fn select<'a>(
        &self,
        catalog: &Catalog,
        kind: Kind,
        visible: Option<&Bits>,
        selection: &'a mut Selection,
    ) -> &'a Bits {
        let shelf = catalog.shelf(kind);
        match visible {
            Some(visible) => selection.bits.copy_from(visible),
            None => selection.bits.copy_from(shelf.all()),
        }
        // Bitsets first: a condition may have to read what they leave.
        for clause in &self.clauses {
            if let Clause::Facet(facet) = clause {
                facet.apply(shelf, selection);
            }
        }
        for clause in &self.clauses {
            if let Clause::Where(condition) = clause {
                condition.narrow(catalog, kind, &mut selection.bits);
            }
        }
        &selection.bits
    }
}

impl Clause {
    /// Whether a primitive meets the clause.
    pub fn admits(&self, shelf: &Shelf, index: usize, primitive: &Primitive<'_>) -> bool {
        match self {
            Self::Facet(facet) => facet.admits(shelf, index),
            Self::Where(condition) => condition.admits(primitive),
        }
    }
}

impl Facet {
    fn apply(&self, shelf: &Shelf, selection: &mut Selection) {
        let Selection { bits, spare } = selection;
        let mut sets = self.sets.iter().filter_map(|set| set.of(shelf));
        match (sets.next(), sets.next()) {
            (None, _) => bits.clear(),
            (Some(only), None) => bits.intersect(only),
            (Some(first), Some(second)) => {
                spare.copy_from(first);
                spare.unite(second);
                sets.for_each(|set| spare.unite(set));
                bits.intersect(spare);
            }
        }
    }

    fn admits(&self, shelf: &Shelf, index: usize) -> bool {
        self.sets.iter().filter_map(|set| set.of(shelf)).any(|bits| bits.contains(index))
    }
}

impl Set {
    fn of(self, shelf: &Shelf) -> Option<&Bits> {
        match self {
            Self::Group(id) => shelf.group(id),
            Self::Tag(id) => shelf.tag(id),
            Self::Silent(id) => shelf.silent(id),
            Self::Value(id, value) => shelf.concern_value(id, value),
        }
    }
}
