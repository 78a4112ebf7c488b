//! The rest of an address after its street: the flat, the town, the state and the code.

use crate::{
    pii::{
        names::lexicon::{LEXICON, WordSense},
        street_word::WORD,
    },
    scan::bytes::{at, before, digits_end, end_of, is_capital, is_letter, word_end},
};

/// Maximum number of words of a town.
const TOWN: usize = 3;

/// Returns the end of the separators between two parts of an address, and whether a new line begins there.
pub(super) fn separators(bytes: &[u8], place: usize) -> (usize, bool) {
    let end = end_of(bytes, place, 2, |byte| byte == b',' || byte == b' ');
    let line = end_of(bytes, end, 2, |byte| byte == b'\r' || byte == b'\n');
    // A blank line ends the address.
    let next = line > end && (line == end + 1 || at(bytes, end) == b'\r');
    (if next { line } else { end }, next)
}

/// Returns the end of the address after a street: a flat, a town, a state and a code, all of them optional.
pub(super) fn rest(bytes: &[u8], street: usize) -> usize {
    let mut end = street;
    loop {
        let (next, line) = separators(bytes, end);
        if next == end {
            return end;
        }
        let listed = at(bytes, end) == b',' && !line;
        let flat = if line { None } else { flat(bytes, next) };
        let found = flat.or_else(|| code(bytes, next)).or_else(|| {
            let town = if listed { town(bytes, next) } else { None };
            town.or_else(|| if listed || line { town_and_code(bytes, next) } else { None })
        });
        // A number alone on the next line belongs to something else.
        let Some(stop) =
            found.filter(|stop| !line || !before(bytes, *stop, 1).is_ascii_digit() || is_letter(bytes, next))
        else {
            return end;
        };
        end = stop;
    }
}

/// Returns the end of a flat or a direction: `Apt 4B`, `Suite 200`, `#12`, `NW`.
pub(super) fn flat(bytes: &[u8], start: usize) -> Option<usize> {
    let stop = word_end(bytes, start, 10);
    let word = bytes.get(start..stop)?;
    if matches!(word, b"N" | b"S" | b"E" | b"W" | b"NE" | b"NW" | b"SE" | b"SW")
        && !is_capital(bytes, stop + 1)
        && !at(bytes, stop).is_ascii_alphanumeric()
    {
        return Some(stop);
    }
    let number = if at(bytes, start) == b'#' {
        start + 1
    } else {
        let known = [&b"apt"[..], b"apartment", b"suite", b"ste", b"unit", b"flat", b"floor", b"room"];
        known.iter().any(|known| known.eq_ignore_ascii_case(word)).then_some(())?;
        end_of(bytes, stop, 3, |byte| matches!(byte, b' ' | b'.' | b'#'))
    };
    let end = end_of(bytes, number, 6, |byte| byte.is_ascii_alphanumeric());
    (end > number).then_some(end)
}

/// Returns the end of a postal code and its town or state: `IL 62704-1234`, `62704`, `10115 Berlin`, `CH-3011 Bern`,
/// `111 51 Stockholm`, `SW1A 1AA`.
pub(super) fn code(bytes: &[u8], start: usize) -> Option<usize> {
    let state = end_of(bytes, start, 3, |byte| byte.is_ascii_uppercase());
    let country = (1..=2).contains(&(state - start)) && at(bytes, state) == b'-';
    let start = if country { state + 1 } else { start };
    let digits = if state == start + 2 && at(bytes, state) == b' ' { state + 1 } else { start };
    let group = digits_end(bytes, start + 4, 3);
    if digits_end(bytes, start, 4) == start + 3 && at(bytes, start + 3) == b' ' && group == start + 6 {
        let behind = if at(bytes, group) == b' ' { group + 1 } else { return None };
        return town(bytes, behind)
            .or_else(|| last_town(bytes, behind).filter(|_| is_capital(bytes, behind)));
    }
    let end = digits_end(bytes, digits, 6);
    if matches!(end - digits, 4 | 5) && !at(bytes, end).is_ascii_alphanumeric() {
        let plus = digits_end(bytes, end + 1, 5);
        if at(bytes, end) == b'-' && plus == end + 5 {
            return Some(plus);
        }
        let letters = end_of(bytes, end + 1, 3, |byte| byte.is_ascii_uppercase());
        let dutch = end - digits == 4 && letters == end + 3 && at(bytes, letters) == b' ';
        return if digits == start && dutch {
            town(bytes, letters + 1).or(Some(letters))
        } else if digits == start && is_capital(bytes, end + 1) {
            town(bytes, end + 1).or_else(|| last_town(bytes, end + 1)).or(Some(end))
        } else {
            Some(end)
        };
    }
    let outward = end_of(bytes, start, 5, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let inward = end_of(bytes, outward + 1, 4, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let british = (2..=4).contains(&(outward - start))
        && at(bytes, outward) == b' '
        && inward == outward + 4
        && at(bytes, outward + 1).is_ascii_digit()
        && at(bytes, start).is_ascii_uppercase()
        && !at(bytes, inward).is_ascii_alphanumeric();
    british.then_some(inward)
}

/// Returns the end of a town and its code: `Boston, MA 02108`. Before a code, an everyday word can be a town.
fn town_and_code(bytes: &[u8], start: usize) -> Option<usize> {
    let mut place = start;
    for _ in 0..TOWN {
        if !is_capital(bytes, place) {
            return None;
        }
        let stop = word_end(bytes, place, WORD);
        let next = end_of(bytes, stop, 2, |byte| byte == b',' || byte == b' ');
        if let Some(end) = if next > stop { code(bytes, next) } else { None } {
            return Some(end);
        }
        if at(bytes, stop) != b' ' {
            return None;
        }
        place = stop + 1;
    }
    None
}

/// Returns the end of a town after a code: `10969 Berlin.` An everyday word is a town only if nothing follows it.
fn last_town(bytes: &[u8], start: usize) -> Option<usize> {
    let end = word_end(bytes, start, WORD);
    let last = matches!(at(bytes, end), b'.' | b',' | b';' | b')' | b'"' | b'\n') || end == bytes.len();
    (last && end - start > 3).then_some(end)
}

pub(super) fn town(bytes: &[u8], start: usize) -> Option<usize> {
    let mut end = None;
    let mut place = start;
    for _ in 0..TOWN {
        let stop = word_end(bytes, place, WORD);
        let word = bytes.get(place..stop).unwrap_or_default();
        if stop == place
            || !is_capital(bytes, place)
            || at(bytes, stop).is_ascii_digit()
            || LEXICON.has(word, WordSense::COMMON)
        {
            break;
        }
        end = Some(stop);
        if at(bytes, stop) != b' ' {
            break;
        }
        place = stop + 1;
        // A state is part of the code.
        if end_of(bytes, place, 3, |byte| byte.is_ascii_uppercase()) == place + 2 {
            break;
        }
    }
    end
}
