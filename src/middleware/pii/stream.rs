use super::{Redactor, Scan, Scanner};

/// A text that is redacted while it comes, in pieces of any length: what comes out is what would come out of the
/// whole. What is near the end is held back until it is clear what it belongs to.
#[derive(Debug)]
pub struct Stream<'r, S = Scanner> {
    redactor: &'r mut Redactor<S>,
    /// What was not given out yet, and before it as much as that may depend on.
    text: String,
    /// How much of it was given out.
    done: usize,
}

impl<'r, S: Scan> Stream<'r, S> {
    /// A stream whose handles go on from those of a redactor.
    pub fn new(redactor: &'r mut Redactor<S>) -> Self {
        Self { redactor, text: String::new(), done: 0 }
    }

    /// Takes a piece, and gives what can be given.
    pub fn push(&mut self, piece: &str) -> String {
        self.text.push_str(piece);
        // As much as is held back is looked at again: seldom enough not to matter.
        if self.text.len() - self.done < 4 * S::REACH {
            return String::new();
        }
        let sure = self.text.len() - S::REACH;
        self.take((sure..).find(|place| self.text.is_char_boundary(*place)).unwrap_or(sure))
    }

    /// Gives the rest.
    pub fn finish(mut self) -> String {
        self.take(self.text.len())
    }

    /// What begins before a place, redacted.
    fn take(&mut self, sure: usize) -> String {
        let mut out = String::new();
        while let Some(found) = self.redactor.next(&self.text, self.done).filter(|found| found.start < sure) {
            out.push_str(self.text.get(self.done..found.start).unwrap_or_default());
            self.redactor.replace(&self.text, found, &mut out);
            self.done = found.end;
        }
        if self.done < sure {
            out.push_str(self.text.get(self.done..sure).unwrap_or_default());
            self.done = sure;
        }
        let past = self.done.saturating_sub(S::REACH);
        let past = (past..).find(|place| self.text.is_char_boundary(*place)).unwrap_or(0);
        self.text.drain(..past);
        self.done -= past;
        out
    }
}
