//! `report_issues`: statistics over all issues.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Memory, Turn};
use crate::{args::Args, error::Fail, issues::BRIEF, store::Store, tools::Reply};

/// Maximum number of names in each list of the report; the rest are summed up as `others`.
const MAX_NAMES: usize = 50;

type Counts = BTreeMap<String, i64>;

/// The state of a report. The counts except `by_state` and `comments` cover open issues only.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Report {
    /// The number of the last issue read.
    after: i64,
    read: i64,
    total: i64,
    by_state: Counts,
    by_priority: Counts,
    by_assignee: Counts,
    by_label: Counts,
    comments: i64,
    /// The oldest open issue.
    oldest: Option<Value>,
}

impl Memory for Report {}

/// Handles one step of `report_issues`.
pub(super) fn step(store: &Store<'_>, args: &Args, turn: Turn<'_>) -> Result<Reply, Fail> {
    let mut report = match Report::of(turn)? {
        Some(report) => report,
        None => Report { total: store.number("SELECT count(*) FROM issues", [])?, ..Report::default() },
    };
    // New issues have higher numbers: they are read as well, and the total grows with them.
    let batch = args.integer("batch")?;
    let query = format!("SELECT {BRIEF} FROM issues i WHERE i.id > ?1 ORDER BY i.id LIMIT ?2");
    let issues = store.rows(&query, [report.after.into(), batch.into()])?;
    issues.iter().for_each(|issue| report.add(issue));
    if !store.any("SELECT 1 FROM issues WHERE id > ? LIMIT 1", [report.after.into()])? {
        return Ok(Reply::Data(report.result(store)));
    }
    report.total = report.total.max(report.read + 1);
    let message = format!("read {} of {} issues", report.read, report.total);
    report.more(args, report.read, report.total, message)
}

impl Report {
    fn add(&mut self, issue: &Value) {
        let text = |name: &str| issue.get(name).and_then(Value::as_str);
        let number = |name: &str| issue.get(name).and_then(Value::as_i64).unwrap_or_default();
        self.after = number("id");
        self.read += 1;
        self.comments += number("comments");
        count(&mut self.by_state, text("state").unwrap_or_default());
        if text("state") != Some("open") {
            return;
        }
        count(&mut self.by_priority, text("priority").unwrap_or_default());
        count(&mut self.by_assignee, text("assignee").unwrap_or("nobody"));
        let labels = issue.get("labels").and_then(Value::as_array).into_iter().flatten();
        labels.filter_map(Value::as_str).for_each(|label| count(&mut self.by_label, label));
        let older = |before: &Value| text("created_at") < before.get("created_at").and_then(Value::as_str);
        if self.oldest.as_ref().is_none_or(older) {
            let [title, created_at] = ["title", "created_at"].map(text);
            self.oldest = Some(json!({"id": self.after, "title": title, "created_at": created_at}));
        }
    }

    fn result(self, store: &Store<'_>) -> Value {
        json!({
            "issues": self.read,
            "by_state": self.by_state,
            "open_by_priority": self.by_priority,
            "open_by_assignee": self.by_assignee,
            "open_by_label": self.by_label,
            "comments": self.comments,
            "oldest_open": self.oldest,
            "finished_at": store.now().text(),
        })
    }
}

/// Counts a name, or `others` if the counts have [`MAX_NAMES`] names.
fn count(counts: &mut Counts, name: &str) {
    let known = counts.len() < MAX_NAMES || counts.contains_key(name);
    *counts.entry(if known { name } else { "others" }.to_owned()).or_default() += 1;
}
