//! E-mail addresses, also with an escaped or full-width at sign.

use std::ops::Range;

use crate::{
    pii::{network::IP6, settings::Settings},
    scan::{
        bytes::{at, before, end_of, start_of},
        finding::{Finding, ScanStep},
        kind::Kind,
    },
};

/// Maximum length of the local part and of the domain, in bytes.
const LOCAL: usize = 64;
const DOMAIN: usize = 255;

/// The `@` of full width and the small one.
const WIDE_SIGNS: [&[u8]; 2] = ["\u{ff20}".as_bytes(), "\u{fe6b}".as_bytes()];
/// The full stop of full width.
const WIDE_DOT: &[u8] = "\u{ff0e}".as_bytes();
/// Maximum number of times that a percent sign is escaped: `%252540` has two.
const ESCAPES: usize = 3;
/// Maximum number of zeros before the number of a character reference.
const ZEROS: usize = 8;

/// Finds the address around the `@` at a position.
pub(crate) fn scan_at(settings: &Settings, bytes: &[u8], floor: usize, place: usize) -> ScanStep {
    around(settings, bytes, floor, place..place + 1)
}

/// Finds the address around an `@` of another width at a position.
pub(crate) fn scan_wide_at(settings: &Settings, bytes: &[u8], floor: usize, place: usize) -> ScanStep {
    let rest = bytes.get(place..).unwrap_or_default();
    match WIDE_SIGNS.iter().find(|sign| rest.starts_with(sign)) {
        Some(sign) => around(settings, bytes, floor, place..place + sign.len()),
        None => ScanStep::SkipTo(place + 3),
    }
}

/// Finds the address around an `@` that is escaped, as `%40`, `&#64;` or `&#x40;`, from the first digit of the escape.
pub(crate) fn behind_escape(
    settings: &Settings,
    bytes: &[u8],
    floor: usize,
    digit: usize,
) -> Option<Finding> {
    let sign = escaped_sign(bytes, digit).filter(|sign| sign.start > floor)?;
    match around(settings, bytes, floor, sign) {
        ScanStep::Found(found) => Some(found),
        ScanStep::SkipTo(_) => None,
    }
}

/// Returns the range of the escaped `@` whose first digit is at a position.
fn escaped_sign(bytes: &[u8], digit: usize) -> Option<Range<usize>> {
    if before(bytes, digit, 1) == b'%' {
        let mut end = digit;
        while end < digit + 2 * ESCAPES && bytes.get(end..)?.starts_with(b"25") {
            end += 2;
        }
        return bytes.get(end..)?.starts_with(b"40").then_some(digit - 1..end + 2);
    }
    let (start, number) = match [before(bytes, digit, 1), before(bytes, digit, 2), before(bytes, digit, 3)] {
        [b'#', b'&', _] => (digit - 2, b"64"),
        [b'x' | b'X', b'#', b'&'] => (digit - 3, b"40"),
        _ => return None,
    };
    let end = end_of(bytes, digit, ZEROS, |byte| byte == b'0');
    let end = bytes.get(end..)?.starts_with(number).then_some(end + number.len())?;
    Some(start..end + usize::from(at(bytes, end) == b';'))
}

/// Finds the address around the sign in a range.
fn around(settings: &Settings, bytes: &[u8], floor: usize, sign: Range<usize>) -> ScanStep {
    let next = at(bytes, sign.end);
    let between = is_local(before(bytes, sign.start, 1)) && (is_domain(next) || next == b'[');
    let end = sign.end;
    let found = if between { find(settings, bytes, floor, sign) } else { None };
    found.map_or(ScanStep::SkipTo(end), ScanStep::Found)
}

fn find(settings: &Settings, bytes: &[u8], floor: usize, sign: Range<usize>) -> Option<Finding> {
    if !settings.wants(Kind::Email) {
        return None;
    }
    let place = sign.start;
    let mut start = start_of(bytes, floor, place, LOCAL, is_local);
    while start < place && matches!(at(bytes, start), b'.' | b'\'' | b'-') {
        start += 1;
    }
    // A character that the limit cuts belongs to the text before.
    while at(bytes, start) & 0xc0 == 0x80 {
        start += 1;
    }
    let end = if at(bytes, sign.end) == b'[' { literal(bytes, sign.end) } else { domain(bytes, sign.end) }?;
    let whole = start < place && before(bytes, place, 1) != b'.';
    whole.then_some(Finding { kind: Kind::Email, start, end })
}

/// Returns the end of an IP address in brackets: `[192.168.1.1]`, `[IPv6:2001:db8::1]`.
fn literal(bytes: &[u8], start: usize) -> Option<usize> {
    let tag = bytes.get(start + 1..start + 6).filter(|tag| tag.eq_ignore_ascii_case(b"ipv6:"));
    let first = start + 1 + tag.map_or(0, <[u8]>::len);
    let end = end_of(bytes, first, IP6, |byte| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':'));
    let signs =
        |sign: u8| bytes.get(first..end).unwrap_or_default().iter().filter(|byte| **byte == sign).count();
    let valid = if tag.is_some() { signs(b':') > 1 } else { signs(b'.') == 3 && signs(b':') == 0 };
    (valid && at(bytes, end) == b']').then_some(end + 1)
}

/// Returns the end of the domain that begins at a position: labels, the last of which consists of letters.
pub(crate) fn domain(bytes: &[u8], start: usize) -> Option<usize> {
    let mut end = end_of(bytes, start, DOMAIN, is_domain);
    while end > start && matches!(before(bytes, end, 1), b'.' | b'-') {
        end -= 1;
    }
    while at(bytes, end) & 0xc0 == 0x80 {
        end -= 1;
    }
    let name = bytes.get(start..end)?;
    let (others, last) = match name.iter().rposition(|byte| *byte == b'.') {
        Some(dot) => (name.get(..dot)?, name.get(dot + 1..)?),
        None => {
            let dot = name.windows(WIDE_DOT.len()).rposition(|sign| sign == WIDE_DOT)?;
            (name.get(..dot)?, name.get(dot + WIDE_DOT.len()..)?)
        }
    };
    let is_top = last.len() >= 2
        && (last.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80) || last.starts_with(b"xn--"));
    let mut others = others.split(|byte| *byte == b'.');
    (is_top && others.all(|label| !label.is_empty() && !label.starts_with(b"-"))).then_some(end)
}

/// Returns whether a local part may contain a byte. Some signs that the standard allows are excluded, because they are
/// more often part of Markdown, code or a query.
fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || b"._%+-'!#$&^~".contains(&byte)
}

fn is_domain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || byte == b'.' || byte == b'-'
}
