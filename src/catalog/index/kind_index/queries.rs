//! The read access to an index: names, JSON, servers, memberships, and facet bitsets.

use std::{ops::Range, sync::Arc};

use super::draft::Draft;
use crate::catalog::{
    index::{
        bitset::Bitset,
        id_table::{IdTable, Numbered},
    },
    model::{kind::Kind, short_name::is_shortened, vocabulary::Names},
};

/// The primitives of one kind: their bytes, their names, and a bitset for each facet.
#[derive(Debug, Clone, Default)]
pub struct KindIndex {
    /// The text of the whole catalog. It contains the JSON of every primitive of this kind, separated by commas, so
    /// consecutive primitives are one slice of a list.
    pub(super) text: Arc<Vec<u8>>,
    /// The start of the first primitive in `text`.
    pub(super) first: usize,
    /// The end of each primitive in `text`.
    pub(super) ends: Vec<usize>,
    pub(super) ids: IdTable,
    /// The servers, each with the index after its last primitive.
    pub(super) servers: Vec<(usize, Arc<str>)>,
    /// The servers' own names for the primitives that have another name here, in order.
    pub(super) own_ids: Numbered,
    /// The example requests of primitives that have some, one on each line.
    pub(super) examples: Numbered,
    pub(super) hidden: Names,
    pub(super) all: Bitset,
    pub(super) groups: Vec<Bitset>,
    pub(super) tags: Vec<Bitset>,
    /// For each requirement, the primitives that have it.
    pub(super) requiring: Vec<Bitset>,
    /// At most one set. Empty if no primitive is pinned.
    pub(super) pinned: Vec<Bitset>,
    /// At most one set. Empty if clients of every revision accept all primitives.
    pub(super) stateless: Vec<Bitset>,
    /// At most one set. Empty if clients without a session have all primitives.
    pub(super) sessions: Vec<Bitset>,
    pub(super) concerns: Vec<ConcernBitsets>,
}

/// The bitsets of one concern for the primitives of one kind.
#[derive(Debug, Clone, Default)]
pub(super) struct ConcernBitsets {
    /// The primitives without any value for the concern. They match every value.
    pub(super) silent: Bitset,
    /// For each value, the primitives that have it.
    pub(super) values: Vec<Bitset>,
}

impl ConcernBitsets {
    /// Returns the primitives of `all` that have none of the values.
    pub(super) fn silent(all: &Bitset, values: &[Bitset]) -> Bitset {
        let mut silent = all.clone();
        values.iter().for_each(|value| silent.subtract(value));
        silent
    }
}

