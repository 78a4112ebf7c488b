mod servers;
mod snapshot;

use std::{ops::Range, sync::Arc};

use super::{bitset::Bitset, id_table::IdTable, id_table::Numbered};
use crate::{
    catalog::model::vocabulary::{Names, Vocabulary},
    json::plain_length,
    revision::Era,
};

/// The primitives of one kind: their bytes, their names, and a bitset for each facet.
#[derive(Debug, Clone, Default)]
pub struct KindIndex {
    /// The text of the whole catalog. In it every primitive of this kind as it is sent, joined by commas:
    /// neighbours are one slice of a list.
    text: Arc<Vec<u8>>,
    /// Where the first begins in `text`.
    first: usize,
    /// Where each ends in `text`.
    ends: Vec<usize>,
    ids: IdTable,
    /// Servers by the first primitive that is not theirs any more.
    servers: Vec<(usize, Arc<str>)>,
    /// What servers call the primitives that go by another name here, in order.
    own_ids: Numbered,
    /// The example requests of primitives that have some, line after line.
    examples: Numbered,
    hidden: Names,
    all: Bitset,
    groups: Vec<Bitset>,
    tags: Vec<Bitset>,
    /// By the numbers of what they require of clients.
    requiring: Vec<Bitset>,
    /// One set, or none where nothing is pinned.
    pinned: Vec<Bitset>,
    /// One set, or none where clients of every revision accept all.
    modern: Vec<Bitset>,
    /// One set, or none where callers without a session have all.
    sessions: Vec<Bitset>,
    concerns: Vec<ConcernBitsets>,
}

/// An index under construction. It does not own its text yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Draft<'a> {
    kind_index: &'a KindIndex,
    text: &'a [u8],
}

/// What a primitive is called.
#[derive(Debug)]
pub(crate) struct Entry {
    hash: u64,
    /// Where its id stands in its text, behind the quote.
    start: usize,
    /// The id, where it is written otherwise than it reads.
    escaped: Option<Box<str>>,
    /// What its server calls it, where that is something else.
    own: Option<Box<str>>,
}

/// One concern over one kind.
#[derive(Debug, Clone, Default)]
struct ConcernBitsets {
    /// Primitives that say nothing about the concern; they match every value.
    silent: Bitset,
    /// For each value, the primitives that have it.
    values: Vec<Bitset>,
}

impl ConcernBitsets {
    /// Those of `all` that have none of the values.
    fn silent(all: &Bitset, values: &[Bitset]) -> Bitset {
        let mut silent = all.clone();
        values.iter().for_each(|value| silent.subtract(value));
        silent
    }
}

