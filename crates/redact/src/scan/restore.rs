//! Replaces placeholders by their values, in whole texts and in streamed pieces.

use std::borrow::Cow;

use crate::scan::{
    placeholder::{PlaceholderIndex, may_continue, next_bracketed, unbracketed},
    placeholder_map::PlaceholderMap,
    tolerant::{self, Piece},
};

/// Replaces placeholders by their values. Unknown placeholders stay as they are, and restored values are not searched
/// again.
#[derive(Debug, Clone)]
pub struct Restorer<'m> {
    values: Vec<&'m str>,
    names: PlaceholderIndex,
}

impl<'m> Restorer<'m> {
    /// Creates a restorer from names, with or without brackets, and their values. With `tolerant`, it also recognizes
    /// names that a model rewrote: in another case or with other signs between the letters (`[Person 1]`), escaped
    /// (`[PERSON\_1]`), without brackets (`PERSON_1`), in other brackets, and several in one pair (`[PERSON_1,
    /// PERSON_2]`).
    ///
    /// ```
    /// use mcp_sieve_redact::Restorer;
    ///
    /// let map = [("PERSON_1", "Jane"), ("PERSON_2", "Bob")];
    /// assert_eq!(Restorer::new(map, false).restore("[PERSON_1], [Person 2]"), "Jane, [Person 2]");
    /// assert_eq!(Restorer::new(map, true).restore("[PERSON_1], [Person 2]"), "Jane, Bob");
    /// ```
    pub fn new(map: impl IntoIterator<Item = (&'m str, &'m str)>, tolerant: bool) -> Self {
        let (mut values, mut names) = (Vec::new(), PlaceholderIndex::new(tolerant));
        for (name, value) in map {
            names.add(unbracketed(name), values.len());
            values.push(value);
        }
        Self { values, names }
    }

    /// Returns a text in which the known placeholders are replaced by their values; the text itself if it has none.
    pub fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.restore_within(text, usize::MAX).unwrap_or(Cow::Borrowed(text))
    }

    /// Like [`Restorer::restore`], but returns `None` if the result would be longer than `most` bytes.
    pub fn restore_within<'t>(&self, text: &'t str, most: usize) -> Option<Cow<'t, str>> {
        self.restore_until(text, text.len(), most)
    }

    /// Restores the first `until` bytes of a text. The bytes after them are only read to find the end of a name.
    fn restore_until<'t>(&self, text: &'t str, until: usize, most: usize) -> Option<Cow<'t, str>> {
        let (mut out, mut done, mut pieces) = (String::new(), 0, Vec::new());
        loop {
            self.find(text.as_bytes(), done, &mut pieces);
            if pieces.last().is_none_or(|last| last.end > until) {
                break;
            }
            for Piece { start, end, place } in pieces.iter().copied() {
                out.push_str(text.get(done..start).unwrap_or_default());
                let value = place.and_then(|place| self.values.get(place)).copied().unwrap_or_default();
                if value.len() > most.saturating_sub(out.len()) {
                    return None;
                }
                out.push_str(value);
                done = end;
            }
        }
        if done == 0 {
            return Some(Cow::Borrowed(text.get(..until).unwrap_or_default()));
        }
        out.push_str(text.get(done..until).unwrap_or_default());
        (out.len() <= most).then_some(Cow::Owned(out))
    }

    /// Finds the next known placeholder, and stores the parts of the text that it consists of in `pieces`.
    fn find(&self, bytes: &[u8], mut from: usize, pieces: &mut Vec<Piece>) {
        if self.names.is_tolerant() {
            return tolerant::find(bytes, from, &self.names, pieces);
        }
        pieces.clear();
        while let Some((start, end, name)) = next_bracketed(bytes, from) {
            if let Some(place) = self.names.get(name) {
                return pieces.push(Piece { start, end, place: Some(place) });
            }
            from = start + 1;
        }
    }

    /// Restores a text that arrives in pieces. Appends `piece` to `held`, and returns the restored text up to the
    /// position at which the next piece may complete a placeholder. The rest stays in `held`. After the last piece,
    /// pass `held` to [`Restorer::restore`].
    pub fn push(&self, held: &mut String, piece: &str) -> String {
        held.push_str(piece);
        let bytes = held.as_bytes();
        let open = match self.names.is_tolerant() {
            true => tolerant::open_end(bytes),
            false => held.rfind('[').filter(|open| may_continue(bytes, *open)).unwrap_or(bytes.len()),
        };
        let open = (0..=open).rev().find(|place| held.is_char_boundary(*place)).unwrap_or(0);
        let restored = self.restore_until(held, open, usize::MAX).unwrap_or_default().into_owned();
        held.drain(..open);
        restored
    }
}

impl PlaceholderMap {
    /// Returns a restorer of the placeholders. `tolerant` is that of [`Restorer::new`].
    pub fn restorer(&self, tolerant: bool) -> Restorer<'_> {
        let (mut values, mut names) = (Vec::new(), PlaceholderIndex::new(tolerant));
        for (name, _, value) in self.iter() {
            names.add(&name, values.len());
            values.push(value);
        }
        Restorer { values, names }
    }
}
