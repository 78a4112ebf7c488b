use std::sync::OnceLock;

use crate::{
    catalog::{Bits, Catalog, Kind, Primitive},
    expr::{Expr, Field, Subject},
};

/// A `where`, and what it selected when it was first asked of each kind.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    expr: Expr,
    known: [OnceLock<Known>; 4],
}

/// Whoever asks is not part of a filter: expressions that read the caller are refused.
struct Nobody;

/// What was selected from what. Asked again for the same, nothing is read again.
#[derive(Debug, Clone)]
struct Known {
    within: Bits,
    picked: Bits,
}

impl Condition {
    pub fn new(expr: Expr) -> Self {
        Self { expr, known: Default::default() }
    }

    /// Keeps what the condition holds for.
    pub fn narrow(&self, catalog: &Catalog, kind: Kind, bits: &mut Bits) {
        let pick = |within: &Bits| catalog.pick(kind, &self.expr, within, &Nobody);
        let Some(cell) = self.known.get(kind as usize) else { return };
        let known = cell.get_or_init(|| Known { within: bits.clone(), picked: pick(bits) });
        if known.within == *bits {
            bits.copy_from(&known.picked);
        } else {
            *bits = pick(bits);
        }
    }

    /// Whether the condition holds for one.
    pub fn admits(&self, primitive: &Primitive<'_>) -> bool {
        self.expr.holds(primitive)
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
            primitive.values(term.field(), &mut |value| found.push(value.to_owned()));
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
