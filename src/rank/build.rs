//! Builds the search index of a kind from the words of its primitives.

use super::{
    draft::{Draft, Read, Term},
    index::{ABSENT, Index, RARITY_ONE},
    lexicon::{LEXICON, Weight},
};
use crate::{
    catalog::{Bitset, Catalog, Kind},
    sort_indices::sort_indices,
};

/// The count of a word in a description, in the unit of counts and lengths.
const WORD: u64 = 10;
/// The number of steps in a tenth of a word, so that norms are whole numbers.
const SCALE: u64 = 16;

/// The words of the primitives of one kind, read once. An index of any subset of these primitives can be built from it
/// without reading them again. That index is the same as if the other primitives did not exist.
#[derive(Debug)]
pub(super) struct WordCounts {
    /// All stems, concatenated.
    text: String,
    terms: Vec<Term>,
    /// The indices of the terms, sorted by their stems.
    order: Vec<u32>,
    /// The terms of each primitive, primitive by primitive: the term's number and, in the lowest byte, its count.
    holdings: Vec<u32>,
    primitives: Vec<Read>,
    /// The catalog indices of the primitives, sorted by their names.
    places: Vec<u32>,
}

/// The statistics of a term, for an index.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    /// The number of primitives that hold the term.
    holders: u32,
    /// The size of its postings, in bytes.
    size: u32,
    /// The rank of the last primitive that holds the term.
    last: u32,
    /// The position of its next posting.
    place: u32,
}

impl Index {
    /// Indexes the primitives of one kind.
    pub fn new(catalog: &Catalog, kind: Kind) -> Self {
        Self::within(catalog, kind, catalog.kind_index(kind).all())
    }

    /// Indexes the visible primitives of a kind. Hidden primitives do not affect the index, so no search reveals that
    /// they exist.
    pub fn within(catalog: &Catalog, kind: Kind, visible: &Bitset) -> Self {
        WordCounts::read(catalog, kind, visible).index(visible)
    }
}

impl WordCounts {
    /// Reads the primitives of a kind that are in `visible`.
    pub fn read(catalog: &Catalog, kind: Kind, visible: &Bitset) -> Self {
        let kind_index = catalog.kind_index(kind);
        // The names of hidden primitives are compared too, but leave no trace in the index.
        let names: Vec<&str> = kind_index.ids().collect();
        let by_name = sort_texts(names.len(), &mut |at| names.get(at).copied());
        let places = shown(&by_name, visible);
        let mut draft = Draft::new(catalog.hash() as u64);
        for place in &places {
            let at = *place as usize;
            let source = kind_index.bytes(at).and_then(|bytes| std::str::from_utf8(bytes).ok());
            let server = kind_index.server(at).unwrap_or_default();
            let (source, examples) =
                (source.unwrap_or_default(), kind_index.examples(at).unwrap_or_default());
            let published = catalog.primitive(kind, at).map(|primitive| primitive.published());
            draft.add(kind, source, server, examples, &published.unwrap_or_default());
        }
        let Draft { text, terms, holdings, primitives, .. } = draft;
        let mut words = Self { text, terms, order: Vec::new(), holdings, primitives, places };
        words.order = sort_texts(words.terms.len(), &mut |at| words.stem(at));
        words
    }

    fn stem(&self, at: usize) -> Option<&str> {
        let term = self.terms.get(at)?;
        self.text.get(term.start as usize..term.end as usize)
    }

    /// Calls `visit` with the rank of each visible primitive among these, its length, and the terms that it holds.
    fn each(&self, visible: &Bitset, visit: &mut dyn FnMut(u32, u32, &[u32])) {
        let (mut start, mut rank) = (0, 0);
        for (read, place) in self.primitives.iter().zip(&self.places) {
            if visible.contains(*place as usize) {
                visit(rank, read.length, self.holdings.get(start..read.end).unwrap_or_default());
                rank += 1;
            }
            start = read.end;
        }
    }

