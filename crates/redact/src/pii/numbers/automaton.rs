//! An automaton that matches all forms of the table at once. Its state is a set of forms, as a bitset, which each
//! character narrows, so the cost does not depend on the number of forms. It is built on first use, and has a few
//! kilobytes of masks.

use std::sync::LazyLock;

use crate::{
    pii::numbers::{
        checksums::{digits::value, finance::iban_length},
        columns::Columns,
        near_words::NearWords,
        table::{AcceptWhen, FORMS, Form},
    },
    scan::{
        bytes::{at, before, digits_end, typographic_sign},
        kind::Kind,
        word_table::WordTable,
    },
};

/// A set of forms, as a bitset.
pub(crate) type FormSet = u128;

/// Maximum number of letters and digits of a number.
const LONGEST: usize = 36;
/// The size of tables by length: a power of two greater than [`LONGEST`], so that a masked index needs no bounds check.
const ROOM: usize = 64;
/// Maximum number of ends that are tried for a number in groups.
const MOST_ENDS: usize = 12;

pub(crate) static AUTOMATON: LazyLock<Automaton> = LazyLock::new(Automaton::new);

/// The forms that accept a digit, and those that accept a letter.
#[derive(Debug, Default, Clone, Copy)]
struct Fits {
    digit: FormSet,
    letter: FormSet,
}

#[derive(Debug)]
pub(crate) struct Automaton {
    /// Forms by what they have at a place.
    fits: [Fits; ROOM],
    /// Forms that may begin with a digit, or with a letter: ten, then twenty-six; and with so many digits.
    first: [FormSet; 36],
    numerals: [FormSet; ROOM],
    /// The numbers of digits that a number without separators can have, one bit each.
    whole: u64,
    /// The groups that can follow a number of leading digits or letters and a separator.
    behind_digits: [[Groups; SEPARATORS]; ROOM],
    behind_letters: [[Groups; SEPARATORS]; ROOM],
    /// The forms that allow a separator before a position.
    breaks: [FormSet; ROOM],
    /// Forms that know a separator.
    separators: [FormSet; SEPARATORS],
    mixed: FormSet,
    /// The forms whose length depends on the country with which they begin.
    pub iban: FormSet,
    /// The forms with a fixed letter or digit.
    pub literal: FormSet,
    /// The forms with [`AcceptWhen::Always`]. The next two fields are those with `Grouped` and `Named`.
    pub always: FormSet,
    pub grouped: FormSet,
    pub named: FormSet,
    /// The forms with [`AcceptWhen::Told`].
    pub told: FormSet,
    /// Forms that may end before a place.
    ends: [FormSet; ROOM],
    /// The separators that each form may have, one bit for each place.
    pub marks: Vec<u64>,
    /// The forms that each word announces.
    pub words: WordTable<FormSet>,
}

/// The number of separators.
const SEPARATORS: usize = 7;

/// Returns the index of a separator.
#[inline(always)]
fn separator_of(sign: u8) -> Option<usize> {
    Some(match sign {
        b' ' => 0,
        b'-' => 1,
        b'.' => 2,
        b'/' => 3,
        b'_' => 4,
        b')' => 5,
        b'+' => 6,
        _ => return None,
    })
}

/// Groups that may follow: the bit of each number of digits, of which the last is for all that are more, and the lowest
/// for a letter.
type Groups = u16;
const MOST_DIGITS: usize = 15;

/// Returns whether one of some groups begins at a position.
#[inline]
fn has_group(groups: [Groups; SEPARATORS], separator: usize, bytes: &[u8], place: usize) -> bool {
    let digits = digits_end(bytes, place, MOST_DIGITS) - place;
    groups.get(separator).is_some_and(|groups| groups >> digits & 1 == 1)
}

