//! Postal addresses, best effort: a house number with a street, and the town, state and code after them.

use crate::{
    pii::{
        address_orders,
        address_rest::{code, rest, separators, town},
        names::lexicon::{LEXICON, WordSense},
        numbers::candidates::is_joined_before,
        settings::Settings,
        street_word::{NORDIC, STREET, WORD, in_front, name_of_street},
    },
    scan::{
        bytes::{at, before, digits_end, is_capital, start_of, word_end},
        finding::Finding,
        kind::Kind,
    },
};

/// Maximum length of the word for a door, in bytes: `B`, `izq`, `izquierda`.
const DOOR: usize = 10;

/// Minimum length, in bytes, of a word that ends like a street: `Ziegweg`, but not `Weg`.
const SHORTEST: usize = 5;

/// Finds the address whose house number is from `start` to `end`.
pub(crate) fn find(
    settings: &Settings,
    bytes: &[u8],
    floor: usize,
    start: usize,
    end: usize,
) -> Option<Finding> {
    // The byte after a number excludes most numbers.
    let next = at(bytes, end + 1);
    let found = match at(bytes, end) {
        b' ' | b',' | b'\n' | b'/' if end - start > 6 || !settings.wants(Kind::Address) => None,
        // ` m. 3`, ` lok. 3`
        b' ' if next == b'm' || next == b'l' => number_last(bytes, floor, start, end),
        b' ' if next.is_ascii_lowercase() => french(bytes, start, end),
        b' ' if is_capital(bytes, end + 1) => {
            number_first(bytes, start, end).or_else(|| address_orders::hungarian(bytes, start, end))
        }
        b' ' if has_letter(bytes, end + 2) && ordinal(bytes, end + 1).is_some() => {
            number_first(bytes, start, end)
        }
        b' ' | b',' | b'\n' => number_last(bytes, floor, start, end)
            .or_else(|| address_orders::number_between(bytes, floor, start, end)),
        b'/' => address_orders::number_between(bytes, floor, start, end),
        _ => None,
    }?;
    Some(Finding { kind: Kind::Address, start: found.0, end: found.1 })
}

/// Finds an address that begins with its house number: `12 Main Street, Apt 4, Springfield, IL 62704`.
fn number_first(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    if is_joined_before(bytes, start) {
        return None;
    }
    let mut place = end;
    for words in 0..STREET {
        let word = place + 1;
        if words == 0
            && let Some(stop) = ordinal(bytes, word)
        {
            place = stop;
            continue;
        }
        if !begins_word(bytes, word) {
            return None;
        }
        let stop = word_end(bytes, word, WORD);
        let name = bytes.get(word..stop).filter(|name| !name.is_empty())?;
        let behind = if at(bytes, stop) == b'.' { stop + 1 } else { stop };
        let suffix = words > 0
            && name.first().is_some_and(u8::is_ascii_uppercase)
            && LEXICON.has(name, WordSense::STREET);
        if suffix {
            // The period of an abbreviation belongs to the address only if the address continues.
            let whole = rest(bytes, behind);
            return Some((start, if whole > behind { whole } else { stop }));
        }
        place = behind;
    }
    None
}

/// Returns the end of an ordinal that names a street, after a space: `5th Ave`. Only some words may follow it: `2nd
/// Place` is not a street.
fn ordinal(bytes: &[u8], start: usize) -> Option<usize> {
    if !at(bytes, start).is_ascii_digit() || !has_letter(bytes, start + 1) {
        return None;
    }
    let end = digits_end(bytes, start, 3);
    if end == start || before(bytes, start, 1) != b' ' || at(bytes, end + 2) != b' ' {
        return None;
    }
    let street = bytes.get(end + 3..word_end(bytes, end + 3, WORD))?;
    (matches!(bytes.get(end..end + 2)?, b"st" | b"nd" | b"rd" | b"th")
        && matches!(street, b"Street" | b"St" | b"Avenue" | b"Ave"))
    .then_some(end + 2)
}

