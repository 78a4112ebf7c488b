use std::ops::Range;

use crate::catalog::parse::{lists::Item, source_text::SourceText};

/// The least by which the text is moved out of the way, as a part of what is unread.
const ROOM: usize = 8;

/// Primitives that are written where their text stands: what is written grows from the front, what is to be
/// read waits behind it.
#[derive(Debug)]
pub(crate) struct InPlaceWriter {
    bytes: Vec<u8>,
    /// INVARIANT: not beyond the start of what is unread.
    written: usize,
    /// How far behind its place in the text each unread byte stands.
    shift: usize,
}

impl InPlaceWriter {
    /// Nothing written, all of the text unread.
    pub fn new(text: SourceText) -> Self {
        let (bytes, shift) = text.into_bytes();
        Self { bytes, written: 0, shift }
    }

    /// The text of what has not been written yet.
    pub fn text(&self, item: &Item) -> &str {
        let bytes = self.bytes.get(self.range(item)).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// What a primitive that has not been written yet goes by, as it is written in its text.
    pub fn id(&self, item: &Item) -> Option<&str> {
        item.id(&self.bytes, self.shift)
    }

    /// What has been written.
    pub fn written(&self) -> &[u8] {
        self.bytes.get(..self.written).unwrap_or_default()
    }

    /// Writes parts of the text of `item`, in order, and then `more`, behind a comma where there is a primitive
    /// `before`. Gives where it stands. What stands in the text up to the end of `item` is not read any more.
    /// Items do not touch: the comma goes where one stood.
    pub fn write(&mut self, item: &Item, before: bool, parts: &[Range<usize>], more: &[u8]) -> Range<usize> {
        let length = parts.iter().map(Range::len).sum::<usize>() + more.len() + usize::from(before);
        let source = self.range(item);
        // The parts move to the left, each behind what was read; what follows them must not reach unread text.
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

    /// All that was written, and nothing besides.
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

    /// Moves what is unread, from `source` on, back by `needed` bytes and some for what follows.
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
