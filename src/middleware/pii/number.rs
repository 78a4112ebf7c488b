//! Numbers of the table: where one may begin and end, and whether it is taken for one.

use super::{
    Finding,
    bytes::{at, before, end_of, start_of},
    kind::Kind,
    machine::{End, Forms, MACHINE, Machine, Number, literal},
    scanner::Scanner,
    table::{Alone, FORMS, Form},
};

/// How far before and behind a number a word may announce it, in bytes.
pub(super) const ANNOUNCED_BEFORE: usize = 56;
pub(super) const ANNOUNCED_BEHIND: usize = 36;

/// The number that begins with the token at `token`, whose first digit is at `digit`, or with a short word before it.
pub(super) fn find(
    scanner: &Scanner,
    bytes: &[u8],
    floor: usize,
    token: usize,
    digit: usize,
) -> Option<Finding> {
    let machine = &*MACHINE;
    if digit == token
        && let Some(start) = word_before(bytes, floor, token)
        && let Some(found) = from(scanner, machine, bytes, start)
    {
        return Some(found);
    }
    from(scanner, machine, bytes, token).map(|found| with_parenthesis(bytes, floor, found))
}

/// Letters that may belong to a number though a separator stands between: `HRB 12345`, `AB 12 34 56 C`.
fn word_before(bytes: &[u8], floor: usize, token: usize) -> Option<usize> {
    let end = token.checked_sub(1)?;
    if !matches!(at(bytes, end), b' ' | b'-' | b'.') {
        return None;
    }
    let start = start_of(bytes, floor, end, 5, |byte| byte.is_ascii_alphabetic());
    let apart = !before(bytes, start, 1).is_ascii_alphanumeric();
    (start < end && end - start <= 3 && apart).then_some(start)
}

/// `(555) 123-4567` begins with its parenthesis.
fn with_parenthesis(bytes: &[u8], floor: usize, found: Finding) -> Finding {
    let open = found.start > floor && before(bytes, found.start, 1) == b'(';
    let closed = bytes.get(found.start..found.end).is_some_and(|number| number.contains(&b')'));
    let start = found.start - usize::from(open && closed && found.kind == Kind::Phone);
    Finding { start, ..found }
}

fn from(scanner: &Scanner, machine: &Machine, bytes: &[u8], start: usize) -> Option<Finding> {
    if glued_before(bytes, start) {
        return None;
    }
    let number = machine.read(bytes, start, scanner.forms);
    for end in number.ends() {
        if glued_behind(bytes, end.place) {
            continue;
        }
        if let Some(form) = judge(scanner, machine, bytes, start, &number, end)
            && !(form.kind == Kind::Iban && mixes_cases(bytes, start, end.place))
        {
            return Some(Finding { kind: form.kind, start, end: end.place });
        }
    }
    None
}

/// The form that a number has: the one that is announced nearest, else the first that needs no announcement.
fn judge<'f>(
    scanner: &Scanner,
    machine: &Machine,
    bytes: &[u8],
    start: usize,
    number: &Number,
    end: End,
) -> Option<&'f Form> {
    let characters = number.characters(end.length);
    let breaks = number.breaks & ((1 << end.length) - 1);
    let (mut possible, mut checked): (Forms, Forms) = (0, 0);
    let mut alone: Option<&'f Form> = None;
    let mut left = end.forms;
    while left != 0 {
        let place = left.trailing_zeros() as usize;
        left &= left - 1;
        let Some(form) = FORMS.get(place) else { break };
        if !literal(form.pattern, characters) || !is_possible(form, characters, breaks) {
            continue;
        }
        possible |= 1 << place;
        checked |= Forms::from(form.alone != Alone::Named) << place;
        let marks = machine.marks.get(place).copied().unwrap_or(0) & ((1 << end.length) - 1);
        let grouped = breaks != 0 && marks == breaks;
        let stands = match form.alone {
            Alone::Always => true,
            Alone::Grouped => grouped,
            _ => false,
        } && (form.check)(characters);
        // Small letters are words and hashes more often than numbers of papers.
        let stands = stands && number.capital(end.length);
        let stands = stands
            || scanner.strict
                && (scanner.named || form.alone != Alone::Named)
                && (grouped || !bare_exception(form, characters))
                && (form.check)(characters);
        if stands && alone.is_none() {
            alone = Some(form);
        }
    }
    if possible == 0 {
        return None;
    }
    if alone.is_some() && possible.count_ones() == 1 {
        return alone;
    }
    // What many numbers look like does not take the place of what few do.
    let open = if alone.is_some() { checked } else { possible };
    let announced = announced(machine, bytes, start, end.place, open);
    let nearest = FORMS.get(announced.trailing_zeros() as usize);
    nearest.or(alone)
}

