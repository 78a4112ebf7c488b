mod servers;
mod snapshot;

use std::{ops::Range, sync::Arc};

use super::{bitset::Bitset, id_table::IdTable, id_table::Numbered};
use crate::{
    catalog::model::{
        kind::Kind,
        vocabulary::{Names, Vocabulary},
    },
    json::{plain_length, same_text},
    revision::Era,
};

/// The primitives of one kind: their bytes, their names, and a bitset for each facet.
#[derive(Debug, Clone, Default)]
pub struct KindIndex {
    /// The text of the whole catalog. It contains the JSON of every primitive of this kind, separated by commas, so
    /// consecutive primitives are one slice of a list.
    text: Arc<Vec<u8>>,
    /// The start of the first primitive in `text`.
    first: usize,
    /// The end of each primitive in `text`.
    ends: Vec<usize>,
    ids: IdTable,
    /// The servers, each with the index after its last primitive.
    servers: Vec<(usize, Arc<str>)>,
    /// The servers' own names for the primitives that have another name here, in order.
    own_ids: Numbered,
    /// The example requests of primitives that have some, one on each line.
    examples: Numbered,
    hidden: Names,
    all: Bitset,
    groups: Vec<Bitset>,
    tags: Vec<Bitset>,
    /// For each requirement, the primitives that have it.
    requiring: Vec<Bitset>,
    /// At most one set. Empty if no primitive is pinned.
    pinned: Vec<Bitset>,
    /// At most one set. Empty if clients of every revision accept all primitives.
    modern: Vec<Bitset>,
    /// At most one set. Empty if clients without a session have all primitives.
    sessions: Vec<Bitset>,
    concerns: Vec<ConcernBitsets>,
}

/// An index under construction, with the text that it does not own yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Draft<'a> {
    kind_index: &'a KindIndex,
    text: &'a [u8],
}

/// The names of a primitive that is added to the index.
#[derive(Debug)]
pub(crate) struct Entry {
    hash: u64,
    /// The start of its id in its text, after the quote.
    start: usize,
    /// The unescaped id, if it contains escapes.
    escaped: Option<Box<str>>,
    /// The server's own name for it, if it differs.
    own: Option<Box<str>>,
}

/// The bitsets of one concern for the primitives of one kind.
#[derive(Debug, Clone, Default)]
struct ConcernBitsets {
    /// The primitives without any value for the concern. They match every value.
    silent: Bitset,
    /// For each value, the primitives that have it.
    values: Vec<Bitset>,
}

