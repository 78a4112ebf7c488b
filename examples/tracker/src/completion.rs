//! `completion/complete`: suggestions for an argument that a user has begun to type.

use serde_json::{Value, json};
use worker::SqlStorageValue;

use super::{error::TrackerError, store::Store};

/// Maximum number of values in one result, set by the protocol.
const MAX_VALUES: i64 = 100;

/// Issues whose number begins with the typed text or whose title contains it: users remember titles, not numbers.
const ISSUES: &str = "SELECT id AS value, row_number() OVER (ORDER BY state DESC, id) AS place FROM issues
    WHERE instr(id, ?1) = 1 OR instr(lower(title), lower(?1))";
const PULLS: &str = "SELECT id AS value, row_number() OVER (ORDER BY id) AS place FROM pulls
    WHERE instr(id, ?1) = 1 OR instr(lower(title), lower(?1))";
const NOTES: &str = "SELECT id AS value, row_number() OVER (ORDER BY id) AS place FROM notes
    WHERE instr(id, ?1) = 1 OR instr(lower(title), lower(?1))";
/// The days on which a pull request was merged or an issue closed, latest first.
const DAYS: &str = "SELECT value, row_number() OVER (ORDER BY value DESC) AS place FROM
    (SELECT substr(merged_at, 1, 10) AS value FROM pulls WHERE merged_at IS NOT NULL
     UNION SELECT substr(closed_at, 1, 10) FROM issues WHERE closed_at IS NOT NULL) WHERE instr(value, ?1) = 1";
/// Everyone who is assigned an issue or attends an event.
const PEOPLE: &str = "SELECT value, row_number() OVER (ORDER BY value) AS place FROM
    (SELECT assignee AS value FROM issues WHERE assignee IS NOT NULL UNION SELECT person FROM attendees)
    WHERE instr(lower(value), lower(?1)) = 1";

/// Returns the result of a `completion/complete` request.
pub(crate) fn complete(store: &Store<'_>, params: &Value) -> Result<Value, TrackerError> {
    let text = |object: &str, member: &str| params.get(object)?.get(member)?.as_str();
    let (Some(kind), Some(argument), Some(typed)) =
        (text("ref", "type"), text("argument", "name"), text("argument", "value"))
    else {
        return Err(TrackerError::params(
            "`ref.type`, `argument.name` and `argument.value` are required, strings",
        ));
    };
    let target = match kind {
        "ref/prompt" => text("ref", "name"),
        "ref/resource" => text("ref", "uri"),
        _ => return Err(TrackerError::params("`ref.type` must be `ref/prompt` or `ref/resource`")),
    };
    let target =
        target.ok_or_else(|| TrackerError::params("`ref` must name a prompt or the URI of a template"))?;
    let query = match (target, argument) {
        ("triage_issue", "issue") | ("issue://{id}", "id") => ISSUES,
        ("pull://{id}", "id") => PULLS,
        ("note://{id}", "id") => NOTES,
        ("release_notes", "since") => DAYS,
        ("weekly_plan", "person") => PEOPLE,
        _ => return Err(TrackerError::params(format!("`{target}` has no argument `{argument}`"))),
    };
    let bound = || -> SqlStorageValue { typed.into() };
    let total = store.number(&format!("SELECT count(*) FROM ({query})"), [bound()])?;
    let values = store.rows(
        &format!("SELECT json_quote(CAST(value AS TEXT)) FROM ({query}) ORDER BY place LIMIT ?2"),
        [bound(), MAX_VALUES.into()],
    )?;
    Ok(json!({ "completion": { "values": values, "total": total, "hasMore": total > MAX_VALUES } }))
}
