//! The read access to an index: names, JSON, servers, memberships, and facet bitsets.

use std::{ops::Range, sync::Arc};

use super::draft::Draft;
use crate::catalog::{
    index::{
        bitset::Bitset,
        id_table::{IdTable, Numbered},
    },
    model::{
        binding::BoundArgument, kind::Kind, purpose::Purpose, tool_name_form::is_rewritten, vocabulary::Names,
    },
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
    /// The bound arguments of the tools that have some, in order.
    pub(super) bound: Vec<(usize, Box<[BoundArgument]>)>,
    pub(super) hidden: Names,
    pub(super) all: Bitset,
    /// The trusted members of each group, and the primitives for which each tag is trusted.
    pub(super) groups: Vec<Bitset>,
    pub(super) tags: Vec<Bitset>,
    /// The same sets with published memberships. Empty if there are none, so that filters read the trusted sets.
    pub(super) filter_groups: Vec<Bitset>,
    pub(super) filter_tags: Vec<Bitset>,
    /// For each requirement, the primitives that have it.
    pub(super) requiring: Vec<Bitset>,
    /// At most one set. Empty if no primitive is pinned.
    pub(super) pinned: Vec<Bitset>,
    /// At most one set. Empty if clients of every revision accept all primitives.
    pub(super) stateless: Vec<Bitset>,
    /// At most one set. Empty if clients without a session have all primitives.
    pub(super) sessions: Vec<Bitset>,
    /// At most one set. Empty if clients of every revision accept the output schemas of all tools.
    pub(super) modern_outputs: Vec<Bitset>,
    /// At most one set. Empty if models may call all tools.
    pub(super) app_only: Vec<Bitset>,
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
    /// Returns the arguments of a tool that the gateway fills. Most tools have none.
    pub fn bound(&self, index: usize) -> &[BoundArgument] {
        let place = self.bound.binary_search_by_key(&index, |(known, _)| *known);
        place.ok().and_then(|at| self.bound.get(at)).map_or(&[], |(_, bound)| bound)
    }

    /// Returns the bound arguments of all tools that have some, in order.
    pub(crate) fn all_bound(&self) -> &[(usize, Box<[BoundArgument]>)] {
        &self.bound
    }

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

    /// Returns the primitives whose listed names are the name that their server lists after a prefix, or rewritten.
    /// Others with another name were renamed by a rule, and keep that name alone.
    pub(crate) fn derived(&self, kind: Kind) -> impl Iterator<Item = (usize, &str)> {
        let named = kind.is_named();
        self.own_ids.iter().filter_map(move |(index, own)| {
            let listed = self.id(*index)?;
            // The prefix of a skill is within its URI, and no rule changes a URI.
            let derived = !named || listed.ends_with(own.as_ref()) || is_rewritten(kind, listed);
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
    pub(super) fn start(&self, index: usize) -> usize {
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

    /// Returns the members of group `id`, as filters see them.
    pub(crate) fn group(&self, id: usize) -> Option<&Bitset> {
        self.group_sets(Purpose::Filter).get(id)
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

    /// Returns the tools whose output schemas clients of revisions before 2026-07-28 reject, if there are any.
    pub(crate) fn modern_outputs(&self) -> Option<&Bitset> {
        self.modern_outputs.first()
    }

    /// Returns the tools that only applications may call (MCP Apps), if there are any. They are listed like others, but
    /// models neither find nor call them, and they take no part of a budget.
    pub fn app_only(&self) -> Option<&Bitset> {
        self.app_only.first()
    }

    /// Returns whether models may find and call the tool at `index`.
    pub fn is_for_models(&self, index: usize) -> bool {
        !self.app_only().is_some_and(|tools| tools.contains(index))
    }

    /// Returns the primitives with requirement `id`.
    pub(crate) fn requiring(&self, id: usize) -> Option<&Bitset> {
        self.requiring.get(id)
    }

    /// Returns the number of the requirement of the primitive at `index`.
    pub(crate) fn requirement_of(&self, index: usize) -> Option<usize> {
        holding(&self.requiring, index).next()
    }

    /// Returns the primitives with tag `id`, as filters see them.
    pub(crate) fn tag(&self, id: usize) -> Option<&Bitset> {
        self.tag_sets(Purpose::Filter).get(id)
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
    pub(crate) fn group_sets(&self, purpose: Purpose) -> &[Bitset] {
        sets(purpose, &self.groups, &self.filter_groups)
    }

    /// Returns a bitset for each tag, by number.
    pub(crate) fn tag_sets(&self, purpose: Purpose) -> &[Bitset] {
        sets(purpose, &self.tags, &self.filter_tags)
    }

    /// Returns the primitives that are in group `id`, or have tag `id`, for filters only. `None` if there are none.
    pub(crate) fn published(&self, id: usize, is_group: bool) -> Option<Bitset> {
        let [filter, trusted] = match is_group {
            true => [&self.filter_groups, &self.groups],
            false => [&self.filter_tags, &self.tags],
        };
        let mut members = filter.get(id)?.clone();
        trusted.get(id).into_iter().for_each(|trusted| members.subtract(trusted));
        (members.count() > 0).then_some(members)
    }

    /// Returns a bitset for each value of concern `id`.
    pub(crate) fn value_sets(&self, id: usize) -> &[Bitset] {
        self.concerns.get(id).map_or(&[], |concern| &concern.values)
    }

    pub(crate) fn groups_of(&self, index: usize, purpose: Purpose) -> impl Iterator<Item = usize> {
        holding(self.group_sets(purpose), index)
    }

    pub(crate) fn tags_of(&self, index: usize, purpose: Purpose) -> impl Iterator<Item = usize> {
        holding(self.tag_sets(purpose), index)
    }

    /// Returns the groups and the tags of the primitive at `index` that count in filters only.
    pub(crate) fn published_of(
        &self,
        index: usize,
    ) -> (impl Iterator<Item = usize>, impl Iterator<Item = usize>) {
        let without = move |filter: &'_ [Bitset], trusted: &'_ [Bitset]| -> Vec<usize> {
            let is_trusted = |id: &usize| trusted.get(*id).is_some_and(|bits| bits.contains(index));
            holding(filter, index).filter(|id| !is_trusted(id)).collect()
        };
        let groups = without(&self.filter_groups, &self.groups);
        (groups.into_iter(), without(&self.filter_tags, &self.tags).into_iter())
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

fn sets<'a>(purpose: Purpose, trusted: &'a [Bitset], filter: &'a [Bitset]) -> &'a [Bitset] {
    if purpose == Purpose::Policy || filter.is_empty() { trusted } else { filter }
}

fn holding(sets: &[Bitset], index: usize) -> impl Iterator<Item = usize> {
    sets.iter().enumerate().filter(move |(_, bits)| bits.contains(index)).map(|(id, _)| id)
}
