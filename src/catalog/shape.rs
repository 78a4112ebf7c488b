use std::{borrow::Cow, ops::Range};

use super::Kind;
use crate::{
    error::Error,
    json::{Raw, Scanner},
};

/// Where in a primitive's text the members stand that a catalog reads; of one that is repeated the last.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shape {
    /// The name, `uri` or `uriTemplate`.
    pub id: Place,
    pub groups: Place,
    pub tags: Place,
    pub annotations: Place,
    pub meta: Place,
    /// It is an object whose keys are Unicode.
    pub sound: bool,
    /// `inputSchema` is an object.
    pub schema: bool,
    /// There is no space around its members, no escape in their keys, and none of the above twice.
    pub compact: bool,
}

/// Where a member's key begins, counted from the `{` before all; zero for none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Place(usize);

impl Place {
    /// The member's value.
    pub fn value(self, text: &str) -> Option<Raw<'_>> {
        let start = self.start()?;
        Scanner::new(text.get(start..)?).member_value().ok()
    }

    /// Key and value.
    pub fn range(self, text: &str) -> Option<Range<usize>> {
        let start = self.start()?;
        let mut scanner = Scanner::new(text.get(start..)?);
        scanner.member_value().ok()?;
        Some(start..start + scanner.at())
    }

    fn start(self) -> Option<usize> {
        (self != Self::default()).then_some(self.0)
    }
}

impl Shape {
    /// Passes a value and says where its members stand.
    pub fn read<'a>(scanner: &mut Scanner<'a>, kind: Kind) -> Result<(Raw<'a>, Self), Error> {
        let mut shape = Self { sound: true, compact: true, ..Self::default() };
        let start = scanner.start();
        // Where the next key stands if there is no space.
        let mut next = start + 1;
        let is_object = scanner.object(&mut |scanner, key| {
            let at = scanner.key_start();
            let value = scanner.value()?;
            let Some(key) = key else {
                shape.sound = false;
                return Ok(());
            };
            let length = key.len() + 3 + value.get().len();
            shape.compact &= at == next && at + length == scanner.at() && matches!(key, Cow::Borrowed(_));
            next = at + length + 1;
            if key == "inputSchema" {
                shape.schema = value.get().starts_with('{');
            } else if let Some(place) = shape.place(kind, &key) {
                let repeated = *place != Place::default();
                *place = Place(at - start);
                shape.compact &= !repeated;
            }
            Ok(())
        })?;
        if !is_object {
            scanner.value()?;
        }
        shape.sound &= is_object;
        shape.compact &= next == scanner.at();
        Ok((scanner.since(start), shape))
    }

    fn place(&mut self, kind: Kind, key: &str) -> Option<&mut Place> {
        match key {
            "groups" => Some(&mut self.groups),
            "tags" => Some(&mut self.tags),
            "_meta" => Some(&mut self.meta),
            "annotations" => Some(&mut self.annotations),
            _ if key == kind.id_key() => Some(&mut self.id),
            _ => None,
        }
    }
}
