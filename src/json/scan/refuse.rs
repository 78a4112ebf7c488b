//! Errors for text that is not JSON, with their positions.

use super::scanner::Scanner;
use crate::error::{Error, ErrorKind};

impl Scanner<'_> {
    /// Returns the error for a byte that is neither a comma nor the closing `bracket`.
    #[cold]
    pub(super) fn unclosed(&self, bracket: u8) -> Error {
        self.unexpected(match (bracket, self.ended()) {
            (b']', true) => "EOF while parsing a list",
            (b']', false) => "expected `,` or `]`",
            (_, true) => "EOF while parsing an object",
            (_, false) => "expected `,` or `}`",
        })
    }

    /// Returns the error for an invalid next byte.
    #[cold]
    pub(super) fn unexpected(&self, words: &str) -> Error {
        self.refusal(words, self.source.len().min(self.at + 1))
    }

    /// Returns the error for an invalid previous byte.
    #[cold]
    pub(super) fn wrong(&self, words: &str) -> Error {
        self.refusal(words, self.at)
    }

    #[cold]
    fn refusal(&self, words: &str, behind: usize) -> Error {
        // At the end of the text if it ends too early, else at the previous byte, but never at a line break.
        let before = self.source.as_bytes().get(..behind).unwrap_or_default();
        let ended = words.starts_with("EOF") || before.last().is_none_or(|byte| *byte == b'\n');
        let at = self.source.floor_char_boundary(if ended { behind } else { behind - 1 });
        Error::new(ErrorKind::Json, format!("not JSON: {words}")).at_byte(at)
    }
}
