use crate::middleware::scan::{finding::Scan, redact::Redactor};

/// A text that is redacted while it comes, in pieces of any length: what comes out is what would come out of the
/// whole. What is near the end is held back until it is clear what it belongs to.
#[derive(Debug)]
pub struct RedactionStream<'r, S> {
    redactor: &'r mut Redactor<S>,
    /// What was not given out yet, and before it as much as that may depend on.
    text: String,
    /// How much of it was given out.
    done: usize,
    /// At which length it is looked at again.
    next: usize,
}

impl<'r, S: Scan> RedactionStream<'r, S> {
    /// A stream whose placeholders go on from those of a redactor.
    pub fn new(redactor: &'r mut Redactor<S>) -> Self {
        Self { redactor, text: String::new(), done: 0, next: 4 * S::REACH }
    }

    /// Takes a piece, and gives what can be given.
    pub fn push(&mut self, piece: &str) -> String {
        self.text.push_str(piece);
        if self.text.len() < self.next {
            return String::new();
        }
        let given = self.take(S::REACH);
        // As much as is held back is looked at again: seldom enough not to matter.
        self.next = 2 * self.text.len().max(2 * S::REACH);
        given
    }

    /// Gives the rest.
    pub fn finish(mut self) -> String {
        self.take(0)
    }

    /// Redacts the text but for so many bytes at its end.
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
