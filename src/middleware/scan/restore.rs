use std::borrow::Cow;

use crate::middleware::scan::{
    placeholder::{PlaceholderIndex, may_continue, next_bracketed, unbracketed},
    tolerant::{self, Piece},
};

/// Puts back what placeholders stand for.
#[derive(Debug, Clone)]
pub struct Restorer<'m> {
    values: Vec<&'m str>,
    names: PlaceholderIndex,
}

impl<'m> Restorer<'m> {
    /// Creates a restorer from a map of names to values. With `tolerant`, it also recognizes names that a model rewrote:
    /// in another case or with other signs between the letters (`[Person 1]`), escaped (`[PERSON\_1]`), without brackets
    /// (`PERSON_1`), in other brackets, and several in one pair (`[PERSON_1, PERSON_2]`).
    pub fn new(map: impl IntoIterator<Item = (&'m str, &'m str)>, tolerant: bool) -> Self {
        let (mut values, mut names) = (Vec::new(), PlaceholderIndex::new(tolerant));
        for (name, value) in map {
            names.add(unbracketed(name), values.len());
            values.push(value);
        }
        Self { values, names }
    }

    /// Returns a text with values in place of the placeholders that the map knows, or the text itself without any.
    pub fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.restore_within(text, usize::MAX).unwrap_or(Cow::Borrowed(text))
    }

    /// As [`Restorer::restore`]; `None` where the text would be longer than `most` bytes.
    pub fn restore_within<'t>(&self, text: &'t str, most: usize) -> Option<Cow<'t, str>> {
        self.restore_until(text, text.len(), most)
    }

    /// Restores the first `until` bytes of a text. What follows them says where names end.
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

    /// Finds the next placeholder that the map knows: the pieces of the text that it consists of.
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

    /// Restores a text that comes in pieces. Appends `piece` to what is `held`, and returns the restored text up to where
    /// the next piece may complete a placeholder; the rest stays in `held`. After the last piece, pass what is held to
    /// [`Restorer::restore`].
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

/// Puts back what placeholders stand for: names, without their brackets, and values.
pub fn restore<'t, 'm>(text: &'t str, map: impl IntoIterator<Item = (&'m str, &'m str)>) -> Cow<'t, str> {
    Restorer::new(map, false).restore(text)
}
