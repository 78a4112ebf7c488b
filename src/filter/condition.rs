//! A compiled condition of a filter, with a limit on the work to evaluate it.

use super::selection_cache::SelectionCache;
use crate::filter::Filter;
use crate::{
    catalog::{Bitset, Catalog, Kind, Primitive, Purpose, Scope},
    concern::insert,
    error::{Error, ErrorKind},
    expr::{Expr, Field, NoCaller, Subject, Term},
};

impl Filter {
    /// Maximum number of steps in which a condition of a filter selects from one list. The steps are the bytes of
    /// primitives that are read, and for each term the bytes of members that are searched, once or more. Servers
    /// control the length of descriptions, and clients the patterns. Without a limit, both together could take minutes.
    pub const MAX_STEPS: usize = 256 << 20;
}

/// A condition on primitives, with a cache of its selections.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    /// The field of the filter with the condition.
    pub rule: &'static str,
    /// The kinds from which it selects.
    kinds: &'static [Kind],
    expr: Expr,
    /// The purpose of the condition, which decides whether published memberships count.
    purpose: Purpose,
    cache: SelectionCache,
}

impl Condition {
    pub fn new(rule: &'static str, kinds: &'static [Kind], expr: Expr) -> Self {
        Self { rule, kinds, expr, purpose: Purpose::Filter, cache: SelectionCache::default() }
    }

    /// Returns the condition for a purpose.
    pub fn with_purpose(self, purpose: Purpose) -> Self {
        Self { purpose, ..self }
    }

    /// Returns the condition that a field matches one of the patterns.
    pub fn matches(rule: &'static str, kinds: &'static [Kind], field: &Field, patterns: &[String]) -> Self {
        let term = |pattern: &String| Expr::Term(Term::matches(field.clone(), pattern));
        Self::new(rule, kinds, Expr::Any(patterns.iter().map(term).collect()))
    }

    /// Rejects the condition if it takes [`Filter::MAX_STEPS`](crate::Filter::MAX_STEPS) or more on the visible
    /// primitives of a kind.
    ///
    /// It rarely has to evaluate the condition, because the length of the list already limits the steps.
    pub fn check(&self, scope: Scope<'_>, kind: Kind) -> Result<(), Error> {
        if !self.is_of(kind) || scope.steps(kind, &self.expr) < Filter::MAX_STEPS {
            return Ok(());
        }
        let picked = scope.pick_bounded(self.purpose, kind, &self.expr, &NoCaller, Filter::MAX_STEPS);
        let picked = picked.ok_or_else(|| {
            let message = format!(
                "expected at most {max} steps to select from `{}`",
                kind.list_key(),
                max = Filter::MAX_STEPS
            );
            Error::new(ErrorKind::FilterLimit, message).field(format!("filter.{}", self.rule))
        })?;
        self.cache.store(kind, scope.bits(kind), picked);
        Ok(())
    }

    /// Removes the primitives for which the condition does not hold.
    pub fn narrow(&self, catalog: &Catalog, kind: Kind, bits: &mut Bitset) {
        if self.is_of(kind) {
            let pick = |within: &Bitset| catalog.pick_for(self.purpose, kind, &self.expr, within, &NoCaller);
            self.cache.narrow(kind, bits, pick);
        }
    }

    /// Returns whether the condition holds for one primitive.
    pub fn admits(&self, catalog: &Catalog, primitive: &Primitive<'_>, index: usize) -> bool {
        let kind = primitive.kind();
        if !self.is_of(kind) || !self.is_costly(primitive) {
            return !self.is_of(kind) || self.expr.holds(primitive);
        }
        // As in a list, conditions that bitsets decide read no text.
        let mut only = Bitset::none(catalog.kind_index(kind).len());
        only.insert(index);
        catalog.pick_for(self.purpose, kind, &self.expr, &only, &NoCaller) == only
    }

    /// Returns whether the text of one primitive alone may take too many steps.
    fn is_costly(&self, primitive: &Primitive<'_>) -> bool {
        primitive.json().len().saturating_mul(self.expr.steps() + 1) >= Filter::MAX_STEPS
    }

    /// Returns whether the condition applies to a kind. A condition on resources does not affect tools.
    fn is_of(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Returns the part that excluded a primitive, as alternatives of which one would have to hold, and the primitive's
    /// actual values.
    pub fn decided(&self, primitive: &Primitive<'_>) -> (Vec<String>, Vec<String>) {
        let (part, wanted) = match self.is_costly(primitive) {
            true => (&self.expr, true),
            false => decisive(&self.expr, true, primitive),
        };
        let alternatives = match (part, wanted) {
            (Expr::Any(parts), true) | (Expr::All(parts), false) => parts.as_slice(),
            (part, _) => std::slice::from_ref(part),
        };
        let text = |part: &Expr| match wanted {
            true => part.to_string(),
            false => Expr::Not(Box::new(part.clone())).to_string(),
        };
        let (terms, mut found) = (part.terms(), Vec::new());
        // With several fields, the values would be ambiguous.
        if let Some(term) =
            terms.first().filter(|term| terms.iter().all(|other| other.field() == term.field()))
        {
            primitive.values(term.field(), &mut |value| insert(&mut found, value.to_owned()));
        }
        (alternatives.iter().map(text).collect(), found)
    }
}

/// Returns the smallest part of an expression that is responsible for its result not being `wanted`.
fn decisive<'a>(expr: &'a Expr, wanted: bool, subject: &dyn Subject) -> (&'a Expr, bool) {
    let all = match (expr, wanted) {
        (Expr::Not(inner), _) => return decisive(inner, !wanted, subject),
        (Expr::All(parts), true) | (Expr::Any(parts), false) => parts,
        _ => return (expr, wanted),
    };
    let culprit = all.iter().find(|part| part.holds(subject) != wanted);
    culprit.map_or((expr, wanted), |part| decisive(part, wanted, subject))
}
