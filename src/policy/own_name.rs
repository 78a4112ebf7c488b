//! The other names of tools and prompts: those of servers with a prefix, and rewritten ones. A name gets the prefix of its
//! server only if another server lists the same name. A server that begins to list a name could otherwise take the tool
//! of another one out of the reach of `-name:…`, and one that is removed, or down from the start, that of its twin. With
//! `maxToolName` or `toolNames`, a server could do the same for its own tool by a longer or odder name.

use crate::{
    catalog::{Bitset, Catalog, Kind, Prefix, Primitive},
    expr::{Expr, Field, Op, Subject, Term},
};

/// Removes from `shown` what `show` hides under another name: the one that its server gives it, or one with a prefix of
/// `prefixes`, which it does not have now.
pub(super) fn hide(
    show: &Expr,
    (catalog, prefixes): (&Catalog, &[Prefix]),
    kind: Kind,
    shown: &mut Bitset,
    caller: &dyn Subject,
) {
    let kind_index = catalog.kind_index(kind);
    let mut terms = show.terms();
    terms.retain(|term| is_id(term));
    if terms.is_empty() {
        return;
    }
    let is_hidden = |index, other: &str| {
        terms.iter().any(|term| term.accepts(other))
            && catalog
                .primitive(kind, index)
                .is_some_and(|primitive| !holds(show, &primitive.trusted(), other, caller))
    };
    for (index, own) in kind_index.derived(kind) {
        if shown.contains(index) && is_hidden(index, own) {
            shown.remove(index);
        }
    }
    if prefixes.is_empty() || !kind.is_named() {
        return;
    }
    let mut other = String::new();
    for (index, id) in kind_index.ids().enumerate() {
        if !shown.contains(index) {
            continue;
        }
        let server = kind_index.server(index);
        let Some(prefix) = prefixes.iter().find(|prefix| server == Some(&prefix.server)) else { continue };
        other.clear();
        other.extend([&prefix.text, id]);
        if is_hidden(index, &other) {
            shown.remove(index);
        }
    }
}

/// Returns whether `show` holds for a primitive with another name. Terms that hide match either name, all others the
/// listed name alone.
fn holds(show: &Expr, primitive: &Primitive<'_>, other: &str, caller: &dyn Subject) -> bool {
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
        match primitive.is_id(field) && hides(term, negated) && term.accepts(other) {
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
