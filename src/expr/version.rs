use std::cmp::Ordering;

/// The order of two versions by semantic versioning, `None` where one is not a version. A leading `v` is
/// left out, any number of numeric parts is taken, and missing ones are zero: `2` is `2.0.0`.
pub(super) fn compare(have: &str, want: &str) -> Option<Ordering> {
    let ((have, early), (want, other)) = (split(have)?, split(want)?);
    let count = have.split('.').count().max(want.split('.').count());
    let parts = |core| str::split(core, '.').chain(std::iter::repeat("0")).take(count);
    let order = parts(have).map(magnitude).cmp(parts(want).map(magnitude));
    Some(order.then_with(|| match (early, other) {
        // Before the release comes what leads up to it.
        (Some(early), Some(other)) => early.split('.').map(Label::of).cmp(other.split('.').map(Label::of)),
        (early, other) => early.is_none().cmp(&other.is_none()),
    }))
}

/// Whether `text` is a version.
pub(super) fn is_version(text: &str) -> bool {
    split(text).is_some()
}

/// The numeric parts and the pre-release; what was built from is no part of the order.
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

/// The key by which digits are in order as a number, however many there are.
fn magnitude(digits: &str) -> (usize, &str) {
    let digits = digits.trim_start_matches('0');
    (digits.len(), digits)
}

/// A part of a pre-release: numbers come before words.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Label<'a> {
    Number((usize, &'a str)),
    Word(&'a str),
}

impl<'a> Label<'a> {
    fn of(text: &'a str) -> Self {
        if is_number(text) { Self::Number(magnitude(text)) } else { Self::Word(text) }
    }
}
