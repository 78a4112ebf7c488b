//! Words that announce the kind of a number beside them.

use std::ops::Range;

use crate::{
    pii::numbers::{
        answer::leads_to_number,
        automaton::{Automaton, FormSet},
        near_words::NearWords,
    },
    scan::{
        byte_class::{ByteClass, WINDOW},
        bytes::{before as before_byte, end_of, start_of},
        kind::Kind,
    },
};

/// Maximum distance, in bytes, at which a word before and a word after a number announces it.
pub(super) const BEFORE: usize = 62;
pub(super) const BEHIND: usize = 36;
/// Maximum number of bytes by which a word beyond ASCII may exceed that distance.
pub(super) const LONG_WORD: usize = 60;

/// Returns the forms that any word before a number announces.
pub(crate) fn before(machine: &Automaton, bytes: &[u8], start: usize, near: &NearWords) -> FormSet {
    words_before(bytes, start).fold(abbreviation_before(machine, bytes, start), |told, word| {
        told | near.look_up(machine, bytes, word)
    })
}

/// Returns the forms that any word after a number announces.
pub(crate) fn behind(machine: &Automaton, bytes: &[u8], end: usize, near: &NearWords) -> FormSet {
    let window = window_behind(bytes, end);
    let words = words_behind(end, &window, WORD.bitmask(&window));
    words.fold(0, |told, word| told | near.look_up(machine, bytes, word))
}

/// Returns the forms of `forms` that the nearest announcing word before a number announces, or else the nearest after
/// it.
pub(crate) fn nearest(
    machine: &Automaton,
    bytes: &[u8],
    start: usize,
    end: usize,
    forms: FormSet,
) -> FormSet {
    let told = |told: FormSet| Some(told & forms).filter(|told| *told != 0);
    if let Some(found) = told(abbreviation_before(machine, bytes, start)) {
        return found;
    }
    let announced = |word: Range<usize>| {
        let stop = word.end;
        Some((told(lookup(machine, bytes.get(word).unwrap_or_default()))?, stop))
    };
    if let Some((found, _)) = words_before(bytes, start).find_map(announced) {
        return found;
    }
    let window = window_behind(bytes, end);
    let behind = words_behind(end, &window, WORD.bitmask(&window)).find_map(announced);
    behind.map_or(0, |(found, stop)| {
        // If another number follows the word, the word announces that number.
        let next = end_of(bytes, stop, 12, |byte| !byte.is_ascii_digit());
        if next < stop + 12 && next < bytes.len() { 0 } else { found }
    })
}

/// The bytes of words; and the ends of sentences, with the bytes that must follow them.
pub(super) const WORD: ByteClass<5> =
    ByteClass([(b'A', b'Z'), (b'a', b'z'), (0x80, 0xff), (b'-', b'-'), (b'\'', b'\'')]);
const STOP: ByteClass<4> = ByteClass([(b'.', b'.'), (b';', b';'), (b'!', b'!'), (b'?', b'?')]);
const BLANK: ByteClass<2> = ByteClass([(b' ', b' '), (b'\n', b'\n')]);
/// The bytes after which a text is about something else.
const BREAK: ByteClass<3> = ByteClass([(b'\n', b'\n'), (b';', b';'), (b',', b',')]);

