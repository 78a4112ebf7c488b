//! Markdown pages for people and models, built from the JSON that the tools return.
//!
//! Texts that users wrote are Markdown already and are passed on unchanged.

use std::fmt::Write;

use serde_json::Value;

/// Appends a line to a page; writing to a string cannot fail.
macro_rules! write_line {
    ($page:expr, $($part:tt)*) => { _ = writeln!($page, $($part)*) };
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or("-")
}

fn id(row: &Value) -> i64 {
    row.get("id").and_then(Value::as_i64).unwrap_or_default()
}

fn names(row: &Value, name: &str) -> String {
    let items = row.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let items = items.iter().map(|item| item.as_str().map_or_else(|| format!("#{item}"), str::to_owned));
    let joined = items.collect::<Vec<_>>().join(", ");
    if joined.is_empty() { "-".into() } else { joined }
}

/// Renders an issue with its comments.
pub(crate) fn issue(issue: &Value, comments: &[Value]) -> String {
    let mut page = String::new();
    write_line!(page, "# Issue {}: {}\n", id(issue), text(issue, "title"));
    write_line!(page, "- State: {} ({})", text(issue, "state"), text(issue, "reason"));
    write_line!(page, "- Priority: {}", text(issue, "priority"));
    write_line!(page, "- Assignee: {}", text(issue, "assignee"));
    write_line!(page, "- Labels: {}", names(issue, "labels"));
    write_line!(page, "- Opened by {} at {}\n", text(issue, "author"), text(issue, "created_at"));
    write_line!(page, "{}", text(issue, "body"));
    for comment in comments {
        write_line!(page, "\n## {} at {}\n", text(comment, "author"), text(comment, "created_at"));
        write_line!(page, "{}", text(comment, "body"));
    }
    page
}

/// Renders a pull request with its reviews.
pub(crate) fn pull(pull: &Value) -> String {
    let mut page = String::new();
    let draft = if pull.get("draft") == Some(&Value::Bool(true)) { ", draft" } else { "" };
    write_line!(page, "# Pull request {}: {}\n", id(pull), text(pull, "title"));
    write_line!(page, "- State: {}{draft}", text(pull, "state"));
    write_line!(page, "- Branch: {} into {}", text(pull, "branch"), text(pull, "base"));
    write_line!(page, "- Closes: {}", names(pull, "closes"));
    write_line!(page, "- Opened by {} at {}\n", text(pull, "author"), text(pull, "created_at"));
    write_line!(page, "{}", text(pull, "body"));
    for review in pull.get("reviews").and_then(Value::as_array).into_iter().flatten() {
        write_line!(
            page,
            "\n## {}: {} at {}\n",
            text(review, "author"),
            text(review, "verdict"),
            text(review, "created_at")
        );
        write_line!(page, "{}", text(review, "body"));
    }
    page
}

/// Renders a note.
pub(crate) fn note(note: &Value) -> String {
    format!("# {}\n\nTags: {}\n\n{}\n", text(note, "title"), names(note, "tags"), text(note, "body"))
}

/// Renders issues, one per line.
pub(crate) fn issues(rows: &[Value]) -> String {
    lines(rows, |row| {
        let (priority, labels, assignee) =
            (text(row, "priority"), names(row, "labels"), text(row, "assignee"));
        format!(
            "- #{} {} (priority {priority}; labels {labels}; assignee {assignee})",
            id(row),
            text(row, "title")
        )
    })
}

/// Renders pull requests, one per line.
pub(crate) fn pulls(rows: &[Value]) -> String {
    lines(rows, |row| {
        let (author, closes) = (text(row, "author"), names(row, "closes"));
        format!("- {} (by {author}; closes {closes}; merged {})", text(row, "title"), text(row, "merged_at"))
    })
}

/// Renders events, one per line.
pub(crate) fn events(rows: &[Value]) -> String {
    lines(rows, |row| {
        let (start, end, place) = (text(row, "start"), text(row, "end"), text(row, "location"));
        format!("- {start} to {end}: {} (at {place}; with {})", text(row, "title"), names(row, "attendees"))
    })
}

/// Renders labels, one per line.
pub(crate) fn labels(rows: &[Value]) -> String {
    lines(rows, |row| format!("- {}: {}", text(row, "name"), text(row, "description")))
}

fn lines(rows: &[Value], line: impl Fn(&Value) -> String) -> String {
    if rows.is_empty() { "- none".into() } else { rows.iter().map(line).collect::<Vec<_>>().join("\n") }
}
