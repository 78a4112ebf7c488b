use super::selection_cache::SelectionCache;
use crate::{
    catalog::{Bitset, Catalog, Kind, Primitive, Scope},
    concern::insert,
    error::{Error, ErrorKind},
    expr::{Expr, Field, NoCaller, Subject, Term},
};

/// Maximum number of steps that a condition of a filter takes to select from one list: bytes of primitives that are
/// read, and bytes of members that are searched, once or more for each term. A server writes descriptions, and a client
/// patterns; without a bound the two together would take minutes.
pub const MAX_STEPS: usize = 256 << 20;

/// What a filter wants to hold of a primitive, and what that selected.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    /// The field of the filter that says so.
    pub rule: &'static str,
    /// The kinds that it selects from.
    kinds: &'static [Kind],
    expr: Expr,
    cache: SelectionCache,
}

impl Condition {
    pub fn new(rule: &'static str, kinds: &'static [Kind], expr: Expr) -> Self {
        Self { rule, kinds, expr, cache: SelectionCache::default() }
    }

    /// That a field matches one of the patterns.
    pub fn matches(rule: &'static str, kinds: &'static [Kind], field: &Field, patterns: &[String]) -> Self {
        let term = |pattern: &String| Expr::Term(Term::matches(field.clone(), pattern));
        Self::new(rule, kinds, Expr::Any(patterns.iter().map(term).collect()))
    }

    /// Refuses the condition where it takes [`MAX_STEPS`] or more on what is visible of a kind.
    ///
    /// Hardly ever has this to select: the length of the list bounds the steps.
    pub fn check(&self, scope: Scope<'_>, kind: Kind) -> Result<(), Error> {
        if !self.is_of(kind) || scope.steps(kind, &self.expr) < MAX_STEPS {
            return Ok(());
        }
        let picked = scope.pick_bounded(kind, &self.expr, &NoCaller, MAX_STEPS).ok_or_else(|| {
            let message = format!("expected at most {MAX_STEPS} steps to select from `{}`", kind.list_key());
            Error::new(ErrorKind::FilterLimit, message).field(format!("filter.{}", self.rule))
        })?;
        self.cache.store(kind, scope.bits(kind), picked);
        Ok(())
    }

    /// Keeps what the condition holds for.
    pub fn narrow(&self, catalog: &Catalog, kind: Kind, bits: &mut Bitset) {
        if self.is_of(kind) {
            self.cache.narrow(kind, bits, |within| catalog.pick(kind, &self.expr, within, &NoCaller));
        }
    }

    /// Whether the condition holds for one.
    pub fn admits(&self, catalog: &Catalog, primitive: &Primitive<'_>, index: usize) -> bool {
        let kind = primitive.kind();
        if !self.is_of(kind) || !self.is_costly(primitive) {
            return !self.is_of(kind) || self.expr.holds(primitive);
        }
        // As a list does: what sets decide is not read.
        let mut only = Bitset::none(catalog.kind_index(kind).len());
        only.insert(index);
        catalog.pick(kind, &self.expr, &only, &NoCaller) == only
    }

    /// Whether the text of one primitive alone may take too many steps.
    fn is_costly(&self, primitive: &Primitive<'_>) -> bool {
        primitive.json().len().saturating_mul(self.expr.steps() + 1) >= MAX_STEPS
    }

    /// Whether primitives of a kind are asked at all: a filter of resources leaves tools alone.
    fn is_of(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    /// The part that decided against a primitive, as alternatives of which one was wanted, and the values
    /// found instead.
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
        // Of several fields nobody could tell whose value it is.
        if let Some(term) =
            terms.first().filter(|term| terms.iter().all(|other| other.field() == term.field()))
        {
            primitive.values(term.field(), &mut |value| insert(&mut found, value.to_owned()));
        }
        (alternatives.iter().map(text).collect(), found)
    }
}

/// The smallest part of an expression that does not come out as `wanted`, without which all of it might.
fn decisive<'a>(expr: &'a Expr, wanted: bool, subject: &dyn Subject) -> (&'a Expr, bool) {
    let all = match (expr, wanted) {
        (Expr::Not(inner), _) => return decisive(inner, !wanted, subject),
        (Expr::All(parts), true) | (Expr::Any(parts), false) => parts,
        _ => return (expr, wanted),
    };
    let culprit = all.iter().find(|part| part.holds(subject) != wanted);
    culprit.map_or((expr, wanted), |part| decisive(part, wanted, subject))
}
