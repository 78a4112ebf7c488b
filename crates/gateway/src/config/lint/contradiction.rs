//! Finds expressions that no primitive can match, by comparing their terms in pairs.

use mcp_sieve::{
    Error, Kind,
    expr::{Expr, Field, Op, Term},
};

/// Returns why no primitive can match an expression, with a suggested correction. Compares terms in pairs, so it does
/// not find every contradiction.
pub(super) fn contradiction(expr: &Expr) -> Option<(String, Option<&'static str>)> {
    match expr {
        Expr::Term(term) => is_no_kind(term).then(|| {
            let kinds = Kind::ALL.map(Kind::name);
            let message = format!("`{term}` holds for no kind, expected {}", Error::one_of(&kinds));
            (message, Expr::nearest(term.value(), &mut kinds.into_iter()))
        }),
        Expr::Not(_) => None,
        Expr::Any(parts) => {
            let mut reasons = parts.iter().map(contradiction);
            let first = reasons.next()??;
            reasons.all(|reason| reason.is_some()).then_some(first)
        }
        Expr::All(parts) => {
            parts.iter().find_map(contradiction).or_else(|| excluded(expr).map(|reason| (reason, None)))
        }
    }
}

fn is_no_kind(term: &Term) -> bool {
    *term.field() == Field::Kind
        && term.op() != Op::Differs
        && !Kind::ALL.into_iter().any(|kind| term.accepts(kind.name()))
}

/// Returns two terms of a conjunction that exclude each other, in words.
fn excluded(expr: &Expr) -> Option<String> {
    let mut wanted = Vec::new();
    collect(expr, &mut wanted);
    let pairs = wanted.iter().enumerate().flat_map(|(at, one)| {
        let others = wanted.iter().enumerate().filter(move |(other, _)| *other != at);
        others.map(move |(_, other)| (one, other))
    });
    pairs.into_iter().find(|(one, other)| exclude(one, other)).map(|((a, holds), (b, other))| {
        let sign = |holds: bool| if holds { "" } else { "-" };
        format!("`{}{a}` and `{}{b}` exclude each other", sign(*holds), sign(*other))
    })
}

/// Collects the terms that must hold (`true`) or must not hold (`false`).
fn collect<'a>(expr: &'a Expr, wanted: &mut Vec<(&'a Term, bool)>) {
    match expr {
        Expr::All(parts) => parts.iter().for_each(|part| collect(part, wanted)),
        Expr::Term(term) => wanted.push((term, true)),
        Expr::Not(inner) => {
            if let Expr::Term(term) = inner.as_ref() {
                wanted.push((term, false));
            }
        }
        Expr::Any(_) => {}
    }
}

fn exclude((one, holds): &(&Term, bool), (other, wanted): &(&Term, bool)) -> bool {
    if one.field() != other.field() || !holds {
        return false;
    }
    if one == other {
        return !wanted;
    }
    // If a field has a single value, an exact term on it decides every other term on it.
    let exact = matches!(one.op(), Op::Matches | Op::Equals) && !one.is_pattern();
    exact && one.field().is_single() && (other.accepts(one.value()) != (other.op() == Op::Differs)) != *wanted
}
