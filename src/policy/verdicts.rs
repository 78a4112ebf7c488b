//! A cache of policy results on primitives, shared by all callers.

use std::sync::{Mutex, PoisonError};

use super::{CallerContext, Policy, Predicate, program::Program};
use crate::{
    catalog::{Bitset, ByKind, Catalog, Kind},
    expr::{Field, NoCaller, Subject},
};

/// Upper bound of the bytes that an expression reads for each byte of a number in JSON: it reads numbers without an
/// exponent. Text is never longer than it is written.
const MAX_SPELLING: usize = 256;

/// The results of one policy or predicate that do not depend on the caller. Each primitive is evaluated once for all
/// callers, when a view first depends on it.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    kinds: ByKind<Mutex<Verdict>>,
}

#[derive(Debug, Default)]
struct Verdict {
    /// The primitives that may have more to read than [`Policy::MAX_READ`](crate::policy::Policy::MAX_READ), or a
    /// `_meta` that is too deep. What is read of one of them depends on the caller, so they are evaluated for each.
    large: Option<Bitset>,
    /// The primitives that were judged.
    judged: Bitset,
    /// For each part of a policy, those for which it holds; for a predicate one set.
    parts: Vec<Bitset>,
    /// The primitives that a predicate could not evaluate, in order, with the reason.
    failed: Vec<(usize, String)>,
}

impl Verdicts {
    /// Evaluates the parts of a policy for primitives of a kind, ahead of the first caller. Returns how
    /// many were not evaluated before.
    pub fn prepare(&self, program: &Program, catalog: &Catalog, kind: Kind, within: &Bitset) -> usize {
        self.with(kind, |verdict| {
            let mut small = within.clone();
            small.subtract(verdict.large(program, catalog, kind));
            verdict.evaluate(program, catalog, kind, &small)
        })
    }

    /// Returns which of `visible` a policy shows to the caller for which its terms have the results `answers`, and
    /// those that have more to read than [`Policy::MAX_READ`](crate::policy::Policy::MAX_READ) or
    /// [`Primitive::MAX_META_DEPTH`](crate::catalog::Primitive::MAX_META_DEPTH).
    pub fn policy(
        &self,
        (policy, program): &(Policy, Program),
        catalog: &Catalog,
        kind: Kind,
        visible: &Bitset,
        (answers, asking): (&[u8], &dyn CallerContext),
    ) -> (Bitset, Bitset) {
        self.with(kind, |verdict| {
            let large = verdict.large(program, catalog, kind);
            let (mut rest, mut small) = (visible.clone(), visible.clone());
            rest.intersect(large);
            small.subtract(large);
            let mut shown = match program.decided(answers) {
                Some(true) => small,
                Some(false) => Bitset::none(catalog.kind_index(kind).len()),
                None => {
                    verdict.evaluate(program, catalog, kind, &small);
                    program.plan(answers, &verdict.parts).evaluate(&small)
                }
            };
            if rest.iter().next().is_none() {
                return (shown, rest);
            }
            let (picked, unread) = catalog.pick_within(kind, &policy.show, &rest, asking, Policy::MAX_READ);
            shown.unite(&picked);
            (shown, unread)
        })
    }

    /// Returns which of `visible` a predicate shows, and those that it could not judge with the reason.
    pub fn predicate(
        &self,
        predicate: &dyn Predicate,
        catalog: &Catalog,
        kind: Kind,
        visible: &Bitset,
        asking: &dyn CallerContext,
    ) -> (Bitset, Vec<(usize, String)>) {
        self.with(kind, |verdict| {
            let fresh = verdict.fresh(visible, 1, catalog, kind);
            for index in fresh.iter() {
                let Some(primitive) = catalog.primitive(kind, index) else { continue };
                let holds = predicate.holds(&primitive.trusted(), asking);
                if let Err(problem) = &holds {
                    let place = verdict.failed.partition_point(|(known, _)| *known < index);
                    verdict.failed.insert(place, (index, problem.to_string()));
                }
                let shown = verdict.parts.first_mut().filter(|_| holds.unwrap_or(true));
                shown.into_iter().for_each(|shown| shown.insert(index));
            }
            verdict.judged.unite(&fresh);
            let mut shown = visible.clone();
            verdict.parts.iter().for_each(|part| shown.intersect(part));
            let failed = verdict.failed.iter().filter(|(index, _)| visible.contains(*index));
            (shown, failed.cloned().collect())
        })
    }

