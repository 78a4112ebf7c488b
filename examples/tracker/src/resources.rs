//! `resources/read`: pages of the tracker by URI.

use serde_json::{Value, json};

use super::{
    calendar::{self, DAY},
    comments,
    error::{Fail, TrackerError},
    issues, labels, limits, markdown, notes, pulls,
    store::Store,
};

/// Maximum number of rows on one page.
const MAX_ROWS: i64 = 200;
/// Days that the agenda covers.
const AGENDA_DAYS: i64 = 14;

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";

/// Returns the result of a `resources/read` request.
pub(crate) fn read(store: &Store<'_>, params: &Value) -> Result<Value, TrackerError> {
    let uri = params.get("uri").and_then(Value::as_str);
    let uri = uri.ok_or_else(|| TrackerError::params("`uri` is required, a string"))?;
    let (mime, text) = match page(store, uri) {
        Ok(Some(page)) => page,
        // A number without a row is a resource that does not exist, like any unknown URI.
        Ok(None) | Err(Fail::Refused(_)) => {
            let data = Some(json!({ "uri": uri }));
            return Err(TrackerError { data, ..TrackerError::params("Resource not found") });
        }
        Err(fault) => return Err(fault.into()),
    };
    Ok(json!({ "contents": [{ "uri": uri, "mimeType": mime, "text": text }] }))
}

/// Returns the media type and the text of a page, or `None` if there is no page at this URI.
fn page(store: &Store<'_>, uri: &str) -> Result<Option<(&'static str, String)>, Fail> {
    Ok(Some(match uri.split_once("://") {
        Some(("tracker", "readme")) => (MARKDOWN, include_str!("catalog/readme.md").into()),
        Some(("tracker", "limits")) => (JSON, limits::all().to_string()),
        Some(("tracker", "labels")) => (JSON, json!({ "labels": labels::all(store)? }).to_string()),
        Some(("tracker", "board")) => (
            MARKDOWN,
            format!("# Open issues, most urgent first\n\n{}\n", markdown::issues(&open_issues(store, None)?)),
        ),
        Some(("tracker", "agenda")) => {
            let events = coming_events(store, AGENDA_DAYS, None)?;
            (MARKDOWN, format!("# The next {AGENDA_DAYS} days\n\n{}\n", markdown::events(&events)))
        }
        Some((kind, number)) => {
            let Some(id) = row_number(number) else { return Ok(None) };
            match kind {
                "issue" => (MARKDOWN, issue_page(store, id)?),
                "pull" => (MARKDOWN, markdown::pull(&pulls::read(store, id)?)),
                "note" => (MARKDOWN, markdown::note(&notes::read(store, id)?)),
                _ => return Ok(None),
            }
        }
        None => return Ok(None),
    }))
}

/// Parses a row number: digits without a sign or leading zero, so that each resource has one URI.
pub(crate) fn row_number(text: &str) -> Option<i64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    plain.then_some(text)?.parse().ok()
}

/// Returns the page of an issue with its comments.
pub(crate) fn issue_page(store: &Store<'_>, id: i64) -> Result<String, Fail> {
    Ok(markdown::issue(&issues::read(store, id)?, &comments::of(store, id, MAX_ROWS, 0)?))
}

/// Returns open issues, most urgent first: all of them, or those of one assignee.
pub(crate) fn open_issues(store: &Store<'_>, assignee: Option<&str>) -> Result<Vec<Value>, Fail> {
    let (brief, urgency) = (issues::BRIEF, issues::URGENCY);
    store.rows(
        &format!(
            "SELECT {brief} FROM issues i WHERE i.state = 'open' AND (?1 IS NULL OR i.assignee = ?1)
             ORDER BY {urgency}, i.id LIMIT ?2"
        ),
        [assignee.into(), MAX_ROWS.into()],
    )
}

/// Returns the events of the next `days` days, earliest first: all of them, or those of one attendee.
pub(crate) fn coming_events(store: &Store<'_>, days: i64, person: Option<&str>) -> Result<Vec<Value>, Fail> {
    let brief = calendar::BRIEF;
    store.rows(
        &format!(
            "SELECT {brief} FROM events e WHERE e.end_at > ?1 AND e.start_at < ?2
             AND (?3 IS NULL OR EXISTS (SELECT 1 FROM attendees a WHERE a.event = e.id AND a.person = ?3))
             ORDER BY e.start_at, e.id LIMIT ?4"
        ),
        [store.now_text(), store.now().plus(days * DAY)?.text().into(), person.into(), MAX_ROWS.into()],
    )
}
