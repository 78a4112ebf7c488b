//! Names of servers under a prefix, and shortened names. A name gets the prefix of its server only if another server
//! lists the same name, so a server that begins to list a name could otherwise take the tool of another one out of the
//! reach of `-name:…`. With `maxToolName`, a server could do the same for its own tool by a longer name.

use crate::{
    catalog::{Bitset, Catalog, Kind, Primitive},
    expr::{Expr, Field, Op, Subject, Term},
};

/// Removes from `shown` what `show` hides under the name that its server gives it.
pub(super) fn hide(show: &Expr, catalog: &Catalog, kind: Kind, shown: &mut Bitset, caller: &dyn Subject) {
    let mut derived = catalog.kind_index(kind).derived(kind).peekable();
    if derived.peek().is_none() {
        return;
    }
    let mut terms = show.terms();
    terms.retain(|term| is_id(term));
    for (index, own) in derived {
        if shown.contains(index)
            && terms.iter().any(|term| term.accepts(own))
            && let Some(primitive) = catalog.primitive(kind, index)
            && !holds(show, &primitive, own, caller)
        {
            shown.remove(index);
        }
    }
}

/// Returns whether `show` holds for a primitive whose server calls it `own`. Terms that hide match either name, all
/// others the listed name alone.
fn holds(show: &Expr, primitive: &Primitive<'_>, own: &str, caller: &dyn Subject) -> bool {
    fn evaluate(expr: &Expr, negated: bool, term: &dyn Fn(&Term, bool) -> bool) -> bool {
        match expr {
            Expr::All(parts) => parts.iter().all(|part| evaluate(part, negated, term)),
            Expr::Any(parts) => parts.iter().any(|part| evaluate(part, negated, term)),
            Expr::Not(inner) => !evaluate(inner, !negated, term),
            Expr::Term(found) => term(found, negated),
        }
    }
    evaluate(show, false, &|term, negated| {
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
    is_id(term) && negated != (term.op() == Op::Differs)
}

fn is_id(term: &Term) -> bool {
    matches!(term.field(), Field::Name | Field::Uri)
}
