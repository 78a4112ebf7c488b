use std::{borrow::Cow, collections::HashMap};

use super::handle::{NAME, folded, named, named_so_far};
use crate::digest::Hashing;

/// Puts back what handles stand for.
#[derive(Debug, Clone)]
pub struct Restorer<'m> {
    values: HashMap<Vec<u8>, &'m str, Hashing>,
    tolerant: bool,
}

impl<'m> Restorer<'m> {
    /// Of a map of names to values. `tolerant` recognizes a name that a model wrote in another case or with other
    /// signs between its letters: `[Person 1]`.
    pub fn new(map: impl IntoIterator<Item = (&'m str, &'m str)>, tolerant: bool) -> Self {
        let key =
            |name: &str| if tolerant { folded(name.as_bytes()).collect() } else { name.as_bytes().to_vec() };
        let mut values = HashMap::default();
        for (name, value) in map {
            let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
            values.entry(key(name)).or_insert(value);
        }
        Self { values, tolerant }
    }

    /// A text with values in it; the text itself where there is no handle that the map knows.
    pub fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let bytes = text.as_bytes();
        let (mut out, mut done, mut place) = (String::new(), 0, 0);
        while let Some(open) = bytes.get(place..).and_then(|rest| rest.iter().position(|byte| *byte == b'['))
        {
            place += open;
            let Some((end, value)) =
                named(bytes, place).and_then(|(end, name)| Some((end, self.value(name)?)))
            else {
                place += 1;
                continue;
            };
            out.push_str(text.get(done..place).unwrap_or_default());
            out.push_str(value);
            (place, done) = (end, end);
        }
        if done == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// The same for a text that comes in pieces: restores what `held` and a piece make, but for what the next piece may
    /// make a handle, which is held until then. After the last piece, what is held is text.
    pub fn push(&self, held: &mut String, piece: &str) -> String {
        held.push_str(piece);
        let open = held.rfind('[').filter(|open| named_so_far(held.as_bytes(), *open));
        let rest = held.split_off(open.unwrap_or(held.len()));
        let whole = self.restore(held).into_owned();
        *held = rest;
        whole
    }

    fn value(&self, name: &[u8]) -> Option<&'m str> {
        if !self.tolerant {
            return self.values.get(name).copied();
        }
        let (mut whole, mut length) = ([0; NAME], 0);
        for (slot, byte) in whole.iter_mut().zip(folded(name)) {
            (*slot, length) = (byte, length + 1);
        }
        self.values.get(whole.get(..length)?).copied()
    }
}

/// Puts back what handles stand for: names, without their brackets, and values.
pub fn restore<'t, 'm>(text: &'t str, map: impl IntoIterator<Item = (&'m str, &'m str)>) -> Cow<'t, str> {
    Restorer::new(map, false).restore(text)
}
