use crate::middleware::{
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

/// Finds the address around the `@` at a position.
pub(crate) fn scan_at(settings: &Settings, bytes: &[u8], floor: usize, place: usize) -> ScanStep {
    let next = at(bytes, place + 1);
    let between = is_local(before(bytes, place, 1)) && (is_domain(next) || next == b'[');
    let found = if between { find(settings, bytes, floor, place) } else { None };
    found.map_or(ScanStep::SkipTo(place + 1), ScanStep::Found)
}

fn find(settings: &Settings, bytes: &[u8], floor: usize, place: usize) -> Option<Finding> {
    if !settings.wants(Kind::Email) {
        return None;
    }
    let mut start = start_of(bytes, floor, place, LOCAL, is_local);
    while start < place && matches!(at(bytes, start), b'.' | b'\'' | b'-') {
        start += 1;
    }
    // A character that the limit cuts belongs to the text before.
    while at(bytes, start) & 0xc0 == 0x80 {
        start += 1;
    }
    let end =
        if at(bytes, place + 1) == b'[' { literal(bytes, place + 1) } else { domain(bytes, place + 1) }?;
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
    let mut labels = name.rsplit(|byte| *byte == b'.');
    let last = labels.next()?;
    let is_top = last.len() >= 2
        && (last.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80) || last.starts_with(b"xn--"));
    let mut others = labels.peekable();
    others.peek()?;
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
