//! Words that announce a telephone number, before and after it.

use std::sync::LazyLock;

use crate::{
    pii::names::lexicon::{LEXICON, WordSense},
    scan::{
        bytes::{at, before, end_of, start_of, word_end},
        word_table::WordTable,
    },
};

/// Maximum length, in bytes, of a word that announces a number.
const WORD: usize = 16;
/// Returns whether a byte may separate a number from the word that announces it.
pub(crate) fn is_between(byte: u8) -> bool {
    matches!(byte, b' ' | b':' | b'=' | b'.' | b'#' | b'"' | b'\'' | b'-' | b'(')
}

/// Returns whether the cell of a table begins after a byte: `| Phone | 9123 4567 |`.
pub(crate) fn is_cell_sign(byte: u8) -> bool {
    matches!(byte, b'|' | b'\t' | b'>' | b';')
}

/// Returns the start of the separators, including HTML tags and no-break spaces, between a word and the number after
/// it.
fn separators_before(bytes: &[u8], end: usize) -> usize {
    let mut place = end;
    for _ in 0..TAGS {
        place = start_of(bytes, 0, place, SEPARATORS, |byte| {
            is_between(byte) || matches!(byte, b'|' | b'\t' | b')' | b'_' | b';' | b'[')
        });
        // `Tél. : 01 23 45 67 89`, with a no-break space before the colon
        if bytes.get(..place).is_some_and(|text| text.ends_with(b"\xc2\xa0")) {
            place -= 2;
            continue;
        }
        if before(bytes, place, 1) != b'>' {
            break;
        }
        let tag = start_of(bytes, 0, place - 1, TAG, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
        if before(bytes, tag, 1) != b'<' {
            break;
        }
        place = tag - 1;
    }
    place
}

/// Maximum number of separators in a row: `"phones": ["`.
const SEPARATORS: usize = 6;
/// Maximum number of tags between a word and its number, and maximum length of a tag, in bytes.
const TAGS: usize = 4;
const TAG: usize = 24;

/// Returns whether the tag directly before a position has the name of a telephone: `<tel>9123 4567</tel>`.
fn is_in_tag(bytes: &[u8], place: usize) -> bool {
    if before(bytes, place, 1) != b'>' {
        return false;
    }
    let tag = start_of(bytes, 0, place - 1, TAG, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
    let name = bytes.get(tag..word_end(bytes, tag, WORD)).unwrap_or_default();
    before(bytes, tag, 1) == b'<' && LEXICON.has(name, WordSense::PHONE)
}

/// Words before *number* that announce the speaker's own number, or a new one.
const POSSESSIVES: [&str; 23] = [
    "my", "mijn", "meine", "mon", "mi", "meu", "mój", "mio", "mitt", "new", "neue", "neuen", "nouveau",
    "nuovo", "nuevo", "novo", "nowy", "nieuw", "nieuwe", "nytt", "ny", "yeni", "ur",
];

/// Words that announce a number only with other words in between, as in `text me at`.
const MESSAGES: [&str; 6] = ["text", "sms", "message", "called", "calling", "rang"];

/// Returns whether an announcing word precedes a position: `Some(true)` if more than a space is in between.
pub(crate) fn word_before(bytes: &[u8], place: usize) -> Option<bool> {
    if is_in_tag(bytes, place) {
        return Some(true);
    }
    let (mut place, mut sign, mut number) = (place, false, false);
    for _ in 0..4 {
        let stop = separators_before(bytes, place);
        let start = start_of(bytes, 0, stop, WORD, is_letter);
        // Chinese has no space before a number.
        let joined = stop == place && at(bytes, start) >= 0xe0;
        let word = bytes.get(start..stop).filter(|word| !word.is_empty() && (stop < place || joined))?;
        let sense = if joined { joined_sense(word) } else { LEXICON.sense(word) };
        sign = sign || bytes.get(stop..place)?.iter().any(|byte| *byte != b' ' && *byte != b'-');
        if sense.is(WordSense::PHONE) {
            return Some(sign);
        }
        // `T: 9123 4567`, `Ph 9123 4567`
        let initial = matches!(word, b"T" | b"M" | b"P" | b"F" | b"H" | b"C" | b"W" | b"O");
        let short = matches!(word, b"Ph" | b"PH" | b"WA" | b"HP");
        if (initial && at(bytes, stop) == b':' || short) && !is_letter(before(bytes, start, 1)) {
            return Some(false);
        }
        // `my number is`
        let is_of = |known: &[&str]| known.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word));
        // `text me at`
        if number && (is_of(&POSSESSIVES) || is_of(&MESSAGES)) {
            return Some(true);
        }
        // `phone number is`
        if !sense.is(WordSense::NUMBER) {
            return None;
        }
        number = true;
        (place, sign) = (start, true);
    }
    None
}

/// Returns the sense of the last two to four characters of a word in Chinese, where words are not separated.
fn joined_sense(word: &[u8]) -> WordSense {
    let tail = |length: usize| word.len().checked_sub(length).and_then(|from| word.get(from..));
    let known = [12, 9, 6].into_iter().filter_map(tail).map(|word| LEXICON.sense(word));
    known.into_iter().find(|sense| sense.is(WordSense::PHONE)).unwrap_or_default()
}

