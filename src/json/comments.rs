use crate::error::{Error, ErrorKind};

/// JSON out of JSONC: comments and trailing commas become spaces, so that every byte stays where it was.
///
/// # Errors
/// [`ErrorKind::Json`] with the byte where a comment begins that does not end.
pub fn without_comments(source: &str) -> Result<String, Error> {
    let mut bytes = source.as_bytes().to_vec();
    // The last byte that is neither space nor comment, and a comma that trails if a bracket closes next.
    let (mut last, mut comma) = (b'[', None);
    let mut at = 0;
    while let Some(rest) = source.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
        let comment = comment_length(rest)
            .ok_or_else(|| Error::new(ErrorKind::Json, "not JSON: unterminated comment block").at_byte(at))?;
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
    // Whole characters gave way to ASCII: it is still UTF-8.
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::Json, "not UTF-8"))
}

/// The length of the comment at the start of `rest`: 0 for none, `None` for one that does not end.
fn comment_length(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'/', b'/', ..] => Some(rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())),
        [b'/', b'*', inner @ ..] => Some(inner.windows(2).position(|pair| pair == b"*/")? + 4),
        _ => Some(0),
    }
}

/// The length of the string at the start of `rest`, or of all of it when nothing ends it.
fn string_length(rest: &[u8]) -> usize {
    // The quote that opens it does not end it.
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
