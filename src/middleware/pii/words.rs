/// Words of a page that ships with the crate, whatever their case, and what is known of each.
#[derive(Debug)]
pub(in crate::middleware) struct Words<T> {
    /// As many slots as a power of two, more than twice the words.
    slots: Vec<Option<(&'static str, T)>>,
}

impl<T: Copy + Default> Words<T> {
    /// Reads words and what each brings; what one word brings several times is joined.
    pub fn new(words: &[(&'static str, T)], join: impl Fn(T, T) -> T) -> Self {
        let mut table = Self { slots: vec![None; (words.len() * 2).next_power_of_two().max(2)] };
        for (word, brought) in words {
            let place = table.place(word.as_bytes());
            if let Some(slot) = table.slots.get_mut(place) {
                let known = slot.map_or(T::default(), |(_, known)| known);
                *slot = Some((word, join(known, *brought)));
            }
        }
        table
    }

    /// What is known of a word.
    #[inline]
    pub fn get(&self, word: &[u8]) -> Option<T> {
        self.slots.get(self.place(word)).copied().flatten().map(|(_, known)| known)
    }

    /// The slot of a word, or the free one where it belongs.
    fn place(&self, word: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = hash(word) as usize & mask;
        // INVARIANT: fewer words than slots, so that a free one comes.
        while let Some(Some((known, _))) = self.slots.get(place) {
            if known.as_bytes().eq_ignore_ascii_case(word) {
                break;
            }
            place = (place + 1) & mask;
        }
        place
    }
}

/// Of a word in small letters (FNV-1a, its halves folded).
fn hash(word: &[u8]) -> u32 {
    let hash = word.iter().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193)
    });
    hash ^ hash >> 15
}
