use std::ops::Range;

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
    /// Only annotations with members that the protocol does not define.
    pub annotations: Offset,
    pub meta: Offset,
    /// The era whose callers alone have it.
    pub era: Option<Era>,
    /// There is no space around its members, no escape in their keys, and none of the above twice.
    pub compact: bool,
}

/// Where a member's key begins and its value ends, counted from the `{` before all; zero for none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Offset {
    start: u32,
    end: u32,
}

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
    /// The place of a member; none in a primitive of more than 4 GiB.
    fn new(place: Range<usize>) -> Self {
        match (u32::try_from(place.start), u32::try_from(place.end)) {
            (Ok(start), Ok(end)) => Self { start, end },
            _ => Self::default(),
        }
    }

    /// Where the member stands in the primitive's text.
    pub fn place(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The member that stands here.
    pub fn member(self, primitive: &str) -> Option<Member<'_>> {
        let Range { start, end } = self.place();
        Some(Member { start, end, value: value_of(primitive.get(start..end)?)? })
    }
}

/// The value of a member whose text was read before; `None` where there is no text. No key that a catalog reads has a
/// colon.
pub(super) fn value_of(member: &str) -> Option<Raw<'_>> {
    let colon = member.bytes().position(|byte| byte == b':')?;
    Some(Raw::known(member.get(colon + 1..)?.trim_ascii_start()))
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
        let is_object = validator.primitive(scanner, members, &mut |key, place, undefined| {
            if key == "annotations" && !undefined {
                return;
            }
            if let Some(offset) = offsets.of(kind, key) {
                let repeated = *offset != Offset::default();
                *offset = Offset::new(place.start - start..place.end - start);
                offsets.compact &= !repeated;
            }
        })?;
        offsets.compact &= is_object && scanner.tight();
        Ok((scanner.since(start), offsets))
    }

    fn of(&mut self, kind: Kind, key: &str) -> Option<&mut Offset> {
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
