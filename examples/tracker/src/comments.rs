//! Comments on issues, and their tools.

use serde_json::Value;

use super::{
    args::Args,
    error::Fail,
    issues,
    limits::{self, MAX_COMMENTS},
    store::{self, Store},
    tools::Reply,
};

/// SQL expression for a comment, from a row `c` of `comments`.
const COMMENT: &str = "json_object('id', c.id, 'issue', c.issue, 'author', c.author, 'body', c.body, 'created_at', c.created_at)";

/// Inserts a comment, marks its issue as updated and returns the comment's number.
pub(crate) fn write(store: &Store<'_>, issue: i64, author: &str, body: &str) -> Result<i64, Fail> {
    limits::room(store, "SELECT count(*) FROM comments", MAX_COMMENTS, "comments")?;
    let id = store.number(
        "INSERT INTO comments (issue, author, body, created_at) VALUES (?1, ?2, ?3, ?4) RETURNING id",
        [issue.into(), author.into(), body.into(), store.now_text()],
    )?;
    issues::touch(store, issue)?;
    Ok(id)
}

/// Returns the comments of an issue, oldest first.
pub(crate) fn of(store: &Store<'_>, issue: i64, limit: i64, offset: i64) -> Result<Vec<Value>, Fail> {
    store.rows(
        &format!("SELECT {COMMENT} FROM comments c WHERE issue = ?1 ORDER BY id LIMIT ?2 OFFSET ?3"),
        [issue.into(), limit.into(), offset.into()],
    )
}

/// Handles `add_comment`.
pub(crate) fn add(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let issue = args.integer("issue")?;
    issues::is_open(store, issue)?;
    let id = write(store, issue, args.text("author")?, args.text("body")?)?;
    let row = store.row(&format!("SELECT {COMMENT} FROM comments c WHERE id = ?"), [id.into()])?;
    row.map(Reply::Data).ok_or_else(|| Fail::absent("comment", id))
}

/// Handles `list_comments`.
pub(crate) fn list(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let issue = args.integer("issue")?;
    issues::is_open(store, issue)?;
    let offset = args.integer("offset")?;
    let total = store.number("SELECT count(*) FROM comments WHERE issue = ?", [issue.into()])?;
    let rows = of(store, issue, args.integer("limit")?, offset)?;
    Ok(Reply::Data(store::page("comments", rows, total, offset)))
}

/// Handles `delete_comment`.
pub(crate) fn delete(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let id = args.integer("comment")?;
    let issue = store.row("DELETE FROM comments WHERE id = ? RETURNING issue", [id.into()])?;
    let issue = issue.and_then(|issue| issue.as_i64()).ok_or_else(|| Fail::absent("comment", id))?;
    issues::touch(store, issue)?;
    Ok(Reply::Said(format!("Deleted comment {id} of issue {issue}.")))
}
