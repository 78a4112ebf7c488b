//! Labels: names with a color, attached to issues. Names are case-insensitive.

use serde_json::{Value, json};

use super::{
    args::Args,
    error::Fail,
    issues,
    limits::{self, MAX_LABELS, MAX_LABELS_PER_ISSUE},
    store::Store,
    tools::Reply,
};

/// SQL expression for a label, from a row `l` of `labels`.
const LABEL: &str = "json_object('name', l.name, 'color', l.color, 'description', l.description, 'open_issues',
    (SELECT count(*) FROM issue_labels x JOIN issues i ON i.id = x.issue WHERE x.label = l.name AND i.state = 'open'))";

/// Returns all labels, sorted by name.
pub(crate) fn all(store: &Store<'_>) -> Result<Vec<Value>, Fail> {
    store.rows(&format!("SELECT {LABEL} FROM labels l ORDER BY name"), [])
}

/// Returns the name of a label with the case in which it was created.
fn name_of(store: &Store<'_>, name: &str) -> Result<String, Fail> {
    match store.row("SELECT json_quote(name) FROM labels WHERE name = ?", [name.into()])? {
        Some(Value::String(name)) => Ok(name),
        _ => Err(Fail::refused(format!(
            "there is no label `{name}`; `list_labels` shows all, `create_label` adds one"
        ))),
    }
}

/// Returns the names of labels, which must exist, with the case in which they were created.
///
/// # Errors
/// Names the first label that does not exist.
pub(crate) fn known(store: &Store<'_>, names: &[Value]) -> Result<Vec<String>, Fail> {
    names.iter().filter_map(Value::as_str).map(|name| name_of(store, name)).collect()
}

/// Adds an existing label to an issue; has no effect if the issue has it already.
pub(crate) fn attach(store: &Store<'_>, issue: i64, label: &str) -> Result<(), Fail> {
    store.run(
        "INSERT OR IGNORE INTO issue_labels (issue, label) VALUES (?1, ?2)",
        [issue.into(), label.into()],
    )
}

/// Handles `list_labels`.
pub(crate) fn list(store: &Store<'_>, _: &Args) -> Result<Reply, Fail> {
    Ok(Reply::Data(json!({ "labels": all(store)? })))
}

/// Handles `create_label`.
pub(crate) fn create(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let name = args.text("name")?;
    if let Ok(taken) = name_of(store, name) {
        return Err(Fail::refused(format!("there is a label `{taken}` already")));
    }
    limits::room(store, "SELECT count(*) FROM labels", MAX_LABELS, "labels")?;
    store.run(
        "INSERT INTO labels (name, color, description) VALUES (?1, ?2, ?3)",
        [name.into(), args.text("color")?.into(), args.text("description")?.into()],
    )?;
    let row = store.row(&format!("SELECT {LABEL} FROM labels l WHERE name = ?"), [name.into()])?;
    row.map(Reply::Data).ok_or_else(|| Fail::Fault("the new label is not there".into()))
}

/// Handles `add_label`.
pub(crate) fn add(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let issue = args.integer("issue")?;
    issues::is_open(store, issue)?;
    let label = name_of(store, args.text("label")?)?;
    const CARRIED: &str = "SELECT 1 FROM issue_labels WHERE issue = ?1 AND label = ?2";
    if !store.any(CARRIED, [issue.into(), label.as_str().into()])? {
        let carried = store.number("SELECT count(*) FROM issue_labels WHERE issue = ?", [issue.into()])?;
        if carried >= MAX_LABELS_PER_ISSUE {
            return Err(Fail::refused(format!(
                "issue {issue} carries {carried} labels already, and no more fit"
            )));
        }
        attach(store, issue, &label)?;
        issues::touch(store, issue)?;
    }
    issues::read(store, issue).map(Reply::Data)
}

/// Handles `remove_label`.
pub(crate) fn remove(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let issue = args.integer("issue")?;
    issues::is_open(store, issue)?;
    let label = name_of(store, args.text("label")?)?;
    const TAKE: &str = "DELETE FROM issue_labels WHERE issue = ?1 AND label = ?2 RETURNING issue";
    if !store.any(TAKE, [issue.into(), label.as_str().into()])? {
        return Err(Fail::refused(format!("issue {issue} does not carry `{label}`")));
    }
    issues::touch(store, issue)?;
    issues::read(store, issue).map(Reply::Data)
}

/// Handles `delete_label`.
pub(crate) fn delete(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let label = name_of(store, args.text("label")?)?;
    let carried =
        store.number("SELECT count(*) FROM issue_labels WHERE label = ?", [label.as_str().into()])?;
    store.run("DELETE FROM labels WHERE name = ?", [label.as_str().into()])?;
    Ok(Reply::Said(format!("Deleted label `{label}`; {carried} issues carried it.")))
}
