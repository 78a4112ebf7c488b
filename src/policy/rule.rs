//! The policies of the configuration.

use crate::{catalog::Kind, error::Error, expr::Expr, json::Entry};

/// A rule of visibility from the configuration: a primitive that it judges is visible only where `show` holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The name in logs. Policies of the same priority are evaluated in the order of their names.
    pub name: String,
    /// Policies with a higher priority are evaluated first.
    pub priority: i32,
    /// The condition on the primitive and the caller.
    pub show: Expr,
    /// The kinds of primitives that it judges.
    pub kinds: Vec<Kind>,
    /// Whether a primitive that it cannot judge is shown.
    pub fail_open: bool,
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path of what is wrong.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut policy = Self::new(String::new(), Expr::All(vec![]));
        let mut record = entry.record(&["name", "priority", "show", "kinds", "failOpen"])?;
        record.need(&["name", "show"]);
        record.fill("name", &mut policy.name, Entry::text);
        record.fill("priority", &mut policy.priority, |entry| entry.whole(i32::MIN.into(), i32::MAX.into()));
        record.fill("show", &mut policy.show, |entry| entry.read(Expr::from_json));
        record.fill("kinds", &mut policy.kinds, |entry| entry.some_list(kind));
        record.fill("failOpen", &mut policy.fail_open, Entry::flag);
        record.end().map(|()| policy)
    }

    /// Makes a policy on every kind that hides what it cannot judge.
    pub fn new(name: impl Into<String>, show: Expr) -> Self {
        Self { name: name.into(), priority: 0, show, kinds: Kind::ALL.to_vec(), fail_open: false }
    }
}

fn kind(entry: &Entry<'_>) -> Result<Kind, Error> {
    let named = entry.text().ok().and_then(|name| Kind::from_name(&name));
    named.ok_or_else(|| entry.refuse(format!("expected {}", Error::one_of(&Kind::ALL.map(Kind::name)))))
}
