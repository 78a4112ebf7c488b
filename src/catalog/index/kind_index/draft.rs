//! An index under construction.

use std::sync::Arc;

use super::queries::KindIndex;
use crate::json::{plain_length, same_text};

/// An index under construction, with the text that it does not own yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Draft<'a> {
    pub(super) kind_index: &'a KindIndex,
    pub(super) text: &'a [u8],
}

/// The names of a primitive that is added to the index.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(super) hash: u64,
    /// The start of its id in its text, after the quote.
    pub(super) start: usize,
    /// The unescaped id, if it contains escapes.
    pub(super) escaped: Option<Box<str>>,
    /// The server's own name for it, if it differs.
    pub(super) own: Option<Box<str>>,
}

impl<'a> Draft<'a> {
    pub fn id(self, index: usize) -> Option<&'a str> {
        self.kind_index.ids.get(self.text, index)
    }

    pub fn find(self, id: &str) -> Option<usize> {
        self.kind_index.ids.find(self.text, id)
    }

    /// Returns the index of an id, given its hash under the seed of the index.
    pub fn find_hashed(self, hash: u64, id: &str) -> Option<usize> {
        self.kind_index.ids.find_hashed(self.text, hash, id)
    }

    pub fn own_id(self, index: usize) -> Option<&'a str> {
        match self.kind_index.own_ids.binary_search_by(|(known, _)| known.cmp(&index)) {
            Ok(at) => self.kind_index.own_ids.get(at).map(|(_, own)| own.as_ref()),
            Err(_) => self.id(index),
        }
    }

    /// Returns whether the primitive at `index` is the one that `server` lists as `own`.
    pub fn is(self, index: usize, server: &Arc<str>, own: &str) -> bool {
        let of = self.kind_index.server_at(index);
        of.is_some_and(|of| Arc::ptr_eq(of, server)) && self.own_id(index) == Some(own)
    }
}

impl Entry {
    /// Creates the entry of a primitive with the name `id` and its server's name `own`. The id is at `start` in its
    /// text. `escaped` is whether its text may contain escapes, and `hash` is the hash of the id under the seed of the
    /// index.
    pub fn new(hash: u64, id: &str, own: &str, escaped: bool, start: usize) -> Self {
        let escaped = escaped || plain_length(id.as_bytes()) < id.len();
        let own = (!same_text(id, own)).then(|| own.into());
        Self { hash, start, escaped: escaped.then(|| id.into()), own }
    }
}