/// The result of the automaton from one start. It has two and a half kilobytes, so it is reused for many starts.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// The digits, and the letters in capitals. The next field is the number of them that are filled in.
    characters: [u8; LONGEST],
    filled: usize,
    /// The index of the first small letter, or [`LONGEST`].
    small_from: usize,
    /// A bitmask of the characters that a separator precedes.
    pub breaks: u64,
    /// The possible ends. The next field is their number.
    ends: [End; MOST_ENDS],
    count: usize,
    /// The words that could announce this number or the next.
    pub words: NearWords,
    /// The table in which this number may be, and the forms that the heading of its column announces.
    pub columns: Columns,
    pub headed: FormSet,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct End {
    /// The position in the text after the last character.
    pub place: usize,
    /// The number of characters.
    pub length: usize,
    /// The forms that end here.
    pub forms: FormSet,
}

impl Default for Candidate {
    fn default() -> Self {
        Self {
            characters: [0; LONGEST],
            filled: 0,
            small_from: LONGEST,
            breaks: 0,
            ends: [End::default(); MOST_ENDS],
            count: 0,
            words: NearWords::default(),
            columns: Columns::default(),
            headed: 0,
        }
    }
}

impl Candidate {
    pub fn characters(&self, length: usize) -> &[u8] {
        self.characters.get(..length).unwrap_or_default()
    }

    /// Returns the number of possible ends.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns a possible end by its index; the nearest end is the first.
    pub fn end(&self, number: usize) -> End {
        self.ends.get(number).copied().unwrap_or_default()
    }

    /// Fills in the characters up to an end. Most candidates are rejected before their characters are needed.
    pub fn fill(&mut self, bytes: &[u8], start: usize, end: End) {
        if self.filled >= end.length {
            return;
        }
        self.filled = end.length;
        let mut slots = self.characters.iter_mut();
        for byte in bytes.get(start..end.place).unwrap_or_default() {
            if byte.is_ascii_alphanumeric()
                && let Some(slot) = slots.next()
            {
                *slot = byte.to_ascii_uppercase();
            }
        }
    }

    /// Returns whether the first `length` characters have no small letter.
    pub fn capital(&self, length: usize) -> bool {
        self.small_from >= length
    }
}

impl Automaton {
    fn new() -> Self {
        let mut words = Vec::new();
        let mut machine = Self {
            fits: [Fits::default(); ROOM],
            first: [0; 36],
            numerals: [FormSet::MAX; ROOM],
            whole: 0,
            behind_digits: [[0; SEPARATORS]; ROOM],
            behind_letters: [[0; SEPARATORS]; ROOM],
            breaks: [0; ROOM],
            separators: [0; SEPARATORS],
            mixed: 0,
            iban: 0,
            literal: 0,
            always: 0,
            grouped: 0,
            named: 0,
            told: 0,
            ends: [0; ROOM],
            marks: Vec::with_capacity(FORMS.len()),
            words: WordTable::new(&[], |_, _| 0),
        };
        for (number, form) in FORMS.iter().enumerate() {
            let bit = 1 << number;
            machine.learn(form, bit);
            words.extend(form.words.split_ascii_whitespace().map(|word| (word, bit)));
        }
        machine.learn_openings();
        machine.words = WordTable::new(&words, |known, more| known | more);
        machine
    }

    /// Computes the tables of the beginnings of numbers from the forms.
    fn learn_openings(&mut self) {
        let (mut digits, mut letters) = (FormSet::MAX, FormSet::MAX);
        for length in 1..=LONGEST {
            let fits = masked(&self.fits, length - 1);
            (digits, letters) = (digits & fits.digit, letters & fits.letter);
            let openings = [digits, letters].map(|alive| {
                self.separators.map(|known| self.groups(alive & masked(&self.breaks, length) & known, length))
            });
            let [of_digits, of_letters] = openings;
            self.numerals.iter_mut().skip(length).take(1).for_each(|slot| *slot = digits);
            self.behind_digits.iter_mut().skip(length).take(1).for_each(|slot| *slot = of_digits);
            self.behind_letters.iter_mut().skip(length).take(1).for_each(|slot| *slot = of_letters);
            self.whole |= u64::from(digits & masked(&self.ends, length) != 0) << length;
        }
        self.numerals.iter_mut().skip(LONGEST + 1).for_each(|slot| *slot = 0);
    }