impl KindIndex {
    /// Returns the number of primitives.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns whether there are no primitives.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the name, `uri` or `uriTemplate` of each primitive, in order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.id(index).unwrap_or_default())
    }

    /// Returns the name, `uri` or `uriTemplate` at `index`.
    pub fn id(&self, index: usize) -> Option<&str> {
        self.draft(&self.text).id(index)
    }

    /// Returns the index of the primitive with this name, `uri` or `uriTemplate`.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.draft(&self.text).find(id)
    }

    /// Returns the JSON of the primitive at `index`, as clients receive it.
    pub fn bytes(&self, index: usize) -> Option<&[u8]> {
        self.text.get(self.start(index)..self.end(index)?)
    }

    /// Returns the server of the primitive at `index`.
    pub fn server(&self, index: usize) -> Option<&str> {
        self.server_at(index).map(AsRef::as_ref)
    }

    pub(super) fn server_at(&self, index: usize) -> Option<&Arc<str>> {
        let run = self.servers.partition_point(|(end, _)| *end <= index);
        self.servers.get(run).map(|(_, server)| server)
    }

    /// Returns the server's own name for the primitive at `index`.
    pub fn own_id(&self, index: usize) -> Option<&str> {
        self.draft(&self.text).own_id(index)
    }

    /// Returns the primitives whose listed names are the name that their server lists after a prefix, or shortened.
    /// Others with another name were renamed by a rule, and keep that name alone.
    pub(crate) fn derived(&self, kind: Kind) -> impl Iterator<Item = (usize, &str)> {
        let named = kind.is_named();
        self.own_ids.iter().filter_map(move |(index, own)| {
            let listed = self.id(*index)?;
            // The prefix of a skill is within its URI, and no rule changes a URI.
            let derived = !named || listed.ends_with(own.as_ref()) || is_shortened(kind, listed);
            derived.then_some((*index, own.as_ref()))
        })
    }

    /// Returns the example requests of the primitive at `index`, one on each line.
    pub(crate) fn examples(&self, index: usize) -> Option<&str> {
        let at = self.examples.binary_search_by(|(known, _)| known.cmp(&index)).ok()?;
        self.examples.get(at).map(|(_, examples)| examples.as_ref())
    }

    /// Returns the primitives in `run` as they appear in a list, separated by commas.
    pub fn run(&self, run: Range<usize>) -> &[u8] {
        let last = run.end.min(self.len()).checked_sub(1);
        let end = last.and_then(|last| self.end(last));
        end.and_then(|end| self.text.get(self.start(run.start)..end)).unwrap_or_default()
    }

    /// Returns the start of the primitive at `index`, after the comma that follows the previous one.
    fn start(&self, index: usize) -> usize {
        index.checked_sub(1).and_then(|before| self.end(before)).map_or(self.first, |end| end + 1)
    }

    fn end(&self, index: usize) -> Option<usize> {
        self.ends.get(index).copied()
    }

    /// Returns the keys of the primitives that a rule hides or that were left out. They are never listed, and cannot be
    /// reached in other ways.
    pub fn hidden(&self) -> impl Iterator<Item = &str> {
        self.hidden.iter()
    }

    /// Returns whether the primitive with this name, `uri` or `uriTemplate` is hidden by a rule or was left out.
    pub fn hides(&self, id: &str) -> bool {
        self.hidden.find(id).is_some()
    }

    /// Returns the set of all primitives.
    pub fn all(&self) -> &Bitset {
        &self.all
    }

    pub(crate) fn group(&self, id: usize) -> Option<&Bitset> {
        self.groups.get(id)
    }

    /// Returns the primitives that every filter includes, if there are any.
    pub fn pinned(&self) -> Option<&Bitset> {
        self.pinned.first()
    }

    /// Returns the primitives that only clients of revision 2026-07-28 or later have, if there are any.
    pub fn stateless_only(&self) -> Option<&Bitset> {
        self.stateless.first()
    }

    /// Returns the primitives that only clients of older revisions have, if there are any.
    pub fn session_only(&self) -> Option<&Bitset> {
        self.sessions.first()
    }

    /// Returns the primitives with requirement `id`.
    pub(crate) fn requiring(&self, id: usize) -> Option<&Bitset> {
        self.requiring.get(id)
    }

    /// Returns the number of the requirement of the primitive at `index`.
    pub(crate) fn requirement_of(&self, index: usize) -> Option<usize> {
        holding(&self.requiring, index).next()
    }

    pub(crate) fn tag(&self, id: usize) -> Option<&Bitset> {
        self.tags.get(id)
    }

    /// Returns the primitives that match any value of concern `id`, because they have no value for it.
    pub(crate) fn silent(&self, id: usize) -> Option<&Bitset> {
        self.concerns.get(id).map(|concern| &concern.silent)
    }

    /// Returns the primitives that have value `value` of concern `id`.
    pub(crate) fn concern_value(&self, id: usize, value: usize) -> Option<&Bitset> {
        self.concerns.get(id).and_then(|concern| concern.values.get(value))
    }

    /// Returns a bitset for each group, by number.
    pub(crate) fn group_sets(&self) -> &[Bitset] {
        &self.groups
    }

    /// Returns a bitset for each tag, by number.
    pub(crate) fn tag_sets(&self) -> &[Bitset] {
        &self.tags
    }

    /// Returns a bitset for each value of concern `id`.
    pub(crate) fn value_sets(&self, id: usize) -> &[Bitset] {
        self.concerns.get(id).map_or(&[], |concern| &concern.values)
    }

    pub(crate) fn groups_of(&self, index: usize) -> impl Iterator<Item = usize> {
        holding(&self.groups, index)
    }

    pub(crate) fn tags_of(&self, index: usize) -> impl Iterator<Item = usize> {
        holding(&self.tags, index)
    }

    pub(crate) fn concern_values_of(&self, id: usize, index: usize) -> impl Iterator<Item = usize> {
        holding(self.value_sets(id), index)
    }

    /// Returns the index so far, together with `text`, which contains its primitives.
    pub(crate) fn draft<'a>(&'a self, text: &'a [u8]) -> Draft<'a> {
        Draft { kind_index: self, text }
    }

    pub(crate) fn raw(&self) -> &[u8] {
        self.run(0..self.len())
    }
}

fn holding(sets: &[Bitset], index: usize) -> impl Iterator<Item = usize> {
    sets.iter().enumerate().filter(move |(_, bits)| bits.contains(index)).map(|(id, _)| id)
}
