//! A case-insensitive hash table for word lists that ship with the crate.

/// A table of words that ship with the crate, and a value for each. Lookups ignore case.
#[derive(Debug)]
pub(crate) struct WordTable<T> {
    /// A byte of the hash of the word in each slot, 0 for a free slot. Most words of a text are unknown, and these few
    /// kilobytes suffice to detect that. The number of slots is a power of two, at least twice the number of words.
    tags: Vec<u8>,
    slots: Vec<(&'static str, T)>,
}

impl<T: Copy + Default> WordTable<T> {
    /// Builds a table of words and their values. `join` combines the values of a word that occurs several times.
    pub fn new(words: &[(&'static str, T)], join: impl Fn(T, T) -> T) -> Self {
        let slots = (words.len() * 2).next_power_of_two().max(2);
        let mut table = Self { tags: vec![0; slots], slots: vec![("", T::default()); slots] };
        for &(word, brought) in words {
            let (place, tag) = table.place(word.as_bytes());
            if let (Some(known), Some(slot)) = (table.tags.get_mut(place), table.slots.get_mut(place)) {
                (*known, *slot) = (tag, (word, join(slot.1, brought)));
            }
        }
        table
    }

    /// Returns the value of a word; the default value for an unknown word.
    #[inline]
    pub fn get(&self, word: &[u8]) -> T {
        // A no-break space after a word has bytes as letters have.
        let word = word.strip_suffix(b"\xc2\xa0").unwrap_or(word);
        let (place, _) = self.place(word);
        self.slots.get(place).map_or_else(T::default, |(_, known)| *known)
    }

    /// Returns the slot of a word, or the free slot in which to insert it, and its tag.
    #[inline]
    fn place(&self, word: &[u8]) -> (usize, u8) {
        let hash = hash(word);
        let (mask, tag) = (self.tags.len() - 1, hash as u8 | 1);
        let mut place = (hash >> 8) as usize & mask;
        // INVARIANT: there are fewer words than slots, so the loop reaches a free one.
        while let Some(known) = self.tags.get(place) {
            let same = || {
                self.slots.get(place).is_some_and(|(known, _)| known.as_bytes().eq_ignore_ascii_case(word))
            };
            if *known == 0 || *known == tag && same() {
                break;
            }
            place = (place + 1) & mask;
        }
        (place, tag)
    }
}

/// Hashes the first and the last eight bytes of a word, and its length. Upper and lower case have one hash, unlike in
/// the hashes of names and of ranked words.
#[inline]
fn hash(word: &[u8]) -> u32 {
    const SMALL: u64 = u64::MAX / 255 * 0x20;
    let half = |half: Option<&[u8; 4]>| half.map(|half| u64::from(u32::from_le_bytes(*half)));
    let (first, last) = match (word.first_chunk(), word.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => match (half(word.first_chunk()), half(word.last_chunk())) {
            (Some(first), Some(last)) => (first, last),
            _ => (word.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)), 0),
        },
    };
    let mixed = (first | SMALL).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ ((last | SMALL).wrapping_add(word.len() as u64))
            .wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
            .rotate_left(29);
    (mixed.wrapping_mul(0x1656_67b1_9e37_79f9) >> 32) as u32
}
