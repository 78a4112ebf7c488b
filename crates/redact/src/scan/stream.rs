//! Redacts text that arrives in pieces.

use crate::scan::{finding::Scan, redact::Redactor};

/// Redacts a text that arrives in pieces of any length. The output is the same as for the whole text. The end of the
/// text is held back until later pieces can no longer change its findings.
///
/// ```
/// use mcp_sieve_redact::{PlaceholderMap, RedactionStream, Redactor, pii::Scanner};
///
/// let mut redactor = Redactor::new(Scanner::default(), PlaceholderMap::new());
/// let mut stream = RedactionStream::new(&mut redactor);
/// let mut out = stream.push("Write to jane@exam");
/// out += &stream.push("ple.com");
/// out += &stream.finish();
/// assert_eq!(out, "Write to [EMAIL_1]");
/// ```
#[derive(Debug)]
pub struct RedactionStream<'r, S> {
    redactor: &'r mut Redactor<S>,
    /// The text that was not returned yet, and before it as many bytes as its findings may depend on.
    text: String,
    /// The number of bytes of `text` that were returned.
    done: usize,
    /// The length of `text`, in bytes, at which it is scanned again.
    next: usize,
}

impl<'r, S: Scan> RedactionStream<'r, S> {
    /// Creates a stream that uses the placeholders of a redactor, and adds its own to them.
    pub fn new(redactor: &'r mut Redactor<S>) -> Self {
        Self { redactor, text: String::new(), done: 0, next: 4 * S::REACH }
    }

    /// Adds a piece, and returns the redacted text that is final.
    pub fn push(&mut self, piece: &str) -> String {
        self.text.push_str(piece);
        if self.text.len() < self.next {
            return String::new();
        }
        let given = self.take(S::REACH);
        // The text that is held back is scanned again. Doubling the length makes that rare.
        self.next = 2 * self.text.len().max(2 * S::REACH);
        given
    }

    /// Returns the rest of the redacted text.
    pub fn finish(mut self) -> String {
        self.take(0)
    }

    /// Redacts the text except for `behind` bytes at its end.
    fn take(&mut self, behind: usize) -> String {
        let mut out = String::new();
        self.done = self.redactor.redact_part(&self.text, self.done, behind, &mut out);
        let past = self.done.saturating_sub(S::REACH);
        let past = (past..).find(|place| self.text.is_char_boundary(*place)).unwrap_or(0);
        self.text.drain(..past);
        self.done -= past;
        out
    }
}
