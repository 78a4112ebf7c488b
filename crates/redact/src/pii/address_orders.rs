//! Postal addresses in the orders of Brazil, Czechia and Hungary. They need a postal code, or in Brazil a state.

use crate::{
    pii::{address_rest::code, numbers::candidates::is_joined_before, street_word::in_front},
    scan::bytes::{at, before, digits_end, end_of, is_capital, is_letter, start_of, word_end},
};

/// Maximum length of a word, in bytes.
const WORD: usize = 32;
/// Maximum number of words of a street or a town.
const WORDS: usize = 5;
/// Maximum number of parts of an address after its number: a flat, a district, a town, a state, a code.
const PARTS: usize = 6;

/// The states of Brazil.
const STATES: &[u8; 54] = b"ACALAPAMBACEDFESGOMAMTMSMGPAPBPRPEPIRJRNRSRORRSCSPSETO";

/// Finds the address whose house number, from `start` to `end`, is between its street and its town.
#[inline]
pub(crate) fn number_between(bytes: &[u8], floor: usize, start: usize, end: usize) -> Option<(usize, usize)> {
    let next = at(bytes, end + 2);
    match (at(bytes, end), at(bytes, end + 1)) {
        (b',', b' ') if next.is_ascii_digit() => {
            czech(bytes, floor, start, end).or_else(|| brazilian(bytes, floor, start, end))
        }
        (b',', b' ') | (b'/', b'A'..=b'Z') => brazilian(bytes, floor, start, end),
        (b' ', b'-') if next == b' ' => brazilian(bytes, floor, start, end),
        _ => None,
    }
}

/// Finds an address such as `Rua Augusta, 123, Apto 45 - Bela Vista - São Paulo - SP, 01310-100`, whose number is from
/// `start` to `end`.
#[inline(never)]
fn brazilian(bytes: &[u8], floor: usize, start: usize, end: usize) -> Option<(usize, usize)> {
    // Street and number have a comma between them.
    if before(bytes, start, 1) != b' ' || matches!(before(bytes, start, 2), b'a'..=b'm' | b'o'..=b'z') {
        return None;
    }
    // `, nº 123`
    let sign =
        start_of(bytes, floor, start, 6, |byte| matches!(byte, b'n' | b' ' | b'.' | 0xc2 | 0xba | 0xb0));
    if before(bytes, sign, 1) != b',' || end - start > 5 {
        return None;
    }
    let stop = behind_state(bytes, end)?;
    let name = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80 || byte == b'\'';
    let mut place = sign - 1;
    for _ in 0..=WORDS {
        let word = start_of(bytes, floor, place, WORD, name);
        if word == place {
            return None;
        }
        if in_front(bytes, word, place) {
            return Some((word, stop));
        }
        let gap = start_of(bytes, floor, word, 2, |byte| matches!(byte, b' ' | b'.'));
        place = gap;
    }
    None
}

/// Returns the end of the state or the code of an address in Brazil whose number ends at a position.
fn behind_state(bytes: &[u8], number: usize) -> Option<usize> {
    let (mut place, mut found) = (number, None);
    for _ in 0..PARTS {
        let next = match bytes.get(place..)? {
            [b',', b' ', ..] => place + 2,
            [b' ', b'-', b' ', ..] => place + 3,
            [b'/', ..] => place + 1,
            // `SP 01310-100`
            [b' ', ..] if found.is_some() => place + 1,
            _ => break,
        };
        if let Some(end) = brazilian_code(bytes, next) {
            return Some(end);
        }
        let state = bytes.get(next..next + 2)?;
        let known = || STATES.as_chunks::<2>().0.iter().any(|known| known == state);
        // Most parts begin with a capital and a small letter, or with a digit.
        let capitals = state.last().is_some_and(u8::is_ascii_uppercase);
        if capitals && known() && !is_letter(bytes, next + 2) {
            (place, found) = (next + 2, Some(next + 2));
            continue;
        }
        let Some(end) = part(bytes, next).filter(|_| found.is_none()) else { break };
        place = end;
    }
    found
}

/// Returns the end of a code such as `01310-100` or `CEP 01310-100`.
fn brazilian_code(bytes: &[u8], start: usize) -> Option<usize> {
    let word = bytes.get(start..)?.starts_with(b"CEP");
    if !word && !at(bytes, start).is_ascii_digit() {
        return None;
    }
    let start = if word { end_of(bytes, start + 3, 2, |byte| matches!(byte, b':' | b' ')) } else { start };
    let first = digits_end(bytes, start, 6);
    let second = digits_end(bytes, first + 1, 4);
    (first == start + 5
        && at(bytes, first) == b'-'
        && second == first + 4
        && !at(bytes, second).is_ascii_alphanumeric())
    .then_some(second)
}