    /// Calls `work` with the results for a kind. A predicate that panicked left no result for the primitives it was
    /// called with.
    fn with<T>(&self, kind: Kind, work: impl FnOnce(&mut Verdict) -> T) -> T {
        let verdict = self.kinds.get(kind as usize).map(|verdict| verdict.lock());
        match verdict.map(|verdict| verdict.unwrap_or_else(PoisonError::into_inner)) {
            Some(mut verdict) => work(&mut verdict),
            None => work(&mut Verdict::default()),
        }
    }
}

impl Verdict {
    /// Returns the primitives of `within` that were not evaluated yet. Every set then has the length of the kind.
    fn fresh(&mut self, within: &Bitset, parts: usize, catalog: &Catalog, kind: Kind) -> Bitset {
        if self.parts.is_empty() {
            let none = Bitset::none(catalog.kind_index(kind).len());
            self.parts = vec![none.clone(); parts];
            self.judged = none;
        }
        let mut fresh = within.clone();
        fresh.subtract(&self.judged);
        fresh
    }

    /// Evaluates the parts for those of `within` that were not evaluated yet, and returns how many these are.
    fn evaluate(&mut self, program: &Program, catalog: &Catalog, kind: Kind, within: &Bitset) -> usize {
        let fresh = self.fresh(within, program.parts.len(), catalog, kind);
        let count = fresh.count();
        if count == 0 {
            return 0;
        }
        catalog.note_spans(kind, program.reads.iter().map(|(field, _)| field));
        for (part, bits) in program.parts.iter().zip(&mut self.parts) {
            bits.unite(&catalog.pick(kind, part, &fresh, &NoCaller));
        }
        self.judged.unite(&fresh);
        count
    }

    fn large(&mut self, program: &Program, catalog: &Catalog, kind: Kind) -> &Bitset {
        self.large.get_or_insert_with(|| {
            let kind_index = catalog.kind_index(kind);
            let mut large = Bitset::none(kind_index.len());
            // For most primitives the length alone shows that the limit is not reached.
            let most = program.reads.iter().map(|(field, times)| match field {
                Field::Annotation(_)
                | Field::Meta(_)
                | Field::Priority
                | Field::LastModified
                | Field::Audience => times.saturating_mul(MAX_SPELLING),
                _ => *times,
            });
            let most: usize = most.sum();
            let reads_meta = program.reads.iter().any(|(field, _)| matches!(field, Field::Meta(_)));
            let is_deep =
                |index| catalog.primitive(kind, index).is_some_and(|primitive| primitive.has_deep_meta());
            if reads_meta {
                catalog.note_spans(kind, program.reads.iter().map(|(field, _)| field));
            }
            for index in 0..kind_index.len() {
                let length = kind_index.bytes(index).map_or(0, <[u8]>::len);
                let server = kind_index.server(index).map_or(0, str::len);
                if (length + server).saturating_mul(most) > Policy::MAX_READ
                    && most_read(program, catalog, kind, index) > Policy::MAX_READ
                    || reads_meta && is_deep(index)
                {
                    large.insert(index);
                }
            }
            large
        })
    }
}

/// Returns the number of bytes that all terms together read of a primitive.
fn most_read(program: &Program, catalog: &Catalog, kind: Kind, index: usize) -> usize {
    let Some(primitive) = catalog.primitive(kind, index) else { return 0 };
    let primitive = primitive.trusted();
    let mut read = 0usize;
    for (field, times) in &program.reads {
        primitive.values(field, &mut |value| read = read.saturating_add(value.len().saturating_mul(*times)));
    }
    read
}
