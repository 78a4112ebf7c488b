//! Selects primitives by an expression: from bitsets where possible, else by reading their text.

use std::cell::{Cell, RefCell};

use super::{bitset::Bitset, bitset_plan::Plan, primitive::Primitive, visible::Scope};
use crate::{
    catalog::{
        Catalog,
        model::{kind::Kind, purpose::Purpose},
    },
    expr::{Expr, Field, Op, Subject, Term},
};

/// Evaluates expressions on the primitives of one kind for one caller.
struct Selector<'a> {
    catalog: &'a Catalog,
    kind: Kind,
    purpose: Purpose,
    caller: &'a dyn Subject,
    meter: Option<&'a Meter>,
    work: Option<&'a Work>,
}

/// The bytes that have been read of each primitive, if they are limited.
struct Meter {
    /// Maximum number of bytes of values that are read of one primitive.
    most: usize,
    read: RefCell<Vec<usize>>,
}

/// The remaining steps for all primitives together, if they are limited.
struct Work {
    left: Cell<usize>,
    /// The number of steps for each byte of a member that a term reads.
    each: usize,
}

/// An expression that is evaluated on primitives one by one. Parts that sets decide are already evaluated for all
/// primitives.
enum Ready<'e> {
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    Known(Bitset),
    Term(&'e Term),
}

impl Catalog {
    /// Returns the primitives of a kind, among those `within`, for which `expr` holds for `caller`, as in a policy:
    /// groups and tags that servers publish without the operator's trust do not count.
    ///
    /// Conditions on memberships and on the caller are evaluated by bitsets. The other conditions are evaluated on one
    /// primitive at a time, and only if they still matter.
    pub fn pick(&self, kind: Kind, expr: &Expr, within: &Bitset, caller: &dyn Subject) -> Bitset {
        self.pick_for(Purpose::Policy, kind, expr, within, caller)
    }

    /// Does the same as [`Catalog::pick`], with the memberships that count for a purpose.
    pub(crate) fn pick_for(
        &self,
        purpose: Purpose,
        kind: Kind,
        expr: &Expr,
        within: &Bitset,
        caller: &dyn Subject,
    ) -> Bitset {
        Selector { catalog: self, kind, purpose, caller, meter: None, work: None }.pick(expr, within)
    }

    /// Returns the same primitives as [`Catalog::pick`], but reads at most `most` bytes of values of each primitive, and
    /// no `_meta` that nests deeper than [`Primitive::MAX_META_DEPTH`]. The second set has the primitives for which that
    /// was not enough. Whether the first set contains them is undefined.
    pub fn pick_within(
        &self,
        kind: Kind,
        expr: &Expr,
        within: &Bitset,
        caller: &dyn Subject,
        most: usize,
    ) -> (Bitset, Bitset) {
        let meter = Meter { most, read: RefCell::default() };
        let purpose = Purpose::Policy;
        let picked = Selector { catalog: self, kind, purpose, caller, meter: Some(&meter), work: None }
            .pick(expr, within);
        let mut unread = Bitset::none(self.kind_index(kind).len());
        let read = meter.read.into_inner().into_iter().enumerate();
        read.filter(|(_, read)| *read > most).for_each(|(index, _)| unread.insert(index));
        (picked, unread)
    }
}

impl Scope<'_> {
    /// Returns the maximum number of steps to evaluate an expression on the primitives of a kind: one for each byte of
    /// them, and [some](Expr::steps) for each byte of the members that terms read.
    pub(crate) fn steps(self, kind: Kind, expr: &Expr) -> usize {
        match self.catalog().kind_index(kind).raw().len() {
            0 => 0,
            bytes => bytes.saturating_mul(expr.steps() + 1),
        }
    }

    /// Returns the same primitives as [`Catalog::pick_for`] among the visible ones, or `None` if that takes `most` steps
    /// or more.
    pub(crate) fn pick_bounded(
        self,
        purpose: Purpose,
        kind: Kind,
        expr: &Expr,
        caller: &dyn Subject,
        most: usize,
    ) -> Option<Bitset> {
        let each = expr.terms().into_iter().map(Term::steps).max().unwrap_or_default();
        let work = Work { left: Cell::new(most), each };
        let picker =
            Selector { catalog: self.catalog(), kind, purpose, caller, meter: None, work: Some(&work) };
        let picked = picker.pick(expr, self.bits(kind));
        (work.left.get() > 0).then_some(picked)
    }
}

