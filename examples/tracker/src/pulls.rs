//! Pull requests and their tools.

use serde_json::Value;

use super::{
    args::Args,
    error::Fail,
    issues,
    limits::{self, MAX_PULLS, MAX_REVIEWS},
    store::{self, Store},
    tools::Reply,
};

/// SQL expression for a pull request in a list, from a row `p` of `pulls`.
pub(crate) const BRIEF: &str = "json_object(
    'id', p.id, 'title', p.title, 'state', p.state, 'draft', json(iif(p.draft, 'true', 'false')),
    'branch', p.branch, 'base', p.base, 'author', p.author,
    'closes', json((SELECT json_group_array(issue ORDER BY issue) FROM pull_issues WHERE pull = p.id)),
    'created_at', p.created_at, 'updated_at', p.updated_at, 'merged_at', p.merged_at)";

/// SQL expression for the reviews of `p`, oldest first.
const REVIEWS: &str =
    "json((SELECT json_group_array(json_object('id', r.id, 'author', r.author, 'verdict', r.verdict,
    'body', r.body, 'created_at', r.created_at) ORDER BY r.id) FROM reviews r WHERE r.pull = p.id))";

/// Returns a pull request with its text and reviews.
///
/// # Errors
/// When there is no pull request with this number.
pub(crate) fn read(store: &Store<'_>, id: i64) -> Result<Value, Fail> {
    let query = format!(
        "SELECT json_set({BRIEF}, '$.body', p.body, '$.merge_method', p.merge_method, '$.reviews', {REVIEWS})
         FROM pulls p WHERE id = ?"
    );
    store.row(&query, [id.into()])?.ok_or_else(|| Fail::absent("pull request", id))
}

/// Rejects a pull request that does not exist or is not open.
fn must_be_open(store: &Store<'_>, id: i64) -> Result<(), Fail> {
    match store.row("SELECT json_quote(state) FROM pulls WHERE id = ?", [id.into()])? {
        None => Err(Fail::absent("pull request", id)),
        Some(state) if state == "open" => Ok(()),
        Some(state) => {
            Err(Fail::refused(format!("pull request {id} is {}", state.as_str().unwrap_or_default())))
        }
    }
}

/// Handles `list_pull_requests`.
pub(crate) fn list(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    const WHERE: &str = "(?1 = 'all' OR p.state = ?1) AND (?2 IS NULL OR p.author = ?2)";
    let (state, author) = (args.text("state")?, args.may_text("author")?);
    let (limit, offset) = (args.integer("limit")?, args.integer("offset")?);
    let total = store
        .number(&format!("SELECT count(*) FROM pulls p WHERE {WHERE}"), [state.into(), author.into()])?;
    let rows = store.rows(
        &format!("SELECT {BRIEF} FROM pulls p WHERE {WHERE} ORDER BY p.updated_at DESC, p.id DESC LIMIT ?3 OFFSET ?4"),
        [state.into(), author.into(), limit.into(), offset.into()],
    )?;
    Ok(Reply::Data(store::page("pull_requests", rows, total, offset)))
}

/// Handles `get_pull_request`.
pub(crate) fn get(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    read(store, args.integer("pull_request")?).map(Reply::Data)
}

/// Handles `create_pull_request`.
pub(crate) fn create(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let (branch, base) = (args.text("branch")?, args.text("base")?);
    if branch == base {
        return Err(Fail::refused("`branch` and `base` must be two branches"));
    }
    let closes: Vec<i64> = args.list("closes")?.iter().filter_map(Value::as_i64).collect();
    for issue in &closes {
        issues::is_open(store, *issue)?;
    }
    const SAME: &str = "SELECT id FROM pulls WHERE state = 'open' AND branch = ?1 AND base = ?2";
    if let Some(other) = store.row(SAME, [branch.into(), base.into()])? {
        return Err(Fail::refused(format!("pull request {other} is open for this branch already")));
    }
    limits::room(store, "SELECT count(*) FROM pulls", MAX_PULLS, "pull requests")?;
    let id = store.number(
        "INSERT INTO pulls (title, body, branch, base, author, draft, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) RETURNING id",
        [
            args.text("title")?.into(),
            args.text("body")?.into(),
            branch.into(),
            base.into(),
            args.text("author")?.into(),
            args.flag("draft")?.into(),
            store.now_text(),
        ],
    )?;
    for issue in closes {
        store.run(
            "INSERT OR IGNORE INTO pull_issues (pull, issue) VALUES (?1, ?2)",
            [id.into(), issue.into()],
        )?;
    }
    read(store, id).map(Reply::Data)
}

