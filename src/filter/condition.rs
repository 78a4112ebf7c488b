use super::kept::Kept;
use crate::{
    catalog::{Bits, Catalog, Kind, Primitive},
    concern::insert,
    expr::{Expr, Field, Subject, Term},
};

/// The field of a filter whose patterns are of URIs.
pub(super) const URI_PATTERNS: &str = "uriPatterns";

/// What a filter wants to hold of a primitive, and what that selected.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    /// The field of the filter that says so.
    pub rule: &'static str,
    expr: Expr,
    kept: Kept,
}

/// Whoever asks is not part of a filter: expressions that read the caller are refused.
struct Nobody;

impl Condition {
    pub fn new(rule: &'static str, expr: Expr) -> Self {
        Self { rule, expr, kept: Kept::default() }
    }

    /// That a field matches one of the patterns.
    pub fn matches(rule: &'static str, field: &Field, patterns: &[String]) -> Self {
        let term = |pattern: &String| Expr::Term(Term::matches(field.clone(), pattern));
        Self::new(rule, Expr::Any(patterns.iter().map(term).collect()))
    }

    /// Keeps what the condition holds for.
    pub fn narrow(&self, catalog: &Catalog, kind: Kind, bits: &mut Bits) {
        if self.is_of(kind) {
            self.kept.narrow(kind, bits, |within| catalog.pick(kind, &self.expr, within, &Nobody));
        }
    }

    /// Whether the condition holds for one.
    pub fn admits(&self, kind: Kind, primitive: &Primitive<'_>) -> bool {
        !self.is_of(kind) || self.expr.holds(primitive)
    }

    /// Whether primitives of a kind are asked at all: a filter of resources leaves tools alone.
    fn is_of(&self, kind: Kind) -> bool {
        self.rule != URI_PATTERNS || matches!(kind, Kind::Resource | Kind::Template)
    }

    /// The part that decided against a primitive, as alternatives of which one was wanted, and the values
    /// found instead.
    pub fn decided(&self, primitive: &Primitive<'_>) -> (Vec<String>, Vec<String>) {
        let (part, wanted) = decisive(&self.expr, true, primitive);
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

impl Subject for Nobody {
    fn values(&self, _: &Field, _: &mut dyn FnMut(&str)) {}
}
