use super::{schema::Property, validate::Validator};
use crate::{
    catalog::model::kind::Kind,
    error::Error,
    json::{Raw, Scanner},
    revision::Era,
};

/// Where in a primitive's text the members stand that a catalog reads; of one that is repeated the last.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MemberOffsets {
    /// The name, `uri` or `uriTemplate`.
    pub id: Offset,
    pub groups: Offset,
    pub tags: Offset,
    pub annotations: Offset,
    pub meta: Offset,
    /// The era whose callers alone have it.
    pub era: Option<Era>,
    /// There is no space around its members, no escape in their keys, and none of the above twice.
    pub compact: bool,
}

/// Where a member's key begins, counted from the `{` before all; zero for none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Offset(usize);

/// A member of a primitive's text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member<'a> {
    /// Where its key begins.
    pub start: usize,
    /// Where its value ends.
    pub end: usize,
    pub value: Raw<'a>,
}

impl Offset {
    /// The member that stands here.
    pub fn member(self, text: &str) -> Option<Member<'_>> {
        let start = (self != Self::default()).then_some(self.0)?;
        let mut scanner = Scanner::new(text.get(start..)?);
        let value = scanner.member_value().ok()?;
        Some(Member { start, end: start + scanner.at(), value })
    }
}

impl MemberOffsets {
    /// Passes a value and says where its members stand, if it is a primitive. What is wrong with it `validator` notes.
    pub fn read<'a>(
        scanner: &mut Scanner<'a>,
        kind: Kind,
        members: &'static [Property],
        validator: &mut Validator,
    ) -> Result<(Raw<'a>, Self), Error> {
        let mut offsets = Self { compact: true, ..Self::default() };
        let start = scanner.start();
        let is_object = validator.primitive(scanner, members, &mut |key, at| {
            if let Some(place) = offsets.place(kind, key) {
                let repeated = *place != Offset::default();
                *place = Offset(at - start);
                offsets.compact &= !repeated;
            }
        })?;
        offsets.compact &= is_object && scanner.tight();
        Ok((scanner.since(start), offsets))
    }

    fn place(&mut self, kind: Kind, key: &str) -> Option<&mut Offset> {
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
