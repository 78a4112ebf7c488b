//! The encoding of a snapshot's tables: numbers, texts, lists, names and bitsets.

use crate::catalog::{index::bitset::Bitset, model::vocabulary::Names};

/// Appends the parts of a catalog to a buffer.
pub(crate) struct Writer<'a>(&'a mut Vec<u8>);

impl<'a> Writer<'a> {
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self(out)
    }

    pub fn number(&mut self, number: usize) {
        self.0.extend((number as u64).to_le_bytes());
    }

    pub fn text(&mut self, text: &str) {
        self.number(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    pub fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.number(items.len());
        items.iter().for_each(|item| write(self, item));
    }

    pub fn small_numbers(&mut self, numbers: &[u32]) {
        self.number(numbers.len());
        self.0.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }

    /// Writes a bitset without its length, which is that of the index it belongs to.
    pub fn bits(&mut self, bits: &Bitset) {
        self.0.extend(bits.words().iter().flat_map(|word| word.to_le_bytes()));
    }

    pub fn names(&mut self, names: &Names) {
        self.number(names.len());
        names.iter().for_each(|name| self.text(name));
    }

    pub fn optional(&mut self, text: Option<&str>) {
        self.number(text.iter().len());
        text.into_iter().for_each(|text| self.text(text));
    }
}

/// Reads from the front of a buffer what a [`Writer`] wrote. Each method returns `None` for anything else.
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns the number of bytes that are left to read.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    pub fn wide(&mut self) -> Option<u64> {
        let (number, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u64::from_le_bytes(*number))
    }

    pub fn number(&mut self) -> Option<usize> {
        self.wide()?.try_into().ok()
    }

    pub fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }

    pub fn text(&mut self) -> Option<&'a str> {
        let length = self.number()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }

    pub fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.number()?;
        // Each item has at least one byte, so a length greater than the rest would only reserve memory.
        let mut list = Vec::with_capacity(length.min(self.rest.len() / size_of::<T>().max(1)));
        for _ in 0..length {
            list.push(read(self)?);
        }
        Some(list)
    }

    pub fn small_numbers(&mut self) -> Option<Vec<u32>> {
        let length = self.number()?;
        let (numbers, _) = self.bytes(length.checked_mul(4)?)?.as_chunks();
        Some(numbers.iter().map(|number| u32::from_le_bytes(*number)).collect())
    }

    /// Reads a set over `len` primitives.
    pub fn bits(&mut self, len: usize) -> Option<Bitset> {
        let (words, _) = self.bytes(len.div_ceil(64).checked_mul(8)?)?.as_chunks();
        let bits = Bitset::from_words(words.iter().map(|word| u64::from_le_bytes(*word)).collect());
        (!bits.exceeds(&Bitset::all(len))).then_some(bits)
    }

    /// Reads `count` sets over `len` primitives each.
    pub fn sets(&mut self, count: usize, len: usize) -> Option<Vec<Bitset>> {
        (0..count).map(|_| self.bits(len)).collect()
    }

    pub fn names(&mut self) -> Option<Names> {
        let mut names = Names::default();
        let count = self.number()?;
        for place in 0..count {
            // A name must not occur twice.
            if names.intern(self.text()?) != place {
                return None;
            }
        }
        Some(names)
    }

    pub fn optional(&mut self) -> Option<Option<String>> {
        match self.number()? {
            0 => Some(None),
            1 => Some(Some(self.text()?.to_owned())),
            _ => None,
        }
    }
}
