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

/// A member of a primitive's text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'a> {
    /// Where its key begins.
    pub start: usize,
    /// Where its value ends.
    pub end: usize,
    pub value: Raw<'a>,
}

impl Place {
    /// The member that stands here.
    pub fn member(self, text: &str) -> Option<Member<'_>> {
        let start = (self != Self::default()).then_some(self.0)?;
        let mut scanner = Scanner::new(text.get(start..)?);
        let value = scanner.member_value().ok()?;
        Some(Member { start, end: start + scanner.at(), value })
    }
}

impl Shape {
    /// Passes a value and says where its members stand.
    pub fn read<'a>(scanner: &mut Scanner<'a>, kind: Kind) -> Result<(Raw<'a>, Self), Error> {
        let mut shape = Self { sound: true, compact: true, ..Self::default() };
        let start = scanner.start();
        let is_object = scanner.object(&mut |scanner, key| {
            let at = scanner.key_start();
            let value = scanner.value()?;
            match key {
                None => shape.sound = false,
                Some(key) if key == "inputSchema" => shape.schema = value.get().starts_with('{'),
                Some(key) => {
                    if let Some(place) = shape.place(kind, &key) {
                        let repeated = *place != Place::default();
                        *place = Place(at - start);
                        shape.compact &= !repeated;
                    }
                }
            }
            Ok(())
        })?;
        if !is_object {
            scanner.value()?;
        }
        shape.sound &= is_object;
        shape.compact &= is_object && scanner.tight();
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
