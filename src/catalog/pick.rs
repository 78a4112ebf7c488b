use super::{Bits, Catalog, Kind, Primitive};
use crate::expr::{Expr, Field, Op, Subject, Term};

/// Picks of one kind for one caller.
struct Picker<'a> {
    catalog: &'a Catalog,
    kind: Kind,
    caller: &'a dyn Subject,
}

impl Catalog {
    /// The primitives of a kind, of those `within`, for which `expr` holds when `caller` asks.
    ///
    /// What the bitsets know, memberships and the caller, is decided by words. What only the primitives
    /// know is read off those for which it still matters, one at a time.
    pub fn pick(&self, kind: Kind, expr: &Expr, within: &Bits, caller: &dyn Subject) -> Bits {
        Picker { catalog: self, kind, caller }.pick(expr, within)
    }
}

impl Picker<'_> {
    fn pick(&self, expr: &Expr, within: &Bits) -> Bits {
        match expr {
            Expr::All(parts) => self.through(parts, within, true),
            Expr::Any(parts) => without(within, &self.through(parts, within, false)),
            Expr::Not(inner) => without(within, &self.pick(inner, within)),
            Expr::Term(term) => match self.known(term) {
                Some(mut bits) => {
                    bits.intersect(within);
                    bits
                }
                None => self.read(std::slice::from_ref(expr), within, true),
            },
        }
    }

    /// The primitives for which every part comes out as `wanted`. What one part has decided is not asked
    /// of the next, and those that need no reading go first.
    fn through(&self, parts: &[Expr], within: &Bits, wanted: bool) -> Bits {
        let mut left = within.clone();
        for part in parts.iter().filter(|part| is_known(part)) {
            let met = self.pick(part, &left);
            left = if wanted { met } else { without(&left, &met) };
        }
        self.read(parts, &left, wanted)
    }

    /// The primitives that meet a term, where the catalog knows without reading them.
    fn known(&self, term: &Term) -> Option<Bits> {
        let (shelf, facets) = (self.catalog.shelf(self.kind), &self.catalog.facets);
        let all = |holds: bool| if holds { shelf.all().clone() } else { Bits::none(shelf.len()) };
        let (names, sets) = match term.field() {
            field if field.reads_caller() => return Some(all(term.holds(self.caller))),
            Field::Kind => return Some(all(term.accepts(self.kind.name()) != (term.op() == Op::Differs))),
            Field::Group => (&facets.groups, shelf.group_sets()),
            Field::Tag => (&facets.tags, shelf.tag_sets()),
            Field::Concern(name) => match facets.concern(name) {
                Some((id, values)) => (values, shelf.value_sets(id)),
                None => return Some(all(false)),
            },
            _ => return None,
        };
        let differs = term.op() == Op::Differs;
        let mut met = all(false);
        for (_, bits) in names.iter().zip(sets).filter(|(name, _)| differs || term.accepts(name)) {
            met.unite(bits);
        }
        for (_, bits) in names.iter().zip(sets).filter(|(name, _)| differs && term.accepts(name)) {
            met.subtract(bits);
        }
        Some(met)
    }

    /// The primitives for which every part that needs reading comes out as `wanted`.
    fn read(&self, parts: &[Expr], within: &Bits, wanted: bool) -> Bits {
        let mut left = within.clone();
        let unread: Vec<&Expr> = parts.iter().filter(|part| !is_known(part)).collect();
        if unread.is_empty() {
            return left;
        }
        for index in within.iter() {
            let Some(primitive) = self.catalog.primitive(self.kind, index) else { continue };
            let both = Encounter { primitive, caller: self.caller };
            if unread.iter().any(|part| part.holds(&both) != wanted) {
                left.remove(index);
            }
        }
        left
    }
}

fn without(all: &Bits, some: &Bits) -> Bits {
    let mut rest = all.clone();
    rest.subtract(some);
    rest
}

/// Whether every term is of a field that [`Picker::known`] answers.
fn is_known(expr: &Expr) -> bool {
    expr.terms().into_iter().all(|term| {
        let field = term.field();
        field.reads_caller() || matches!(field, Field::Kind | Field::Group | Field::Tag | Field::Concern(_))
    })
}

/// A primitive and the caller asking for it.
struct Encounter<'a> {
    primitive: Primitive<'a>,
    caller: &'a dyn Subject,
}

impl Subject for Encounter<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        if field.reads_caller() {
            self.caller.values(field, visit);
        } else {
            self.primitive.values(field, visit);
        }
    }
}