/// Returns whether the letters of an ordinal can begin at one of three positions.
#[inline]
fn has_letter(bytes: &[u8], place: usize) -> bool {
    let letter = |place: usize| matches!(at(bytes, place), b's' | b'n' | b'r' | b't');
    letter(place) || letter(place + 1) || letter(place + 2)
}

/// Returns whether a word of a street begins at a position, after a space.
fn begins_word(bytes: &[u8], word: usize) -> bool {
    before(bytes, word, 1) == b' ' && is_capital(bytes, word)
}

/// Finds an address such as `Hauptstraße 12, 10115 Berlin`, whose first word is from `start` to `end`.
pub(crate) fn behind_name(settings: &Settings, bytes: &[u8], start: usize, end: usize) -> Option<Finding> {
    const SUFFIXES: [&[u8]; 14] = [
        "straße".as_bytes(),
        b"strasse",
        b"weg",
        b"platz",
        b"allee",
        b"gasse",
        b"ring",
        b"damm",
        b"ufer",
        b"straat",
        b"gracht",
        b"laan",
        b"plein",
        b"kade",
    ];
    let number = if at(bytes, end) == b'.' { end + 2 } else { end + 1 };
    if before(bytes, number, 1) != b' '
        || !at(bytes, number).is_ascii_digit()
        || !settings.wants(Kind::Address)
    {
        return None;
    }
    let word = bytes.get(start..end).filter(|word| word.len() >= SHORTEST)?;
    let ends = |suffix: &&[u8]| word.len() > suffix.len() + 1 && word.ends_with(suffix);
    let street =
        SUFFIXES.iter().any(ends) || word.ends_with(b"str") && word.len() > 5 && at(bytes, end) == b'.';
    if !street && !NORDIC.iter().any(ends) {
        return None;
    }
    let stop = digits_end(bytes, number, 4);
    let stop = if stop > number
        && at(bytes, stop).is_ascii_lowercase()
        && !at(bytes, stop + 1).is_ascii_alphanumeric()
    {
        stop + 1
    } else {
        stop
    };
    if stop == number || at(bytes, stop).is_ascii_alphanumeric() {
        return None;
    }
    let end = if street { rest(bytes, stop) } else { behind_house(bytes, stop)? };
    Some(Finding { kind: Kind::Address, start, end })
}

/// Returns the end of the code and the town after a house number, its staircase and its flat: `5 B, 111 51 Stockholm`.
fn behind_house(bytes: &[u8], number: usize) -> Option<usize> {
    let stairs = at(bytes, number) == b' ' && at(bytes, number + 1).is_ascii_uppercase();
    let house = if stairs && !at(bytes, number + 2).is_ascii_alphanumeric() { number + 2 } else { number };
    let flat = digits_end(bytes, house + 1, 4);
    let house = if house > number && at(bytes, house) == b' ' && flat > house + 1 { flat } else { house };
    let (place, _) = separators(bytes, house);
    if place == house { None } else { code(bytes, place) }
}

/// Finds an address such as `12 rue de Rivoli, 75001 Paris`. A code must follow, because *place* and *route* are
/// everyday words.
fn french(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let word = word_end(bytes, end + 1, WORD);
    if end - start > 4
        || at(bytes, word) != b' '
        || !in_front(bytes, end + 1, word)
        || is_joined_before(bytes, start)
    {
        return None;
    }
    Some((start, behind_code(bytes, name_of_street(bytes, word + 1)?)?))
}

