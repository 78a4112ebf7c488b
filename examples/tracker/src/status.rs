//! The tools about the tracker itself: its clock, its size and its reset.

use serde_json::json;

use super::{args::Args, error::Fail, limits, schema, store::Store, tools::Reply};

/// Handles `server_time`.
pub(crate) fn server_time(store: &Store<'_>, args: &Args) -> Result<Reply, Fail> {
    let minutes = args.integer("utc_offset_minutes")?;
    let local = store.now().at_offset(minutes);
    let (now, weekday) = local.ok_or_else(|| Fail::Fault("the clock is out of range".into()))?;
    let unix = store.now().unix();
    Ok(Reply::Data(
        json!({ "now": now, "unix_seconds": unix, "weekday": weekday, "utc_offset_minutes": minutes }),
    ))
}

/// Handles `tracker_status`.
pub(crate) fn tracker_status(store: &Store<'_>, _: &Args) -> Result<Reply, Fail> {
    let stored = store.row(
        "SELECT json_object(
           'issues', (SELECT count(*) FROM issues), 'comments', (SELECT count(*) FROM comments),
           'labels', (SELECT count(*) FROM labels), 'pull_requests', (SELECT count(*) FROM pulls),
           'reviews', (SELECT count(*) FROM reviews), 'notes', (SELECT count(*) FROM notes),
           'events', (SELECT count(*) FROM events), 'places', (SELECT count(*) FROM places))",
        [],
    )?;
    Ok(Reply::Data(json!({
        "stored": stored,
        "limits": limits::all(),
        "open_issues": store.number("SELECT count(*) FROM issues WHERE state = 'open'", [])?,
        "open_pull_requests": store.number("SELECT count(*) FROM pulls WHERE state = 'open'", [])?,
        "database_bytes": store.size(),
    })))
}

/// Handles `reset_tracker`. The schema requires `confirm: true`, so no further check is needed here.
pub(crate) fn reset_tracker(store: &Store<'_>, _: &Args) -> Result<Reply, Fail> {
    schema::fill(store)?;
    Ok(Reply::Said("The tracker holds the sample data again, and nothing else.".into()))
}
