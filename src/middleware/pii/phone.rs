use super::{
    Finding, Kind,
    bytes::{at, before},
    number::glued_behind,
    scanner::Scanner,
};

/// Fewest and most digits of an international number (E.164).
const FEWEST: usize = 8;
const MOST: usize = 15;

/// A number that begins with `+` and a country, or with `00`.
pub(super) fn international(scanner: &Scanner, bytes: &[u8], floor: usize, token: usize) -> Option<Finding> {
    let plus = before(bytes, token, 1) == b'+' && token > floor;
    let zeros = at(bytes, token) == b'0' && at(bytes, token + 1) == b'0';
    let apart = |place: usize| !before(bytes, place, 1).is_ascii_alphanumeric();
    let start = if plus && apart(token - 1) {
        token - 1
    } else if zeros && apart(token) && before(bytes, token, 1) != b'.' {
        token
    } else {
        return None;
    };
    let first = if plus { token } else { token + 2 };
    if !matches!(at(bytes, first), b'1'..=b'9') {
        return None;
    }
    let (mut place, mut end, mut digits, mut groups) = (first, first, 0, 0);
    loop {
        match at(bytes, place) {
            b'0'..=b'9' => {
                groups += usize::from(end != place);
                digits += 1;
                place += 1;
                end = place;
            }
            // At most two signs in a row: `) `, ` (`.
            b' ' | b'-' | b'.' | b'/' | b'(' | b')' if place < end + 2 => place += 1,
            _ => break,
        }
        if digits > MOST {
            return None;
        }
    }
    let close = at(bytes, end) == b')' && bytes.get(start..end).is_some_and(|number| number.contains(&b'('));
    let end = end + usize::from(close);
    let enough = digits >= FEWEST && (plus || groups > 0 && digits > 9);
    if !enough || glued_behind(bytes, end) {
        return None;
    }
    let philippine = digits == 12 && bytes.get(first..end).is_some_and(|number| number.starts_with(b"63"));
    let kind = if scanner.wants(Kind::Phone) { Kind::Phone } else { Kind::PhMobile };
    (kind == Kind::Phone || scanner.wants(kind) && philippine).then_some(Finding { kind, start, end })
}