/// Returns the end of a part of an address, which consists of words and numbers: `Bela Vista`, `apto. 45`.
fn part(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut place, mut end) = (start, start);
    for _ in 0..WORDS {
        let stop = word_end(bytes, place, WORD);
        let stop = if stop == place { digits_end(bytes, place, 5) } else { stop };
        if stop == place {
            break;
        }
        end = stop + usize::from(at(bytes, stop) == b'.');
        if at(bytes, end) != b' ' {
            break;
        }
        place = end + 1;
    }
    (end > start).then_some(end)
}

/// Words of Czech streets that have no capital.
const CZECH: [&str; 8] = ["nám.", "náměstí", "třída", "tř.", "ul.", "ulice", "nábřeží", "nábř."];

/// Finds an address such as `Na Příkopě 12/3, 110 00 Praha 1`, whose number is from `start` to `end`.
#[inline(never)]
fn czech(bytes: &[u8], floor: usize, start: usize, end: usize) -> Option<(usize, usize)> {
    let digits = |from: usize, to: usize| (from..to).all(|place| at(bytes, place).is_ascii_digit());
    let code_follows = digits(end + 2, end + 5) && at(bytes, end + 5) == b' ' && digits(end + 6, end + 8);
    if !code_follows {
        return None;
    }
    let town = code(bytes, end + 2)?;
    // `Praha 1`
    let district = digits_end(bytes, town + 1, 3);
    let district = at(bytes, town) == b' ' && district > town + 1 && !is_letter(bytes, district);
    let stop = if district { digits_end(bytes, town + 1, 3) } else { town };
    let slash = before(bytes, start, 1) == b'/';
    let number =
        if slash { start_of(bytes, floor, start - 1, 5, |byte| byte.is_ascii_digit()) } else { start };
    let name = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80 || byte == b'.';
    let (mut place, mut street) = (number, None);
    for _ in 0..WORDS {
        if before(bytes, place, 1) != b' ' {
            break;
        }
        let word = start_of(bytes, floor, place - 1, WORD, name);
        let text = bytes.get(word..place - 1).unwrap_or_default();
        if !is_capital(bytes, word) && !CZECH.iter().any(|known| known.as_bytes() == text) {
            break;
        }
        (place, street) = (word, Some(word));
    }
    Some((street?, stop))
}

/// Hungarian words for streets and squares, which follow the name.
const HUNGARIAN: [&str; 17] = [
    "utca",
    "u.",
    "út",
    "útja",
    "tér",
    "tere",
    "körút",
    "krt.",
    "köz",
    "sétány",
    "fasor",
    "sor",
    "rakpart",
    "sugárút",
    "park",
    "dűlő",
    "lakótelep",
];

/// Finds an address such as `1051 Budapest, Petőfi utca 5. 2. em. 3.`, whose code is from `start` to `end`.
pub(crate) fn hungarian(bytes: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    if end - start != 4 || is_joined_before(bytes, start) {
        return None;
    }
    let town = word_end(bytes, end + 1, WORD);
    if at(bytes, town) != b',' || at(bytes, town + 1) != b' ' || !is_capital(bytes, town + 2) {
        return None;
    }
    let mut place = town + 2;
    for words in 0..WORDS {
        let stop = word_end(bytes, place, WORD);
        let stop = stop + usize::from(at(bytes, stop) == b'.');
        let word = bytes.get(place..stop).filter(|word| !word.is_empty())?;
        let capital = is_capital(bytes, place);
        let kind = words > 0 && !capital && HUNGARIAN.iter().any(|known| known.as_bytes() == word);
        if at(bytes, stop) != b' ' || !kind && !capital {
            return None;
        }
        if kind {
            let number = digits_end(bytes, stop + 1, 5);
            return (number > stop + 1).then(|| (start, behind_hungarian(bytes, number)));
        }
        place = stop + 1;
    }
    None
}

/// Returns the end of the text that belongs to a house number: `5/B`, `5. 2. em. 3.`, `5. fszt. 1.`
fn behind_hungarian(bytes: &[u8], number: usize) -> usize {
    let mut end = match (at(bytes, number), at(bytes, number + 1)) {
        (b'/', b'A'..=b'Z' | b'a'..=b'z') => number + 2,
        _ => number,
    };
    for _ in 0..PARTS {
        let next = if at(bytes, end) == b'.' { end + 1 } else { end };
        let digits = digits_end(bytes, next + 1, 4);
        let word = word_end(bytes, next + 1, 6);
        let known = matches!(bytes.get(next + 1..word), Some(b"em" | b"fszt" | b"fsz" | b"lph" | b"ajt"));
        if at(bytes, next) != b' ' || digits == next + 1 && !known || at(bytes, digits.max(word)) != b'.' {
            break;
        }
        end = digits.max(word);
    }
    end
}