/// Whether a form can have the number at all. Who writes `SSN:` before nine digits in their groups means one, whether
/// or not it was ever issued.
fn is_possible(form: &Form, characters: &[u8], breaks: u64) -> bool {
    (form.check)(characters) || form.kind == Kind::Ssn && breaks == 0b10_1000
}

/// Nine digits drawn up by counting are no number of anybody's.
fn bare_exception(form: &Form, characters: &[u8]) -> bool {
    form.kind == Kind::Ssn && !super::checks::ssn_bare(characters)
}

/// Of some forms those that the nearest word before the number announces, else the nearest behind it.
fn announced(machine: &Machine, bytes: &[u8], start: usize, end: usize, forms: Forms) -> Forms {
    let mut place = start;
    let floor = start.saturating_sub(ANNOUNCED_BEFORE);
    while place > floor {
        let stop = start_of(bytes, floor, place, ANNOUNCED_BEFORE, |byte| !is_word(byte));
        let word = start_of(bytes, floor, stop, ANNOUNCED_BEFORE, is_word);
        let found = lookup(machine, bytes.get(word..stop).unwrap_or_default()) & forms;
        if found != 0 {
            return found;
        }
        if ends_sentence(bytes, stop, place) {
            break;
        }
        place = word;
    }
    let ceiling = bytes.len().min(end + ANNOUNCED_BEHIND);
    let mut word = end;
    while word < ceiling {
        let begin = (word..ceiling).find(|place| is_word(at(bytes, *place))).unwrap_or(ceiling);
        // What follows a line's end or a sentence's announces something else.
        if bytes
            .get(word..begin)
            .is_some_and(|between| between.iter().any(|byte| matches!(byte, b'\n' | b';' | b',')))
        {
            break;
        }
        let stop = (begin..ceiling).find(|place| !is_word(at(bytes, *place))).unwrap_or(ceiling);
        let found = lookup(machine, bytes.get(begin..stop).unwrap_or_default()) & forms;
        if found != 0 {
            // Where a number follows the word, it announces that one.
            let next = end_of(bytes, stop, 12, |byte| !byte.is_ascii_digit());
            return if next < stop + 12 && next < bytes.len() { 0 } else { found };
        }
        word = stop;
    }
    0
}

/// Whether a sentence ends between two words; after a period the word before may be an abbreviation.
pub(super) fn ends_sentence(bytes: &[u8], from: usize, to: usize) -> bool {
    let between = bytes.get(from..to).unwrap_or_default();
    between
        .iter()
        .zip(between.iter().skip(1))
        .any(|(sign, next)| matches!(sign, b'.' | b';' | b'!' | b'?') && matches!(next, b' ' | b'\n'))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80 || matches!(byte, b'-' | b'\'')
}

fn lookup(machine: &Machine, word: &[u8]) -> Forms {
    let word = word.strip_suffix(b"'s").unwrap_or(word);
    if word.len() < 2 {
        return 0;
    }
    machine.words.get(word).unwrap_or(0)
}

/// `GB82 west`: a country's letters before a word.
fn mixes_cases(bytes: &[u8], start: usize, end: usize) -> bool {
    let number = bytes.get(start..end).unwrap_or_default();
    number.iter().any(u8::is_ascii_uppercase) && number.iter().any(u8::is_ascii_lowercase)
}

/// Whether what begins here is the rest of something longer: `v1.2`, `ORD-123`, `$100`.
pub(super) fn glued_before(bytes: &[u8], start: usize) -> bool {
    let [last, more] = [before(bytes, start, 1), before(bytes, start, 2)];
    match last {
        b'-' | b'.' | b'_' | b'/' | b',' | b':' => {
            more.is_ascii_digit() || last != b':' && last != b',' && more.is_ascii_alphanumeric()
        }
        b'$' | b'#' | b'%' | b'@' | b'+' => true,
        // €, £ and ¥ end so.
        0xac => before(bytes, start, 3) == 0xe2,
        0xa3 | 0xa5 => more == 0xc2,
        _ => last.is_ascii_alphanumeric(),
    }
}

/// Whether what ends here goes on.
pub(super) fn glued_behind(bytes: &[u8], end: usize) -> bool {
    let more = at(bytes, end + 1);
    match at(bytes, end) {
        b'-' | b'_' | b'/' | b'@' | b'.' => more.is_ascii_alphanumeric(),
        b',' | b':' => more.is_ascii_digit(),
        b'%' => true,
        byte => byte.is_ascii_alphanumeric(),
    }
}
