//! Initial checks: conditions that a caller must meet before it gets any answer.

use crate::{
    error::Error,
    expr::{Expr, Field, NoCaller, Op, Subject},
    json::Entry,
};

/// A condition that a caller must meet before it gets any answer (in Quarkus, an initial check).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Checks of the same priority are made in the order of their names.
    pub name: String,
    /// Checks with a higher priority are made first.
    pub priority: i32,
    /// The condition. It reads the caller only.
    pub require: Expr,
    /// The message for callers that do not meet it.
    pub message: String,
}

impl Check {
    /// Reads a check.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path of what is wrong.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut check =
            Self { name: String::new(), priority: 0, require: Expr::All(vec![]), message: String::new() };
        let mut record = entry.record(&["name", "priority", "require", "message"])?;
        record.need(&["name", "require", "message"]);
        record.fill("name", &mut check.name, Entry::text);
        record.fill("priority", &mut check.priority, |entry| entry.whole(i32::MIN.into(), i32::MAX.into()));
        record.fill("require", &mut check.require, of_callers);
        record.fill("message", &mut check.message, Entry::text);
        record.end().map(|()| check)
    }

    /// Returns the first of `checks` that `caller` does not pass, by priority and then by name.
    pub fn failed<'a>(checks: &'a [Self], caller: &dyn Subject) -> Option<&'a Self> {
        let failed = checks.iter().filter(|check| !check.require.holds(caller));
        failed.min_by(|a, b| b.priority.cmp(&a.priority).then_with(|| a.name.cmp(&b.name)))
    }

    /// Returns whether no caller without a token passes, whatever name, headers and capabilities it sends. The exact
    /// value of a header may be a secret that it does not know.
    pub fn refuses_strangers(&self) -> bool {
        !stranger_may(true, &self.require)
    }

    /// Returns whether `caller` could pass with a token, or with other claims in its token. Otherwise no token helps.
    pub fn turns_on_claims(&self, caller: &dyn Subject) -> bool {
        may_be(true, &self.require, caller)
    }
}

/// Returns whether an expression can evaluate to `wanted` for a caller whose claims are unknown.
fn may_be(wanted: bool, expr: &Expr, caller: &dyn Subject) -> bool {
    match expr {
        Expr::All(parts) if wanted => parts.iter().all(|part| may_be(wanted, part, caller)),
        Expr::Any(parts) if !wanted => parts.iter().all(|part| may_be(wanted, part, caller)),
        Expr::All(parts) | Expr::Any(parts) => parts.iter().any(|part| may_be(wanted, part, caller)),
        Expr::Not(inner) => may_be(!wanted, inner, caller),
        Expr::Term(term) => {
            matches!(term.field(), Field::Claim(_) | Field::Scope) || term.holds(caller) == wanted
        }
    }
}

/// Returns whether an expression can evaluate to `wanted` for a caller that has no claims and chooses everything else.
fn stranger_may(wanted: bool, expr: &Expr) -> bool {
    let part = |part: &Expr| stranger_may(wanted, part);
    match expr {
        Expr::All(parts) if wanted => parts.iter().all(part),
        Expr::Any(parts) if !wanted => parts.iter().all(part),
        Expr::All(parts) | Expr::Any(parts) => parts.iter().any(part),
        Expr::Not(inner) => stranger_may(!wanted, inner),
        Expr::Term(term) => match term.field() {
            Field::Claim(_) | Field::Scope => term.holds(&NoCaller) == wanted,
            Field::Header(_) if matches!(term.op(), Op::Matches | Op::Equals) && !term.is_pattern() => {
                !wanted
            }
            _ => true,
        },
    }
}

/// Reads an expression on a caller. It must not read a primitive, because there is none.
pub(super) fn of_callers(entry: &Entry<'_>) -> Result<Expr, Error> {
    let expr = entry.read(Expr::from_json)?;
    match expr.terms().into_iter().map(|term| term.field()).find(|field| !field.reads_caller()) {
        Some(field) => {
            Err(entry.refuse(format!("`{field}` reads a primitive, expected a field of the caller")))
        }
        None => Ok(expr),
    }
}