impl<'a> Selector<'a> {
    fn pick(&self, expr: &Expr, within: &Bitset) -> Bitset {
        if let Some(plan) = self.plan(expr, true) {
            return plan.evaluate(within);
        }
        match expr {
            Expr::All(parts) => self.through(parts, within, true),
            Expr::Any(parts) => without(within, &self.through(parts, within, false)),
            Expr::Not(inner) => without(within, &self.pick(inner, within)),
            Expr::Term(_) => self.read(&[expr], within, true),
        }
    }

    /// Returns the primitives for which every part evaluates to `wanted`. Parts that bitsets decide come first, so that
    /// fewer primitives are read.
    fn through(&self, parts: &[Expr], within: &Bitset, wanted: bool) -> Bitset {
        let (mut known, mut unread) = (Vec::new(), Vec::new());
        for part in parts {
            match self.plan(part, wanted) {
                Some(plan) => known.push(plan),
                None => unread.push(part),
            }
        }
        self.read(&unread, &Plan::All(known).evaluate(within), wanted)
    }

    /// Returns the plan for the primitives for which `expr` evaluates to `wanted`, or `None` if primitives have to be
    /// read.
    fn plan(&self, expr: &Expr, wanted: bool) -> Option<Plan<'a>> {
        let parts = |parts: &[Expr]| parts.iter().map(|part| self.plan(part, wanted)).collect::<Option<_>>();
        match (expr, wanted) {
            (Expr::All(all), true) | (Expr::Any(all), false) => parts(all).map(Plan::All),
            (Expr::Any(any), true) | (Expr::All(any), false) => parts(any).map(Plan::Any),
            (Expr::Not(inner), _) => self.plan(inner, !wanted),
            (Expr::Term(term), _) => self.known(term, wanted),
        }
    }

    /// Returns the plan for one term.
    fn known(&self, term: &Term, wanted: bool) -> Option<Plan<'a>> {
        let (kind_index, facets) = (self.catalog.kind_index(self.kind), &self.catalog.facets);
        let always = |holds: bool| Some(if holds { Plan::All(vec![]) } else { Plan::Any(vec![]) });
        let differs = term.op() == Op::Differs;
        let (names, sets) = match term.field() {
            field if field.reads_caller() => return always(term.holds(self.caller) == wanted),
            Field::Kind => return always((term.accepts(self.kind.name()) != differs) == wanted),
            Field::Group => (&facets.groups, kind_index.group_sets(self.purpose)),
            Field::Tag => (&facets.tags, kind_index.tag_sets(self.purpose)),
            Field::Concern(name) => match facets.concern(name) {
                Some((id, values)) => (values, kind_index.value_sets(id)),
                None => return always(!wanted),
            },
            _ => return None,
        };
        let accepted: Vec<&Bitset> = match term.only_value() {
            Some(value) => names.find(value).and_then(|name| sets.get(name)).into_iter().collect(),
            None => {
                names.iter().zip(sets).filter(|(name, _)| term.accepts(name)).map(|(_, set)| set).collect()
            }
        };
        let accepted = accepted.into_iter();
        Some(match (differs, wanted) {
            (false, true) => any_of(accepted),
            (false, false) => none_of(accepted),
            // A primitive without any value does not differ from one, so it must have one.
            (true, true) => Plan::All(vec![any_of(sets.iter()), none_of(accepted)]),
            (true, false) => Plan::Any(vec![none_of(sets.iter()), any_of(accepted)]),
        })
    }

    /// Returns the primitives for which every part evaluates to `wanted`, by reading them one at a time.
    fn read(&self, parts: &[&Expr], within: &Bitset, wanted: bool) -> Bitset {
        let mut left = within.clone();
        if parts.is_empty() {
            return left;
        }
        let parts: Vec<_> = parts.iter().map(|part| self.ready(part, within)).collect();
        for index in within.iter() {
            let Some(primitive) = self.catalog.primitive(self.kind, index) else { continue };
            let primitive = primitive.read_for(self.purpose);
            let most = self.meter.map_or(usize::MAX, |meter| meter.most);
            let read = Cell::new(self.meter.map_or(0, |meter| meter.read_of(index)));
            let opened = Cell::new(false);
            let reader = Reader { primitive, most, read: &read, work: self.work, opened: &opened };
            if parts.iter().any(|part| part.holds(index, &reader) != wanted) {
                left.remove(index);
            }
            self.meter.into_iter().for_each(|meter| meter.note(index, read.get()));
            if self.work.is_some_and(|work| work.left.get() == 0) {
                break;
            }
        }
        left
    }

    fn ready<'e>(&self, expr: &'e Expr, within: &Bitset) -> Ready<'e> {
        let parts = |parts: &'e [Expr]| parts.iter().map(|part| self.ready(part, within)).collect();
        match (self.plan(expr, true), expr) {
            (Some(plan), _) => Ready::Known(plan.evaluate(within)),
            (None, Expr::All(all)) => Ready::All(parts(all)),
            (None, Expr::Any(any)) => Ready::Any(parts(any)),
            (None, Expr::Not(inner)) => Ready::Not(Box::new(self.ready(inner, within))),
            (None, Expr::Term(term)) => Ready::Term(term),
        }
    }
}

