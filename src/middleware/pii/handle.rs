//! Texts that look like handles: `[PERSON_1]`, whoever wrote it.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    Finding, Kind,
    bytes::{at, end_of},
    scanner::Look,
    words::Words,
};
use crate::digest::Hashing;

/// Longest name of a handle, in bytes.
pub(in crate::middleware) const NAME: usize = 64;

/// Names of handles that another function gave out, as a tolerant reader takes them. The values are nothing: a map of
/// the type that a [`Restorer`](super::Restorer) has costs a module no bytes.
#[derive(Debug, Clone, Default)]
pub(in crate::middleware) struct Carried(HashMap<Vec<u8>, &'static str, Hashing>);

impl Carried {
    pub fn new(names: &[String]) -> Self {
        Self(names.iter().map(|name| (folded(name.as_bytes()).collect(), "")).collect())
    }
}

/// What looks like a handle is found like a value, and so gets a handle of its own: what is restored is then what
/// stood there, and never somebody's name.
pub(in crate::middleware) fn look(carried: &Carried, bytes: &[u8], place: usize) -> Look {
    let Some((end, name)) = named(bytes, place) else { return Look::Nothing(place + 1) };
    let (mut whole, mut length) = ([0; NAME], 0);
    for (slot, byte) in whole.iter_mut().zip(folded(name)) {
        (*slot, length) = (byte, length + 1);
    }
    let name = whole.get(..length).unwrap_or_default();
    if is_ours(name) || carried.0.contains_key(name) {
        return Look::Found(Finding { kind: Kind::Handle, start: place, end });
    }
    Look::Nothing(place + 1)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b' ' | b'.' | b':' | b'/' | b'#')
}

/// Whether the brackets that open at a place may close beyond the end of the text.
pub(super) fn named_so_far(bytes: &[u8], place: usize) -> bool {
    end_of(bytes, place + 1, NAME, is_name) == bytes.len()
}

/// The end of the brackets that open at a place, and what stands in them, if that can be a name.
pub(in crate::middleware) fn named(bytes: &[u8], place: usize) -> Option<(usize, &[u8])> {
    let end = end_of(bytes, place + 1, NAME, is_name);
    (end > place + 1 && at(bytes, end) == b']')
        .then(|| (end + 1, bytes.get(place + 1..end).unwrap_or_default()))
}

/// A name as a tolerant reader takes it: letters in capitals and digits, and nothing else.
pub(in crate::middleware) fn folded(name: &[u8]) -> impl Iterator<Item = u8> + '_ {
    name.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_uppercase)
}

/// Whether a folded name is that of a handle of ours: a kind, then a number.
fn is_ours(name: &[u8]) -> bool {
    static KINDS: LazyLock<Words<bool>> = LazyLock::new(|| {
        let folded = |kind: &Kind| String::from_iter(folded(kind.name().as_bytes()).map(char::from));
        // Made once, and kept for as long as there is a scanner.
        let kinds: Vec<_> = Kind::ALL.iter().map(|kind| (&*folded(kind).leak(), true)).collect();
        Words::new(&kinds, |_, known| known)
    });
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let kind = name.get(..name.len() - digits).unwrap_or_default();
    digits > 0 && KINDS.get(kind)
}
