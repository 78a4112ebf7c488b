//! Compiles filters against a catalog, and selects the primitives that match.

use std::sync::Arc;

use super::{
    Fields, Filter, Limit, SettledFilter,
    condition::Condition,
    facet::{Criterion, Facet, Set},
    field::Shape,
    ranking::Ranked,
    relevance::Relevance,
    searchable::Searchable,
    selection_cache::SelectionCache,
};
use crate::filter::field::FilterField;
use crate::{
    catalog::{Bitset, Catalog, Kind, Primitive, Purpose, Scope},
    concern::{Concerns, Configuration, OnInvalid},
    error::{Error, Ignored, UnknownName},
    json::Number,
};

/// Filters compiled against one catalog: a conjunction of clauses, a limit on the result, and the members of primitives
/// that are written.
#[derive(Debug, Clone, Default)]
pub struct Narrowing {
    pub(super) clauses: Vec<Clause>,
    pub(super) limit: Limit,
    limited: SelectionCache,
    fields: Fields,
    ignored: Vec<Ignored>,
    unknown: Vec<UnknownName>,
    /// The purpose of the filters, which decides whether published memberships count.
    purpose: Purpose,
}

#[derive(Debug, Clone)]
pub(super) enum Clause {
    Facet(Facet),
    Condition(Box<Condition>),
    Relevance(Box<Relevance>),
}

/// A reusable buffer for selections. Selecting again allocates nothing.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    bits: Bitset,
    spare: Bitset,
    matched: usize,
}

impl Selection {
    /// Returns the last selection.
    pub fn bits(&self) -> &Bitset {
        &self.bits
    }

    /// Returns the number of primitives that matched, before the limit.
    pub fn matched(&self) -> usize {
        self.matched
    }

    /// Clears the selection.
    pub fn clear(&mut self) {
        self.bits.clear();
        self.matched = 0;
    }
}

impl Filter {
    /// Lets the defaults of concerns apply that the server applies by itself, once the filter is settled. `url` is the
    /// filter of the request's URL. Its concerns count as configured.
    pub fn with_server_defaults(self, url: &Self) -> Self {
        Self { server_defaults: Some(url.concerns.clone()), ..self }
    }

    /// Returns the concerns of the filter without values that have no effect, and what was dropped.
    ///
    /// # Errors
    /// The errors of [`Concerns::settle`].
    pub fn settled_concerns(
        &self,
        concerns: &Concerns,
        on_invalid: OnInvalid,
    ) -> Result<(Configuration, Vec<Ignored>), Error> {
        concerns.settle(&self.concerns, on_invalid, |_| false)
    }

    /// Settles the concerns of the filter against their declarations and compiles it. The narrowing reports `ignored`
    /// and the values that are dropped here.
    ///
    /// # Errors
    /// The errors of [`Concerns::settle`], and [`ErrorKind::FilterLimit`](crate::error::ErrorKind::FilterLimit) for a
    /// condition that takes more than [`MAX_STEPS`](crate::Filter::MAX_STEPS).
    pub fn settle<'a>(
        self,
        scope: impl Into<Searchable<'a>>,
        concerns: &Concerns,
        on_invalid: OnInvalid,
        ignored: Vec<Ignored>,
    ) -> Result<SettledFilter, Error> {
        self.settle_in(scope.into(), concerns, on_invalid, ignored)
    }

    /// Implements [`Filter::settle`]. It is compiled once, rather than for each type of scope.
    fn settle_in(
        mut self,
        scope: Searchable<'_>,
        concerns: &Concerns,
        on_invalid: OnInvalid,
        mut ignored: Vec<Ignored>,
    ) -> Result<SettledFilter, Error> {
        if self.concerns_ref.take().is_some() {
            let reason = "only the server that made it can open it";
            ignored.push(Ignored::new("concernsRef", reason));
        }
        let (mut settled, dropped) = self.settled_concerns(concerns, on_invalid)?;
        // A value that was dropped has no effect, so the default applies.
        if std::mem::take(&mut self.apply_defaults) {
            concerns.apply_defaults(&mut settled);
        }
        if let Some(url) = self.server_defaults.take() {
            concerns.apply_server_defaults(&mut settled, &url);
        }
        self.concerns = settled;
        let mut narrowing = Narrowing::new(scope, &self);
        narrowing.check(scope.scope)?;
        ignored.extend(dropped);
        narrowing.ignored = ignored;
        Ok(SettledFilter { filter: self, narrowing })
    }
}

