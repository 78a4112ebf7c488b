mod lane;
mod same;

use std::borrow::Cow;

pub(crate) use same::same_text;

/// Returns the number of bytes at the start of `rest` that need no escape in a JSON string.
pub(crate) fn plain(rest: &[u8]) -> usize {
    let (lanes, tail) = rest.as_chunks();
    for (at, lane) in lanes.iter().enumerate() {
        let length = lane::plain(lane);
        if length < lane::LENGTH {
            return at * lane::LENGTH + length;
        }
    }
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    rest.len() - tail.len() + tail.iter().position(special).unwrap_or(tail.len())
}

/// Returns the same number as [`plain`], but faster for short texts.
#[inline(always)]
pub(super) fn plain_start(rest: &[u8]) -> usize {
    match rest.first_chunk().map(lane::plain) {
        Some(length) if length < lane::LENGTH => length,
        _ => plain(rest),
    }
}

/// Returns the text of a well-formed JSON string without its quotes. Returns `None` for an unpaired surrogate, which is
/// not a character.
pub(super) fn unescape(inner: &str) -> Option<Cow<'_, str>> {
    if plain_start(inner.as_bytes()) == inner.len() {
        return Some(Cow::Borrowed(inner));
    }
    let (before, mut rest) = inner.split_once('\\')?;
    let mut text = String::with_capacity(inner.len());
    text.push_str(before);
    loop {
        let mut chars = rest.chars();
        text.push(match chars.next()? {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let (first, behind) = code_unit(chars.as_str())?;
                chars = behind.chars();
                if (0xd800..0xdc00).contains(&first) {
                    let (second, behind) = code_unit(behind.strip_prefix("\\u")?)?;
                    chars = behind.chars();
                    char::decode_utf16([first, second]).next()?.ok()?
                } else {
                    char::from_u32(first.into())?
                }
            }
            itself => itself,
        });
        rest = chars.as_str();
        let Some((plain, behind)) = rest.split_once('\\') else {
            text.push_str(rest);
            return Some(Cow::Owned(text));
        };
        text.push_str(plain);
        rest = behind;
    }
}

fn code_unit(digits: &str) -> Option<(u16, &str)> {
    let (digits, behind) = digits.split_at_checked(4)?;
    Some((u16::from_str_radix(digits, 16).ok()?, behind))
}
