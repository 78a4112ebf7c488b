//! A buffer that writes compiled primitives over the text that they are read from.

use std::ops::Range;

use crate::catalog::{
    model::kind::Kind,
    parse::{lists::Item, source_text::SourceText},
};

/// The text is moved by at least this fraction (one eighth) of its unread part.
const ROOM: usize = 8;

/// A buffer in which primitives are written over the text that they are read from. The written part grows from the
/// front, and the unread part comes after it.
#[derive(Debug)]
pub(crate) struct InPlaceWriter {
    bytes: Vec<u8>,
    /// INVARIANT: not beyond the start of the unread part.
    written: usize,
    /// The distance by which the unread part has been moved back.
    shift: usize,
}

impl InPlaceWriter {
    /// Creates a writer for a text that is completely unread.
    pub fn new(text: SourceText) -> Self {
        let (bytes, shift) = text.into_bytes();
        Self { bytes, written: 0, shift }
    }

    /// Returns the text of an item that has not been overwritten yet.
    pub fn text(&self, item: &Item) -> &[u8] {
        self.bytes.get(self.range(item)).unwrap_or_default()
    }

    /// Returns the id of a primitive that has not been overwritten yet, as written in its text.
    pub fn id(&self, kind: Kind, item: &Item) -> Option<&str> {
        item.id(kind, &self.bytes, self.shift)
    }

    /// Returns the bytes that have been written.
    pub fn written(&self) -> &[u8] {
        self.bytes.get(..self.written).unwrap_or_default()
    }

    /// Writes parts of the text of `item`, in order, and then `more`. A comma comes first if there is a primitive
    /// `before`. Returns the position of the written primitive. The text up to the end of `item` must not be read
    /// afterwards. Items are separated in the text, so there is room for the comma.
    pub fn write(&mut self, item: &Item, before: bool, parts: &[Range<usize>], more: &[u8]) -> Range<usize> {
        let length = parts.iter().map(Range::len).sum::<usize>() + more.len() + usize::from(before);
        let source = self.range(item);
        // The parts move to the front, over text that has been read. They must not reach unread text.
        let needed = (self.written + length).saturating_sub(source.end);
        let (start, end) =
            if needed > 0 { self.make_room(source, needed) } else { (source.start, source.end) };
        debug_assert!(self.written + length <= end, "written beyond what was read");
        debug_assert!(self.written + usize::from(before) <= start, "a comma over what is read next");
        if before {
            self.put(b",");
        }
        let begins = self.written;
        for part in parts {
            let from = start + part.start..start + part.end;
            let length = from.len();
            if self.written != from.start {
                self.bytes.copy_within(from, self.written);
            }
            self.written += length;
        }
        self.put(more);
        begins..self.written
    }

    /// Returns the written bytes.
    pub fn end(mut self) -> Vec<u8> {
        self.bytes.truncate(self.written);
        self.bytes.shrink_to_fit();
        self.bytes
    }

    fn put(&mut self, bytes: &[u8]) {
        let end = self.written + bytes.len();
        if let Some(place) = self.bytes.get_mut(self.written..end) {
            place.copy_from_slice(bytes);
        }
        self.written = end;
    }

    /// Moves the unread part, from `source` on, back by at least `needed` bytes, with some reserve for later items.
    fn make_room(&mut self, source: Range<usize>, needed: usize) -> (usize, usize) {
        let unread = self.bytes.len() - source.start;
        let by = needed + unread / ROOM;
        self.bytes.reserve_exact(by);
        self.bytes.resize(self.bytes.len() + by, 0);
        self.bytes.copy_within(source.start..source.start + unread, source.start + by);
        self.shift += by;
        (source.start + by, source.end + by)
    }

    fn range(&self, item: &Item) -> Range<usize> {
        item.start + self.shift..item.end + self.shift
    }
}
