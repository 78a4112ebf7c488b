//! Compares field values as numbers, times or versions.

use std::cmp::Ordering;

use super::{
    field::{Field, Measure},
    version,
};
use crate::{json::Number, time::parse_rfc3339};

/// Compares the value `have` with the value `want` of a term. Returns `None` if they have no order: see the
/// [semantics](super).
pub(super) fn compare(field: &Field, have: &str, want: &str) -> Option<Ordering> {
    match measure(field, want)? {
        Measure::Number => Some(number(have)?.cmp(&number(want)?)),
        Measure::Moment => Some(parse_rfc3339(have)?.cmp(&parse_rfc3339(want)?)),
        Measure::Version => version::compare(have, want),
    }
}

/// Returns whether `have` is another spelling of `want`.
pub(super) fn alike(field: &Field, have: &str, want: &str) -> bool {
    field.measure().is_some() && compare(field, have, want) == Some(Ordering::Equal)
}

/// Returns the type of values that have an order for this field, if `want` has another type.
pub(super) fn expected(field: &Field, want: &str) -> Option<&'static str> {
    if measure(field, want).is_some() {
        return None;
    }
    Some(match field.measure() {
        Some(Measure::Number) => "a number",
        Some(Measure::Moment) => "a date or a time with its offset",
        Some(Measure::Version) => "a version",
        None => "a number, a date, a time with its offset or a version",
    })
}

/// Returns the type of `want`, if it has an order for this field.
fn measure(field: &Field, want: &str) -> Option<Measure> {
    let is = |measure: &Measure| match measure {
        Measure::Number => number(want).is_some(),
        Measure::Moment => parse_rfc3339(want).is_some(),
        Measure::Version => version::is_version(want),
    };
    match field.measure() {
        Some(own) => Some(own).filter(is),
        None => [Measure::Number, Measure::Moment, Measure::Version].into_iter().find(is),
    }
}

fn number(text: &str) -> Option<Number> {
    text.parse().ok()
}
