//! The tools in the form for clients of older revisions: without the output schemas that these reject.

use std::{ops::Range, sync::Arc};

use super::queries::KindIndex;
use crate::{catalog::index::bitset::Bitset, json::Scanner};

impl KindIndex {
    /// Returns the index with a text of its own, in which the primitives `within` have no member `key`.
    pub(crate) fn without(&self, key: &str, within: &Bitset) -> Self {
        let (mut text, mut ends, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        for index in 0..self.len() {
            let bytes = self.bytes(index).unwrap_or_default();
            let cut = if within.contains(index) { range_of(bytes, key) } else { 0..0 };
            if index > 0 {
                text.push(b',');
            }
            let id = self.ids.start(index).saturating_sub(self.start(index));
            starts.push(text.len() + if id < cut.end { id } else { id - cut.len() });
            text.extend_from_slice(bytes.get(..cut.start).unwrap_or_default());
            text.extend_from_slice(bytes.get(cut.end..).unwrap_or_default());
            ends.push(text.len());
        }
        let ids = self.ids.moved(starts);
        let short =
            self.short.iter().map(|(index, short)| (*index, self.short_without(key, within, *index, short)));
        Self { text: Arc::new(text), first: 0, ends, ids, short: short.collect(), ..self.clone() }
    }

    /// Returns a shortened definition without the member `key`, if it is one of `within`.
    fn short_without(&self, key: &str, within: &Bitset, index: usize, short: &str) -> Box<str> {
        let cut = if within.contains(index) { range_of(short.as_bytes(), key) } else { 0..0 };
        let parts = [short.get(..cut.start), short.get(cut.end..)];
        parts.map(Option::unwrap_or_default).concat().into()
    }
}

/// Returns the range of a member in an object that has others, with the comma before or after it. Empty if the object
/// does not have it.
fn range_of(object: &[u8], key: &str) -> Range<usize> {
    let text = std::str::from_utf8(object).unwrap_or_default();
    let (mut before, mut found, mut is_first) = (1, 0..0, false);
    // The text was parsed before, so there is no error.
    let _ = Scanner::lenient(text).object(&mut |scanner, name| {
        let start = scanner.key_start();
        scanner.pass()?;
        if is_first {
            found.end = start;
            is_first = false;
        }
        if name == Some(key) {
            is_first = before == 1;
            found = before..scanner.at();
        }
        before = scanner.at();
        Ok(())
    });
    found
}
