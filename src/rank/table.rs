/// Numbers by the hashes of words. A word is its hash here: that two words of one catalog share one happens
/// once in ten thousand million catalogs, and would make them one word.
///
/// It shares no layout with the other tables: the catalog's `IdTable` keeps numbers alone and compares the names in their
/// text, and the scanners' `WordTable` keeps words and finds them whatever their case.
#[derive(Debug, Clone)]
pub(super) struct Table {
    seed: u64,
    /// Hash and number; the hash of an empty slot is 0. A power of two, at most half of it used.
    slots: Vec<(u64, u32)>,
    used: usize,
}

impl Table {
    /// An empty table. Nobody can make it slow who does not know `seed`.
    pub fn new(seed: u64) -> Self {
        Self { seed, slots: vec![(0, 0); 256], used: 0 }
    }

    /// What a word is known by in this table.
    #[inline]
    pub fn hash(&self, word: &str) -> u64 {
        hash(self.seed, word.as_bytes())
    }

    /// The number of a word, given its hash.
    #[inline]
    pub fn get(&self, hash: u64) -> Option<u32> {
        let (known, number) = *self.slots.get(self.slot(hash))?;
        (known == hash).then_some(number)
    }

    /// Gives a word that has none a number.
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

    /// Where `hash` is, or would be.
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

/// Never 0. Words are short: this takes about half the time of `xxh64`, which hashes names.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mut hash = seed ^ (bytes.len() as u64) << 56;
    let mut rest = bytes;
    while let Some((word, behind)) = rest.split_first_chunk::<8>() {
        hash = mix(hash ^ u64::from_le_bytes(*word));
        rest = behind;
    }
    let last = match (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            // Where both have a byte, it is the same.
            u64::from(u32::from_le_bytes(*first))
                | u64::from(u32::from_le_bytes(*last)) << (8 * (rest.len() - 4))
        }
        _ => rest.iter().fold(0, |last, byte| last << 8 | u64::from(*byte)),
    };
    mix(hash ^ last) | 1 << 63
}

/// Every bit of `word` reaches the low bits of the result. Without products of 128 bits, which WebAssembly
/// lacks.
fn mix(word: u64) -> u64 {
    // The golden ratio's bits; any odd number with many of them set does.
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
        // The low bits choose the slot: with as many slots as words, most words get one of their own.
        let slots: HashSet<u64> = hashes.iter().map(|hash| hash & 0x7fff).collect();
        assert!(slots.len() * 4 > words.len() * 3, "{} of {}", slots.len(), words.len());
    }
}