/// Finds an address such as `Via Roma 12, 00184 Roma`, `ul. Długa 5/12, 00-950 Warszawa` or `Calle Mayor 3, 2º B, 28013
/// Madrid`, whose number is from `start` to `end`. A code must follow.
fn number_last(bytes: &[u8], floor: usize, start: usize, end: usize) -> Option<(usize, usize)> {
    // `5/12`
    let flat = before(bytes, start, 1) == b'/';
    let number =
        if flat { start_of(bytes, floor, start - 1, 4, |byte| byte.is_ascii_digit()) } else { start };
    if end - start > 4 || before(bytes, number, 1) != b' ' {
        return None;
    }
    // Few numbers have a code after them; for the others, the words before are not examined.
    let stop = behind_code(bytes, end).or_else(|| behind_code(bytes, door(bytes, end)?))?;
    let name = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80 || matches!(byte, b'\'' | b'-');
    let sign = |place: usize| matches!(before(bytes, place, 1), b',') as usize;
    let mut place = number - 1;
    place -= sign(place);
    for words in 0..=STREET {
        let word = start_of(bytes, floor, place, WORD, name);
        if word == place {
            return None;
        }
        if words > 0 && in_front(bytes, word, place - usize::from(before(bytes, place, 1) == b'.')) {
            return Some((word, stop));
        }
        if words > 0 && !is_capital(bytes, word) && place - word > 4 || word <= floor + 1 {
            return None;
        }
        // `C/ Serrano`
        if matches!(bytes.get(word.saturating_sub(3)..word), Some(b"C/ " | b"c/ "))
            && !at(bytes, word.wrapping_sub(4)).is_ascii_alphanumeric()
        {
            return Some((word - 3, stop));
        }
        // `ul. Długa`
        let gap = start_of(bytes, floor, word, 2, |byte| matches!(byte, b' ' | b'.'));
        if gap == word {
            return None;
        }
        if gap + 2 == word {
            let start = start_of(bytes, floor, gap, 4, name);
            return in_front(bytes, start, gap).then_some((start, stop));
        }
        place = gap;
    }
    None
}

/// Returns the end of the flat or the floor after a house number in Poland or Spain: ` m. 3`, ` lok. 3`, `, 2º B`,
/// `, 3ª izq.`, `, bajo`.
fn door(bytes: &[u8], number: usize) -> Option<usize> {
    let digits = |start: usize| Some(digits_end(bytes, start, 4)).filter(|end| *end > start);
    let rest = bytes.get(number..)?;
    let flat = [&b" m. "[..], b" m ", b" lok. ", b" lok "];
    if let Some(sign) = flat.iter().find(|sign| rest.starts_with(sign)) {
        return digits(number + sign.len());
    }
    let floor = rest.strip_prefix(b", ").map(|_| number + 2)?;
    if let Some(word) =
        [&b"bajo"[..], b"Bajo"].iter().find(|word| rest.get(2..).is_some_and(|rest| rest.starts_with(word)))
    {
        return Some(floor + word.len());
    }
    let end = digits(floor)?;
    let end = end + usize::from(at(bytes, end) == b'.');
    // `º` and `ª`
    if !matches!(bytes.get(end..end + 2)?, [0xc2, 0xba | 0xaa]) {
        return None;
    }
    let end = end + 2;
    let word = word_end(bytes, end + 1, DOOR);
    let whole = at(bytes, end) == b' ' && word > end + 1;
    Some(if whole { word + usize::from(at(bytes, word) == b'.') } else { end })
}

/// Returns the end of the code and the town after a street: `, 75001 Paris`, `, 1100-053 Lisboa`, `, 00-950 Warszawa`.
fn behind_code(bytes: &[u8], street: usize) -> Option<usize> {
    let (code, line) = separators(bytes, street);
    if !at(bytes, code).is_ascii_digit() || !at(bytes, code + 1).is_ascii_digit() {
        return None;
    }
    let first = digits_end(bytes, code, 6);
    let second = if at(bytes, first) == b'-' { digits_end(bytes, first + 1, 4) } else { first };
    if code == street || !matches!((first - code, second - first), (4 | 5, 0) | (4 | 2, 4)) {
        return None;
    }
    let town = if at(bytes, second) == b' ' { town(bytes, second + 1) } else { None };
    // Four digits alone may be a year, and a number on a line of its own may be anything.
    town.or((second - code > 4 && !line).then_some(second))
}
