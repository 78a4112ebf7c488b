//! Postal addresses, best effort: a house number with a street, and the town, state and code after them.

use crate::middleware::{
    pii::{
        address_orders,
        names::lexicon::{LEXICON, WordSense},
        numbers::candidates::is_joined_before,
        settings::Settings,
    },
    scan::{
        bytes::{at, before, digits_end, end_of, is_capital, is_letter, start_of, word_end},
        finding::Finding,
        kind::Kind,
    },
};

/// Maximum number of words of a street and of a town.
const STREET: usize = 5;
const TOWN: usize = 3;
/// Maximum length of a word, in bytes.
const WORD: usize = 32;
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

/// Returns the end of the separators between two parts of an address, and whether a new line begins there.
fn separators(bytes: &[u8], place: usize) -> (usize, bool) {
    let end = end_of(bytes, place, 2, |byte| byte == b',' || byte == b' ');
    let line = end_of(bytes, end, 2, |byte| byte == b'\r' || byte == b'\n');
    // A blank line ends the address.
    let next = line > end && (line == end + 1 || at(bytes, end) == b'\r');
    (if next { line } else { end }, next)
}

/// The ends of street names in Swedish, Norwegian, Danish and Finnish. Other names end like this too, so a code must
/// follow.
const NORDIC: [&[u8]; 14] = [
    b"gatan",
    b"gata",
    "vägen".as_bytes(),
    "gränd".as_bytes(),
    b"gate",
    b"gaten",
    b"veien",
    b"vegen",
    b"gade",
    b"vej",
    "allé".as_bytes(),
    b"katu",
    b"tie",
    b"polku",
];

/// Words that precede the name of a street, in French, Italian, Spanish, Portuguese and Polish.
const IN_FRONT: [&[u8]; 34] = [
    b"rue",
    b"avenue",
    b"boulevard",
    b"place",
    b"chemin",
    b"quai",
    b"impasse",
    b"route",
    b"cours",
    b"via",
    b"viale",
    b"corso",
    b"piazza",
    b"largo",
    b"calle",
    b"avenida",
    b"avda",
    b"ronda",
    b"camino",
    b"plaza",
    b"paseo",
    b"rua",
    "praça".as_bytes(),
    b"travessa",
    b"ul",
    b"ulica",
    b"aleja",
    b"al",
    b"plac",
    b"os",
    b"av",
    b"alameda",
    b"rodovia",
    b"estrada",
];

/// Returns whether a word can precede the name of a street.
pub(super) fn in_front(bytes: &[u8], start: usize, end: usize) -> bool {
    let Some(word) = bytes.get(start..end).filter(|word| may_be_in_front(word)) else { return false };
    IN_FRONT.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// The first letters of these words, one bit each, by the words' lengths. They exclude most other words.
#[expect(clippy::indexing_slicing, reason = "when it is compiled, or not at all")]
const FIRST_LETTERS: [u32; 16] = {
    let (mut letters, mut row) = ([0; 16], 0);
    while row < IN_FRONT.len() {
        letters[IN_FRONT[row].len()] |= 1 << (IN_FRONT[row][0] & 31);
        row += 1;
    }
    letters
};

fn may_be_in_front(word: &[u8]) -> bool {
    let letters = FIRST_LETTERS.get(word.len()).copied().unwrap_or(0);
    word.first().is_some_and(|first| letters >> (first & 31) & 1 == 1)
}

/// Returns the end of the name of a street: words with capitals, and particles such as in `de la Paix`.
fn name_of_street(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut place, mut end, mut capital) = (start, start, false);
    for _ in 0..STREET {
        let stop = end_of(bytes, place, WORD, |byte| {
            byte.is_ascii_alphabetic() || byte >= 0x80 || matches!(byte, b'\'' | b'-')
        });
        if stop == place || !(is_capital(bytes, place) || stop - place < 5) {
            break;
        }
        capital = capital || is_capital(bytes, place) || is_capital(bytes, place + 2);
        end = stop;
        if at(bytes, stop) != b' ' {
            break;
        }
        place = stop + 1;
    }
    capital.then_some(end)
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

/// Returns the end of the address after a street: a flat, a town, a state and a code, all of them optional.
fn rest(bytes: &[u8], street: usize) -> usize {
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
fn flat(bytes: &[u8], start: usize) -> Option<usize> {
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

fn town(bytes: &[u8], start: usize) -> Option<usize> {
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
