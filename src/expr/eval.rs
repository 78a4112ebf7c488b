use std::cmp::Ordering;

use super::{Expr, Field, Op, Term, glob};
use crate::json::Number;

/// What an expression is asked about.
pub trait Subject {
    /// Calls `visit` with each value the subject has for `field`; not at all when it has none.
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str));
}

impl Expr {
    /// Whether the expression holds for `subject`.
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
    /// Whether the comparison holds for `subject`.
    pub fn holds(&self, subject: &dyn Subject) -> bool {
        let (mut found, mut hit) = (false, false);
        subject.values(&self.field, &mut |value| {
            found = true;
            hit = hit || self.accepts(value);
        });
        if self.op == Op::Differs { found && !hit } else { hit }
    }

    /// One value against the wanted one. For `!=` this answers equality; `holds` turns it round.
    fn accepts(&self, value: &str) -> bool {
        match self.op {
            Op::Matches => glob(&self.value, value),
            Op::Equals | Op::Differs => value == self.value,
            Op::Contains => contains(value, &self.value),
            Op::Starts => value.starts_with(&self.value),
            Op::Less => self.compares(value, Ordering::is_lt),
            Op::AtMost => self.compares(value, Ordering::is_le),
            Op::Greater => self.compares(value, Ordering::is_gt),
            Op::AtLeast => self.compares(value, Ordering::is_ge),
        }
    }

    fn compares(&self, value: &str, order: fn(Ordering) -> bool) -> bool {
        match (value.parse::<Number>(), self.value.parse()) {
            (Ok(have), Ok(want)) => order(have.cmp(&want)),
            _ => false,
        }
    }
}

/// As `str::contains`, without the tables that are its own for long needles: ours are short.
fn contains(text: &str, wanted: &str) -> bool {
    wanted.is_empty() || text.as_bytes().windows(wanted.len()).any(|part| part == wanted.as_bytes())
}
