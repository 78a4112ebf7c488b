//! Placeholders that models rewrote: escaped for Markdown, without brackets, in other brackets, or several in one pair.

use crate::scan::{
    bytes::{at, before, end_of},
    placeholder::{MAX_NAME, PlaceholderIndex},
};

/// Maximum length, in bytes, of the content of one pair of brackets.
const MAX_LIST: usize = 8 * MAX_NAME;
/// The opening and closing brackets that models write.
const BRACKETS: [(&[u8], &[u8]); 3] = [
    (b"[", b"]"),
    ("\u{3010}".as_bytes(), "\u{3011}".as_bytes()),
    ("\u{ff3b}".as_bytes(), "\u{ff3d}".as_bytes()),
];

/// A part of a text that is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub start: usize,
    pub end: usize,
    /// The position of the name in the index, or `None` for a bracket that is removed.
    pub place: Option<usize>,
}

/// Finds the first placeholder at `from` or later that is in `names`. Stores its parts in `pieces`, in order; none if
/// there is no further placeholder.
pub(crate) fn find(bytes: &[u8], from: usize, names: &PlaceholderIndex, pieces: &mut Vec<Piece>) {
    pieces.clear();
    let mut start = from;
    while start < bytes.len() {
        match at(bytes, start) {
            b'[' | 0xe3 | 0xef => {
                bracketed(bytes, start, names, pieces);
                if !pieces.is_empty() {
                    return;
                }
                start += 1;
            }
            byte if byte.is_ascii_alphanumeric() => {
                let end = word_end(bytes, start);
                let bare = bytes.get(start..end).filter(|word| is_generated_form(word));
                let whole = !follows_letter(bytes, start) && !is_two_byte_letter(at(bytes, end));
                if let Some(place) = bare.filter(|_| whole).and_then(|word| names.get(word)) {
                    pieces.push(Piece { start, end, place: Some(place) });
                    return;
                }
                start = end;
            }
            _ => start += 1,
        }
    }
}

/// Returns the position from which the end of a text may still become a placeholder, or a different one.
pub(crate) fn open_end(bytes: &[u8]) -> usize {
    let signs = bytes.iter().rev().take(MAX_NAME + 1).take_while(|byte| is_word(**byte)).count();
    let mut word = bytes.len() - signs;
    if is_two_byte_letter(before(bytes, word, 2)) {
        word -= 2;
    }
    let nearest = bytes.len().saturating_sub(MAX_LIST + 3);
    let open = |place: &usize| {
        opening(bytes, *place).is_some_and(|(inner, close)| close_of(bytes, inner, close).is_none())
            || is_cut_bracket(bytes.get(*place..).unwrap_or_default())
    };
    escape_start(bytes, (nearest..word).find(open).unwrap_or(word))
}

/// Returns the position of the backslash before a bracket at a position, or the position itself if there is none.
fn escape_start(bytes: &[u8], place: usize) -> usize {
    let escaped = at(bytes, place) == b'[' && before(bytes, place, 1) == b'\\';
    place - usize::from(escaped)
}

/// Returns whether a text is an incomplete opening bracket.
fn is_cut_bracket(rest: &[u8]) -> bool {
    !rest.is_empty() && BRACKETS.iter().any(|(open, _)| rest.len() < open.len() && open.starts_with(rest))
}

/// Returns the position after the opening bracket at a position, and the bracket that closes it.
fn opening(bytes: &[u8], place: usize) -> Option<(usize, &'static [u8])> {
    let rest = bytes.get(place..)?;
    BRACKETS.iter().find(|(open, _)| rest.starts_with(open)).map(|(open, close)| (place + open.len(), *close))
}

/// Returns the position of the closing bracket for a content that begins at `inner`; `None` if other characters precede
/// it.
fn close_of(bytes: &[u8], inner: usize, close: &[u8]) -> Option<usize> {
    let end = end_of(bytes, inner, MAX_LIST, is_inner);
    bytes.get(end..)?.starts_with(close).then_some(end)
}

