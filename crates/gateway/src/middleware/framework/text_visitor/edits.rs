//! The parts of a JSON text that visitors replace.

use mcp_sieve::json::Raw;

/// The values that are replaced in a text, in order.
#[derive(Debug)]
pub(super) struct Edits {
    /// The address of the text.
    base: usize,
    /// The start and the length of each value in the text, and the JSON that replaces it.
    found: Vec<(usize, usize, String)>,
}

impl Edits {
    /// Creates the edits of a text, of whose values the others are slices.
    pub fn of(text: &str) -> Self {
        Self { base: text.as_ptr().addr(), found: Vec::new() }
    }

    /// Replaces a value, if there is JSON to replace it.
    pub fn replace(&mut self, value: Raw<'_>, json: Option<String>) {
        let start = value.get().as_ptr().addr().wrapping_sub(self.base);
        self.found.extend(json.map(|json| (start, value.get().len(), json)));
    }

    /// Returns a text with the replaced values, or `None` if none is replaced. The text may be another than that of the
    /// values if it has them at the same positions.
    pub fn apply(self, text: &str) -> Option<String> {
        if self.found.is_empty() {
            return None;
        }
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for (start, length, json) in self.found {
            out.push_str(text.get(done..start).unwrap_or_default());
            out.push_str(&json);
            done = start + length;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Some(out)
    }
}