/// Handles `update_pull_request`.
pub(crate) fn update(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let id = args.integer("pull_request")?;
    must_be_open(store, id)?;
    store.run(
        "UPDATE pulls SET title = coalesce(?2, title), body = coalesce(?3, body), draft = coalesce(?4, draft),
         updated_at = ?5 WHERE id = ?1",
        [
            id.into(),
            args.may_text("title")?.into(),
            args.may_text("body")?.into(),
            args.may_flag("draft")?.into(),
            store.now_text(),
        ],
    )?;
    read(store, id).map(Reply::Data)
}

/// Handles `review_pull_request`.
pub(crate) fn review(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let id = args.integer("pull_request")?;
    must_be_open(store, id)?;
    limits::room(store, "SELECT count(*) FROM reviews", MAX_REVIEWS, "reviews")?;
    store.run(
        "INSERT INTO reviews (pull, author, verdict, body, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        [
            id.into(),
            args.text("author")?.into(),
            args.text("verdict")?.into(),
            args.text("body")?.into(),
            store.now_text(),
        ],
    )?;
    store.run("UPDATE pulls SET updated_at = ?2 WHERE id = ?1", [id.into(), store.now_text()])?;
    read(store, id).map(Reply::Data)
}

/// Handles `merge_pull_request`.
pub(crate) fn merge(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let id = args.integer("pull_request")?;
    must_be_open(store, id)?;
    may_merge(store, id)?;
    store.run(
        "UPDATE pulls SET state = 'merged', merge_method = ?2, merged_at = ?3, updated_at = ?3 WHERE id = ?1",
        [id.into(), args.text("method")?.into(), store.now_text()],
    )?;
    const LEFT: &str = "SELECT i.id FROM pull_issues x JOIN issues i ON i.id = x.issue
        WHERE x.pull = ? AND i.state = 'open'";
    for issue in store.rows(LEFT, [id.into()])?.iter().filter_map(Value::as_i64) {
        issues::finish(store, issue, "completed")?;
    }
    read(store, id).map(Reply::Data)
}

/// Rejects the merge of a draft, and of a pull request that its reviewers have not approved. Only the latest verdict of
/// each reviewer counts, and a `comment` is no verdict.
fn may_merge(store: &Store<'_>, id: i64) -> Result<(), Fail> {
    if store.any("SELECT 1 FROM pulls WHERE id = ? AND draft", [id.into()])? {
        return Err(Fail::refused(format!("pull request {id} is a draft; mark it ready first")));
    }
    const LATEST: &str =
        "SELECT json_object('author', author, 'verdict', verdict, 'at', max(id)) FROM reviews
        WHERE pull = ? AND verdict != 'comment' GROUP BY author ORDER BY max(id)";
    let verdicts = store.rows(LATEST, [id.into()])?;
    let says = |row: &Value, verdict: &str| row.get("verdict").is_some_and(|found| found == verdict);
    if let Some(row) = verdicts.iter().find(|row| says(row, "request_changes")) {
        let author = row.get("author").and_then(Value::as_str).unwrap_or_default();
        return Err(Fail::refused(format!(
            "{author} requested changes to pull request {id} and has not approved it since"
        )));
    }
    if !verdicts.iter().any(|row| says(row, "approve")) {
        return Err(Fail::refused(format!("nobody has approved pull request {id} yet")));
    }
    Ok(())
}

/// Handles `close_pull_request`.
pub(crate) fn close(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let id = args.integer("pull_request")?;
    must_be_open(store, id)?;
    store.run(
        "UPDATE pulls SET state = 'closed', updated_at = ?2 WHERE id = ?1",
        [id.into(), store.now_text()],
    )?;
    read(store, id).map(Reply::Data)
}
