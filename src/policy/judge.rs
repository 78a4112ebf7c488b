//! Evaluates one policy or predicate on the primitives of a catalog.

use std::{cmp::Reverse, sync::Arc};

use super::{
    CallerContext, Policy, Predicate, Reads, awaiting, own_name, predicate::RestrictedCaller,
    program::Program, verdicts::Verdicts,
};
use crate::{
    catalog::{Bitset, Catalog, Kind, Prefix, Primitive, Report, ReportCode},
    expr::{Expr, Term},
};

impl Policy {
    /// Maximum number of bytes of values that one policy reads from one primitive. An upstream server may list a
    /// primitive that is larger than any policy was written for; it is then not judged.
    pub const MAX_READ: usize = 256 * 1024;
}

/// A policy from the configuration, or one in Rust.
#[derive(Debug, Clone)]
pub(super) enum Judge {
    Policy(Arc<(Policy, Program)>),
    Predicate(Arc<dyn Predicate>),
}

impl Judge {
    pub fn policy(policy: Policy) -> Self {
        let program = Program::new(&policy.show);
        Self::Policy(Arc::new((policy, program)))
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Policy(rule) => &rule.0.name,
            Self::Predicate(predicate) => predicate.name(),
        }
    }

    /// Returns the sort key: the higher priority comes first, then the name.
    pub fn order(&self) -> (Reverse<i32>, &str) {
        let priority = match self {
            Self::Policy(rule) => rule.0.priority,
            Self::Predicate(predicate) => predicate.priority(),
        };
        (Reverse(priority), self.name())
    }

    fn kinds(&self) -> &[Kind] {
        match self {
            Self::Policy(rule) => &rule.0.kinds,
            Self::Predicate(predicate) => predicate.kinds(),
        }
    }

    fn fails_open(&self) -> bool {
        match self {
            Self::Policy(rule) => rule.0.fail_open,
            Self::Predicate(predicate) => predicate.fails_open(),
        }
    }

    /// Returns whether the judge changes nothing.
    fn audits(&self) -> bool {
        matches!(self, Self::Policy(rule) if rule.0.audit)
    }

    pub fn reads(&self) -> Reads<'_> {
        match self {
            // What it reads of the caller is found term by term.
            Self::Policy(..) => Reads::Primitive,
            Self::Predicate(predicate) => predicate.reads(),
        }
    }

    /// Returns the terms of a policy that read the caller.
    pub fn terms(&self) -> &[Term] {
        match self {
            Self::Policy(rule) => &rule.1.terms,
            Self::Predicate(_) => &[],
        }
    }

    /// Evaluates the parts of a policy that do not read the caller, before the first caller arrives. Returns the number
    /// of newly evaluated primitives.
    pub fn prepare(&self, verdicts: &Verdicts, catalog: &Catalog, kind: Kind, within: &Bitset) -> usize {
        match self {
            Self::Policy(rule) if rule.0.kinds.contains(&kind) => {
                verdicts.prepare(&rule.1, catalog, kind, within)
            }
            _ => 0,
        }
    }

    /// Returns whether the judge decides on primitives of a kind by the caller, the server and the name alone. `answers`
    /// are the results of its [terms](Self::terms).
    pub fn needs_only_names(&self, kind: Kind, answers: &[u8]) -> bool {
        if !self.kinds().contains(&kind) {
            return true;
        }
        match self {
            Self::Policy(rule) => {
                rule.1.decided(answers).is_some() || awaiting::reads_only_names(&rule.0.show, kind)
            }
            Self::Predicate(_) => false,
        }
    }

    /// Returns whether the page of a visible tool stays visible, as a primitive of `kind`. `holds` evaluates a condition
    /// on it. A predicate is called with primitives alone: with `listed`, the page as its server lists it.
    pub fn shows_page(
        &self,
        kind: Kind,
        listed: Option<&Primitive<'_>>,
        holds: &dyn Fn(&Expr) -> bool,
        asking: &dyn CallerContext,
    ) -> bool {
        if !self.kinds().contains(&kind) || self.audits() {
            return true;
        }
        match self {
            Self::Policy(rule) => holds(&rule.0.show),
            Self::Predicate(predicate) => listed.is_none_or(|listed| {
                let caller = RestrictedCaller { reads: predicate.reads(), asking };
                predicate.holds(listed, &caller).unwrap_or(self.fails_open())
            }),
        }
    }

    /// Returns which of `visible` stay visible. `verdicts` are those of this judge on the catalog, and `answers` the
    /// results of its [terms](Self::terms). Primitives that cannot be judged are passed to `report`.
    pub fn pass(
        &self,
        verdicts: &Verdicts,
        (catalog, prefixes): (&Catalog, &[Prefix]),
        kind: Kind,
        visible: Bitset,
        (answers, asking): (&[u8], &dyn CallerContext),
        report: &mut dyn FnMut(Report),
    ) -> Bitset {
        if !self.kinds().contains(&kind) {
            return visible;
        }
        let audited = self.audits().then(|| visible.clone());
        let (mut shown, failed) = match self {
            Self::Policy(rule) => {
                let (mut shown, unread) = verdicts.policy(rule, catalog, kind, &visible, (answers, asking));
                own_name::hide(&rule.0.show, (catalog, prefixes), kind, &mut shown, asking);
                let problem = |index| match catalog.primitive(kind, index) {
                    Some(primitive) if primitive.has_deep_meta() => {
                        format!("its `_meta` nests deeper than {max} levels", max = Primitive::MAX_META_DEPTH)
                    }
                    _ => format!("it has more than {max} bytes to read", max = Policy::MAX_READ),
                };
                (shown, unread.iter().map(|index| (index, problem(index))).collect())
            }
            Self::Predicate(predicate) => {
                let caller = RestrictedCaller { reads: predicate.reads(), asking };
                match predicate.reads() {
                    Reads::Primitive => verdicts.predicate(&**predicate, catalog, kind, &visible, &caller),
                    // Its results are valid for this caller only.
                    _ => Verdicts::default().predicate(&**predicate, catalog, kind, &visible, &caller),
                }
            }
        };
        for (index, problem) in failed {
            let open = self.fails_open();
            shown.set(index, open);
            let name = catalog.kind_index(kind).id(index).unwrap_or_default();
            let end = if open || audited.is_some() { "shown" } else { "hidden" };
            let problem = format!("policy `{}`: {problem}, {end}", self.name());
            report(Report::new(ReportCode::Undecided, kind, name, &problem));
        }
        let Some(all) = audited else { return shown };
        self.report_hidden(catalog, kind, (&all, &shown), report);
        all
    }

    /// Reports how many primitives a policy in audit mode would hide from one kind of caller, and the first of them.
    fn report_hidden(
        &self,
        catalog: &Catalog,
        kind: Kind,
        (all, shown): (&Bitset, &Bitset),
        report: &mut dyn FnMut(Report),
    ) {
        let mut hidden = all.clone();
        hidden.subtract(shown);
        let first = hidden.iter().next();
        let Some(name) = first.and_then(|first| catalog.kind_index(kind).id(first)) else { return };
        let (policy, count) = (self.name(), hidden.count());
        let problem =
            format!("policy `{policy}` (audit) would hide {count} from some callers, this one first");
        report(Report::new(ReportCode::Audited, kind, name, &problem));
    }
}
