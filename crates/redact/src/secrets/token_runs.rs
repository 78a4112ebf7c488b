//! Long runs of the characters of tokens. Few texts have such runs, and the search for them skips most bytes.

use std::ops::Range;

use crate::{
    scan::bytes::{end_of, start_of},
    secrets::rules::CharSet,
};

/// Minimum length of a token, in bytes.
pub(crate) const MIN_RUN: usize = 20;

/// Maximum number of bytes that a run has beyond [`MIN_RUN`]. A longer run is returned in parts.
const LONGEST: usize = 64;

/// A word that belongs to the run after it.
pub(crate) const BEARER: &[u8] = b"bearer ";

/// Returns the first run of at least [`MIN_RUN`] characters that begins at `place` or later, before `until`. The word
/// [`BEARER`] before it is included, unless it begins before `floor`.
pub(crate) fn next(bytes: &[u8], floor: usize, place: usize, until: usize) -> Option<Range<usize>> {
    let mut start = place;
    while start < until {
        // Either a run fills the window, or the next one can only begin after the last other byte in it.
        let window = bytes.get(start..start + MIN_RUN)?;
        match window.iter().rposition(|byte| !CharSet::Any.contains(*byte)) {
            Some(sign) => start += sign + 1,
            None => {
                let end = end_of(bytes, start + MIN_RUN, LONGEST, |byte| CharSet::Any.contains(byte));
                return Some(bearer(bytes, floor, start)..end);
            }
        }
    }
    None
}

/// Returns the start of a run, including the word [`BEARER`] before it.
fn bearer(bytes: &[u8], floor: usize, run: usize) -> usize {
    let word = run.saturating_sub(BEARER.len());
    if !bytes.get(word..run).is_some_and(|word| word.eq_ignore_ascii_case(BEARER)) {
        return run;
    }
    let start = start_of(bytes, floor, run - 1, MIN_RUN, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if start < run - 1 { start } else { run }
}

#[cfg(test)]
mod tests {
    use super::{CharSet, MIN_RUN, next};
    use crate::secrets::{
        kinds::KINDS,
        rules::{Part, parts},
    };

    #[test]
    fn tokens_begin_with_a_run() {
        for kind in KINDS {
            for prefix in kind.prefixes.split(' ') {
                let known = |bytes: &[u8]| bytes.iter().all(|byte| CharSet::Any.contains(*byte));
                assert!(known(prefix.as_bytes()), "{prefix}");
                let mut length = prefix.len();
                for part in parts(kind.body) {
                    length += match part {
                        Part::Literal(text) => {
                            assert!(known(text) || length >= MIN_RUN, "{prefix}");
                            text.len()
                        }
                        Part::Run(_, least, _) => least,
                    };
                }
                assert!(length >= MIN_RUN, "{prefix}");
            }
        }
    }

    #[test]
    fn finds_what_one_after_the_other_finds() {
        let mut seed = 1u64;
        for length in (0..120).cycle().take(3000) {
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    seed =
                        seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    if seed >> 59 == 0 { b' ' } else { b'a' + (seed >> 40) as u8 % 26 }
                })
                .collect();
            for from in 0..=length {
                let long = |start: &usize| {
                    bytes.get(*start..start + MIN_RUN).is_some_and(|run| run.iter().all(|byte| *byte != b' '))
                };
                let until = from + seed as usize % 64;
                let naive = (from..length.min(until)).find(long);
                assert_eq!(next(&bytes, 0, from, until).map(|run| run.start), naive, "{bytes:?}");
            }
        }
    }
}
