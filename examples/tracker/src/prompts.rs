//! `prompts/get`: instructions for a model, with the data it needs already in the message.

use serde_json::{Map, Value, json};

use super::{
    calendar::DAY,
    error::{Fail, TrackerError},
    instant::Instant,
    issues, labels, markdown, pulls, resources,
    store::Store,
};

/// Days that release notes cover without a `since`.
const DEFAULT_RELEASE_DAYS: i64 = 14;
/// Days that a weekly plan covers.
const PLAN_DAYS: i64 = 7;
/// Maximum number of rows of each kind in a message.
const MAX_ROWS: i64 = 100;

/// Returns the result of a `prompts/get` request.
pub(crate) fn get(store: &Store<'_>, params: &Value) -> Result<Value, TrackerError> {
    let name = params.get("name").and_then(Value::as_str);
    let name = name.ok_or_else(|| TrackerError::params("`name` is required, a string"))?;
    let none = Map::new();
    let given = match params.get("arguments") {
        None => &none,
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return Err(TrackerError::params("`arguments` must be an object")),
    };
    match name {
        "triage_issue" => triage_issue(store, argument(given, "issue")?),
        "release_notes" => release_notes(store, argument(given, "since")?),
        "weekly_plan" => weekly_plan(store, argument(given, "person")?),
        _ => return Err(TrackerError::params(format!("Unknown prompt: {name}"))),
    }
    .map_err(TrackerError::from)
}

/// Returns the prompt's only argument, if given; MCP sends arguments as strings.
fn argument<'a>(given: &'a Map<String, Value>, known: &str) -> Result<Option<&'a str>, TrackerError> {
    if let Some(name) = given.keys().find(|name| *name != known) {
        return Err(TrackerError::params(format!(
            "`{name}` is not an argument of this prompt; it takes `{known}`"
        )));
    }
    match given.get(known) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(TrackerError::params(format!("`{known}` must be a string"))),
    }
}

/// Returns the prompt to triage an issue.
fn triage_issue(store: &Store<'_>, issue: Option<&str>) -> Result<Value, Fail> {
    let number = issue.and_then(resources::row_number);
    let id =
        number.ok_or_else(|| Fail::refused("`issue` is required, the number of an issue as a string"))?;
    let page = resources::issue_page(store, id)?;
    let task = format!(
        "Triage this issue. Say what it is about in one sentence, then propose a priority (low, medium, high or urgent), \
         labels, and the next step. If something is missing to decide, say what to ask its author. \
         Change it with `update_issue` and `add_label` only after I agree.\n\nLabels there are:\n{}",
        markdown::labels(&labels::all(store)?)
    );
    let resource = json!({ "uri": format!("issue://{id}"), "mimeType": "text/markdown", "text": page });
    Ok(json!({
        "description": format!("Triage of issue {id}"),
        "messages": [
            { "role": "user", "content": { "type": "resource", "resource": resource } },
            user(task),
        ],
    }))
}

/// Returns the prompt to write release notes since a day.
fn release_notes(store: &Store<'_>, since: Option<&str>) -> Result<Value, Fail> {
    let since = match since {
        Some(day) => {
            Instant::parse_day(day).ok_or_else(|| Fail::refused("`since` must be a day, as YYYY-MM-DD"))?
        }
        None => store.now().plus(-DEFAULT_RELEASE_DAYS * DAY)?,
    };
    let (pull, issue) = (pulls::BRIEF, issues::BRIEF);
    let merged = store.rows(
        &format!("SELECT {pull} FROM pulls p WHERE p.state = 'merged' AND p.merged_at >= ?1 ORDER BY p.merged_at LIMIT ?2"),
        [since.text().into(), MAX_ROWS.into()],
    )?;
    let closed = store.rows(
        &format!(
            "SELECT {issue} FROM issues i WHERE i.state = 'closed' AND i.reason = 'completed' AND i.closed_at >= ?1
             ORDER BY i.closed_at LIMIT ?2"
        ),
        [since.text().into(), MAX_ROWS.into()],
    )?;
    let day = since.day();
    Ok(json!({
        "description": format!("Release notes since {day}"),
        "messages": [user(format!(
            "Write release notes for the people who use the product: what is new, what is fixed, what they have to do. \
             No names of branches, one line each, most important first.\n\n\
             Merged since {day}:\n{}\n\nIssues completed since {day}:\n{}",
            markdown::pulls(&merged),
            markdown::issues(&closed)
        ))],
    }))
}

/// Returns the prompt to plan the coming days for one person or for all.
fn weekly_plan(store: &Store<'_>, person: Option<&str>) -> Result<Value, Fail> {
    let whose = person.map_or_else(|| "the team".into(), |person| person.to_owned());
    let issues = markdown::issues(&resources::open_issues(store, person)?);
    let events = markdown::events(&resources::coming_events(store, PLAN_DAYS, person)?);
    Ok(json!({
        "description": format!("Plan of the next {PLAN_DAYS} days for {whose}"),
        "messages": [user(format!(
            "Plan the next {PLAN_DAYS} days for {whose}, from {}. Put the most urgent issues into the time between \
             the events, say what will not fit, and keep an hour a day free.\n\n\
             Open issues:\n{issues}\n\nEvents:\n{events}",
            store.now().text()
        ))],
    }))
}

fn user(text: String) -> Value {
    json!({ "role": "user", "content": { "type": "text", "text": text } })
}
