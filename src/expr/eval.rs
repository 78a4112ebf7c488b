//! Evaluates expressions on a subject: a primitive, a task or a caller.

use std::cmp::Ordering;

use super::{Expr, Field, Op, Term, order, under};

/// A value that expressions are evaluated on: a primitive, a task or a caller.
pub trait Subject {
    /// Calls `visit` with each value of `field`.
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str));
}

impl Expr {
    /// Returns whether the expression holds for `subject`.
    pub fn holds(&self, subject: &dyn Subject) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(subject)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(subject)),
            Self::Not(inner) => !inner.holds(subject),
            Self::Term(term) => term.holds(subject),
        }
    }
}

impl Term {
    /// Returns whether the comparison holds for `subject`.
    pub fn holds(&self, subject: &dyn Subject) -> bool {
        let (mut found, mut hit) = (false, false);
        subject.values(&self.field, &mut |value| {
            found = true;
            hit = hit || self.accepts(value);
        });
        if self.op == Op::Differs { found && !hit } else { hit }
    }

    /// Compares one value of the field with that of the term. For `!=` this returns whether they are equal, which
    /// `holds` inverts.
    pub fn accepts(&self, value: &str) -> bool {
        let want = self.value.as_str();
        let order = || order::compare(&self.field, value, want);
        match self.op {
            Op::Matches => Expr::glob(want, value),
            Op::Equals | Op::Differs => value == want || order::alike(&self.field, value, want),
            Op::Contains => value.contains(want),
            Op::Starts => value.starts_with(want),
            Op::Under => under::is_under(value, want),
            Op::Less => order().is_some_and(Ordering::is_lt),
            Op::AtMost => order().is_some_and(Ordering::is_le),
            Op::Greater => order().is_some_and(Ordering::is_gt),
            Op::AtLeast => order().is_some_and(Ordering::is_ge),
        }
    }
}