/// Iterates over the words before the number, the nearest first, in its sentence; after a period the word before may be
/// an abbreviation. A word that announces nothing is empty.
pub(crate) fn words_before(bytes: &[u8], start: usize) -> impl Iterator<Item = Range<usize>> {
    // The last byte of the window is the one before the number.
    let mut room = [0; WINDOW];
    let window = start.checked_sub(WINDOW).and_then(|from| bytes.get(from..)?.first_chunk());
    let window = window.unwrap_or_else(|| {
        let text = bytes.get(..start).unwrap_or_default();
        room.iter_mut().rev().zip(text.iter().rev()).for_each(|(slot, byte)| *slot = *byte);
        &room
    });
    let mut words = WORD.bitmask(window) & u64::MAX << (WINDOW - key_before(bytes, start).unwrap_or(BEFORE));
    let stops = if words == 0 { 0 } else { STOP.bitmask(window) };
    // The last of several periods leads to a value: `Medicare number ....... 2138`.
    let mut ends = if stops == 0 { 0 } else { stops & BLANK.bitmask(window) >> 1 & !(stops << 1) };
    std::iter::from_fn(move || {
        if words == 0 {
            return None;
        }
        let stop = WINDOW - words.leading_zeros() as usize;
        let first = stop - (words << (WINDOW - stop)).leading_ones() as usize;
        let from = first;
        let after = stop;
        let (mut first, stop) = (start + first - WINDOW, start + stop - WINDOW);
        // A word of Thai alone can be as long as the window.
        if from == WINDOW - BEFORE && bytes.get(first).is_some_and(|byte| *byte >= 0x80) {
            first = start_of(bytes, 0, first, LONG_WORD, |byte| byte >= 0x80);
        }
        let word = bytes.get(first..stop).unwrap_or_default();
        // `What is your NHS number? It's …`
        if ends >> (after - 1) != 0 {
            let end = WINDOW - 1 - ends.leading_zeros() as usize;
            if let Some((sign, between)) =
                bytes.get(start + end - WINDOW..start).and_then(<[u8]>::split_first)
                && leads_to_number(*sign, between)
            {
                ends &= (1 << end) - 1;
            }
        }
        // The period of `voter card no. ABC…` ends no sentence.
        let abbreviation = || ABBREVIATIONS.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word));
        if ends >> (after - 1) == 0b10 && abbreviation() {
            ends &= (1 << (after - 1)) - 1;
        }
        let goes_on = ends >> (after - 1) == 0;
        let joined = before_byte(bytes, first, 1) == b'_';
        // The value of `phone_count` is a count.
        words &= if goes_on && !(joined && is_measure(word)) { (1 << from) - 1 } else { 0 };
        // `IO_CALL = 1074048887`: the end of a constant's name announces nothing.
        let constant = joined && !word.iter().any(u8::is_ascii_lowercase);
        Some(if constant { stop..stop } else { first..stop })
    })
}

/// Words whose period ends no sentence: `soc. ins. no. 046…`, `cod. fisc. RSS…`.
const ABBREVIATIONS: [&str; 17] = [
    "no", "nr", "n", "num", "núm", "soc", "sec", "ins", "cod", "cód", "fisc", "pers", "ident", "reg", "nat",
    "tel", "steuer",
];

/// Maximum number of letters of an abbreviation with periods.
const ABBREVIATION: usize = 6;

/// Returns the forms that an abbreviation directly before a number announces, with a period or a slash after each
/// letter: `C.P.F. 529…`, `A/C 158…`.
pub(super) fn abbreviation_before(machine: &Automaton, bytes: &[u8], start: usize) -> FormSet {
    with_abbreviation(bytes, start, |word| machine.words.get(word)).unwrap_or(0)
}

/// Calls `look_up` with the letters of the abbreviation directly before a number, if there is one.
pub(crate) fn with_abbreviation<T>(
    bytes: &[u8],
    start: usize,
    look_up: impl FnOnce(&[u8]) -> T,
) -> Option<T> {
    let blank = |byte| matches!(byte, b' ' | b':' | b'=' | b'"' | b'|');
    let end = start_of(bytes, 0, start, 4, blank);
    let end = number_sign_before(bytes, end).unwrap_or(end);
    let mut letters = [0; ABBREVIATION];
    let (mut first, mut place) = (ABBREVIATION, end);
    let sign = |byte: u8| matches!(byte, b'.' | b'/');
    if sign(before_byte(bytes, place, 1)) {
        place -= 1;
    }
    while before_byte(bytes, place, 1).is_ascii_alphabetic() && first > 0 {
        first -= 1;
        letters.iter_mut().skip(first).take(1).for_each(|slot| *slot = before_byte(bytes, place, 1));
        place -= 1;
        if !sign(before_byte(bytes, place, 1)) {
            break;
        }
        place -= 1;
    }
    let letters = letters.get(first..).unwrap_or_default();
    let whole = !before_byte(bytes, place, 1).is_ascii_alphanumeric();
    (letters.len() > 1 && whole).then(|| look_up(letters))
}