impl KindIndex {
    /// How many primitives there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name, `uri` or `uriTemplate` of each, in order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.id(index).unwrap_or_default())
    }

    /// The name, `uri` or `uriTemplate` at `index`.
    pub fn id(&self, index: usize) -> Option<&str> {
        self.draft(&self.text).id(index)
    }

    /// Where the primitive with this name, `uri` or `uriTemplate` stands.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.draft(&self.text).find(id)
    }

    /// The bytes the primitive at `index` is sent as.
    pub fn bytes(&self, index: usize) -> Option<&[u8]> {
        self.text.get(self.start(index)..self.end(index)?)
    }

    /// The server the primitive at `index` came from.
    pub fn server(&self, index: usize) -> Option<&str> {
        self.server_at(index).map(AsRef::as_ref)
    }

    fn server_at(&self, index: usize) -> Option<&Arc<str>> {
        let run = self.servers.partition_point(|(end, _)| *end <= index);
        self.servers.get(run).map(|(_, server)| server)
    }

    /// What its server calls the primitive at `index`.
    pub fn own_id(&self, index: usize) -> Option<&str> {
        self.draft(&self.text).own_id(index)
    }

    /// The example requests of the primitive at `index`, line after line.
    pub(crate) fn examples(&self, index: usize) -> Option<&str> {
        let at = self.examples.binary_search_by(|(known, _)| known.cmp(&index)).ok()?;
        self.examples.get(at).map(|(_, examples)| examples.as_ref())
    }

    /// The primitives in `run` as they stand in a list, commas between them.
    pub fn run(&self, run: Range<usize>) -> &[u8] {
        let last = run.end.min(self.len()).checked_sub(1);
        let end = last.and_then(|last| self.end(last));
        end.and_then(|end| self.text.get(self.start(run.start)..end)).unwrap_or_default()
    }

    /// Where the primitive at `index` begins: behind the comma after the one before.
    fn start(&self, index: usize) -> usize {
        index.checked_sub(1).and_then(|before| self.end(before)).map_or(self.first, |end| end + 1)
    }

    fn end(&self, index: usize) -> Option<usize> {
        self.ends.get(index).copied()
    }

    /// What a rule took out: never listed, and not to be reached by other ways.
    pub fn hidden(&self) -> impl Iterator<Item = &str> {
        self.hidden.iter()
    }

    /// Whether a rule took out the primitive with this name, `uri` or `uriTemplate`.
    pub fn hides(&self, id: &str) -> bool {
        self.hidden.find(id).is_some()
    }

    /// Every primitive.
    pub fn all(&self) -> &Bitset {
        &self.all
    }

    pub(crate) fn group(&self, id: usize) -> Option<&Bitset> {
        self.groups.get(id)
    }

    /// The primitives that no filter leaves out, if there are any.
    pub fn pinned(&self) -> Option<&Bitset> {
        self.pinned.first()
    }

    /// The primitives that callers of revisions before 2026-07-28 do not have, if there are any.
    pub fn modern(&self) -> Option<&Bitset> {
        self.modern.first()
    }

    /// The primitives that callers of those revisions alone have, if there are any.
    pub fn sessions(&self) -> Option<&Bitset> {
        self.sessions.first()
    }

    /// The primitives that require capabilities `id` of clients.
    pub(crate) fn requiring(&self, id: usize) -> Option<&Bitset> {
        self.requiring.get(id)
    }

    /// The number of what the primitive at `index` requires of clients.
    pub(crate) fn requirement_of(&self, index: usize) -> Option<usize> {
        holding(&self.requiring, index).next()
    }

    pub(crate) fn tag(&self, id: usize) -> Option<&Bitset> {
        self.tags.get(id)
    }

    /// The primitives that match any value of concern `id`, because they do not map it.
    pub(crate) fn silent(&self, id: usize) -> Option<&Bitset> {
        self.concerns.get(id).map(|concern| &concern.silent)
    }

    /// The primitives that map concern `id` to value `value`.
    pub(crate) fn concern_value(&self, id: usize, value: usize) -> Option<&Bitset> {
        self.concerns.get(id).and_then(|concern| concern.values.get(value))
    }

    /// A bitset for each group, by number.
    pub(crate) fn group_sets(&self) -> &[Bitset] {
        &self.groups
    }

    /// A bitset for each tag.
    pub(crate) fn tag_sets(&self) -> &[Bitset] {
        &self.tags
    }

    /// A bitset for each value of concern `id`.
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

    /// Nothing yet, with room for so many primitives, in tables of this [seed](IdTable::seed).
    pub(crate) fn with_room(primitives: usize, seed: u64) -> Self {
        let (ids, ends) = (IdTable::with_room(primitives, seed), Vec::with_capacity(primitives));
        Self { ids, ends, hidden: Names::seeded(seed), ..Self::default() }
    }

    /// Returns the index so far, where its primitives stand in `text`.
    pub(crate) fn draft<'a>(&'a self, text: &'a [u8]) -> Draft<'a> {
        Draft { kind_index: self, text }
    }

    /// Appends a primitive that stands at `place` in the text. The caller has made sure that its id is new.
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

    /// Notes a primitive that a rule took out.
    pub(crate) fn hide(&mut self, id: &str) {
        self.hidden.intern(id);
    }

    /// Puts the primitive that comes next into group `id`.
    pub(crate) fn mark_group(&mut self, id: usize) {
        mark(&mut self.groups, id, self.ends.len());
    }

    /// Says that the primitive that comes next requires capabilities `id` of clients.
    pub(crate) fn mark_requirement(&mut self, id: usize) {
        mark(&mut self.requiring, id, self.ends.len());
    }

    /// Pins the primitive that comes next.
    pub(crate) fn pin(&mut self) {
        mark(&mut self.pinned, 0, self.ends.len());
    }

    /// Gives example requests to the primitive that comes next.
    pub(crate) fn add_examples(&mut self, examples: &[&str]) {
        if !examples.is_empty() {
            self.examples.push((self.len(), examples.join("\n").into()));
        }
    }

    /// Marks the primitive that comes next as one of callers of one era.
    pub(crate) fn mark_era(&mut self, era: Era) {
        let bits = match era {
            Era::Stateless => &mut self.modern,
            Era::Session => &mut self.sessions,
        };
        mark(bits, 0, self.ends.len());
    }

    /// Gives tag `id` to the primitive that comes next.
    pub(crate) fn mark_tag(&mut self, id: usize) {
        mark(&mut self.tags, id, self.ends.len());
    }

    /// Maps concern `id` to value `value` for the primitive that comes next.
    pub(crate) fn mark_value(&mut self, id: usize, value: usize) {
        if self.concerns.len() <= id {
            self.concerns.resize_with(id + 1, ConcernBitsets::default);
        }
        if let Some(concern) = self.concerns.get_mut(id) {
            mark(&mut concern.values, value, self.ends.len());
        }
    }

    /// Completes the index, once every primitive and every name is known. A facet that no primitive here has gets
    /// its empty bitset.
    pub(crate) fn file(&mut self, facets: &Vocabulary, text: &Arc<Vec<u8>>) {
        let len = self.len();
        self.stand_in(text);
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

    /// Takes the text that its places are of.
    pub(crate) fn stand_in(&mut self, text: &Arc<Vec<u8>>) {
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

    /// The same with the hash of the id under the seed of the index.
    pub fn find_hashed(self, hash: u64, id: &str) -> Option<usize> {
        self.kind_index.ids.find_hashed(self.text, hash, id)
    }

    pub fn own_id(self, index: usize) -> Option<&'a str> {
        match self.kind_index.own_ids.binary_search_by(|(known, _)| known.cmp(&index)) {
            Ok(at) => self.kind_index.own_ids.get(at).map(|(_, own)| own.as_ref()),
            Err(_) => self.id(index),
        }
    }

    /// Whether the primitive at `index` is the one that `server` calls `own`.
    pub fn is(self, index: usize, server: &Arc<str>, own: &str) -> bool {
        let of = self.kind_index.server_at(index);
        of.is_some_and(|of| Arc::ptr_eq(of, server)) && self.own_id(index) == Some(own)
    }
}

