//! Compares version numbers by semantic versioning.

use std::cmp::Ordering;

/// Compares two versions by semantic versioning. Returns `None` if one is not a version. A leading `v` is ignored, any
/// number of numeric parts is accepted, and missing parts are zero: `2` is `2.0.0`.
pub(super) fn compare(have: &str, want: &str) -> Option<Ordering> {
    let ((have, early), (want, other)) = (split(have)?, split(want)?);
    let (mut have, mut want) = (have.split('.'), want.split('.'));
    loop {
        let order = match (have.next(), want.next()) {
            (None, None) => break,
            (have, want) => rank(have.unwrap_or("0")).cmp(&rank(want.unwrap_or("0"))),
        };
        if order.is_ne() {
            return Some(order);
        }
    }
    Some(match (early, other) {
        // A pre-release comes before its release.
        (Some(early), Some(other)) => early.split('.').map(rank).cmp(other.split('.').map(rank)),
        (early, other) => early.is_none().cmp(&other.is_none()),
    })
}

/// Returns whether `text` is a version.
pub(super) fn is_version(text: &str) -> bool {
    split(text).is_some()
}

/// Splits a version into its numeric parts and its pre-release. Build metadata does not affect the order.
fn split(text: &str) -> Option<(&str, Option<&str>)> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let (core, early) = text.split_once('-').map_or((text, None), |(core, early)| (core, Some(early)));
    let labels = |list: &str| {
        let label = |label: &str| {
            !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        list.split('.').all(label)
    };
    let sound = core.split('.').all(is_number) && early.is_none_or(labels) && build.is_none_or(labels);
    sound.then_some((core, early))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the sort key of a part: numbers come before words, and are ordered by value for any number of digits.
fn rank(part: &str) -> (bool, usize, &str) {
    if !is_number(part) {
        return (true, 0, part);
    }
    let digits = part.trim_start_matches('0');
    (false, digits.len(), digits)
}