/// Returns the start of a sign for *number*, with the space before it: `C.P.F. nº 529…`.
fn number_sign_before(bytes: &[u8], end: usize) -> Option<usize> {
    const SIGNS: [&str; 7] = [" nº", " n°", " n.º", " n.", " no.", " nr.", " nr"];
    if !matches!(before_byte(bytes, end, 1), b'.' | b'r' | 0xb0 | 0xba) {
        return None;
    }
    let text = bytes.get(..end)?;
    SIGNS.iter().find_map(|sign| text.strip_suffix(sign.as_bytes())).map(<[u8]>::len)
}

/// Returns whether the last word of an identifier names a count or a measure: `mobile_users`, `cell_size`.
fn is_measure(word: &[u8]) -> bool {
    const MEASURES: [&[u8]; 9] =
        [b"count", b"size", b"length", b"total", b"limit", b"timeout", b"duration", b"time", b"rate"];
    word.ends_with(b"s") && word.len() > 2 || MEASURES.contains(&word)
}

/// Returns the distance, in bytes, from a number in JSON back to the start of its key. In
/// `{"call":"…","size":3600000}`, only `size` announces the number.
pub(super) fn key_before(bytes: &[u8], start: usize) -> Option<usize> {
    let one = before_byte(bytes, start, 1);
    let behind_key = match one {
        b' ' => matches!(before_byte(bytes, start, 2), b':' | b'[' | b' '),
        sign => matches!(sign, b':' | b'['),
    };
    if !behind_key {
        return None;
    }
    let stop = start_of(bytes, 0, start, 3, |byte| matches!(byte, b' ' | b'['));
    let quote =
        stop.checked_sub(2).filter(|_| bytes.get(..stop).is_some_and(|text| text.ends_with(b"\":")))?;
    let key = start_of(bytes, 0, quote, BEFORE - 6, |byte| byte != b'"' && byte >= b' ');
    Some(start - key)
}

/// Returns the bytes after a number, with zeros beyond the end of the text.
fn window_behind(bytes: &[u8], end: usize) -> [u8; WINDOW] {
    let text = bytes.get(end..).unwrap_or_default();
    text.first_chunk().copied().unwrap_or_else(|| {
        let mut room = [0; WINDOW];
        room.iter_mut().zip(text).for_each(|(slot, byte)| *slot = *byte);
        room
    })
}

/// Iterates over the words after a number. `words` is a bitmask of the bytes of the window that belong to words.
fn words_behind(end: usize, window: &[u8; WINDOW], words: u64) -> impl Iterator<Item = Range<usize>> + use<> {
    // A word that begins near enough may end farther away: letters of Thai have three bytes.
    let all = words;
    let mut words = words & ((1 << BEHIND) - 1);
    if words != 0 {
        // Only the words before the first break count.
        let breaks = BREAK.bitmask(window);
        words &= (breaks & breaks.wrapping_neg()).wrapping_sub(1);
    }
    std::iter::from_fn(move || {
        if words == 0 {
            return None;
        }
        let first = words.trailing_zeros() as usize;
        let stop = first + (all >> first).trailing_ones() as usize;
        words &= u64::MAX.checked_shl(stop as u32).unwrap_or(0);
        Some(end + first..end + stop)
    })
}

/// Returns whether a sentence ends between two positions, and the value after them is not the answer to it.
pub(crate) fn ends_sentence(bytes: &[u8], from: usize, to: usize, value: usize) -> bool {
    let between = bytes.get(from..to).unwrap_or_default();
    let signs = between.iter().zip(between.iter().skip(1));
    let end = signs
        .rev()
        .position(|(sign, next)| matches!(sign, b'.' | b';' | b'!' | b'?') && matches!(next, b' ' | b'\n'));
    let Some(end) = end.and_then(|end| (to - from).checked_sub(end + 2)) else { return false };
    let answer = bytes.get(from + end..value).and_then(<[u8]>::split_first);
    !answer.is_some_and(|(sign, between)| leads_to_number(*sign, between))
}

