//! A hash map from words to numbers that stores only hashes.

/// A map from the hashes of words to numbers. It stores only hashes. Two words of one catalog have the same hash in one
/// of ten thousand million catalogs, and would then count as one word.
///
/// Its layout differs from that of the other tables: the catalog's `IdTable` stores only numbers and compares the names
/// in their text, and the scanners' `WordTable` stores words and ignores case.
#[derive(Debug, Clone)]
pub(super) struct Table {
    seed: u64,
    /// Hashes and numbers. An empty slot has the hash 0. The length is a power of two, and at most half of it is used.
    slots: Vec<(u64, u32)>,
    used: usize,
}

impl Table {
    /// Creates an empty table. `seed` seeds the hashes, so that crafted words cannot force collisions.
    pub fn new(seed: u64) -> Self {
        Self { seed, slots: vec![(0, 0); 256], used: 0 }
    }

    /// Returns the hash of a word in this table.
    #[inline]
    pub fn hash(&self, word: &str) -> u64 {
        hash(self.seed, word.as_bytes())
    }

    /// Returns the hash of a word of fewer than eight bytes. The first of them is the lowest of `bytes`.
    #[inline(always)]
    pub fn hash_short(&self, length: usize, bytes: u64) -> u64 {
        finish(start(self.seed, length), bytes)
    }

    /// Returns the number of a word with this hash.
    #[inline(always)]
    pub fn get(&self, hash: u64) -> Option<u32> {
        // Most entries are in their first slot.
        match self.slots.get(hash as usize & (self.slots.len() - 1)) {
            Some((known, number)) if *known == hash => Some(*number),
            _ => self.search(hash),
        }
    }

    fn search(&self, hash: u64) -> Option<u32> {
        let (known, number) = *self.slots.get(self.slot(hash))?;
        (known == hash).then_some(number)
    }

    /// Inserts a word that the table does not hold yet.
    pub fn insert(&mut self, hash: u64, number: u32) {
        if self.used * 2 >= self.slots.len() {
            let grown = vec![(0, 0); self.slots.len() * 2];
            for (hash, number) in std::mem::replace(&mut self.slots, grown) {
                if hash != 0 {
                    self.set(hash, number);
                }
            }
        }
        self.used += 1;
        self.set(hash, number);
    }

    fn set(&mut self, hash: u64, number: u32) {
        let slot = self.slot(hash);
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = (hash, number);
        }
    }

    /// Returns the slot of `hash`, or the empty slot for it.
    #[inline]
    fn slot(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots.get(slot).is_some_and(|(known, _)| *known != hash && *known != 0) {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

/// Returns a hash that is never 0. Words are short: this takes about half the time of `xxh64`, which hashes names.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mut hash = start(seed, bytes.len());
    let mut rest = bytes;
    while let Some((word, behind)) = rest.split_first_chunk::<8>() {
        hash = mix(hash ^ u64::from_le_bytes(*word));
        rest = behind;
    }
    let last = match (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            // The two overlap in equal bytes.
            u64::from(u32::from_le_bytes(*first))
                | u64::from(u32::from_le_bytes(*last)) << (8 * (rest.len() - 4))
        }
        _ => rest.iter().rev().fold(0, |last, byte| last << 8 | u64::from(*byte)),
    };
    finish(hash, last)
}

#[inline(always)]
fn start(seed: u64, length: usize) -> u64 {
    seed ^ (length as u64) << 56
}

/// Returns the hash, given the last bytes of a word, fewer than eight.
#[inline(always)]
fn finish(hash: u64, last: u64) -> u64 {
    mix(hash ^ last) | 1 << 63
}

/// Mixes every bit of `word` into the low bits of the result. It avoids 128-bit products, which WebAssembly lacks.
fn mix(word: u64) -> u64 {
    // The bits of the golden ratio. Any odd number with many bits set works.
    let product = (word ^ word >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Table;

    #[test]
    fn words_keep_their_numbers() {
        let mut table = Table::new(7);
        let words: Vec<String> = (0..5000).map(|at| format!("{}{at}", "w".repeat(at % 13))).collect();
        for (number, word) in (0..).zip(&words) {
            let hash = table.hash(word);
            assert_eq!(table.get(hash), None, "{word}");
            table.insert(hash, number);
        }
        for (number, word) in (0..).zip(&words) {
            assert_eq!(table.get(table.hash(word)), Some(number), "{word}");
        }
        assert_eq!(table.get(table.hash("v")), None);
    }

    #[test]
    fn short_words_have_the_hash_of_their_text() {
        let table = Table::new(7);
        for length in 0..8 {
            let word: String = ('a'..).take(length).collect();
            let bytes = word.bytes().rev().fold(0, |bytes, byte| bytes << 8 | u64::from(byte));
            assert_eq!(table.hash_short(length, bytes), table.hash(&word), "{word}");
        }
    }

    #[test]
    fn hashes_spread() {
        let (one, other) = (Table::new(1), Table::new(2));
        let mut words = vec![String::new()];
        for length in 0..3 {
            let longest: Vec<String> = words.iter().filter(|word| word.len() == length).cloned().collect();
            words.extend(longest.iter().flat_map(|word| ('a'..='z').map(move |c| format!("{word}{c}"))));
        }
        words.extend((1..40).map(|length| "a".repeat(length + 3)));
        let hashes: HashSet<u64> = words.iter().map(|word| one.hash(word)).collect();
        assert_eq!(hashes.len(), words.len());
        assert!(words.iter().all(|word| one.hash(word) != other.hash(word)));
        // The low bits choose the slot. With as many slots as words, most words have their own slot.
        let slots: HashSet<u64> = hashes.iter().map(|hash| hash & 0x7fff).collect();
        assert!(slots.len() * 4 > words.len() * 3, "{} of {}", slots.len(), words.len());
    }
}