/// Returns the start of the number before the one at a position, if both are of one list.
pub(crate) fn number_before(bytes: &[u8], place: usize) -> Option<usize> {
    const LISTED: [&str; 13] =
        [",", "/", "|", " or", " and", " oder", " und", " ou", " o", " of", " lub", " eller", " e"];
    let blank = |byte| byte == b' ';
    let stop = start_of(bytes, 0, place, 2, blank);
    let text = bytes.get(..stop)?;
    let end = LISTED.iter().find_map(|sign| text.strip_suffix(sign.as_bytes()))?.len();
    let end = start_of(bytes, 0, end, 2, blank);
    let of_number =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b' ' | b'-' | b'.' | b'/' | b'(' | b')' | b'+');
    let start = start_of(bytes, 0, end, NUMBER, of_number);
    let digits = bytes.get(start..end)?.iter().filter(|byte| byte.is_ascii_digit()).count();
    let first = end_of(bytes, start, NUMBER, |byte| !byte.is_ascii_digit() && byte != b'+');
    (digits >= 7).then_some(first)
}

/// Maximum length, in bytes, of a number in a list.
const NUMBER: usize = 24;

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80
}

/// Maximum number of words between a number with trunk prefix 0 and a word that announces it.
const APART: usize = 8;

/// Returns whether one of the words before, in the sentence, announces a telephone number.
pub(crate) fn is_in_sentence(bytes: &[u8], place: usize) -> bool {
    let mut place = place;
    for words in 0..APART {
        let sign = |byte| matches!(byte, b' ' | b',' | b'-' | b':' | b'(' | b'.' | b'/');
        let stop = start_of(bytes, 0, place, 3, sign);
        let start = start_of(bytes, 0, stop, WORD + 8, is_letter);
        let apart = stop < place || words == 0;
        let Some(word) = bytes.get(start..stop).filter(|word| !word.is_empty() && apart) else {
            return false;
        };
        // `Tel. priv.`
        let period = bytes.get(stop..place).is_some_and(|signs| signs.contains(&b'.'));
        if period && word.len() > ABBREVIATION {
            return false;
        }
        if LEXICON.has(word, WordSense::PHONE) || OCCASIONS.get(word) {
            return true;
        }
        place = start;
    }
    false
}

/// Reasons to call, and whom: they announce only a number in the groups of a country.
static OCCASIONS: LazyLock<WordTable<bool>> = LazyLock::new(|| {
    const WORDS: &str = "queries enquiries rsvp plumber emergencies ext apparat rückfragen fragen anmeldung auskunft pikett \
        schadendienst notdienst notruf fundbüro klempner hausmeister rückrufliste bereitschaft gratuit gratuito verde liga urgence urgences dépannage \
        fixe fijo fijos urgencias dudas avisos fontanero cerrajero atención fisso casa abitazione idraulico elettricista vast \
        huisarts wachtdienst spoed fixo recado tratar urgência lig encanador rejestracja pogotowie hydraulik dojazd sekretariat \
        kontor fastlege legevakt læge lege mor far læknir jour kundservice koti työ päivystys linka pohotovost acil ev iş urgențe";
    let words: Vec<_> = WORDS.split_ascii_whitespace().map(|word| (word, true)).collect();
    WordTable::new(&words, |one, other| one || other)
});

/// Maximum length, in bytes, of an abbreviation with a period.
const ABBREVIATION: usize = 5;

/// The beginnings of nouns for telephones.
const NOUNS: [&str; 19] = [
    "tel", "fon", "fax", "faks", "whats", "wasap", "gsm", "handy", "mob", "móvil", "movil", "cel", "tlm",
    "tlf", "tfno", "natel", "msisdn", "phone", "puh",
];

/// Returns whether a noun such as *tel* or *WhatsApp* stands directly before a number.
pub(crate) fn is_behind_noun(bytes: &[u8], place: usize) -> bool {
    let stop = start_of(bytes, 0, place, 2, |byte| matches!(byte, b' ' | b'.'));
    let start = start_of(bytes, 0, stop, WORD, is_letter);
    let word = bytes.get(start..stop).unwrap_or_default();
    let begins =
        |noun: &&str| word.get(..noun.len()).is_some_and(|head| head.eq_ignore_ascii_case(noun.as_bytes()));
    stop < place && NOUNS.iter().any(begins) && LEXICON.has(word, WordSense::PHONE)
}

/// Maximum length, in bytes, of a label.
const LABEL: usize = 48;

/// Returns whether the label of a field before a number has a word that announces a telephone number: `Phone of a
/// guardian: `.
pub(crate) fn is_labelled(bytes: &[u8], place: usize) -> bool {
    let stop = start_of(bytes, 0, place, 2, |byte| byte == b' ');
    if before(bytes, stop, 1) != b':' {
        return false;
    }
    let sign = |byte: u8| matches!(byte, b' ' | b'(' | b')' | b'/' | b'\'' | b'.');
    let start = start_of(bytes, 0, stop - 1, LABEL, |byte| is_letter(byte) || sign(byte));
    let label = bytes.get(start..stop - 1).unwrap_or_default();
    label.split(|byte| sign(*byte)).any(|word| LEXICON.has(word, WordSense::PHONE))
}

/// Returns whether one of the next words announces a telephone number: `unter 0221-123 45 67 anrufen`.
pub(crate) fn is_before_word(bytes: &[u8], end: usize) -> bool {
    let mut place = end;
    (0..BEHIND).any(|_| {
        let start = place + usize::from(at(bytes, place) == b' ');
        place = word_end(bytes, start, WORD + 8);
        start < place && bytes.get(start..place).is_some_and(|word| LEXICON.has(word, WordSense::PHONE))
    })
}

/// Maximum distance, in words, between a number and a word after it that announces it.
const BEHIND: usize = 3;