impl Narrowing {
    /// Compiles `filter` for a view. Unknown names match nothing and are reported.
    pub fn new<'a>(scope: impl Into<Searchable<'a>>, filter: &Filter) -> Self {
        let mut narrowing = Self::default();
        narrowing.add(scope, filter);
        narrowing
    }

    /// Compiles a filter of the operator, such as that of a preset. Groups and tags that servers publish without the
    /// operator's trust do not count.
    pub fn restriction<'a>(scope: impl Into<Searchable<'a>>, filter: &Filter) -> Self {
        let mut narrowing = Self { purpose: Purpose::Policy, ..Self::default() };
        narrowing.add(scope, filter);
        narrowing
    }

    /// Adds a filter. A selection then matches every added filter.
    pub fn add<'a>(&mut self, scope: impl Into<Searchable<'a>>, filter: &Filter) {
        self.add_in(scope.into(), filter);
    }

    /// Implements [`Narrowing::add`]. It is compiled once, rather than for each type of scope.
    fn add_in(&mut self, Searchable { scope, indexes }: Searchable<'_>, filter: &Filter) {
        self.add_where_reports(scope, filter);
        self.add_group_clause(scope, Criterion::Groups, &filter.groups);
        self.add_group_clause(scope, Criterion::NotGroups, &filter.not.groups);
        self.add_tag_clauses(scope, Criterion::Tags, &filter.tags);
        self.add_tag_clauses(scope, Criterion::NotTags, &filter.not.tags);
        self.add_concern_clauses(scope, filter);
        self.add_conditions(filter);
        if let Some(query) = &filter.query {
            let indexes = indexes.map(Arc::clone).unwrap_or_default();
            self.clauses.push(Clause::Relevance(Box::new(Relevance::new(query, indexes))));
        }
        self.limit = self.limit.and(filter.limit);
        self.limited = SelectionCache::default();
        self.fields.restrict(&filter.fields);
    }

    /// Reports names in the `where` expression that match nothing, each once.
    fn add_where_reports(&mut self, scope: Scope<'_>, filter: &Filter) {
        let Some(expr) = &filter.r#where else { return };
        for term in expr.terms() {
            let strange = scope.strange(term).map(|reason| UnknownName::new(filter.origin(term), reason));
            self.unknown.extend(strange.filter(|strange| !self.unknown.contains(strange)));
        }
    }

    /// Reports the name at `at` in the field of `criterion`, which matches nothing.
    fn report(&mut self, criterion: &Criterion, at: usize, reason: &'static str) {
        self.unknown.push(UnknownName::new(format!("{}[{at}]", criterion.rule()), reason));
    }

    /// Adds one clause for all groups of a field.
    fn add_group_clause(&mut self, scope: Scope<'_>, criterion: Criterion, names: &[String]) {
        if names.is_empty() {
            return;
        }
        let mut sets = Vec::new();
        for (at, name) in names.iter().enumerate() {
            match scope.group(name) {
                Some(group) => sets.push(Set::Group(group)),
                None => self.report(&criterion, at, "unknown group"),
            }
        }
        self.clauses.push(Clause::Facet(Facet {
            criterion,
            wanted: names.to_vec(),
            sets,
            purpose: self.purpose,
        }));
    }

    /// Adds one clause for each tag of a field.
    fn add_tag_clauses(&mut self, scope: Scope<'_>, criterion: Criterion, names: &[String]) {
        for (at, name) in names.iter().enumerate() {
            let tag = scope.tag(name);
            if tag.is_none() {
                self.report(&criterion, at, "unknown tag");
            }
            let sets = tag.map(Set::Tag).into_iter().collect();
            let (criterion, wanted) = (criterion.clone(), vec![name.clone()]);
            self.clauses.push(Clause::Facet(Facet { criterion, wanted, sets, purpose: self.purpose }));
        }
    }

    /// Adds one clause for each concern. A concern without any mapped primitive excludes nothing.
    fn add_concern_clauses(&mut self, scope: Scope<'_>, filter: &Filter) {
        for (name, wanted) in filter.concerns.iter() {
            let (Some(wanted), Some(id)) = (wanted, scope.concern(name)) else { continue };
            let values = match filter.concerns.is_numeric(name) {
                true => {
                    let wanted: Vec<Number> = wanted.iter().filter_map(|value| value.parse().ok()).collect();
                    scope.values(name, &|value| value.parse().is_ok_and(|value| wanted.contains(&value)))
                }
                false => wanted.iter().filter_map(|value| scope.value(name, value)).collect(),
            };
            self.add_concern_clause(name, id, wanted.to_vec(), values);
        }
        for (name, wanted) in filter.concerns.ranges() {
            let Some(id) = scope.concern(name) else { continue };
            let within = scope.values(name, &|value| wanted.holds_number(value));
            self.add_concern_clause(name, id, vec![wanted.words()], within);
        }
    }

    /// Adds the clause of one concern, which primitives without that concern match, too.
    fn add_concern_clause(&mut self, name: &str, id: usize, wanted: Vec<String>, values: Vec<usize>) {
        let mapped = values.into_iter().map(|value| Set::Value(id, value));
        let sets = std::iter::once(Set::Silent(id)).chain(mapped).collect();
        let criterion = Criterion::Concern(name.to_owned());
        self.clauses.push(Clause::Facet(Facet { criterion, wanted, sets, purpose: self.purpose }));
    }

    /// Adds the conditions of patterns and of the `where` expression.
    fn add_conditions(&mut self, filter: &Filter) {
        for field in FilterField::ALL.iter().filter(|field| field.is_set(filter)) {
            if let Shape::Patterns { patterns, subject, kinds } = &field.member.shape {
                self.add_condition(Condition::matches(field.name(), kinds, subject, patterns.get(filter)));
            }
        }
        if let Some(expr) = &filter.r#where {
            self.add_condition(Condition::new("where", &Kind::ALL, expr.clone()));
        }
    }

    fn add_condition(&mut self, condition: Condition) {
        self.clauses.push(Clause::Condition(Box::new(condition.with_purpose(self.purpose))));
    }

    /// Rejects conditions that take too many steps on a list.
    fn check(&self, scope: Scope<'_>) -> Result<(), Error> {
        let conditions = self.clauses.iter().filter_map(|clause| match clause {
            Clause::Condition(condition) => Some(condition),
            _ => None,
        });
        conditions
            .flat_map(|condition| Kind::ALL.map(|kind| (condition, kind)))
            .try_for_each(|(condition, kind)| condition.check(scope, kind))
    }

    /// Returns the parts of the filters that had no effect.
    pub fn ignored(&self) -> &[Ignored] {
        &self.ignored
    }

    /// Returns the names in the filters that match nothing.
    pub fn unknown(&self) -> &[UnknownName] {
        &self.unknown
    }

    /// Returns whether everything is selected.
    pub fn is_empty(&self) -> bool {
        self.clauses.is_empty() && self.limit.is_none()
    }

    /// Returns whether a filter searches for words.
    pub fn searches(&self) -> bool {
        self.clauses.iter().any(|clause| matches!(clause, Clause::Relevance(_)))
    }

    /// Returns the members of selected primitives that are written.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Selects from the primitives of a kind in `scope`. For a caller, use `View::select`.
    pub fn select<'a>(&self, scope: Scope<'_>, kind: Kind, selection: &'a mut Selection) -> &'a Bitset {
        let (catalog, visible) = (scope.catalog(), scope.bits(kind));
        self.matches(catalog, kind, visible, selection);
        selection.matched = selection.bits.count();
        if !self.limit.is_none() {
            self.limited.narrow(kind, &mut selection.bits, |within| {
                let relevance = |at| self.relevance(catalog, kind, visible, at);
                self.limit.pick(catalog, kind, &self.fields, &relevance, within)
            });
        }
        &selection.bits
    }

    /// Returns the primitives that match every clause, in the order in which the limit takes them, with the outcome of
    /// each. Empty without a limit. For a caller, use `View::ranking`. `weights` are those of [`Limit::decide`].
    pub(crate) fn ranking(&self, scope: Scope<'_>, kind: Kind, weights: Option<&[u32]>) -> Vec<Ranked> {
        let mut ranking = Vec::new();
        if self.limit.is_none() {
            return ranking;
        }
        let (catalog, visible) = (scope.catalog(), scope.bits(kind));
        let mut selection = Selection::default();
        self.matches(catalog, kind, visible, &mut selection);
        let relevance = |at| self.relevance(catalog, kind, visible, at);
        self.limit.decide(catalog, kind, &self.fields, &relevance, weights, &selection.bits, &mut |ranked| {
            ranking.push(ranked);
            true
        });
        ranking
    }

    /// Returns the primitives of `visible` that match every clause, without exceptions for pinned ones. Used for access
    /// restrictions.
    pub fn bound(&self, catalog: &Catalog, kind: Kind, visible: &Bitset) -> Bitset {
        let mut selection = Selection::default();
        self.keep(catalog, kind, visible, &mut selection);
        selection.bits
    }

    /// Selects the primitives that match every clause, and the pinned ones.
    fn matches(&self, catalog: &Catalog, kind: Kind, visible: &Bitset, selection: &mut Selection) {
        self.keep(catalog, kind, visible, selection);
        if let Some(pinned) = catalog.kind_index(kind).pinned() {
            selection.bits.unite_common(pinned, visible);
        }
    }

    fn keep(&self, catalog: &Catalog, kind: Kind, visible: &Bitset, selection: &mut Selection) {
        let kind_index = catalog.kind_index(kind);
        selection.bits.copy_from(visible);
        // Bitsets come first, because a condition may have to read the remaining primitives.
        for clause in &self.clauses {
            match clause {
                Clause::Facet(facet) => facet.narrow(kind_index, &mut selection.bits, &mut selection.spare),
                Clause::Relevance(relevance) => {
                    relevance.find(catalog, kind, visible, |found| selection.bits.intersect(&found.bits));
                }
                Clause::Condition(_) => {}
            }
        }
        for clause in &self.clauses {
            if let Clause::Condition(condition) = clause {
                condition.narrow(catalog, kind, &mut selection.bits);
            }
        }
    }

    /// Returns the total relevance of a primitive for all queries. Zero without queries.
    fn relevance(&self, catalog: &Catalog, kind: Kind, visible: &Bitset, index: usize) -> u32 {
        let score = |clause: &Clause| match clause {
            Clause::Relevance(relevance) => {
                relevance.find(catalog, kind, visible, |found| found.score(index))
            }
            _ => 0,
        };
        self.clauses.iter().map(score).sum()
    }
}

impl Clause {
    /// Returns whether the primitive at `index`, which is among those `visible`, matches the clause.
    pub fn admits(
        &self,
        catalog: &Catalog,
        visible: &Bitset,
        primitive: &Primitive<'_>,
        index: usize,
    ) -> bool {
        let kind = primitive.kind();
        match self {
            Self::Facet(facet) => facet.admits(catalog.kind_index(kind), index),
            Self::Condition(condition) => condition.admits(catalog, primitive, index),
            Self::Relevance(relevance) => {
                relevance.find(catalog, kind, visible, |found| found.bits.contains(index))
            }
        }
    }
}
