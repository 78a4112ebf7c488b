use std::cell::{Cell, RefCell};

use super::{Bits, Catalog, Kind, Primitive, plan::Plan};
use crate::expr::{Expr, Field, Op, Subject, Term};

/// Picks of one kind for one caller.
struct Picker<'a> {
    catalog: &'a Catalog,
    kind: Kind,
    caller: &'a dyn Subject,
    meter: Option<&'a Meter>,
}

/// What has been read of each primitive, where that is bounded.
struct Meter {
    /// Bytes of values that may be read of one.
    most: usize,
    read: RefCell<Vec<usize>>,
}

impl Catalog {
    /// The primitives of a kind, of those `within`, for which `expr` holds when `caller` asks.
    ///
    /// What the bitsets know, memberships and the caller, is decided by words. What only the primitives
    /// know is read off those for which it still matters, one at a time.
    pub fn pick(&self, kind: Kind, expr: &Expr, within: &Bits, caller: &dyn Subject) -> Bits {
        Picker { catalog: self, kind, caller, meter: None }.pick(expr, within)
    }

    /// The same, where no more than `most` bytes of values are read of one primitive; and those that have more to
    /// read, whatever was picked of them.
    pub fn pick_within(
        &self,
        kind: Kind,
        expr: &Expr,
        within: &Bits,
        caller: &dyn Subject,
        most: usize,
    ) -> (Bits, Bits) {
        let meter = Meter { most, read: RefCell::default() };
        let picked = Picker { catalog: self, kind, caller, meter: Some(&meter) }.pick(expr, within);
        let mut unread = Bits::none(self.shelf(kind).len());
        let read = meter.read.into_inner().into_iter().enumerate();
        read.filter(|(_, read)| *read > most).for_each(|(index, _)| unread.insert(index));
        (picked, unread)
    }
}

impl<'a> Picker<'a> {
    fn pick(&self, expr: &Expr, within: &Bits) -> Bits {
        if let Some(plan) = self.plan(expr, true) {
            return plan.of(within);
        }
        match expr {
            Expr::All(parts) => self.through(parts, within, true),
            Expr::Any(parts) => without(within, &self.through(parts, within, false)),
            Expr::Not(inner) => without(within, &self.pick(inner, within)),
            Expr::Term(_) => self.read(&[expr], within, true),
        }
    }

    /// The primitives for which every part comes out as `wanted`. Those that need no reading decide first, so that
    /// fewer are read.
    fn through(&self, parts: &[Expr], within: &Bits, wanted: bool) -> Bits {
        let (mut known, mut unread) = (Vec::new(), Vec::new());
        for part in parts {
            match self.plan(part, wanted) {
                Some(plan) => known.push(plan),
                None => unread.push(part),
            }
        }
        self.read(&unread, &Plan::All(known).of(within), wanted)
    }

    /// How sets decide that `expr` comes out as `wanted`; `None` where primitives have to be read.
    fn plan(&self, expr: &Expr, wanted: bool) -> Option<Plan<'a>> {
        let parts = |parts: &[Expr]| parts.iter().map(|part| self.plan(part, wanted)).collect::<Option<_>>();
        match (expr, wanted) {
            (Expr::All(all), true) | (Expr::Any(all), false) => parts(all).map(Plan::All),
            (Expr::Any(any), true) | (Expr::All(any), false) => parts(any).map(Plan::Any),
            (Expr::Not(inner), _) => self.plan(inner, !wanted),
            (Expr::Term(term), _) => self.known(term, wanted),
        }
    }

    /// The same of one term.
    fn known(&self, term: &Term, wanted: bool) -> Option<Plan<'a>> {
        let (shelf, facets) = (self.catalog.shelf(self.kind), &self.catalog.facets);
        let always = |holds: bool| Some(if holds { Plan::All(vec![]) } else { Plan::Any(vec![]) });
        let differs = term.op() == Op::Differs;
        let (names, sets) = match term.field() {
            field if field.reads_caller() => return always(term.holds(self.caller) == wanted),
            Field::Kind => return always((term.accepts(self.kind.name()) != differs) == wanted),
            Field::Group => (&facets.groups, shelf.group_sets()),
            Field::Tag => (&facets.tags, shelf.tag_sets()),
            Field::Concern(name) => match facets.concern(name) {
                Some((id, values)) => (values, shelf.value_sets(id)),
                None => return always(!wanted),
            },
            _ => return None,
        };
        let accepted = names.iter().zip(sets).filter(|(name, _)| term.accepts(name)).map(|(_, set)| set);
        Some(match (differs, wanted) {
            (false, true) => any_of(accepted),
            (false, false) => none_of(accepted),
            // It differs from what is there, so something must be.
            (true, true) => Plan::All(vec![any_of(sets.iter()), none_of(accepted)]),
            (true, false) => Plan::Any(vec![none_of(sets.iter()), any_of(accepted)]),
        })
    }

    /// The primitives for which every part comes out as `wanted`, by reading them one at a time.
    fn read(&self, parts: &[&Expr], within: &Bits, wanted: bool) -> Bits {
        let mut left = within.clone();
        if parts.is_empty() {
            return left;
        }
        for index in within.iter() {
            let Some(primitive) = self.catalog.primitive(self.kind, index) else { continue };
            let most = self.meter.map_or(usize::MAX, |meter| meter.most);
            let read = Cell::new(self.meter.map_or(0, |meter| meter.read_of(index)));
            let both = Encounter { primitive, caller: self.caller, most, read: &read };
            if parts.iter().any(|part| part.holds(&both) != wanted) {
                left.remove(index);
            }
            self.meter.into_iter().for_each(|meter| meter.note(index, read.get()));
        }
        left
    }
}

fn any_of<'a>(sets: impl Iterator<Item = &'a Bits>) -> Plan<'a> {
    Plan::Any(sets.map(Plan::In).collect()).reduced()
}

fn none_of<'a>(sets: impl Iterator<Item = &'a Bits>) -> Plan<'a> {
    Plan::All(sets.map(Plan::Out).collect()).reduced()
}

impl Meter {
    fn read_of(&self, index: usize) -> usize {
        self.read.borrow().get(index).copied().unwrap_or_default()
    }

    fn note(&self, index: usize, bytes: usize) {
        let mut read = self.read.borrow_mut();
        if read.len() <= index {
            read.resize(index + 1, 0);
        }
        read.get_mut(index).into_iter().for_each(|read| *read = bytes);
    }
}

fn without(all: &Bits, some: &Bits) -> Bits {
    let mut rest = all.clone();
    rest.subtract(some);
    rest
}

/// A primitive and the caller asking for it.
struct Encounter<'a> {
    primitive: Primitive<'a>,
    caller: &'a dyn Subject,
    most: usize,
    /// Bytes of values that were read of the primitive.
    read: &'a Cell<usize>,
}

impl Subject for Encounter<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        if field.reads_caller() {
            self.caller.values(field, visit);
        } else if self.read.get() <= self.most {
            self.primitive.values(field, &mut |value| {
                self.read.set(self.read.get().saturating_add(value.len()));
                if self.read.get() <= self.most {
                    visit(value);
                }
            });
        }
    }
}