pub(super) fn lookup(machine: &Automaton, word: &[u8]) -> FormSet {
    let word = word.strip_suffix(b"'s").unwrap_or(word);
    if word.len() < 2 {
        return 0;
    }
    // `Pers.-Ausweis`
    let word = word.strip_prefix(b"-").unwrap_or(word);
    let known = machine.words.get(word);
    if known == 0
        && let Some(head) = before_number(word)
    {
        // `nhsNumber`
        machine.words.get(word.get(..head).unwrap_or_default())
    } else if known == 0 && word.iter().any(|byte| matches!(byte, b'-' | b'\'' | 0xe2)) {
        // `d'identità`, `CPR-nummer`; `Elster-Steuernummer`
        let last = word.rsplit(|byte| *byte == b'-').next().unwrap_or_default();
        machine.words.get(stem(word)) | machine.words.get(last)
    } else if known == 0 && word.first() == Some(&0xe0) {
        // Thai has no spaces between words: `ขอเลขบัตรประชาชนด้วย`.
        let within = |known: &&str| word.windows(known.len()).any(|part| part == known.as_bytes());
        THAI.iter().find(|known| within(known)).map_or(0, |_| machine.words.get(IDENTITY_CARD.as_bytes()))
    } else if known == 0 && word.first().is_some_and(|byte| *byte >= 0xe0) {
        // `여권번호는`: the verb or a particle is written without a space.
        let ending = ENDINGS.iter().find_map(|ending| word.strip_suffix(ending.as_bytes()));
        ending.map_or(0, |word| machine.words.get(word))
    } else {
        known
    }
}

/// Returns the length of the word before *number* in a key: `nhsNumber`. The number of a `callId` is another one.
fn before_number(word: &[u8]) -> Option<usize> {
    const NUMBER: [&[u8]; 4] = [b"Number", b"Nummer", b"No", b"Nr"];
    let head = NUMBER.iter().find_map(|number| word.strip_suffix(*number))?;
    head.last().is_some_and(u8::is_ascii_lowercase).then_some(head.len())
}

/// The identity card in Thai, and the parts of words that mean its number.
const IDENTITY_CARD: &str = "บัตรประชาชน";
const THAI: [&str; 3] = [IDENTITY_CARD, "ประจำตัวประชาชน", "ประจำตัวผู้เสียภาษี"];

/// Verbs and particles that are joined to a word before a value, in Korean, Chinese and Japanese.
const ENDINGS: [&str; 9] = ["는", "은", "이", "가", "是", "为", "為", "は", "が"];

/// Returns a word without a leading article or a trailing *number*: `d'identità`, `CPR-nummer`.
fn stem(word: &[u8]) -> &[u8] {
    const NUMBER: [&[u8]; 5] = [b"nummer", b"number", b"nr", b"no", b"id"];
    let article = [&b"d'"[..], b"l'", "d’".as_bytes(), "l’".as_bytes()];
    let word = article.iter().find_map(|article| word.strip_prefix(*article)).unwrap_or(word);
    let hyphen = word.iter().rposition(|byte| *byte == b'-');
    match hyphen.and_then(|hyphen| word.split_at_checked(hyphen)) {
        Some((head, tail))
            if NUMBER
                .iter()
                .any(|known| tail.get(1..).is_some_and(|tail| tail.eq_ignore_ascii_case(known))) =>
        {
            head
        }
        _ => word,
    }
}

/// Maximum distance, in bytes, between the name of a country and a number.
const NATION: usize = BEFORE;

/// Returns the kind of document that the name of a country near a number indicates, for kinds with the same form.
pub(crate) fn nation(bytes: &[u8], start: usize) -> Option<Kind> {
    const NATIONS: [(&[u8], Kind); 11] = [
        (b"hm", Kind::UkPassport),
        (b"hmpo", Kind::UkPassport),
        (b"gb", Kind::UkPassport),
        (b"gbr", Kind::UkPassport),
        (b"britain", Kind::UkPassport),
        (b"uk", Kind::UkPassport),
        (b"british", Kind::UkPassport),
        (b"korean", Kind::KrPassport),
        (b"korea", Kind::KrPassport),
        (b"dansk", Kind::DkPerson),
        (b"norsk", Kind::NoPerson),
    ];
    let not_letter = |byte: &u8| !byte.is_ascii_alphabetic();
    let text = bytes.get(start.saturating_sub(NATION)..start)?;
    let behind = bytes.get(start..).unwrap_or_default();
    let line = behind.iter().take(NATION).position(|byte| *byte == b'\n').unwrap_or(NATION);
    let behind = behind.get(..line).unwrap_or(behind);
    let mut words = text.rsplit(not_letter).chain(behind.split(not_letter));
    words.find_map(|word| Some(NATIONS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word))?.1))
}
