//! Numbers that may be personal data, such as a card number that a server writes as a JSON number.

use std::borrow::Cow;

use mcp_sieve::json::{Object, Raw};

use super::text_function::TextVisitor;

/// Minimum number of digits of a whole number that is read as text. No built-in kind of personal data has fewer without
/// a word that announces it, and quantities and prices are shorter.
const MIN_DIGITS: usize = 8;
/// The end of the numbers whose digits are read if they are written with a point or an exponent.
const MAX_WRITTEN: f64 = 1e21;

/// Visits the digits of a whole number of [`MIN_DIGITS`] or more, behind the key of its member: no other word could
/// announce it. Returns a string in place of the number if its digits were replaced, since no number can hold a
/// placeholder.
pub(super) fn visit_number(key: &str, raw: Raw<'_>, visit: TextVisitor<'_>) -> Option<String> {
    let (sign, source) = raw.get().strip_prefix('-').map_or(("", raw.get()), |source| ("-", source));
    let (digits, label) = (whole(source)?, if key.is_empty() { String::new() } else { format!("{key}: ") });
    let new = visit(&[&*label, &*digits].concat())?;
    let new = new.strip_prefix(&label).unwrap_or(&new);
    let mut out = Vec::new();
    Object::push_text(&mut out, &[sign, new].concat());
    String::from_utf8(out).ok()
}

/// Returns the digits of a whole number, also of one that is written as `4.111111111111111e15`.
fn whole(source: &str) -> Option<Cow<'_, str>> {
    if source.len() < MIN_DIGITS && !source.contains(['e', 'E']) {
        return None;
    }
    if source.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Cow::Borrowed(source));
    }
    let value: f64 = source.parse().ok()?;
    let digits = (value.fract() == 0.0 && value < MAX_WRITTEN).then(|| format!("{value:.0}"))?;
    (digits.len() >= MIN_DIGITS).then_some(Cow::Owned(digits))
}
