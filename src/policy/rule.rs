//! The policies of the configuration.

use crate::{
    catalog::Kind,
    error::Error,
    expr::{Expr, Field, Op, Term},
    json::Entry,
};

/// A rule from the configuration: a primitive that it judges is visible only where `show` holds, and a tool that it
/// judges accepts a call only where `arguments` holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The name in logs. Policies of the same priority are evaluated in the order of their names.
    pub name: String,
    /// Policies with a higher priority are evaluated first.
    pub priority: i32,
    /// The primitives that it judges. The expression does not read the caller. `show` holds for all others.
    pub matches: Expr,
    /// The condition on the primitive and the caller. With a scope, it also holds for every caller that has the scope.
    pub show: Expr,
    /// The condition on the arguments of a call, which may also read the primitive and the caller.
    pub arguments: Option<Expr>,
    /// The message to a caller whose call `arguments` refuses.
    pub message: Option<String>,
    /// Whether the policy is only evaluated: what it would hide or refuse is reported, and nothing changes.
    pub audit: bool,
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
        let mut record = entry.record(&MEMBERS)?;
        let (mut matched, mut shown) = (None, None);
        record.need(&["name"]);
        record.fill("name", &mut policy.name, Entry::text);
        record.fill("priority", &mut policy.priority, |entry| entry.whole(i32::MIN.into(), i32::MAX.into()));
        record.fill("match", &mut matched, |entry| matches(entry).map(Some));
        record.fill("show", &mut shown, |entry| entry.read(Expr::from_json).map(Some));
        record.fill("arguments", &mut policy.arguments, |entry| {
            entry.read(Expr::from_json_with_arguments).map(Some)
        });
        if policy.arguments.is_none() {
            record.need(&["show"]);
        }
        record.fill("message", &mut policy.message, |entry| entry.some_text().map(Some));
        record.fill("mode", &mut policy.audit, audits);
        record.fill_optional("scope", &mut policy.scope, scope);
        record.fill("kinds", &mut policy.kinds, |entry| entry.some_list(kind));
        record.fill("failOpen", &mut policy.fail_open, Entry::flag);
        record.end()?;
        if policy.arguments.is_some() && !policy.kinds.contains(&Kind::Tool) {
            return Err(entry.refuse("`arguments` judges calls of tools, expected `tool` in `kinds`"));
        }
        if policy.arguments.is_none() && policy.message.is_some() {
            return Err(entry.refuse("`message` is for calls that `arguments` refuses, expected both"));
        }
        if policy.scope.is_some() && shown.is_none() {
            return Err(entry.refuse("missing field `show`"));
        }
        policy.show = shown.unwrap_or(policy.show);
        if let Some(scope) = &policy.scope {
            let has = entry.read(|_| Term::new(Field::Scope, Op::Equals, scope.as_str()))?;
            policy.show = Expr::Any(vec![policy.show, Expr::Term(has)]);
        }
        if let Some(matched) = matched {
            let shows_all = policy.show == Expr::All(Vec::new());
            let others = Expr::Not(Box::new(matched.clone()));
            policy.matches = matched;
            // What a policy on arguments alone judges is visible.
            if !shows_all {
                policy.show = Expr::Any(vec![others, policy.show]);
            }
        }
        Ok(policy)
    }

    /// Makes a policy on every kind that hides what it cannot judge.
    pub fn new(name: impl Into<String>, show: Expr) -> Self {
        let (name, matches, kinds) = (name.into(), Expr::All(Vec::new()), Kind::ALL.to_vec());
        let (scope, arguments, message) = (None, None, None);
        Self {
            name,
            priority: 0,
            matches,
            show,
            arguments,
            message,
            audit: false,
            scope,
            kinds,
            fail_open: false,
        }
    }
}

/// The members of a policy.
const MEMBERS: [&str; 10] =
    ["name", "priority", "match", "show", "arguments", "message", "mode", "scope", "kinds", "failOpen"];

/// Reads the condition on the primitives that a policy judges.
fn matches(entry: &Entry<'_>) -> Result<Expr, Error> {
    let expr = entry.read(Expr::from_json)?;
    match expr.reads_caller() {
        None => Ok(expr),
        Some(field) => {
            Err(entry.refuse(format!("`{field}` reads the caller, expected a field of the primitive")))
        }
    }
}

/// Reads whether a policy is only evaluated, as a function of context middleware can be.
fn audits(entry: &Entry<'_>) -> Result<bool, Error> {
    match entry.text().as_deref() {
        Ok("enforce") => Ok(false),
        Ok("audit") => Ok(true),
        _ => Err(entry.refuse(["expected ", &Error::one_of(&["enforce", "audit"])].concat())),
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
