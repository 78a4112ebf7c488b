//! The announcements of words near numbers, in one pass over a text. Each word is looked up once, however many numbers
//! are near it. Most numbers have no announcing word near them, so the sentence around them is not read.

use std::ops::Range;

use crate::{
    pii::numbers::{
        automaton::{Automaton, FormSet},
        context_words::{BEFORE, BEHIND, LONG_WORD, WORD, abbreviation_before, key_before, lookup},
    },
    scan::{
        byte_class::WINDOW,
        bytes::{at, before, end_of, start_of},
    },
};

/// Number of remembered announcing words, a power of two. Most numbers have fewer near them.
const ROOM: usize = 64;

/// Maximum distance, in bytes, between the starts of numbers that are close together.
const CLOSE: usize = 32;

/// The words of a stretch of a text that announce something.
#[derive(Debug)]
pub(crate) struct NearWords {
    /// From where on words are known, and where none is read yet.
    start: usize,
    end: usize,
    /// The start of the last number.
    last: usize,
    /// The end of each word and the forms that it announces. The oldest is overwritten.
    words: [(usize, FormSet); ROOM],
    count: usize,
}

impl Default for NearWords {
    fn default() -> Self {
        Self { start: 0, end: 0, last: 0, words: [(0, 0); ROOM], count: 0 }
    }
}

impl NearWords {
    /// Returns the forms that words before and after a number announce, and possibly more.
    #[inline(never)]
    pub fn announced(&mut self, machine: &Automaton, bytes: &[u8], start: usize, end: usize) -> FormSet {
        let from = start.saturating_sub(key_before(bytes, start).unwrap_or(BEFORE));
        let to = (end + BEHIND).min(bytes.len());
        let close = (self.last..=self.last + CLOSE).contains(&start);
        self.last = start;
        if !close || from < self.start {
            // A number that is far from others is examined by itself.
            (self.start, self.end, self.count) = (from, from, 0);
            return FormSet::MAX;
        }
        while self.end < to {
            self.read_on(machine, bytes);
        }
        let mut told = abbreviation_before(machine, bytes, start);
        // The range or the number can cut a word, a part of which is then read.
        for (cut, first, last) in [(from, from, start), (start, from, start), (end, end, to), (to, end, to)] {
            if is_word(before(bytes, cut, 1)) && is_word(at(bytes, cut)) {
                told |= part(machine, bytes, cut, first, last);
            }
        }
        for back in 1..=self.count {
            let Some((stop, forms)) = self.words.get(self.count.wrapping_sub(back) & (ROOM - 1)) else {
                break;
            };
            // Overwritten words may have been near.
            if back > ROOM {
                return FormSet::MAX;
            }
            if *stop <= from {
                break;
            }
            told |= forms;
        }
        told
    }

    /// Returns the forms that a word announces.
    #[inline(never)]
    pub fn look_up(&self, machine: &Automaton, bytes: &[u8], word: Range<usize>) -> FormSet {
        if word.len() < 2 {
            return 0;
        }
        let whole = !is_word(before(bytes, word.start, 1)) && !is_word(at(bytes, word.end));
        if whole && self.start <= word.start && word.end <= self.end {
            for back in 1..=self.count.min(ROOM) {
                match self.words.get((self.count - back) & (ROOM - 1)) {
                    Some((stop, told)) if *stop == word.end => return *told,
                    Some((stop, _)) if *stop > word.end => {}
                    _ => return 0,
                }
            }
            if self.count <= ROOM {
                return 0;
            }
        }
        lookup(machine, bytes.get(word).unwrap_or_default())
    }

    /// Reads the words of the next bytes.
    fn read_on(&mut self, machine: &Automaton, bytes: &[u8]) {
        let rest = bytes.get(self.end..).unwrap_or_default();
        let mut room = [0; WINDOW];
        let window = rest.first_chunk().unwrap_or_else(|| {
            room.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
            &room
        });
        let mut words = WORD.bitmask(window);
        let place = self.end;
        self.end += WINDOW;
        while words != 0 {
            let first = words.trailing_zeros() as usize;
            let length = (words >> first).trailing_ones() as usize;
            let stop = first + length;
            if stop == WINDOW && place + WINDOW < bytes.len() {
                // It may go on; as long a word is none that is known.
                self.end = if first == 0 { end_of(bytes, place, usize::MAX, is_word) } else { place + first };
                return;
            }
            let told = lookup(machine, bytes.get(place + first..place + stop).unwrap_or_default());
            if told != 0
                && let Some(slot) = self.words.get_mut(self.count & (ROOM - 1))
            {
                *slot = (place + stop, told);
                self.count += 1;
            }
            words &= if stop == WINDOW { 0 } else { u64::MAX << stop };
        }
    }
}

fn is_word(byte: u8) -> bool {
    WORD.contains(byte)
}

/// Returns the forms that the part from `first` to `last` of a word around a position announces.
#[inline(never)]
fn part(machine: &Automaton, bytes: &[u8], cut: usize, first: usize, last: usize) -> FormSet {
    let start = start_of(bytes, first, cut, WINDOW, is_word);
    let end = end_of(bytes, cut, last - cut, is_word);
    let told = lookup(machine, bytes.get(start..end).unwrap_or_default());
    // A word of Thai alone can be as long as the stretch.
    let long = start_of(bytes, 0, start, LONG_WORD, |byte| byte >= 0x80);
    if long < start { told | lookup(machine, bytes.get(long..end).unwrap_or_default()) } else { told }
}
