//! How much the tracker keeps. Every table is bounded, so a store that every caller may write to cannot grow
//! without end; how long one text may be stands in the tools' schemas.

use serde_json::{Value, json};

use super::{error::Fail, store::Store};

/// Most issues.
pub(crate) const MAX_ISSUES: i64 = 2_000;
/// Most comments, over all issues.
pub(crate) const MAX_COMMENTS: i64 = 5_000;
/// Most labels.
pub(crate) const MAX_LABELS: i64 = 100;
/// Most labels on one issue.
pub(crate) const MAX_LABELS_PER_ISSUE: i64 = 20;
/// Most pull requests.
pub(crate) const MAX_PULLS: i64 = 500;
/// Most reviews, over all pull requests.
pub(crate) const MAX_REVIEWS: i64 = 2_000;
/// Most notes.
pub(crate) const MAX_NOTES: i64 = 1_000;
/// Most events.
pub(crate) const MAX_EVENTS: i64 = 1_000;
/// Most places.
pub(crate) const MAX_PLACES: i64 = 500;

/// The bounds by kind, as `tracker_status` and the resource `tracker://limits` give them.
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

/// Refuses one more row when `count`, a counting query, has reached `most`.
pub(crate) fn room(store: &Store<'_>, count: &str, most: i64, kind: &str) -> Result<(), Fail> {
    if store.number(count, [])? < most {
        return Ok(());
    }
    Err(Fail::refused(format!("the tracker holds {most} {kind} already, and no more fit; delete some first")))
}
