use std::{cmp::Reverse, sync::Arc};

use super::{Asking, Policy, Predicate, Reads, predicate::RestrictedCaller};
use crate::catalog::{Bits, Catalog, Kind, Report, ReportCode};

/// Most bytes of values that one policy reads of one primitive. A server behind may list what is larger than any
/// rule of an operator meant to read; it is then not judged.
pub const MAX_READ: usize = 256 * 1024;

/// What decides whether a primitive is visible: a policy as the configuration spells it, or one in Rust.
#[derive(Debug, Clone)]
pub(super) enum Judge {
    Policy(Policy),
    Predicate(Arc<dyn Predicate>),
}

impl Judge {
    pub fn name(&self) -> &str {
        match self {
            Self::Policy(policy) => &policy.name,
            Self::Predicate(predicate) => predicate.name(),
        }
    }

    /// Who is asked first: the higher priority, and of one the name that comes first.
    pub fn order(&self) -> (Reverse<i32>, &str) {
        let priority = match self {
            Self::Policy(policy) => policy.priority,
            Self::Predicate(predicate) => predicate.priority(),
        };
        (Reverse(priority), self.name())
    }

    fn kinds(&self) -> &[Kind] {
        match self {
            Self::Policy(policy) => &policy.kinds,
            Self::Predicate(predicate) => predicate.kinds(),
        }
    }

    fn fails_open(&self) -> bool {
        match self {
            Self::Policy(policy) => policy.fail_open,
            Self::Predicate(predicate) => predicate.fails_open(),
        }
    }

    pub fn reads(&self) -> Reads<'_> {
        match self {
            // Its terms say what it reads of the caller, one by one.
            Self::Policy(_) => Reads::Primitive,
            Self::Predicate(predicate) => predicate.reads(),
        }
    }

    /// What of `visible` is still visible behind this. What cannot be judged is told to `report`.
    pub fn pass(
        &self,
        catalog: &Catalog,
        kind: Kind,
        visible: Bits,
        asking: &dyn Asking,
        report: &mut dyn FnMut(Report),
    ) -> Bits {
        if !self.kinds().contains(&kind) {
            return visible;
        }
        let (mut shown, failed) = match self {
            Self::Policy(policy) => {
                let (shown, unread) = catalog.pick_within(kind, &policy.show, &visible, asking, MAX_READ);
                let problem = || format!("it has more than {MAX_READ} bytes to read");
                (shown, unread.iter().map(|index| (index, problem())).collect())
            }
            Self::Predicate(predicate) => apply_predicate(&**predicate, catalog, kind, &visible, asking),
        };
        for (index, problem) in failed {
            let open = self.fails_open();
            shown.set(index, open);
            let name = catalog.shelf(kind).id(index).unwrap_or_default();
            let end = if open { "shown" } else { "hidden" };
            let problem = format!("policy `{}`: {problem}, {end}", self.name());
            report(Report::new(ReportCode::Undecided, kind, name, &problem));
        }
        shown
    }
}

/// What a predicate says of each that is visible, and of which it says that it cannot tell.
fn apply_predicate(
    predicate: &dyn Predicate,
    catalog: &Catalog,
    kind: Kind,
    visible: &Bits,
    asking: &dyn Asking,
) -> (Bits, Vec<(usize, String)>) {
    let caller = RestrictedCaller { reads: predicate.reads(), asking };
    let (mut shown, mut failed) = (visible.clone(), Vec::new());
    for index in visible.iter() {
        let Some(primitive) = catalog.primitive(kind, index) else { continue };
        match predicate.holds(&primitive, &caller) {
            Ok(holds) => shown.set(index, holds),
            Err(problem) => failed.push((index, problem.to_string())),
        }
    }
    (shown, failed)
}
