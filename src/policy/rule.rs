//! The policies of the configuration.

use crate::{
    catalog::Kind,
    error::Error,
    expr::{Expr, Field, Op, Term},
    json::Entry,
};

/// A rule of visibility from the configuration: a primitive that it judges is visible only where `show` holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The name in logs. Policies of the same priority are evaluated in the order of their names.
    pub name: String,
    /// Policies with a higher priority are evaluated first.
    pub priority: i32,
    /// The condition on the primitive and the caller. With a scope, it also holds for every caller that has the scope.
    pub show: Expr,
    /// The scope that callers need for what the policy otherwise hides. It is revealed to those who call such a primitive
    /// without it.
    pub scope: Option<String>,
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
        let mut record = entry.record(&["name", "priority", "show", "scope", "kinds", "failOpen"])?;
        record.need(&["name", "show"]);
        record.fill("name", &mut policy.name, Entry::text);
        record.fill("priority", &mut policy.priority, |entry| entry.whole(i32::MIN.into(), i32::MAX.into()));
        record.fill("show", &mut policy.show, |entry| entry.read(Expr::from_json));
        record.fill_optional("scope", &mut policy.scope, scope);
        record.fill("kinds", &mut policy.kinds, |entry| entry.some_list(kind));
        record.fill("failOpen", &mut policy.fail_open, Entry::flag);
        record.end()?;
        if let Some(scope) = &policy.scope {
            let has = entry.read(|_| Term::new(Field::Scope, Op::Equals, scope.as_str()))?;
            policy.show = Expr::Any(vec![policy.show, Expr::Term(has)]);
        }
        Ok(policy)
    }

    /// Makes a policy on every kind that hides what it cannot judge.
    pub fn new(name: impl Into<String>, show: Expr) -> Self {
        let (name, scope) = (name.into(), None);
        Self { name, priority: 0, show, scope, kinds: Kind::ALL.to_vec(), fail_open: false }
    }
}

/// Reads a scope. Headers carry it in quotes (RFC 6749, section 3.3).
fn scope(entry: &Entry<'_>) -> Result<String, Error> {
    let scope = entry.some_text()?;
    let is_token = scope.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\');
    if is_token { Ok(scope) } else { Err(entry.refuse(format!("`{scope}` is not a scope"))) }
}

fn kind(entry: &Entry<'_>) -> Result<Kind, Error> {
    let named = entry.text().ok().and_then(|name| Kind::from_name(&name));
    named.ok_or_else(|| entry.refuse(format!("expected {}", Error::one_of(&Kind::ALL.map(Kind::name)))))
}
