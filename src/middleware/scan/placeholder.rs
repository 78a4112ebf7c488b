//! Texts that look like placeholders: `[PERSON_1]`, whoever wrote it.

use std::{collections::HashMap, sync::LazyLock};

use crate::{
    digest::Hashing,
    middleware::scan::{
        byte_class::ByteClass,
        bytes::{at, end_of, folded},
        finding::{Finding, ScanStep},
        kind::Kind,
        patterns::Patterns,
        word_table::WordTable,
    },
};

/// Longest name of a placeholder, in bytes.
pub(crate) const MAX_NAME: usize = 64;

/// Names of placeholders, and the place of each in a list.
#[derive(Debug, Clone)]
pub(crate) struct PlaceholderIndex {
    places: HashMap<Vec<u8>, usize, Hashing>,
    /// Whether a name is known in another case and with other signs between its letters.
    tolerant: bool,
}

impl PlaceholderIndex {
    pub fn new(tolerant: bool) -> Self {
        Self { places: HashMap::default(), tolerant }
    }

    /// Whether names are known in other spellings.
    pub fn is_tolerant(&self) -> bool {
        self.tolerant
    }

    /// Adds a name. Of several that are taken for one, the first counts.
    pub fn add(&mut self, name: &str, place: usize) {
        let name = name.as_bytes();
        let key = if self.tolerant { folded(name).collect() } else { name.to_vec() };
        self.places.entry(key).or_insert(place);
    }

    /// The place of a name of at most [`MAX_NAME`] bytes.
    pub fn get(&self, name: &[u8]) -> Option<usize> {
        if !self.tolerant {
            return self.places.get(name).copied();
        }
        let (whole, length) = fold(name);
        self.places.get(whole.get(..length)?).copied()
    }
}

/// What looks like a placeholder is found like a value, and so gets a placeholder of its own: what is restored is then what
/// stood there, and never somebody's name.
pub(crate) fn scan_at(patterns: &Patterns, bytes: &[u8], place: usize) -> ScanStep {
    let Some((end, name)) = bracketed_name(bytes, place) else { return ScanStep::SkipTo(place + 1) };
    if is_generated(patterns, name) {
        return ScanStep::Found(Finding { kind: Kind::Placeholder, start: place, end });
    }
    ScanStep::SkipTo(place + 1)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b' ' | b'.' | b':' | b'/' | b'#')
}

/// Whether the brackets that open at a place may close beyond the end of the text.
pub(crate) fn may_continue(bytes: &[u8], place: usize) -> bool {
    end_of(bytes, place + 1, MAX_NAME, is_name) == bytes.len()
}

/// The end of the brackets that open at a place, and what stands in them, if that can be a name.
pub(crate) fn bracketed_name(bytes: &[u8], place: usize) -> Option<(usize, &[u8])> {
    let end = end_of(bytes, place + 1, MAX_NAME, is_name);
    (end > place + 1 && at(bytes, end) == b']')
        .then(|| (end + 1, bytes.get(place + 1..end).unwrap_or_default()))
}

/// The first brackets that open at a place or later and hold what can be a name: their start, their end and the name.
#[inline(never)]
pub(crate) fn next_bracketed(bytes: &[u8], mut place: usize) -> Option<(usize, usize, &[u8])> {
    const OPEN: ByteClass<1> = ByteClass([(b'[', b'[')]);
    loop {
        let start = OPEN.find(bytes, place)?;
        if let Some((end, name)) = bracketed_name(bytes, start) {
            return Some((start, end, name));
        }
        place = start + 1;
    }
}

/// The same in a buffer, and its length: for names of at most [`MAX_NAME`] bytes.
fn fold(name: &[u8]) -> ([u8; MAX_NAME], usize) {
    let (mut whole, mut length) = ([0; MAX_NAME], 0);
    for (slot, byte) in whole.iter_mut().zip(folded(name)) {
        (*slot, length) = (byte, length + 1);
    }
    (whole, length)
}

/// How many bytes of a text are placeholders of ours.
pub(crate) fn size_of_placeholders(text: &str) -> usize {
    let (mut size, mut place) = (0, 0);
    while let Some((start, end, name)) = next_bracketed(text.as_bytes(), place) {
        size += if is_generated(Patterns::NONE, name) { end - start } else { 0 };
        place = end;
    }
    size
}

/// Whether a name is that of a placeholder of ours, in any spelling: a kind, then a number.
fn is_generated(patterns: &Patterns, name: &[u8]) -> bool {
    static KINDS: LazyLock<WordTable<bool>> = LazyLock::new(|| {
        let folded = |kind: &Kind| String::from_iter(folded(kind.name().as_bytes()).map(char::from));
        // Made once, and kept for as long as there is a scanner.
        let kinds: Vec<_> = Kind::ALL.iter().map(|kind| (&*folded(kind).leak(), true)).collect();
        WordTable::new(&kinds, |_, known| known)
    });
    let (whole, length) = fold(name);
    let name = whole.get(..length).unwrap_or_default();
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let kind = name.get(..name.len() - digits).unwrap_or_default();
    digits > 0 && (KINDS.get(kind) || patterns.has_folded(kind))
}

/// The name of a placeholder that may be given in its brackets.
pub(crate) fn unbracketed(name: &str) -> &str {
    name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name)
}