    /// Indexes the visible primitives.
    pub fn index(&self, visible: &Bitset) -> Index {
        let (mut tallies, mut total) = (vec![Tally::default(); self.terms.len()], 0);
        self.each(visible, &mut |at, length, holdings| {
            total += u64::from(length);
            for holding in holdings {
                let Some(tally) = tallies.get_mut((holding >> 8) as usize) else { continue };
                tally.size += gap_size(at - tally.last) + 1;
                tally.last = at;
                tally.holders += 1;
            }
        });

        let count = visible.count();
        let mut index = Index { related: vec![ABSENT; LEXICON.len()], ..Index::default() };
        index.places = shown(&self.places, visible);
        let held = tallies.iter().filter(|tally| tally.holders > 0).count();
        index.ends.reserve_exact(held);
        index.rarities.reserve_exact(held);
        let mut end = 0;
        for at in &self.order {
            let at = *at as usize;
            let (Some(term), Some(stem), Some(tally)) =
                (self.terms.get(at), self.stem(at), tallies.get_mut(at))
            else {
                continue;
            };
            if tally.holders == 0 {
                continue;
            }
            if let Some(related) = index.related.get_mut(term.entry as usize) {
                *related = index.ends.len() as u32;
            }
            index.rarities.push(rarity(stem, term.weight, tally.holders, count));
            index.vocabulary.push(stem);
            (tally.place, tally.last) = (end, 0);
            end += tally.size;
            index.ends.push(end);
        }
        index.vocabulary.shrink();
        index.postings = self.postings(visible, tallies, end as usize, (total, count as u64));
        index
    }

    /// Returns the postings: for each term, in the order of the vocabulary, its primitives. A posting is the distance
    /// from the previous primitive, in groups of seven bits with the lowest first, and the strength of the term.
    fn postings(
        &self,
        visible: &Bitset,
        mut tallies: Vec<Tally>,
        size: usize,
        (total, count): (u64, u64),
    ) -> Vec<u8> {
        let mut postings = vec![0; size];
        self.each(visible, &mut |at, length, holdings| {
            let norm = norm(length, total, count);
            for holding in holdings {
                let Some(tally) = tallies.get_mut((holding >> 8) as usize) else { continue };
                let mut write = |byte| {
                    if let Some(slot) = postings.get_mut(tally.place as usize) {
                        *slot = byte;
                    }
                    tally.place += 1;
                };
                let mut gap = at - std::mem::replace(&mut tally.last, at);
                while gap >= 0x80 {
                    write(gap as u8 | 0x80);
                    gap >>= 7;
                }
                write(gap as u8);
                write(strength(*holding as u8, norm));
            }
        });
        postings
    }
}

/// Number of bytes of a text that are compared at once.
const HEAD: usize = 12;
/// Number of such comparisons before texts that begin alike are compared whole.
const HEADS: usize = 4;

/// Returns the indices of texts in sorted order. Most texts differ in their first bytes, which are compared as numbers,
/// because WebAssembly compares memory byte by byte.
fn sort_texts<'t>(count: usize, text: &mut dyn FnMut(usize) -> Option<&'t str>) -> Vec<u32> {
    let mut keys: Vec<u128> = (0..count as u128).collect();
    sort_keys(&mut keys, 0, text);
    keys.into_iter().map(|key| key as u32).collect()
}

/// Sorts texts that share their first `heads` times [`HEAD`] bytes. The lowest 32 bits of a key are the index of its
/// text.
fn sort_keys<'t>(keys: &mut [u128], heads: usize, text: &mut dyn FnMut(usize) -> Option<&'t str>) {
    let mut read = |key: u128| text(key as u32 as usize).unwrap_or_default();
    if heads == HEADS {
        let before = keys.to_vec();
        let mut at = |at: usize| before.get(at).map(|key| read(*key));
        let order = sort_indices(keys.len(), &mut |a, b| at(a).cmp(&at(b)));
        let sorted = order.into_iter().filter_map(|at| before.get(at as usize));
        keys.iter_mut().zip(sorted).for_each(|(slot, key)| *slot = *key);
        return;
    }
    for key in &mut *keys {
        let rest = read(*key).as_bytes().get(heads * HEAD..).unwrap_or_default();
        *key = head(rest) << 32 | u128::from(*key as u32);
    }
    keys.sort_unstable();
    let alike = keys.chunk_by_mut(|a, b| a >> 32 == b >> 32).filter(|alike| alike.len() > 1);
    alike.for_each(|alike| sort_keys(alike, heads + 1, text));
}

/// Returns the first bytes of a text as a number, with the first byte highest. Different numbers have the order of
/// their texts.
fn head(bytes: &[u8]) -> u128 {
    let long = bytes.first_chunk().map(|long| u128::from_be_bytes(*long));
    let long = long.unwrap_or_else(|| {
        let mut long = [0; 16];
        long.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = *byte);
        u128::from_be_bytes(long)
    });
    long >> (8 * (16 - HEAD))
}

/// Returns the visible ones of `places`, in their order.
fn shown(places: &[u32], visible: &Bitset) -> Vec<u32> {
    let mut shown = Vec::with_capacity(visible.count());
    for place in places {
        if visible.contains(*place as usize) {
            shown.push(*place);
        }
    }
    shown
}

