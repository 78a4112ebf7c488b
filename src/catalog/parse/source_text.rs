//! The input buffer for lists, with room in front for the text that compilation adds.

use crate::error::{Error, ErrorKind};

/// The part of the text (one tenth) that is reserved for additions to primitives. Memberships rarely need more.
const ROOM: usize = 10;

/// The text of lists during input. The catalog reuses its buffer, so there is no second copy.
///
/// Primitives are later written over the text from its front, so there is room before it for additions. If that room is
/// too small, the text is moved. This takes time and, in WebAssembly, memory for both.
#[derive(Debug, Default)]
pub struct SourceText {
    bytes: Vec<u8>,
    from: usize,
}

/// A [`SourceText`] that is valid UTF-8.
#[derive(Debug)]
pub(crate) struct Utf8Text {
    /// The text, after zeros for the reserved room.
    text: String,
    from: usize,
}

impl SourceText {
    /// Creates an empty text with room for `length` bytes and for additions.
    pub fn with_room(length: usize) -> Self {
        let from = length / ROOM;
        let mut bytes = Vec::with_capacity(from + length);
        bytes.resize(from, 0);
        Self { bytes, from }
    }

    /// Appends `length` zero bytes and returns them, for the caller to fill with the next part of the text. A part may
    /// end within a character.
    pub fn room(&mut self, length: usize) -> &mut [u8] {
        let end = self.bytes.len();
        if self.bytes.capacity() - end < length {
            // A vector that doubles would take three times the size of the text.
            self.bytes.reserve_exact(length.max(end / ROOM));
        }
        self.bytes.resize(end + length, 0);
        self.bytes.get_mut(end..).unwrap_or_default()
    }

    /// Appends the next part of the text. A part may end within a character.
    pub fn push(&mut self, part: &[u8]) {
        self.room(part.len()).copy_from_slice(part);
    }

    /// Returns the bytes, and the start of the text in them.
    pub fn into_bytes(self) -> (Vec<u8>, usize) {
        (self.bytes, self.from)
    }

    pub(crate) fn arrive(self) -> Result<Utf8Text, Error> {
        let Self { bytes, from } = self;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to() - from;
            Error::new(ErrorKind::Json, "not UTF-8").at_byte(at)
        })?;
        Ok(Utf8Text { text, from })
    }
}

impl From<Vec<u8>> for SourceText {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, from: 0 }
    }
}

impl From<String> for SourceText {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<&str> for SourceText {
    fn from(text: &str) -> Self {
        let mut incoming = Self::with_room(text.len());
        incoming.push(text.as_bytes());
        incoming
    }
}

impl Utf8Text {
    pub fn text(&self) -> &str {
        self.text.get(self.from..).unwrap_or_default()
    }
}

impl From<Utf8Text> for SourceText {
    fn from(Utf8Text { text, from }: Utf8Text) -> Self {
        Self { bytes: text.into_bytes(), from }
    }
}
