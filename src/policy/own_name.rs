//! Names of servers under a prefix. A name gets the prefix of its server only if another server lists the same name, so
//! a server that begins to list a name could otherwise take the tool of another one out of the reach of `-name:…`.

use crate::{
    catalog::{Bitset, Catalog, Kind, Primitive},
    expr::{Expr, Field, Op, Subject, Term},
};

/// Removes from `shown` what `show` hides under the name that its server gives it.
pub(super) fn hide(show: &Expr, catalog: &Catalog, kind: Kind, shown: &mut Bitset, caller: &dyn Subject) {
    let mut prefixed = catalog.kind_index(kind).prefixed(kind).peekable();
    if prefixed.peek().is_none() {
        return;
    }
    let hiding = hiding_terms(show);
    for (index, own) in prefixed {
        if shown.contains(index)
            && hiding.iter().any(|term| term.accepts(own))
            && let Some(primitive) = catalog.primitive(kind, index)
            && !holds(show, &primitive, own, caller)
        {
            shown.remove(index);
        }
    }
}

/// Returns the terms on ids that hide what they match: those below a negation, and `!=`.
fn hiding_terms(show: &Expr) -> Vec<&Term> {
    fn collect<'e>(expr: &'e Expr, negated: bool, found: &mut Vec<&'e Term>) {
        match expr {
            Expr::All(parts) | Expr::Any(parts) => {
                parts.iter().for_each(|part| collect(part, negated, found))
            }
            Expr::Not(inner) => collect(inner, !negated, found),
            Expr::Term(term) if hides(term, negated) => found.push(term),
            Expr::Term(_) => {}
        }
    }
    let mut found = Vec::new();
    collect(show, false, &mut found);
    found
}

/// Returns whether `show` holds for a primitive whose server calls it `own`. Terms that hide match either name, all
/// others the listed name alone.
fn holds(show: &Expr, primitive: &Primitive<'_>, own: &str, caller: &dyn Subject) -> bool {
    fn of(expr: &Expr, negated: bool, term: &dyn Fn(&Term, bool) -> bool) -> bool {
        match expr {
            Expr::All(parts) => parts.iter().all(|part| of(part, negated, term)),
            Expr::Any(parts) => parts.iter().any(|part| of(part, negated, term)),
            Expr::Not(inner) => !of(inner, !negated, term),
            Expr::Term(found) => term(found, negated),
        }
    }
    of(show, false, &|term, negated| {
        let field = term.field();
        if field.reads_caller() {
            return term.holds(caller);
        }
        let listed = term.holds(primitive);
        match primitive.is_id(field) && hides(term, negated) && term.accepts(own) {
            // The term holds below the negation, and `!=` does not hold.
            true => negated,
            false => listed,
        }
    })
}

/// Returns whether a term, below a negation or not, hides what has its value.
fn hides(term: &Term, negated: bool) -> bool {
    matches!(term.field(), Field::Name | Field::Uri) && negated != (term.op() == Op::Differs)
}
