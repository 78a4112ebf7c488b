//! A bitset over the primitives of one kind, in registration order.

use super::meet::{And, AndNot, Or, meet, same};

/// A set of primitives of one kind, with one bit for each, in registration order.
#[derive(Debug, Clone, Default)]
pub struct Bitset {
    words: Vec<u64>,
}

impl PartialEq for Bitset {
    fn eq(&self, other: &Self) -> bool {
        same(&self.words, &other.words)
    }
}

impl Eq for Bitset {}

impl Bitset {
    /// Returns the empty set over `len` primitives.
    pub fn none(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)] }
    }

    /// Returns the set with these words, one bit for each primitive.
    pub(crate) fn from_words(words: Vec<u64>) -> Self {
        Self { words }
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the size of the set in memory, in bytes.
    pub(crate) fn size(&self) -> usize {
        size_of::<Self>() + self.words.capacity() * size_of::<u64>()
    }

    /// Returns the full set over `len` primitives.
    pub fn all(len: usize) -> Self {
        let mut words = vec![u64::MAX; len.div_ceil(64)];
        if let (Some(last), used @ 1..) = (words.last_mut(), len % 64) {
            *last = (1 << used) - 1;
        }
        Self { words }
    }

    /// Resizes the set to `len` primitives. Members beyond that are removed, and new primitives are not members.
    pub(crate) fn set_len(&mut self, len: usize) {
        self.words.resize(len.div_ceil(64), 0);
        self.words.shrink_to_fit();
    }

    /// Adds `index`. An index beyond the length of the set is ignored.
    pub fn insert(&mut self, index: usize) {
        if let Some(word) = self.words.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    /// Adds `index`, and extends the set if necessary.
    pub(crate) fn add(&mut self, index: usize) {
        if self.words.len() <= index / 64 {
            self.words.resize(index / 64 + 1, 0);
        }
        self.insert(index);
    }

    /// Removes `index`.
    pub fn remove(&mut self, index: usize) {
        if let Some(word) = self.words.get_mut(index / 64) {
            *word &= !(1 << (index % 64));
        }
    }

    /// Adds or removes `index`.
    pub fn set(&mut self, index: usize, member: bool) {
        if member { self.insert(index) } else { self.remove(index) }
    }

    /// Returns whether `index` is in the set.
    pub fn contains(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Returns the number of members.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the number of members that both sets share.
    pub fn common(&self, other: &Self) -> usize {
        self.words.iter().zip(&other.words).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// Returns the number of members below `index`.
    pub fn count_below(&self, index: usize) -> usize {
        let whole: u32 = self.words.iter().take(index / 64).map(|word| word.count_ones()).sum();
        let last = self.words.get(index / 64).map_or(0, |word| word & ((1 << (index % 64)) - 1));
        (whole + last.count_ones()) as usize
    }

    /// Returns the member that has exactly `below` members below it.
    pub fn nth(&self, mut below: usize) -> Option<usize> {
        for (at, word) in self.words.iter().enumerate() {
            let here = word.count_ones() as usize;
            if below < here {
                return (0..64).filter(|bit| word >> bit & 1 == 1).nth(below).map(|bit| at * 64 + bit);
            }
            below -= here;
        }
        None
    }

    /// Returns whether the sets share a member.
    pub fn meets(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// Returns whether this set has a member that `other` lacks.
    pub fn exceeds(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & !b != 0)
    }

    /// Makes this a copy of `other`, keeping the allocation.
    pub fn copy_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
    }

    /// Keeps only the members of `other`.
    pub fn intersect(&mut self, other: &Self) {
        meet::<And>(&mut self.words, &other.words);
    }

    /// Adds the members that the two sets share.
    pub fn unite_common(&mut self, one: &Self, other: &Self) {
        let common = one.words.iter().zip(&other.words).map(|(a, b)| a & b);
        self.words.iter_mut().zip(common).for_each(|(word, common)| *word |= common);
    }

    /// Removes the members of `other`.
    pub fn subtract(&mut self, other: &Self) {
        meet::<AndNot>(&mut self.words, &other.words);
    }

    /// Adds the members of `other`.
    pub fn unite(&mut self, other: &Self) {
        meet::<Or>(&mut self.words, &other.words);
    }

    /// Empties the set.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Returns the complement over `len` primitives.
    pub fn complement(&self, len: usize) -> Self {
        let mut all = Self::all(len);
        all.subtract(self);
        all
    }

    /// Returns the members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    at * 64 + bit
                })
            })
        })
    }

    /// Appends the members to `out`.
    pub fn write_indices(&self, out: &mut Vec<u32>) {
        for (at, word) in (0u32..).zip(&self.words) {
            let mut rest = *word;
            while rest != 0 {
                out.push(at * 64 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
    }

    /// Returns the first run of consecutive members that starts at or after `from`, as `start..end`.
    pub fn run_from(&self, from: usize) -> Option<std::ops::Range<usize>> {
        let start = self.next(from, false)?;
        let end = self.next(start, true).unwrap_or(self.words.len() * 64);
        Some(start..end)
    }

    /// Returns the first position at or after `from` that is in the set or, if `inverted`, that is not.
    fn next(&self, from: usize, inverted: bool) -> Option<usize> {
        let flip = if inverted { u64::MAX } else { 0 };
        let (first, words) = self.words.get(from / 64..)?.split_first()?;
        let hits = (first ^ flip) & u64::MAX << (from % 64);
        if hits != 0 {
            return Some(from / 64 * 64 + hits.trailing_zeros() as usize);
        }
        let further = words.iter().position(|word| word ^ flip != 0)?;
        let hits = words.get(further)? ^ flip;
        Some((from / 64 + 1 + further) * 64 + hits.trailing_zeros() as usize)
    }
}