impl ConcernBitsets {
    /// Returns the primitives of `all` that have none of the values.
    fn silent(all: &Bitset, values: &[Bitset]) -> Bitset {
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

    fn server_at(&self, index: usize) -> Option<&Arc<str>> {
        let run = self.servers.partition_point(|(end, _)| *end <= index);
        self.servers.get(run).map(|(_, server)| server)
    }

    /// Returns the server's own name for the primitive at `index`.
    pub fn own_id(&self, index: usize) -> Option<&str> {
        self.draft(&self.text).own_id(index)
    }

    /// Returns the primitives whose listed names end with the name that their server lists, after a prefix. Others with
    /// another name were renamed by a rule, and keep that name alone.
    pub(crate) fn prefixed(&self, kind: Kind) -> impl Iterator<Item = (usize, &str)> {
        let named = kind.is_named();
        self.own_ids.iter().filter_map(move |(index, own)| {
            let listed = self.id(*index)?;
            // The prefix of a skill is within its URI, and no rule changes a URI.
            (!named || listed.ends_with(own.as_ref())).then_some((*index, own.as_ref()))
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
    pub fn modern(&self) -> Option<&Bitset> {
        self.modern.first()
    }

    /// Returns the primitives that only clients of older revisions have, if there are any.
    pub fn sessions(&self) -> Option<&Bitset> {
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

    /// Creates an empty index with room for so many primitives, in tables with this [seed](IdTable::seed).
    pub(crate) fn with_room(primitives: usize, seed: u64) -> Self {
        let (ids, ends) = (IdTable::with_room(primitives, seed), Vec::with_capacity(primitives));
        Self { ids, ends, hidden: Names::seeded(seed), ..Self::default() }
    }

    /// Returns the index so far, together with `text`, which contains its primitives.
    pub(crate) fn draft<'a>(&'a self, text: &'a [u8]) -> Draft<'a> {
        Draft { kind_index: self, text }
    }

    /// Appends a primitive at `place` in the text. The caller has checked that its id is new.
    pub(crate) fn push(&mut self, place: Range<usize>, entry: Entry, server: &Arc<str>) {
        if self.is_empty() {
            self.first = place.start;
        }
        if let Some(own) = entry.own {
            self.own_ids.push((self.len(), own));
        }
        self.ids.push(entry.hash, place.start + entry.start, entry.escaped);
        self.ends.push(place.end);
        match self.servers.last_mut().filter(|(_, last)| Arc::ptr_eq(last, server)) {
            Some((end, _)) => *end += 1,
            None => self.servers.push((self.ends.len(), Arc::clone(server))),
        }
    }

    /// Adds the key of a primitive that a rule hides or that is left out.
    pub(crate) fn hide(&mut self, id: &str) {
        self.hidden.intern(id);
    }

    /// Adds the next primitive to group `id`.
    pub(crate) fn mark_group(&mut self, id: usize) {
        mark(&mut self.groups, id, self.ends.len());
    }

    /// Adds requirement `id` to the next primitive.
    pub(crate) fn mark_requirement(&mut self, id: usize) {
        mark(&mut self.requiring, id, self.ends.len());
    }

    /// Pins the next primitive.
    pub(crate) fn pin(&mut self) {
        mark(&mut self.pinned, 0, self.ends.len());
    }

    /// Adds example requests to the next primitive.
    pub(crate) fn add_examples(&mut self, examples: &[&str]) {
        if !examples.is_empty() {
            self.examples.push((self.len(), examples.join("\n").into()));
        }
    }

    /// Restricts the next primitive to clients of one era.
    pub(crate) fn mark_era(&mut self, era: Era) {
        let bits = match era {
            Era::Stateless => &mut self.modern,
            Era::Session => &mut self.sessions,
        };
        mark(bits, 0, self.ends.len());
    }

    /// Adds tag `id` to the next primitive.
    pub(crate) fn mark_tag(&mut self, id: usize) {
        mark(&mut self.tags, id, self.ends.len());
    }

    /// Adds value `value` of concern `id` to the next primitive.
    pub(crate) fn mark_value(&mut self, id: usize, value: usize) {
        if self.concerns.len() <= id {
            self.concerns.resize_with(id + 1, ConcernBitsets::default);
        }
        if let Some(concern) = self.concerns.get_mut(id) {
            mark(&mut concern.values, value, self.ends.len());
        }
    }

    /// Completes the index, once all primitives and names are known. A facet that no primitive of this kind has
    /// receives an empty bitset.
    pub(crate) fn complete(&mut self, facets: &Vocabulary, text: &Arc<Vec<u8>>) {
        let len = self.len();
        self.set_text(text);
        self.ids.settle();
        self.ends.shrink_to_fit();
        self.all = Bitset::all(len);
        fill(&mut self.groups, facets.groups.len(), len);
        fill(&mut self.tags, facets.tags.len(), len);
        fill(&mut self.requiring, facets.requirements().len(), len);
        self.pinned
            .iter_mut()
            .chain(&mut self.modern)
            .chain(&mut self.sessions)
            .for_each(|bits| bits.set_len(len));
        self.concerns.resize_with(facets.concerns().len(), ConcernBitsets::default);
        for (concern, (_, values)) in self.concerns.iter_mut().zip(facets.concerns()) {
            fill(&mut concern.values, values.len(), len);
            concern.silent = ConcernBitsets::silent(&self.all, &concern.values);
        }
    }

    /// Sets the text to which the positions of the index refer.
    pub(crate) fn set_text(&mut self, text: &Arc<Vec<u8>>) {
        self.text = Arc::clone(text);
    }

    pub(crate) fn raw(&self) -> &[u8] {
        self.run(0..self.len())
    }
}

impl<'a> Draft<'a> {
    pub fn id(self, index: usize) -> Option<&'a str> {
        self.kind_index.ids.get(self.text, index)
    }

    pub fn find(self, id: &str) -> Option<usize> {
        self.kind_index.ids.find(self.text, id)
    }

    /// Returns the index of an id, given its hash under the seed of the index.
    pub fn find_hashed(self, hash: u64, id: &str) -> Option<usize> {
        self.kind_index.ids.find_hashed(self.text, hash, id)
    }

    pub fn own_id(self, index: usize) -> Option<&'a str> {
        match self.kind_index.own_ids.binary_search_by(|(known, _)| known.cmp(&index)) {
            Ok(at) => self.kind_index.own_ids.get(at).map(|(_, own)| own.as_ref()),
            Err(_) => self.id(index),
        }
    }

    /// Returns whether the primitive at `index` is the one that `server` lists as `own`.
    pub fn is(self, index: usize, server: &Arc<str>, own: &str) -> bool {
        let of = self.kind_index.server_at(index);
        of.is_some_and(|of| Arc::ptr_eq(of, server)) && self.own_id(index) == Some(own)
    }
}

impl Entry {
    /// Creates the entry of a primitive with the name `id` and its server's name `own`. The id is at `start` in its
    /// text. `escaped` is whether its text may contain escapes, and `hash` is the hash of the id under the seed of the
    /// index.
    pub fn new(hash: u64, id: &str, own: &str, escaped: bool, start: usize) -> Self {
        let escaped = escaped || plain_length(id.as_bytes()) < id.len();
        let own = (!same_text(id, own)).then(|| own.into());
        Self { hash, start, escaped: escaped.then(|| id.into()), own }
    }
}

/// Adds `index` to set `id`, and creates the set if necessary.
fn mark(sets: &mut Vec<Bitset>, id: usize, index: usize) {
    if sets.len() <= id {
        sets.resize_with(id + 1, Bitset::default);
    }
    sets.get_mut(id).into_iter().for_each(|bits| bits.add(index));
}

/// Resizes `sets` to `count` sets over `len` primitives.
fn fill(sets: &mut Vec<Bitset>, count: usize, len: usize) {
    sets.resize_with(count, Bitset::default);
    sets.iter_mut().for_each(|bits| bits.set_len(len));
}

fn holding(sets: &[Bitset], index: usize) -> impl Iterator<Item = usize> {
    sets.iter().enumerate().filter(move |(_, bits)| bits.contains(index)).map(|(id, _)| id)
}
