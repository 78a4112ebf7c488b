//! `audit_issues`: checks open issues against rules. Like a linter, the tool fails if an issue breaks one.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Memory, Turn};
use crate::{args::Args, error::Fail, issues::BRIEF, store::Store, tools::Reply};

/// Maximum number of findings; the audit stops when it reaches them.
const MAX_FINDINGS: usize = 20;

/// The state of an audit.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Audit {
    /// The number of the last issue checked.
    after: i64,
    checked: i64,
    total: i64,
    findings: Vec<String>,
}

impl Memory for Audit {}

/// Handles one step of `audit_issues`.
pub(super) fn step(store: &Store<'_>, args: &Args, turn: Turn<'_>) -> Result<Reply, Fail> {
    const OPEN: &str = "FROM issues i WHERE i.state = 'open'";
    let mut audit = match Audit::of(turn)? {
        Some(audit) => audit,
        None => Audit { total: store.number(&format!("SELECT count(*) {OPEN}"), [])?, ..Audit::default() },
    };
    let query =
        format!("SELECT json_set({BRIEF}, '$.body', i.body) {OPEN} AND i.id > ?1 ORDER BY i.id LIMIT ?2");
    let batch = args.integer("batch")?;
    let issues = store.rows(&query, [audit.after.into(), batch.into()])?;
    let rules: Vec<&str> = args.list("rules")?.iter().filter_map(Value::as_str).collect();
    for issue in &issues {
        audit.after = issue.get("id").and_then(Value::as_i64).unwrap_or_default();
        audit.checked += 1;
        let broken: Vec<&str> = rules.iter().filter_map(|rule| lacks(issue, rule)).collect();
        if !broken.is_empty() && audit.findings.len() < MAX_FINDINGS {
            audit.findings.push(format!("issue {} has {}", audit.after, broken.join(" and ")));
        }
    }
    let more = format!("SELECT 1 {OPEN} AND i.id > ? LIMIT 1");
    if audit.findings.len() < MAX_FINDINGS && store.any(&more, [audit.after.into()])? {
        audit.total = audit.total.max(audit.checked + 1);
        let message = format!("checked {} of {} open issues", audit.checked, audit.total);
        return audit.more(args, audit.checked, audit.total, message);
    }
    if audit.findings.is_empty() {
        return Ok(Reply::Data(json!({"checked": audit.checked, "rules": rules})));
    }
    let (found, checked) = (audit.findings.len(), audit.checked);
    Err(Fail::refused(format!(
        "{found} of {checked} open issues break a rule: {}",
        audit.findings.join("; ")
    )))
}

/// Describes what an issue lacks under a rule, or returns `None` if it satisfies the rule.
fn lacks(issue: &Value, rule: &str) -> Option<&'static str> {
    let empty = |name: &str| match issue.get(name) {
        Some(Value::String(text)) => text.trim().is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        _ => true,
    };
    match rule {
        "assignee" if empty("assignee") => Some("no assignee"),
        "label" if empty("labels") => Some("no label"),
        "body" if empty("body") => Some("no text"),
        _ => None,
    }
}
