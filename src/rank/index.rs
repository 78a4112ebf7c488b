use super::vocabulary::Vocabulary;

/// What a catalog's primitives of one kind say, ready to be searched. Immutable; a new catalog gets a new one.
#[derive(Debug, Clone, Default)]
pub struct Index {
    pub(super) vocabulary: Vocabulary,
    /// For each stem, where its postings end in `postings`.
    pub(super) ends: Vec<u32>,
    /// For each stem, how much it tells: [`RARITY_ONE`] is one doubling.
    pub(super) rarities: Vec<u16>,
    /// For each stem, each primitive that holds it: the distance from the one before in the order of names, and its
    /// strength there.
    pub(super) postings: Vec<u8>,
    /// For each stem of the lexicon its number here, or [`ABSENT`].
    pub(super) related: Vec<u32>,
    /// The places of the primitives in the catalog, in the order of their names. Inside the index a primitive is known
    /// by its rank in this order, so that the order of the catalog changes no search.
    pub(super) places: Vec<u32>,
}

/// A rarity of one: half of all primitives hold the stem.
pub(super) const RARITY_ONE: u32 = 256;

/// No stem.
pub(super) const ABSENT: u32 = u32::MAX;

impl Index {
    /// Returns how many primitives are indexed.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns whether none is indexed.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        let places = self.ends.capacity() + self.related.capacity() + self.places.capacity();
        let numbers = 4 * places + 2 * self.rarities.capacity();
        self.vocabulary.size() + numbers + self.postings.capacity() + size_of::<Self>()
    }

    /// The place in the catalog of the primitive with this rank.
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