/// Finds the names in brackets that open at a position: one, or several with separators. All names must be known.
fn bracketed(bytes: &[u8], start: usize, names: &PlaceholderIndex, pieces: &mut Vec<Piece>) {
    let Some((inner, close)) = opening(bytes, start) else { return };
    let Some(end) = close_of(bytes, inner, close) else { return };
    // The backslashes in the brackets are signs of names. The one before them is only an escape if there are others:
    // it may be that of a path.
    let escaped = bytes.get(inner..end).is_some_and(|content| content.contains(&b'\\'));
    let start = if escaped { escape_start(bytes, start) } else { start };
    pieces.push(Piece { start, end: inner, place: None });
    let mut from = inner;
    loop {
        let to = end_of(bytes, from, end - from, |byte| !is_separator(byte));
        let item = trimmed(bytes, from, to);
        let name = item.and_then(|(from, to)| bytes.get(from..to)).filter(|name| name.len() <= MAX_NAME);
        match (item, name.and_then(|name| names.get(name))) {
            (Some((start, end)), Some(place)) => pieces.push(Piece { start, end, place: Some(place) }),
            _ => return pieces.clear(),
        }
        if to >= end {
            break;
        }
        from = to + 1;
    }
    pieces.push(Piece { start: end, end: end + close.len(), place: None });
    // The blanks beside a single name are removed with its brackets.
    if let [open, only, last] = pieces.as_slice() {
        let whole = Piece { start: open.start, end: last.end, place: only.place };
        pieces.clear();
        pieces.push(whole);
    }
}

/// Returns a range without the blanks at its ends; `None` if it has only blanks.
fn trimmed(bytes: &[u8], from: usize, to: usize) -> Option<(usize, usize)> {
    let inner = bytes.get(from..to)?;
    let blank = |byte: &&u8| **byte == b' ';
    let start = from + inner.iter().take_while(blank).count();
    let end = to - inner.iter().rev().take_while(blank).count();
    (start < end).then_some((start, end))
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b'&')
}

/// Returns whether brackets may contain a byte: those of names, separators and Markdown signs.
fn is_inner(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || is_separator(byte)
        || matches!(byte, b'_' | b'-' | b' ' | b'.' | b':' | b'/' | b'#' | b'\\' | b'*' | b'`')
}

/// Returns whether a name without brackets may contain a byte.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'\\')
}

/// Returns whether a letter beyond ASCII begins with this byte. Such a letter beside a name makes it another word.
/// Signs, and characters of languages that are written without spaces, have three bytes and do not.
fn is_two_byte_letter(byte: u8) -> bool {
    (0xc3..=0xdf).contains(&byte)
}

/// Returns whether a two-byte letter or a byte of a word precedes a position.
fn follows_letter(bytes: &[u8], place: usize) -> bool {
    is_word(before(bytes, place, 1)) || is_two_byte_letter(before(bytes, place, 2))
}

/// Returns the end of the word that begins at a position. Backslashes at its end belong to the text.
fn word_end(bytes: &[u8], start: usize) -> usize {
    let mut end = end_of(bytes, start, usize::MAX, is_word);
    while end > start && before(bytes, end, 1) == b'\\' {
        end -= 1;
    }
    end
}

/// Returns whether a word has the form of a generated name: capitals, an underscore and a number. Other spellings are
/// only recognized in brackets: without them, `Person 1` may be part of a sentence.
fn is_generated_form(word: &[u8]) -> bool {
    let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let kind = word.get(..word.len() - digits).unwrap_or_default();
    let capitals =
        |byte: &u8| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'\\') || byte.is_ascii_digit();
    word.len() <= MAX_NAME
        && digits > 0
        && kind.ends_with(b"_")
        && kind.len() > 1
        && kind.iter().all(capitals)
}
