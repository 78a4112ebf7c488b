use std::borrow::Cow;

/// How many bytes at the start of `rest` stand for themselves in a JSON string.
#[inline]
pub(crate) fn plain(rest: &[u8]) -> usize {
    // Eight bytes at a time: the top bit of a byte of `found` says that the byte below is a quote, a
    // backslash or a control character. Borrows can only set bits above the lowest true one.
    const ONES: u64 = u64::MAX / 255;
    let (words, tail) = rest.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let bytes = u64::from_le_bytes(*word);
        let quote = bytes ^ (ONES * b'"' as u64);
        let backslash = bytes ^ (ONES * b'\\' as u64);
        let found = (bytes.wrapping_sub(ONES * 0x20) & !bytes)
            | (quote.wrapping_sub(ONES) & !quote)
            | (backslash.wrapping_sub(ONES) & !backslash);
        let found = found & (ONES << 7);
        if found != 0 {
            return at * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    rest.len() - tail.len() + tail.iter().position(special).unwrap_or(tail.len())
}

/// What the inside of a well-formed JSON string stands for. `None` for half of a surrogate pair, which is
/// no character.
pub(super) fn unescape(inner: &str) -> Option<Cow<'_, str>> {
    if plain(inner.as_bytes()) == inner.len() {
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