impl Entry {
    /// A primitive called `id`, by its server `own`, whose id stands at `start` of its text; `escaped` says whether
    /// its server may have written it otherwise than it reads, and `hash` is that of the id under the seed of the index.
    pub fn new(hash: u64, id: &str, own: &str, escaped: bool, start: usize) -> Self {
        let escaped = escaped || plain_length(id.as_bytes()) < id.len();
        let own = (id != own).then(|| own.into());
        Self { hash, start, escaped: escaped.then(|| id.into()), own }
    }
}

/// Puts `index` into set `id`.
fn mark(sets: &mut Vec<Bitset>, id: usize, index: usize) {
    if sets.len() <= id {
        sets.resize_with(id + 1, Bitset::default);
    }
    sets.get_mut(id).into_iter().for_each(|bits| bits.add(index));
}

/// Makes `count` sets over `len` primitives.
fn fill(sets: &mut Vec<Bitset>, count: usize, len: usize) {
    sets.resize_with(count, Bitset::default);
    sets.iter_mut().for_each(|bits| bits.set_len(len));
}

fn holding(sets: &[Bitset], index: usize) -> impl Iterator<Item = usize> {
    sets.iter().enumerate().filter(move |(_, bits)| bits.contains(index)).map(|(id, _)| id)
}
