//! Matches text against patterns with `*` and `?`, in linear time.

use crate::expr::Expr;
use std::iter;

use crate::sort_indices::sort_indices;

impl Expr {
    /// Returns whether `text` matches `pattern`, in which `*` matches any run of characters and `?` any single one. It
    /// is case-sensitive. No other character is special.
    ///
    /// The time is linear in the text. The parts between stars are searched once from the left, by the standard
    /// library. For a part with `?`, all its positions are compared at once.
    pub fn glob(pattern: &str, text: &str) -> bool {
        let mut parts = pattern.split('*');
        let Some(mut rest) = parts.next().and_then(|first| behind(first, text)) else { return false };
        let Some(last) = parts.next_back() else { return rest.is_empty() };
        let Some(before) = before(last, rest) else { return false };
        rest = before;
        parts.all(|part| {
            let end = if part.contains('?') {
                end_of(part, rest)
            } else {
                rest.find(part).map(|at| at + part.len())
            };
            end.and_then(|end| rest.get(end..)).map(|behind| rest = behind).is_some()
        })
    }
}

/// Returns the rest of `text` after `part` at its start.
fn behind<'a>(part: &str, text: &'a str) -> Option<&'a str> {
    text.strip_prefix(part).or_else(|| {
        let mut rest = text.chars();
        let starts = part.contains('?') && part.chars().all(|want| fits(want, rest.next()));
        starts.then_some(rest.as_str())
    })
}

/// Returns the rest of `text` before `part` at its end.
fn before<'a>(part: &str, text: &'a str) -> Option<&'a str> {
    text.strip_suffix(part).or_else(|| {
        let mut rest = text.chars();
        let ends = part.contains('?') && part.chars().rev().all(|want| fits(want, rest.next_back()));
        ends.then_some(rest.as_str())
    })
}

/// Returns the number of steps of a search for each byte of a text. A part with `?` takes two for each word of its
/// positions, and two more, because WebAssembly is slow at both.
pub(super) fn steps(pattern: &str) -> usize {
    let searched = pattern.split('*').filter(|part| part.contains('?'));
    searched.map(|part| 2 + 2 * part.chars().count().div_ceil(WORD)).max().unwrap_or(1)
}

const WORD: usize = u64::BITS as usize;

fn fits(want: char, have: Option<char>) -> bool {
    have.is_some_and(|have| want == '?' || want == have)
}

/// Returns the end of the first match of `part`, in which `?` matches any character.
///
/// The state has one bit for each prefix of the part: whether the text that has been read ends with that prefix. Each
/// character of the text shifts the bits by one and keeps those that it matches (Baeza-Yates and Gonnet, 1992).
fn end_of(part: &str, text: &str) -> Option<usize> {
    let words = part.chars().count().div_ceil(WORD);
    let letters: Vec<char> = part.chars().filter(|letter| *letter != '?').collect();
    let order = sort_indices(letters.len(), &mut |a, b| letters.get(a).cmp(&letters.get(b)));
    let mut letters: Vec<char> = order.iter().filter_map(|at| letters.get(*at as usize)).copied().collect();
    letters.dedup();
    // The positions that each letter matches, after a row of those that any character matches.
    let rows: Vec<Vec<u64>> = iter::once('?')
        .chain(letters.iter().copied())
        .map(|letter| {
            let mut row = vec![0; words];
            let places = part.chars().enumerate().filter(|(_, want)| *want == '?' || *want == letter);
            for (place, _) in places {
                row.get_mut(place / WORD).into_iter().for_each(|word| *word |= 1 << (place % WORD));
            }
            row
        })
        .collect();
    let whole = 1 << ((part.chars().count() - 1) % WORD);
    let mut state = vec![0u64; words];
    text.char_indices().find_map(|(at, have)| {
        let row = rows.get(letters.binary_search(&have).map_or(0, |place| place + 1))?;
        let mut carry = 1;
        for (word, fit) in state.iter_mut().zip(row) {
            let moved = *word << 1 | carry;
            carry = *word >> (WORD - 1);
            *word = moved & fit;
        }
        state.last().filter(|last| *last & whole != 0).map(|_| at + have.len_utf8())
    })
}
