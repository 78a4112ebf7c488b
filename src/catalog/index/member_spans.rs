//! The positions of searched members in each primitive's text, computed at first use.

use std::sync::OnceLock;

use super::kind_index::KindIndex;
use crate::{
    catalog::{
        Catalog,
        model::{
            kind::{ByKind, Kind},
            member_values::{FRONTMATTER, frontmatter_key, member_of},
        },
    },
    expr::Field,
    json::{self, Raw, Scanner},
};

/// The members of primitives that expressions read from their text.
const KEYS: Keys = ["name", "title", "description", "annotations", "_meta"];
/// The members of skills that expressions read from their text.
const SKILL_KEYS: Keys = [FRONTMATTER, "title", "description", "annotations", "_meta"];

/// The positions of these members in the text of each primitive of one kind, so that a condition on one member does not
/// scan the others.
#[derive(Debug, Clone)]
pub(crate) struct MemberSpans {
    keys: &'static Keys,
    starts: Vec<[u32; KEYS.len()]>,
}

type Keys = [&'static str; 5];

/// The spans of each kind, which are computed at their first use.
pub(crate) type Spans = ByKind<OnceLock<MemberSpans>>;

impl Catalog {
    /// Computes the positions of members, for conditions on these fields that many primitives of a kind are evaluated
    /// for. Conditions on names and URIs alone do not need them.
    pub(crate) fn note_spans<'f>(&self, kind: Kind, mut fields: impl Iterator<Item = &'f Field>) {
        let reads_text = |field| {
            frontmatter_key(kind, field).is_some()
                || member_of(kind, field).is_some_and(|key| key != kind.id_key())
        };
        if let Some(cell) = self.spans.get(kind as usize).filter(|_| fields.any(reads_text)) {
            let keys = if kind == Kind::Skill { &SKILL_KEYS } else { &KEYS };
            cell.get_or_init(|| MemberSpans::new(self.kind_index(kind), keys));
        }
    }

    /// Returns the spans of a kind, if they have been computed.
    pub(super) fn spans(&self, kind: Kind) -> Option<&MemberSpans> {
        self.spans.get(kind as usize).and_then(OnceLock::get)
    }
}

impl MemberSpans {
    fn new(kind_index: &KindIndex, keys: &'static Keys) -> Self {
        let text = |index| kind_index.bytes(index).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let begins = |index| text(index).map_or([0; KEYS.len()], |text| starts(text, *keys));
        Self { keys, starts: (0..kind_index.len()).map(begins).collect() }
    }

    /// Returns the value of a member of the primitive at `index`, whose text is `source`. Returns `Some(None)` if the
    /// primitive has no such member, and `None` if the spans do not cover it.
    pub fn get<'a>(&self, index: usize, key: &str, source: &'a str) -> Option<Option<Raw<'a>>> {
        let slot = self.keys.iter().position(|known| *known == key)?;
        match *self.starts.get(index)?.get(slot)? {
            0 => Some(None),
            start => Some(Scanner::lenient(source.get(start as usize..)?).value().ok()),
        }
    }
}

/// Returns the start of each value, or zero for a missing member. Only the primitive itself starts at zero.
fn starts(source: &str, keys: Keys) -> [u32; KEYS.len()] {
    let (found, _) = json::pick(Raw::known(source), keys);
    let begin = source.as_ptr().addr();
    found.map(|value| value.map_or(0, |raw| raw.get().as_ptr().addr().wrapping_sub(begin) as u32))
}
