//! The capacity of the tracker. Every table has a limit, so a store that every caller may write to cannot grow without
//! end. The tools' schemas limit the length of texts.

use serde_json::{Value, json};

use super::{error::Fail, store::Store};

/// Maximum number of issues.
pub(crate) const MAX_ISSUES: i64 = 2_000;
/// Maximum number of comments, over all issues.
pub(crate) const MAX_COMMENTS: i64 = 5_000;
/// Maximum number of labels.
pub(crate) const MAX_LABELS: i64 = 100;
/// Maximum number of labels on one issue.
pub(crate) const MAX_LABELS_PER_ISSUE: i64 = 20;
/// Maximum number of pull requests.
pub(crate) const MAX_PULLS: i64 = 500;
/// Maximum number of reviews, over all pull requests.
pub(crate) const MAX_REVIEWS: i64 = 2_000;
/// Maximum number of notes.
pub(crate) const MAX_NOTES: i64 = 1_000;
/// Maximum number of events.
pub(crate) const MAX_EVENTS: i64 = 1_000;
/// Maximum number of places.
pub(crate) const MAX_PLACES: i64 = 500;

/// Returns the limits by kind, as `tracker_status` and the resource `tracker://limits` report them.
pub(crate) fn all() -> Value {
    json!({
        "issues": MAX_ISSUES,
        "comments": MAX_COMMENTS,
        "labels": MAX_LABELS,
        "labels_per_issue": MAX_LABELS_PER_ISSUE,
        "pull_requests": MAX_PULLS,
        "reviews": MAX_REVIEWS,
        "notes": MAX_NOTES,
        "events": MAX_EVENTS,
        "places": MAX_PLACES,
    })
}

/// Rejects another row if `count`, a counting query, has reached `most`.
pub(crate) fn room(store: &Store<'_>, count: &str, most: i64, kind: &str) -> Result<(), Fail> {
    if store.number(count, [])? < most {
        return Ok(());
    }
    Err(Fail::refused(format!("the tracker holds {most} {kind} already, and no more fit; delete some first")))
}
