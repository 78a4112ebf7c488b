//! Text that the `data:` URLs in a string encode, as Base64 or with percent signs (RFC 2397).

use mcp_sieve_redact::decode_base64;

use super::{base64, text_function::TextVisitor};

/// Maximum depth of `data:` URLs in the text of others.
pub(super) const DEPTH: usize = 2;
/// Maximum length, in bytes, of the media type and parameters of a URL.
const HEAD: usize = 256;

const SCHEME: &str = "data";
/// The media type of a URL that states none.
const DEFAULT_MEDIA: &str = "text/plain";

/// A `data:` URL in a text.
#[derive(Debug)]
struct DataUrl<'t> {
    /// The position of the payload in the text.
    start: usize,
    payload: &'t str,
    media: String,
    is_base64: bool,
}

/// Visits a text: the texts of the `data:` URLs in it first, and then the whole, with what replaces them.
pub(super) fn visit_text(text: &str, visit: TextVisitor<'_>, depth: usize) -> Option<String> {
    let rewritten = if depth == 0 { None } else { visit_urls(text, visit, depth - 1) };
    visit(rewritten.as_deref().unwrap_or(text)).or(rewritten)
}

fn visit_urls(text: &str, visit: TextVisitor<'_>, depth: usize) -> Option<String> {
    let (mut out, mut done, mut from) = (String::new(), 0, 0);
    // No percent sign stands between `from` and this position.
    let mut plain = 0;
    while let Some(colon) = text.get(from..).and_then(|rest| rest.find(':')).map(|colon| from + colon) {
        from = colon + 1;
        let Some(url) = DataUrl::read(text, colon, plain) else { continue };
        let end = url.start + url.payload.len();
        if !url.is_base64 && !url.payload.contains('%') {
            // The text itself is all that the URL holds, and another URL may begin in it.
            plain = plain.max(end);
            continue;
        }
        from = end;
        if let Some(payload) = url.rewrite(&mut |inner| visit_text(inner, &mut *visit, depth)) {
            out.push_str(text.get(done..url.start).unwrap_or_default());
            out.push_str(&payload);
            done = end;
        }
    }
    (done > 0).then(|| out + text.get(done..).unwrap_or_default())
}

impl<'t> DataUrl<'t> {
    /// Reads the URL whose scheme ends at a colon. A payload of plain text that begins before `plain` is not read,
    /// since it has no percent sign.
    fn read(text: &'t str, colon: usize, plain: usize) -> Option<Self> {
        let scheme = text.get(colon.checked_sub(SCHEME.len())?..colon)?;
        let before = text.as_bytes().get(..colon - SCHEME.len()).and_then(<[u8]>::last);
        if !scheme.eq_ignore_ascii_case(SCHEME) || before.is_some_and(u8::is_ascii_alphanumeric) {
            return None;
        }
        let rest = text.get(colon + 1..)?;
        let length = rest.bytes().take(HEAD).position(|byte| !is_head(byte))?;
        let (head, payload) = rest.split_at_checked(length)?;
        let payload = payload.strip_prefix(',')?;
        let start = colon + 1 + length + 1;
        let (media, parameters) = head.split_once(';').unwrap_or((head, ""));
        let last = parameters.rsplit(';').next().unwrap_or_default().trim();
        let is_base64 = last.eq_ignore_ascii_case("base64");
        if !is_base64 && start < plain {
            return None;
        }
        let end = payload.find(if is_base64 { is_beyond_base64 } else { is_beyond_url });
        let payload = payload.get(..end.unwrap_or(payload.len()))?;
        let media = media.trim().to_ascii_lowercase();
        let media = if media.is_empty() { DEFAULT_MEDIA.to_owned() } else { media };
        Some(Self { start, payload, media, is_base64 })
    }

    /// Visits the text that the payload encodes. Returns the new payload, encoded in the same way, if the text was
    /// replaced.
    fn rewrite(&self, visit: TextVisitor<'_>) -> Option<String> {
        let bytes = percent_decoded(self.payload);
        if !self.is_base64 {
            return base64::rewrite(bytes, &self.media, visit).map(|bytes| percent_encoded(&bytes));
        }
        let bytes = decode_base64(std::str::from_utf8(&bytes).ok()?)?;
        base64::rewrite(bytes, &self.media, visit).map(|bytes| base64::encode(&bytes))
    }
}

/// Returns whether the media type and parameters of a URL may contain a byte.
fn is_head(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$&^_.+-/;=%\"'* ".contains(&byte)
}

/// Returns whether a Base64 payload ends at a character. Percent signs escape some of its characters.
fn is_beyond_base64(letter: char) -> bool {
    !(letter.is_ascii_alphanumeric() || "+-/_=%".contains(letter))
}

/// Returns whether a URL ends at a character.
fn is_beyond_url(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control() || "\"<>`\\^|{}".contains(letter)
}

/// Decodes percent signs. One that no two hexadecimal digits follow stays.
fn percent_decoded(text: &str) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [first, after @ ..] = rest {
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        match (first, digit(0).zip(digit(1))) {
            (b'%', Some((high, low))) => {
                out.push((high << 4 | low) as u8);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

/// Encodes with a percent sign each byte that a URL does not contain as such.
fn percent_encoded(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(byte) {
            out.push(char::from(*byte));
        } else {
            out.push('%');
            out.extend(
                [byte >> 4, byte & 15]
                    .map(|digit| char::from_digit(digit.into(), 16).unwrap_or_default().to_ascii_uppercase()),
            );
        }
    }
    out
}
