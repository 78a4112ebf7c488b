//! The search index of one kind: vocabulary, postings and term rarity.

use super::vocabulary::Vocabulary;

/// A search index over the primitives of one kind in a catalog. It is immutable. A new catalog needs a new index.
#[derive(Debug, Clone, Default)]
pub struct Index {
    pub(super) vocabulary: Vocabulary,
    /// For each stem, the end of its postings in `postings`.
    pub(super) ends: Vec<u32>,
    /// For each stem, its rarity, in units of 1 / [`RARITY_ONE`].
    pub(super) rarities: Vec<u16>,
    /// For each stem, its primitives: the distance from the previous one in the order of names, and the strength of the
    /// stem.
    pub(super) postings: Vec<u8>,
    /// For each stem of the lexicon, its number in this index, or [`ABSENT`].
    pub(super) related: Vec<u32>,
    /// The catalog indices of the primitives, in the order of their names. The index refers to a primitive by its rank
    /// in this order, so the order of the catalog does not affect searches.
    pub(super) places: Vec<u32>,
}

/// The rarity of a stem that half of all primitives hold.
pub(super) const RARITY_ONE: u32 = 256;

/// The number that means "no stem".
pub(super) const ABSENT: u32 = u32::MAX;

impl Index {
    /// Returns the number of indexed primitives.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns whether the index is empty.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the size of the index in memory, in bytes.
    pub fn size(&self) -> usize {
        let places = self.ends.capacity() + self.related.capacity() + self.places.capacity();
        let numbers = 4 * places + 2 * self.rarities.capacity();
        self.vocabulary.size() + numbers + self.postings.capacity() + size_of::<Self>()
    }

    /// Returns the catalog index of the primitive with this rank.
    pub(super) fn place(&self, rank: usize) -> usize {
        self.places.get(rank).map_or(usize::MAX, |place| *place as usize)
    }

    pub(super) fn rarity(&self, term: u32) -> u32 {
        self.rarities.get(term as usize).copied().unwrap_or_default().into()
    }

    pub(super) fn postings(&self, term: u32) -> &[u8] {
        let term = term as usize;
        let start =
            term.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize);
        let end = self.ends.get(term).map_or(start, |end| *end as usize);
        self.postings.get(start..end).unwrap_or_default()
    }
}
