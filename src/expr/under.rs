//! The operator `under`: whether a path or URL lies at or below another, by every reading of its text.
//!
//! Servers decode escapes, turn backslashes, and resolve dots and repeated slashes in any order. A text that climbs by
//! one of these readings lies nowhere, even if it would end below the prefix: a link may stand in between.
//!
//! It does not use the readings of resource URIs, because pages load this module and should not load a parser of URLs.

/// Number of times that escapes are decoded, as for resource URIs.
const DECODINGS: usize = 3;
/// Upper bound of the number of steps for each byte of a text.
pub(super) const STEPS: usize = 16 * (DECODINGS + 1);

/// Returns whether `text` is `prefix` or lies below it, on the boundary of a segment.
pub(super) fn is_under(text: &str, prefix: &str) -> bool {
    let mut reading = text.to_owned();
    for _ in 0..=DECODINGS {
        if !lies_under(&reading, prefix) {
            return false;
        }
        match decode(&reading) {
            Some(decoded) if decoded == reading => return true,
            Some(decoded) => reading = decoded,
            None => return false,
        }
    }
    // It is escaped more often than any program decodes it.
    false
}

/// Judges one reading. With a prefix that has backslashes, both separators are the same.
fn lies_under(text: &str, prefix: &str) -> bool {
    if text.chars().any(is_unsafe) || text.trim() != text {
        return false;
    }
    let (turned, turned_prefix) = (text.replace('\\', "/"), prefix.replace('\\', "/"));
    let is_windows = turned_prefix != prefix;
    (is_windows || begins(text, prefix)) && begins(&turned, &turned_prefix) && !turned.split('/').any(climbs)
}

/// Returns whether the text begins with the prefix, which ends at a slash or at the end of the text.
fn begins(text: &str, prefix: &str) -> bool {
    let prefix = prefix.strip_suffix('/').filter(|short| !short.ends_with(['/', ':'])).unwrap_or(prefix);
    let Some(rest) = text.strip_prefix(prefix).filter(|_| !text.is_empty()) else { return false };
    rest.is_empty() || rest.starts_with('/') || (prefix.ends_with('/') && !rest.starts_with('/'))
}

/// Returns whether a program may take the segment for `..`: it may ignore parameters, a query, and what Windows drops.
fn climbs(segment: &str) -> bool {
    let name = segment.split([';', '?', '#']).next().unwrap_or_default();
    let dots = name.bytes().filter(|byte| *byte == b'.').count();
    dots > 1 && name.chars().all(|c| c == '.' || c.is_whitespace())
}

/// Returns whether the character ends, hides or replaces a part of a path: control characters, those of invalid text,
/// and other spellings of dots and slashes, which compatibility normalization replaces.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{fffd}' | '\u{2024}'..='\u{2026}' | '\u{fe52}' | '\u{fe68}' | '\u{ff05}' | '\u{ff0e}' | '\u{ff0f}'
                | '\u{ff3c}' | '\u{2044}' | '\u{2215}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}'
        )
}

/// Decodes all percent-escapes once. Returns `None` for escapes that some programs decode and others do not.
fn decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digit = |byte: &u8| char::from(*byte).to_digit(16);
        match rest {
            [b'%', b'u' | b'U', ..] => return None,
            [b'%', high, low, after @ ..] if let (Some(high), Some(low)) = (digit(high), digit(low)) => {
                out.push(u8::try_from(high * 16 + low).ok()?);
                rest = after;
            }
            _ => {
                out.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(out).ok()
}
