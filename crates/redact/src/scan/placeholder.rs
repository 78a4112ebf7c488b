//! Texts that look like placeholders, such as `[PERSON_1]`, whether or not a redactor generated them.

use std::{collections::HashMap, sync::LazyLock};

use mcp_sieve::Hashing;

use crate::scan::{
    byte_class::ByteClass,
    bytes::{at, end_of, folded},
    finding::{Finding, ScanStep},
    kind::Kind,
    patterns::Patterns,
    word_table::WordTable,
};

/// Maximum length of the name of a placeholder, in bytes.
pub(crate) const MAX_NAME: usize = 64;

/// An index from the names of placeholders to their positions in a list.
#[derive(Debug, Clone)]
pub(crate) struct PlaceholderIndex {
    places: HashMap<Vec<u8>, usize, Hashing>,
    /// Whether lookups ignore the case of letters, and all signs between letters and digits.
    tolerant: bool,
}

impl PlaceholderIndex {
    pub fn new(tolerant: bool) -> Self {
        Self { places: HashMap::default(), tolerant }
    }

    /// Returns whether lookups accept other spellings of names.
    pub fn is_tolerant(&self) -> bool {
        self.tolerant
    }

    /// Adds a name. If lookups cannot distinguish it from an earlier name, the earlier one is kept.
    pub fn add(&mut self, name: &str, place: usize) {
        let name = name.as_bytes();
        let key = if self.tolerant { folded(name).collect() } else { name.to_vec() };
        self.places.entry(key).or_insert(place);
    }

    /// Returns the position of a name. Names longer than [`MAX_NAME`] bytes are not supported.
    pub fn get(&self, name: &[u8]) -> Option<usize> {
        if !self.tolerant {
            return self.places.get(name).copied();
        }
        let (whole, length) = fold(name);
        self.places.get(whole.get(..length)?).copied()
    }
}

/// Scans for a text that looks like a placeholder. It is a finding like any value and gets a placeholder of its own, so
/// that restoration returns the original text and never another value.
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

/// Returns whether the brackets that open at a position may close beyond the end of the text.
pub(crate) fn may_continue(bytes: &[u8], place: usize) -> bool {
    end_of(bytes, place + 1, MAX_NAME, is_name) == bytes.len()
}

/// Returns the end of the brackets that open at a position, and their content, if it can be a name.
pub(crate) fn bracketed_name(bytes: &[u8], place: usize) -> Option<(usize, &[u8])> {
    let end = end_of(bytes, place + 1, MAX_NAME, is_name);
    (end > place + 1 && at(bytes, end) == b']')
        .then(|| (end + 1, bytes.get(place + 1..end).unwrap_or_default()))
}

/// Returns the start, the end and the content of the first brackets at a position or later whose content can be a name.
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

/// Returns a [`folded`] name in a buffer, and its length. The name must have at most [`MAX_NAME`] bytes.
fn fold(name: &[u8]) -> ([u8; MAX_NAME], usize) {
    let (mut whole, mut length) = ([0; MAX_NAME], 0);
    for (slot, byte) in whole.iter_mut().zip(folded(name)) {
        (*slot, length) = (byte, length + 1);
    }
    (whole, length)
}

/// Returns the total size, in bytes, of the placeholders of built-in kinds in a text.
pub(crate) fn size_of_placeholders(text: &str) -> usize {
    let (mut size, mut place) = (0, 0);
    while let Some((start, end, name)) = next_bracketed(text.as_bytes(), place) {
        size += if is_generated(Patterns::NONE, name) { end - start } else { 0 };
        place = end;
    }
    size
}

/// Returns whether a name is that of a generated placeholder, in any spelling: a kind, then a number.
fn is_generated(patterns: &Patterns, name: &[u8]) -> bool {
    static KINDS: LazyLock<WordTable<bool>> = LazyLock::new(|| {
        let folded = |kind: &Kind| String::from_iter(folded(kind.name().as_bytes()).map(char::from));
        // Leaked once, for a static table.
        let kinds: Vec<_> = Kind::ALL.iter().map(|kind| (&*folded(kind).leak(), true)).collect();
        WordTable::new(&kinds, |_, known| known)
    });
    let (whole, length) = fold(name);
    let name = whole.get(..length).unwrap_or_default();
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let kind = name.get(..name.len() - digits).unwrap_or_default();
    digits > 0 && (KINDS.get(kind) || patterns.has_folded(kind))
}

/// Returns the name of a placeholder without its brackets, if it has any.
pub(crate) fn unbracketed(name: &str) -> &str {
    name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name)
}
