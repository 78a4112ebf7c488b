//! Issues and their tools.

use serde_json::Value;

use super::{
    args::Args,
    comments,
    error::Fail,
    labels,
    limits::{self, MAX_ISSUES},
    search,
    store::{self, Store},
    tools::Reply,
};

/// SQL expression for an issue in a list, from a row `i` of `issues`.
pub(crate) const BRIEF: &str = "json_object(
    'id', i.id, 'title', i.title, 'state', i.state, 'priority', i.priority, 'assignee', i.assignee, 'author', i.author,
    'labels', json((SELECT json_group_array(label ORDER BY label) FROM issue_labels WHERE issue = i.id)),
    'comments', (SELECT count(*) FROM comments WHERE issue = i.id),
    'created_at', i.created_at, 'updated_at', i.updated_at)";

/// SQL expression that sorts priorities, most urgent first.
pub(crate) const URGENCY: &str =
    "CASE i.priority WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END";

/// Returns an issue with its full text.
///
/// # Errors
/// When there is no issue with this number.
pub(crate) fn read(store: &Store<'_>, id: i64) -> Result<Value, Fail> {
    let query = format!(
        "SELECT json_set({BRIEF}, '$.body', i.body, '$.reason', i.reason, '$.closed_at', i.closed_at) FROM issues i WHERE id = ?"
    );
    store.row(&query, [id.into()])?.ok_or_else(|| Fail::absent("issue", id))
}

/// Returns whether the issue is open.
///
/// # Errors
/// When there is no issue with this number.
pub(crate) fn is_open(store: &Store<'_>, id: i64) -> Result<bool, Fail> {
    let open = store.row("SELECT state = 'open' FROM issues WHERE id = ?", [id.into()])?;
    open.map(|open| open == 1).ok_or_else(|| Fail::absent("issue", id))
}

/// Sets the issue's `updated_at` to the time of the request.
pub(crate) fn touch(store: &Store<'_>, id: i64) -> Result<(), Fail> {
    store.run("UPDATE issues SET updated_at = ?2 WHERE id = ?1", [id.into(), store.now_text()])
}

/// Closes an issue, whatever its state.
pub(crate) fn finish(store: &Store<'_>, id: i64, reason: &str) -> Result<(), Fail> {
    store.run(
        "UPDATE issues SET state = 'closed', reason = ?2, closed_at = ?3, updated_at = ?3 WHERE id = ?1",
        [id.into(), reason.into(), store.now_text()],
    )
}

/// Handles `list_issues`.
pub(crate) fn list(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    const WHERE: &str =
        "(?1 = 'all' OR i.state = ?1) AND (?2 IS NULL OR i.assignee = ?2) AND (?3 IS NULL OR i.priority = ?3)
        AND (?4 IS NULL OR EXISTS (SELECT 1 FROM issue_labels l WHERE l.issue = i.id AND l.label = ?4))";
    let wanted = [
        args.text("state")?.into(),
        args.may_text("assignee")?.into(),
        args.may_text("priority")?.into(),
        args.may_text("label")?.into(),
    ];
    let order = match args.text("sort")? {
        "created" => "i.created_at DESC",
        "priority" => URGENCY,
        _ => "i.updated_at DESC",
    };
    let (limit, offset) = (args.integer("limit")?, args.integer("offset")?);
    let total = store.number(&format!("SELECT count(*) FROM issues i WHERE {WHERE}"), wanted.clone())?;
    let [state, assignee, priority, label] = wanted;
    let rows = store.rows(
        &format!("SELECT {BRIEF} FROM issues i WHERE {WHERE} ORDER BY {order}, i.id DESC LIMIT ?5 OFFSET ?6"),
        [state, assignee, priority, label, limit.into(), offset.into()],
    )?;
    Ok(Reply::Data(store::page("issues", rows, total, offset)))
}

/// Handles `get_issue`.
pub(crate) fn get(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    read(store, args.integer("issue")?).map(Reply::Data)
}

/// Handles `create_issue`.
pub(crate) fn create(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    limits::room(store, "SELECT count(*) FROM issues", MAX_ISSUES, "issues")?;
    let names = labels::known(store, args.list("labels")?)?;
    let id = store.number(
        "INSERT INTO issues (title, body, priority, assignee, author, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) RETURNING id",
        [
            args.text("title")?.into(),
            args.text("body")?.into(),
            args.text("priority")?.into(),
            args.may_text("assignee")?.into(),
            args.text("author")?.into(),
            store.now_text(),
        ],
    )?;
    for name in names {
        labels::attach(store, id, &name)?;
    }
    read(store, id).map(Reply::Data)
}

/// Handles `update_issue`.
pub(crate) fn update(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let id = args.integer("issue")?;
    is_open(store, id)?;
    store.run(
        "UPDATE issues SET title = coalesce(?2, title), body = coalesce(?3, body), priority = coalesce(?4, priority),
         assignee = iif(?5, ?6, assignee), updated_at = ?7 WHERE id = ?1",
        [
            id.into(),
            args.may_text("title")?.into(),
            args.may_text("body")?.into(),
            args.may_text("priority")?.into(),
            args.has("assignee").into(),
            args.may_text("assignee")?.into(),
            store.now_text(),
        ],
    )?;
    read(store, id).map(Reply::Data)
}

/// Handles `close_issue`.
pub(crate) fn close(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let id = args.integer("issue")?;
    if !is_open(store, id)? {
        return Err(Fail::refused(format!("issue {id} is closed already")));
    }
    if let Some(comment) = args.may_text("comment")? {
        comments::write(store, id, args.text("author")?, comment)?;
    }
    finish(store, id, args.text("reason")?)?;
    read(store, id).map(Reply::Data)
}

/// Handles `reopen_issue`.
pub(crate) fn reopen(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let id = args.integer("issue")?;
    if is_open(store, id)? {
        return Err(Fail::refused(format!("issue {id} is open already")));
    }
    store.run(
        "UPDATE issues SET state = 'open', reason = NULL, closed_at = NULL, updated_at = ?2 WHERE id = ?1",
        [id.into(), store.now_text()],
    )?;
    read(store, id).map(Reply::Data)
}

/// Handles `delete_issue`.
pub(crate) fn delete(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let id = args.integer("issue")?;
    is_open(store, id)?;
    let comments = store.number("SELECT count(*) FROM comments WHERE issue = ?", [id.into()])?;
    store.run("DELETE FROM issues WHERE id = ?", [id.into()])?;
    Ok(Reply::Said(format!("Deleted issue {id} and its comments ({comments}).")))
}

/// Handles `search_issues`.
pub(crate) fn search(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    const FROM: &str = "FROM issue_text JOIN issues i ON i.id = issue_text.rowid
        WHERE issue_text MATCH ?1 AND (?2 = 'all' OR i.state = ?2)";
    let words = search::words(args.text("query")?)?;
    let state = args.text("state")?;
    let total = store.number(&format!("SELECT count(*) {FROM}"), [words.as_str().into(), state.into()])?;
    let rows = store.rows(
        &format!(
            "SELECT json_set({BRIEF}, '$.excerpt', snippet(issue_text, -1, '**', '**', '…', 16))
             {FROM} ORDER BY rank, i.id DESC LIMIT ?3"
        ),
        [words.into(), state.into(), args.integer("limit")?.into()],
    )?;
    Ok(Reply::Data(serde_json::json!({ "issues": rows, "total": total })))
}
