//! Finds lone surrogates: escapes in JSON that are half of a pair, and therefore no character.

use std::borrow::Cow;

/// Length, in bytes, of an escape such as `\ud83d`.
const ESCAPE: usize = 6;
/// The escape of the replacement character U+FFFD.
const REPLACEMENT: &str = "\\ufffd";

/// Returns well-formed JSON with the escape of U+FFFD in place of each lone surrogate. Both have the same length, so
/// positions do not change.
pub(in crate::json) fn well_formed(source: &str) -> Cow<'_, str> {
    let (mut lone, mut at) = (Vec::new(), 0);
    while let Some(escape) = source.get(at..).and_then(|rest| rest.find('\\')).map(|place| at + place) {
        let first = surrogate(source, escape);
        let pair = first.filter(|first| *first < LOW).and(surrogate(source, escape + ESCAPE));
        at = match (first, pair) {
            (None, _) => escape + 2,
            (Some(_), Some(LOW..)) => escape + 2 * ESCAPE,
            _ => {
                lone.push(escape);
                escape + ESCAPE
            }
        };
    }
    if lone.is_empty() {
        return Cow::Borrowed(source);
    }
    let (mut out, mut done) = (String::with_capacity(source.len()), 0);
    for escape in lone {
        out.push_str(source.get(done..escape).unwrap_or_default());
        out.push_str(REPLACEMENT);
        done = escape + ESCAPE;
    }
    out.push_str(source.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// The first code unit that is the second half of a pair.
const LOW: u16 = 0xdc00;

/// Returns the surrogate whose escape is at this position.
fn surrogate(source: &str, at: usize) -> Option<u16> {
    let digits = source.get(at..at + ESCAPE)?.strip_prefix("\\u")?;
    u16::from_str_radix(digits, 16).ok().filter(|unit| (0xd800..0xe000).contains(unit))
}