/// Returns the number of bytes of a distance between postings, at seven bits a byte.
fn gap_size(gap: u32) -> u32 {
    (gap | 1).ilog2() / 7 + 1
}

/// Returns the length part of the denominator of a strength: a quarter of a word, plus three quarters of a word times
/// the primitive's length over the average.
pub(super) fn norm(length: u32, total: u64, count: u64) -> u64 {
    (WORD * SCALE + 3 * WORD * SCALE * u64::from(length) * count / total.max(1)) / 4
}

/// Returns the strength of a term, from 0 to 255, for its count and the norm of the primitive.
pub(super) fn strength(count: u8, norm: u64) -> u8 {
    let count = u64::from(count) * SCALE;
    (255 * count / (count + norm).max(1)) as u8
}

/// Returns the binary logarithm of the number of primitives over the number that hold the term. Words of everyday
/// English have an upper bound: if few tools of a catalog mention `data`, the word does not characterize these tools.
/// Numbers and single letters have an upper bound too.
pub(super) fn rarity(stem: &str, weight: Weight, holders: u32, count: usize) -> u16 {
    let doublings = log2(2 * count as u64 + 2) - log2(2 * u64::from(holders) + 1);
    let sign = stem.len() == 1 || stem.bytes().all(|byte| byte.is_ascii_digit());
    let bound = match weight {
        // In a small catalog all words are about equally rare, and a faint word is worth less than others.
        Weight::Faint => return (doublings / 2).min(2 * RARITY_ONE) as u16,
        Weight::Weak => 3 * RARITY_ONE,
        Weight::Full if sign => 3 * RARITY_ONE,
        Weight::Full => return doublings as u16,
    };
    doublings.min(bound) as u16
}

/// Returns the binary logarithm of a positive number, in steps of 1/256. It is computed by squaring, because
/// floating-point logarithms differ between machines in their last bits.
fn log2(number: u64) -> u32 {
    let whole = number.max(1).ilog2();
    // From 1.0 to 2.0, with 31 fractional bits.
    let mut mantissa = (u128::from(number) << 31 >> whole) as u64;
    let mut log = whole;
    for _ in 0..8 {
        mantissa = (mantissa * mantissa) >> 31;
        log = log << 1 | u32::from(mantissa >> 32 != 0);
        if mantissa >> 32 != 0 {
            mantissa >>= 1;
        }
    }
    log
}

#[cfg(test)]
mod tests {
    use super::{SCALE, WORD, log2, norm, sort_texts, strength};

    #[test]
    fn texts_are_sorted_as_texts() {
        let mut texts =
            vec![String::new(), "\0".to_owned(), "a\0".to_owned(), "é".to_owned(), "日本".to_owned()];
        for length in 0..70 {
            let text = "create_calendar_".repeat(5);
            texts.extend(
                ["", "\0", "a", "z", "zz"].map(|end| [text.get(..length).unwrap_or_default(), end].concat()),
            );
        }
        let order = sort_texts(texts.len(), &mut |at| texts.get(at).map(String::as_str));
        let sorted: Vec<&str> =
            order.iter().filter_map(|at| texts.get(*at as usize)).map(String::as_str).collect();
        assert_eq!(sorted.len(), texts.len());
        assert!(sorted.is_sorted(), "{sorted:?}");
    }

    #[test]
    fn logarithms_are_right_to_their_step() {
        for number in (1..5000).chain([u64::from(u32::MAX), 1 << 40, (1 << 40) + 12345]) {
            let exact = (number as f64).log2() * 256.0;
            let error = exact - f64::from(log2(number));
            assert!((-0.01..1.01).contains(&error), "{number}: {error}");
        }
    }

    #[test]
    fn strengths_rise_with_counts_and_fall_with_length() {
        // One word of a description. The average length is 7.5 words.
        for length in [0, 50, 100, 150, 7500] {
            let found = f64::from(strength(10, norm(length, 300, 4)));
            // f / (f + 1/4 + 3/4 · l) with f = 1.
            let exact = 255.0 / (1.0 + 0.25 + 0.75 * f64::from(length) / 75.0);
            assert!((-1.0..=1.0).contains(&(found - exact)), "{length}: {found} {exact}");
        }
        let average = norm(75, 300, 4);
        assert_eq!(average, WORD * SCALE);
        assert!((1..=255).all(|count| strength(count, average) >= strength(count - 1, average)));
        assert_eq!((strength(0, 0), strength(255, 0)), (0, 255));
    }
}
