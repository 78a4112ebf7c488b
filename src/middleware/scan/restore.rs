use std::borrow::Cow;

use crate::middleware::scan::placeholder::{PlaceholderIndex, may_continue, next_bracketed, unbracketed};

/// Puts back what placeholders stand for.
#[derive(Debug, Clone)]
pub struct Restorer<'m> {
    values: Vec<&'m str>,
    names: PlaceholderIndex,
}

impl<'m> Restorer<'m> {
    /// Of a map of names to values. `tolerant` recognizes a name that a model wrote in another case or with other
    /// signs between its letters: `[Person 1]`.
    pub fn new(map: impl IntoIterator<Item = (&'m str, &'m str)>, tolerant: bool) -> Self {
        let (mut values, mut names) = (Vec::new(), PlaceholderIndex::new(tolerant));
        for (name, value) in map {
            names.add(unbracketed(name), values.len());
            values.push(value);
        }
        Self { values, names }
    }

    /// A text with values in it; the text itself where there is no placeholder that the map knows.
    pub fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.restore_within(text, usize::MAX).unwrap_or(Cow::Borrowed(text))
    }

    /// The same; none where the text would be longer than `most` bytes.
    pub fn restore_within<'t>(&self, text: &'t str, most: usize) -> Option<Cow<'t, str>> {
        let (mut out, mut done, mut place) = (String::new(), 0, 0);
        while let Some((start, end, name)) = next_bracketed(text.as_bytes(), place) {
            place = start + 1;
            if let Some(value) = self.names.get(name).and_then(|place| self.values.get(place)) {
                out.push_str(text.get(done..start).unwrap_or_default());
                if value.len() > most.saturating_sub(out.len()) {
                    return None;
                }
                out.push_str(value);
                (place, done) = (end, end);
            }
        }
        if done == 0 {
            return Some(Cow::Borrowed(text));
        }
        out.push_str(text.get(done..).unwrap_or_default());
        (out.len() <= most).then_some(Cow::Owned(out))
    }

    /// The same for a text that comes in pieces: restores what `held` and a piece make, but for what the next piece may
    /// make a placeholder, which is held until then. After the last piece, what is held is text.
    pub fn push(&self, held: &mut String, piece: &str) -> String {
        held.push_str(piece);
        let open = held.rfind('[').filter(|open| may_continue(held.as_bytes(), *open));
        let rest = held.split_off(open.unwrap_or(held.len()));
        let whole = self.restore(held).into_owned();
        *held = rest;
        whole
    }
}

/// Puts back what placeholders stand for: names, without their brackets, and values.
pub fn restore<'t, 'm>(text: &'t str, map: impl IntoIterator<Item = (&'m str, &'m str)>) -> Cow<'t, str> {
    Restorer::new(map, false).restore(text)
}
