//! The offsets of the members that a catalog reads, within the text of one primitive.

use std::ops::Range;

use super::{schema::Property, validate::Validator};
use crate::{
    catalog::model::kind::Kind,
    error::Error,
    json::{Raw, Scanner},
    revision::Era,
};

/// The positions in a primitive's text of the members that a catalog reads. No member is repeated.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MemberOffsets {
    /// The name, `uri` or `uriTemplate`.
    pub id: Offset,
    pub groups: Offset,
    pub tags: Offset,
    /// Set only if the annotations have members that the protocol does not define.
    pub annotations: Offset,
    pub meta: Offset,
    /// The only era whose clients have the primitive, if it is limited to one.
    pub era: Option<Era>,
    /// Whether the primitive is hidden from clients that do not declare the capabilities that it requires.
    pub is_conditional: bool,
    /// Whether clients of revisions before 2026-07-28 reject its output schema.
    pub modern_output: bool,
    /// Whether no server has listed the primitive, so that it has only an id.
    pub is_bare: bool,
    /// Whether there is no white space around its members and no escape in their keys.
    pub compact: bool,
}

/// The start of a member's key and the end of its value, relative to the primitive's `{`. Both are zero for a missing
/// member.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Offset {
    start: u32,
    end: u32,
}

/// A member of a primitive's text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member<'a> {
    /// The start of its key.
    pub start: usize,
    /// The end of its value.
    pub end: usize,
    pub value: Raw<'a>,
}

impl Offset {
    /// Creates the position of a member. It counts as missing in a primitive of more than 4 GiB.
    fn new(place: Range<usize>) -> Self {
        match (u32::try_from(place.start), u32::try_from(place.end)) {
            (Ok(start), Ok(end)) => Self { start, end },
            _ => Self::default(),
        }
    }

    /// Returns the range of the member in the primitive's text.
    pub fn place(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the member with this key at this position.
    pub fn member<'a>(self, primitive: &'a [u8], key: &str) -> Option<Member<'a>> {
        let Range { start, end } = self.place();
        Some(Member { start, end, value: value_of(primitive.get(start..end)?, key)? })
    }
}

/// Returns the value of a member with this key from its text, or `None` for empty text. The text was parsed before, and
/// no key that a catalog reads contains a colon.
pub(super) fn value_of<'a>(member: &'a [u8], key: &str) -> Option<Raw<'a>> {
    // The colon follows the quotes, unless the key has escapes or a space follows it.
    let close_by = Some(key.len() + 2).filter(|place| member.get(*place) == Some(&b':'));
    let colon = close_by.or_else(|| member.iter().position(|byte| *byte == b':'))?;
    let value = member.get(colon + 1..)?.trim_ascii_start();
    Some(Raw::known(std::str::from_utf8(value).ok()?))
}

impl MemberOffsets {
    /// Skips a value and returns it with the positions of its members, if it is an object. `validator` collects its
    /// problems.
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
            if let Some(offset) = offsets.slot(kind, key) {
                *offset = Offset::new(place.start - start..place.end - start);
            }
        })?;
        offsets.compact &= is_object && scanner.tight();
        Ok((scanner.since(start), offsets))
    }

    fn slot(&mut self, kind: Kind, key: &str) -> Option<&mut Offset> {
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