impl Ready<'_> {
    /// Returns whether the expression holds for the primitive at `index`.
    fn holds(&self, index: usize, reader: &Reader<'_>) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(index, reader)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(index, reader)),
            Self::Not(inner) => !inner.holds(index, reader),
            Self::Known(bits) => bits.contains(index),
            Self::Term(term) => term.holds(reader),
        }
    }
}

fn any_of<'a>(sets: impl Iterator<Item = &'a Bitset>) -> Plan<'a> {
    Plan::Any(sets.map(Plan::In).collect()).reduced()
}

fn none_of<'a>(sets: impl Iterator<Item = &'a Bitset>) -> Plan<'a> {
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

fn without(all: &Bitset, some: &Bitset) -> Bitset {
    let mut rest = all.clone();
    rest.subtract(some);
    rest
}

/// A primitive whose members are read within limits.
struct Reader<'a> {
    primitive: Primitive<'a>,
    /// Maximum number of bytes of values that may be read of it.
    most: usize,
    /// The number of bytes of values that have been read of it.
    read: &'a Cell<usize>,
    work: Option<&'a Work>,
    /// Whether its text has been parsed.
    opened: &'a Cell<bool>,
}

impl Reader<'_> {
    /// Returns whether steps are left after reading a field, and deducts those steps.
    fn has_room(&self, field: &Field) -> bool {
        let Some(work) = self.work else { return true };
        let spend = |steps: usize| work.left.set(work.left.get().saturating_sub(steps));
        if !self.primitive.is_id(field) && !self.opened.replace(true) {
            spend(self.primitive.json().len());
        }
        if work.left.get() > 0 {
            spend(self.primitive.length(field).saturating_mul(work.each));
        }
        work.left.get() > 0
    }
}

impl Subject for Reader<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        if self.read.get() > self.most || !self.has_room(field) {
            return;
        }
        if self.most < usize::MAX && matches!(field, Field::Meta(_)) && self.primitive.has_deep_meta() {
            return self.read.set(usize::MAX);
        }
        self.primitive.values(field, &mut |value| {
            self.read.set(self.read.get().saturating_add(value.len()));
            if self.read.get() <= self.most {
                visit(value);
            }
        });
    }
}
