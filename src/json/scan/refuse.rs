//! The errors of text that is not JSON, each with its place.

use super::Scanner;
use crate::error::{Error, ErrorKind};

impl Scanner<'_> {
    /// Neither the next element nor the end of what `bracket` closes.
    #[cold]
    pub(super) fn unclosed(&self, bracket: u8) -> Error {
        self.unexpected(match (bracket, self.ended()) {
            (b']', true) => "EOF while parsing a list",
            (b']', false) => "expected `,` or `]`",
            (_, true) => "EOF while parsing an object",
            (_, false) => "expected `,` or `}`",
        })
    }

    /// The next byte is not what it should be.
    #[cold]
    pub(super) fn unexpected(&self, words: &str) -> Error {
        self.refusal(words, self.source.len().min(self.at + 1))
    }

    /// The last byte was not what it should have been.
    #[cold]
    pub(super) fn wrong(&self, words: &str) -> Error {
        self.refusal(words, self.at)
    }

    #[cold]
    fn refusal(&self, words: &str, behind: usize) -> Error {
        // Where the text ends too early, or the byte before; never the end of the line above.
        let before = self.source.as_bytes().get(..behind).unwrap_or_default();
        let ended = words.starts_with("EOF") || before.last().is_none_or(|byte| *byte == b'\n');
        let at = self.source.floor_char_boundary(if ended { behind } else { behind - 1 });
        Error::new(ErrorKind::Json, format!("not JSON: {words}")).at_byte(at)
    }
}
