//! Words that begin or end the name of a street.

use crate::scan::bytes::{at, end_of, is_capital};

/// Maximum number of words of a street.
pub(super) const STREET: usize = 5;
/// Maximum length of a word, in bytes.
pub(super) const WORD: usize = 32;

/// The ends of street names in Swedish, Norwegian, Danish and Finnish. Other names end like this too, so a code must
/// follow.
pub(super) const NORDIC: [&[u8]; 14] = [
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
pub(super) fn name_of_street(bytes: &[u8], start: usize) -> Option<usize> {
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