    /// Returns the groups that some forms allow at a position, as [`Groups`].
    fn groups(&self, mut alive: FormSet, place: usize) -> Groups {
        let mut groups = Groups::from(alive & masked(&self.fits, place).letter != 0);
        for digits in 1..=LONGEST - place {
            alive &= masked(&self.fits, place + digits - 1).digit;
            let end = place + digits;
            let goes_on =
                masked(&self.ends, end) | masked(&self.breaks, end) | masked(&self.fits, end).letter;
            groups |= Groups::from(alive & goes_on != 0) << digits.min(MOST_DIGITS);
        }
        groups
    }

    /// Returns whether a number can begin with the digits from a place to another. Most do not go on as one does.
    #[inline]
    fn may_begin(&self, bytes: &[u8], start: usize, end: usize) -> bool {
        let length = end - start;
        if self.whole >> (length & (ROOM - 1)) & 1 == 1 || at(bytes, end).is_ascii_alphanumeric() {
            return true;
        }
        separator(bytes, end).is_some_and(|(separator, next)| {
            has_group(masked(&self.behind_digits, length), separator, bytes, next)
        })
    }

    /// Returns whether a number can begin with so many letters, a separator and the digits at a place.
    #[inline]
    pub fn may_begin_with(&self, bytes: &[u8], letters: usize, digits: usize) -> bool {
        separator_of(before(bytes, digits, 1)).is_some_and(|separator| {
            has_group(masked(&self.behind_letters, letters), separator, bytes, digits)
        })
    }

    fn learn(&mut self, form: &Form, bit: FormSet) {
        fn set<const N: usize>(masks: &mut [FormSet; N], place: usize, bit: FormSet) {
            if let Some(mask) = masks.get_mut(place) {
                *mask |= bit;
            }
        }
        match form.accept {
            AcceptWhen::Always => self.always |= bit,
            AcceptWhen::Grouped => self.grouped |= bit,
            AcceptWhen::Announced => {}
            AcceptWhen::Named => self.named |= bit,
            AcceptWhen::Told => self.told |= bit,
        }
        self.iban |= if form.kind == Kind::Iban { bit } else { 0 };
        let lead = form.pattern.bytes().next().unwrap_or(b'x');
        for (number, mask) in (0..).zip(&mut self.first) {
            let begins = match lead {
                b'A'..=b'Z' | b'0'..=b'9' => number == value(lead),
                b'n' => (2..10).contains(&number),
                b'd' => number < 10,
                b'a' => number >= 10,
                _ => true,
            };
            *mask |= if begins { bit } else { 0 };
        }
        let (mut place, mut marks) = (0, 0);
        for character in form.pattern.bytes() {
            // The first is compared when reading begins.
            if place > 0 && matches!(character, b'A'..=b'Z' | b'0'..=b'9') {
                self.literal |= bit;
            }
            if character == b'-' {
                set(&mut self.breaks, place, bit);
                marks |= 1 << place;
                continue;
            }
            if matches!(character, b'?' | b'*') {
                set(&mut self.ends, place, bit);
            }
            if let Some(fits) = self.fits.get_mut(place) {
                let digit = matches!(character, b'd' | b'n' | b'x' | b'?' | b'*' | b'0'..=b'9');
                let letter = matches!(character, b'a' | b'x' | b'*' | b'A'..=b'Z');
                fits.digit |= if digit { bit } else { 0 };
                fits.letter |= if letter { bit } else { 0 };
            }
            place += 1;
        }
        set(&mut self.ends, place, bit);
        self.marks.push(marks);
        for separator in form.separators.bytes() {
            match separator_of(separator) {
                Some(known) => set(&mut self.separators, known, bit),
                None => self.mixed |= bit,
            }
        }
    }

