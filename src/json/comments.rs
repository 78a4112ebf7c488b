//! Converts JSONC to JSON: comments and trailing commas become spaces.

use crate::error::{Error, ErrorKind};
use crate::json::Raw;

impl Raw<'_> {
    /// Converts JSONC to JSON. Comments and trailing commas become spaces, so byte positions do not change.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] with the start of a comment that does not end.
    pub fn strip_comments(source: &str) -> Result<String, Error> {
        let mut bytes = source.as_bytes().to_vec();
        // The last byte that is neither space nor comment, and a comma that is trailing if a bracket closes next.
        let (mut last, mut comma) = (b'[', None);
        let mut at = 0;
        while let Some(rest) = source.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
            let comment = comment_length(rest).ok_or_else(|| {
                Error::new(ErrorKind::Json, "not JSON: unterminated comment block").at_byte(at)
            })?;
            blank(&mut bytes, at, comment);
            at += comment.max(1);
            let Some(byte) = rest.first().filter(|byte| comment == 0 && !byte.is_ascii_whitespace()) else {
                continue;
            };
            match byte {
                b'"' => at += string_length(rest) - 1,
                b',' if !matches!(last, b'[' | b'{' | b',' | b':') => comma = Some(at - 1),
                b']' | b'}' => comma.take().into_iter().for_each(|comma| blank(&mut bytes, comma, 1)),
                _ => {}
            }
            if *byte != b',' {
                comma = None;
            }
            last = *byte;
        }
        // Whole characters were replaced by ASCII, so the result is still UTF-8.
        String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::Json, "not UTF-8"))
    }
}

/// Returns the length of the comment at the start of `rest`: 0 for none, `None` for one that does not end.
fn comment_length(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'/', b'/', ..] => Some(rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())),
        [b'/', b'*', inner @ ..] => Some(inner.windows(2).position(|pair| pair == b"*/")? + 4),
        _ => Some(0),
    }
}

/// Returns the length of the string at the start of `rest`, or of all of `rest` if the string does not end.
fn string_length(rest: &[u8]) -> usize {
    // The opening quote does not end the string.
    let mut escaped = true;
    let end = rest.iter().position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    end.map_or(rest.len(), |end| end + 1)
}

fn blank(bytes: &mut [u8], at: usize, length: usize) {
    bytes.iter_mut().skip(at).take(length).for_each(|byte| *byte = b' ');
}
