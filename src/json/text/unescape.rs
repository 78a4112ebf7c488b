//! Decodes the escapes of JSON strings.

use std::borrow::Cow;

use super::plain::plain_start;

/// Returns the text of a well-formed JSON string without its quotes. Returns `None` for an unpaired surrogate, which is
/// not a character.
pub(in crate::json) fn unescape(inner: &str) -> Option<Cow<'_, str>> {
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