    /// Reads on from a place for as long as any of `alive` may follow.
    pub fn read(&self, bytes: &[u8], start: usize, alive: FormSet, number: &mut Candidate) {
        (number.small_from, number.breaks, number.count, number.filled) = (LONGEST, 0, 0, 0);
        number.headed = 0;
        let first = value(at(bytes, start).to_ascii_uppercase());
        let alive = alive & self.first.get(first as usize).copied().unwrap_or(0);
        let iban = if first < 10 { 0 } else { iban_length([at(bytes, start), at(bytes, start + 1)]) };
        self.read_runs(bytes, start, if iban == 0 { alive & !self.iban } else { alive }, iban, number);
    }

    /// Reads one run of letters and digits after the other. A number ends only where a run does.
    fn read_runs(&self, bytes: &[u8], start: usize, mut alive: FormSet, iban: usize, number: &mut Candidate) {
        // Most numbers begin with digits, and the number of these digits fits no form.
        let mut place = digits_end(bytes, start, LONGEST);
        let (mut length, mut last) = (place - start, usize::MAX);
        alive &= masked(&self.numerals, length);
        if alive == 0 || length > 0 && !self.may_begin(bytes, start, place) {
            return;
        }
        loop {
            for byte in bytes.get(place..).unwrap_or_default() {
                let Some(fits) = self.fits.get(length & (ROOM - 1)) else { break };
                alive &= match byte {
                    b'0'..=b'9' => fits.digit,
                    b'A'..=b'Z' => fits.letter,
                    b'a'..=b'z' => {
                        number.small_from = number.small_from.min(length);
                        fits.letter
                    }
                    _ => break,
                };
                if alive == 0 {
                    return;
                }
                (place, length) = (place + 1, length + 1);
            }
            let forms = alive & masked(&self.ends, length);
            if forms != 0
                && let Some(end) = number.ends.get_mut(number.count)
            {
                // An IBAN only ends at the length of its country.
                let forms = if length == iban { forms } else { forms & !self.iban };
                *end = End { place, length, forms };
                number.count += usize::from(forms != 0);
                alive &= if length < iban { FormSet::MAX } else { !self.iban };
            }
            alive &= masked(&self.breaks, length);
            if alive == 0 {
                return;
            }
            let Some((separator, next)) = separator(bytes, place) else { return };
            if last != usize::MAX && separator != last {
                alive &= self.mixed;
            }
            last = separator;
            alive &= self.separators.get(separator).copied().unwrap_or(0);
            if alive == 0 {
                return;
            }
            number.breaks |= 1 << length;
            place = next;
        }
    }
}

/// Returns the entry of a table for a length. The mask changes no length, because no form is longer than [`LONGEST`].
#[inline]
fn masked<T: Copy + Default>(table: &[T; ROOM], length: usize) -> T {
    table.get(length & (ROOM - 1)).copied().unwrap_or_default()
}

/// Returns the index of the separator at a position, and the position after it. A separator is a sign, or a parenthesis
/// and a sign.
#[inline]
fn separator(bytes: &[u8], place: usize) -> Option<(usize, usize)> {
    let first = at(bytes, place);
    if first >= 0x80 {
        let (sign, next) = typographic_sign(bytes, place)?;
        return if at(bytes, next).is_ascii_alphanumeric() {
            Some((separator_of(sign)?, next))
        } else {
            None
        };
    }
    let next = match (first, at(bytes, place + 1)) {
        (b')', b' ' | b'-' | b'/' | b'.') => place + 2,
        (b' ', b'(') if at(bytes, place + 2).is_ascii_digit() => place + 2,
        _ => place + 1,
    };
    if !at(bytes, next).is_ascii_alphanumeric() {
        return None;
    }
    let first = if next == place + 2 { b')' } else { first };
    Some((separator_of(first)?, next))
}

/// Returns whether a number has the fixed letters and digits of a pattern.
pub(crate) fn literal(pattern: &str, characters: &[u8]) -> bool {
    pattern.bytes().filter(|byte| *byte != b'-').zip(characters).all(|(wanted, found)| match wanted {
        b'A'..=b'Z' | b'0'..=b'9' => wanted == *found,
        _ => true,
    })
}
