use std::{ops::Range, sync::Arc};

use super::{Bits, Facets, facets::Names};

/// The primitives of one kind: their bytes, their names, and a bitset for each facet.
#[derive(Debug, Clone, Default)]
pub struct Shelf {
    /// Every primitive as it is sent, joined by commas: neighbours are one slice of a list.
    bytes: Vec<u8>,
    /// Where each ends in `bytes`.
    ends: Vec<usize>,
    ids: Names,
    servers: Vec<Arc<str>>,
    /// What servers call the primitives that go by another name here, in order.
    own_ids: Vec<(usize, Box<str>)>,
    hidden: Names,
    all: Bits,
    groups: Vec<Bits>,
    tags: Vec<Bits>,
    concerns: Vec<ConcernBits>,
}

/// Bytes that our memberships usually add to a primitive. Too few, and the bytes of a large catalog are moved
/// once more on their way in.
const WRITTEN: usize = 160;

/// One concern over one kind.
#[derive(Debug, Clone, Default)]
struct ConcernBits {
    /// Primitives that say nothing about the concern; they match every value.
    silent: Bits,
    /// For each value, the primitives that have it.
    values: Vec<Bits>,
}

/// The facets of the primitives as numbers, collected before the bitsets' length is known; each with the
/// place of the primitive it is of.
#[derive(Debug, Default)]
pub(super) struct Memberships {
    pub groups: Vec<(usize, usize)>,
    pub tags: Vec<(usize, usize)>,
    pub concerns: Vec<(usize, (usize, usize))>,
}

impl Shelf {
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
        self.ids.iter()
    }

    /// The name, `uri` or `uriTemplate` at `index`.
    pub fn id(&self, index: usize) -> Option<&str> {
        self.ids.get(index)
    }

    /// Where the primitive with this name, `uri` or `uriTemplate` stands.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.ids.find(id)
    }

    /// The bytes the primitive at `index` is sent as.
    pub fn bytes(&self, index: usize) -> Option<&[u8]> {
        self.bytes.get(self.start(index)..*self.ends.get(index)?)
    }

    /// The server the primitive at `index` came from.
    pub fn server(&self, index: usize) -> Option<&str> {
        self.servers.get(index).map(AsRef::as_ref)
    }

    /// What its server calls the primitive at `index`.
    pub fn own_id(&self, index: usize) -> Option<&str> {
        match self.own_ids.binary_search_by(|(known, _)| known.cmp(&index)) {
            Ok(at) => self.own_ids.get(at).map(|(_, own)| own.as_ref()),
            Err(_) => self.id(index),
        }
    }

    /// Whether the primitive at `index` is the one that `server` calls `own`.
    pub(super) fn is(&self, index: usize, server: &Arc<str>, own: &str) -> bool {
        self.servers.get(index).is_some_and(|of| Arc::ptr_eq(of, server)) && self.own_id(index) == Some(own)
    }

    /// The primitives in `run` as they stand in a list, commas between them.
    pub fn run(&self, run: Range<usize>) -> &[u8] {
        let end = run.end.min(self.len());
        let last = end.checked_sub(1).and_then(|last| self.ends.get(last));
        last.and_then(|end| self.bytes.get(self.start(run.start)..*end)).unwrap_or_default()
    }

    /// Where the primitive at `index` begins: behind the comma after the one before.
    fn start(&self, index: usize) -> usize {
        index.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| end + 1)
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
    pub fn all(&self) -> &Bits {
        &self.all
    }

    pub(crate) fn group(&self, id: usize) -> Option<&Bits> {
        self.groups.get(id)
    }

    pub(crate) fn tag(&self, id: usize) -> Option<&Bits> {
        self.tags.get(id)
    }

    /// The primitives that match any value of concern `id`, because they do not map it.
    pub(crate) fn silent(&self, id: usize) -> Option<&Bits> {
        self.concerns.get(id).map(|concern| &concern.silent)
    }

    /// The primitives that map concern `id` to value `value`.
    pub(crate) fn concern_value(&self, id: usize, value: usize) -> Option<&Bits> {
        self.concerns.get(id).and_then(|concern| concern.values.get(value))
    }

    /// A bitset for each group, by number.
    pub(super) fn group_sets(&self) -> &[Bits] {
        &self.groups
    }

    /// A bitset for each tag.
    pub(super) fn tag_sets(&self) -> &[Bits] {
        &self.tags
    }

    /// A bitset for each value of concern `id`.
    pub(super) fn value_sets(&self, id: usize) -> &[Bits] {
        self.concerns.get(id).map_or(&[], |concern| &concern.values)
    }

    pub(super) fn groups_of(&self, index: usize) -> impl Iterator<Item = usize> {
        holding(&self.groups, index)
    }

    pub(super) fn tags_of(&self, index: usize) -> impl Iterator<Item = usize> {
        holding(&self.tags, index)
    }

    pub(super) fn concern_values_of(&self, id: usize, index: usize) -> impl Iterator<Item = usize> {
        holding(self.value_sets(id), index)
    }

    /// Makes room for primitives of so many bytes as they came, and what we write to them.
    pub(super) fn reserve(&mut self, primitives: usize, bytes: usize) {
        self.bytes.reserve(bytes + primitives * WRITTEN);
    }

    /// Appends a primitive that its server calls `own`. The caller has made sure that `id` is new.
    pub(super) fn push(&mut self, id: &str, own: &str, server: &Arc<str>, write: impl FnOnce(&mut Vec<u8>)) {
        if id != own {
            self.own_ids.push((self.len(), own.into()));
        }
        if !self.is_empty() {
            self.bytes.push(b',');
        }
        write(&mut self.bytes);
        self.ends.push(self.bytes.len());
        self.ids.intern(id);
        self.servers.push(Arc::clone(server));
    }

    /// Notes a primitive that a rule took out.
    pub(super) fn hide(&mut self, id: &str) {
        self.hidden.intern(id);
    }

    /// Makes the bitsets, once every primitive and every name is known.
    pub(super) fn file(&mut self, memberships: &Memberships, facets: &Facets) {
        let len = self.len();
        let empty = Bits::none(len);
        self.bytes.shrink_to_fit();
        self.all = Bits::all(len);
        self.groups = vec![empty.clone(); facets.groups.len()];
        self.tags = vec![empty.clone(); facets.tags.len()];
        self.concerns = facets
            .concerns()
            .map(|(_, values)| ConcernBits {
                silent: Bits::all(len),
                values: vec![empty.clone(); values.len()],
            })
            .collect();
        let mark = |sets: &mut [Bits], id: usize, index: usize| {
            sets.get_mut(id).into_iter().for_each(|bits| bits.insert(index));
        };
        memberships.groups.iter().for_each(|(index, id)| mark(&mut self.groups, *id, *index));
        memberships.tags.iter().for_each(|(index, id)| mark(&mut self.tags, *id, *index));
        for (index, (concern, value)) in &memberships.concerns {
            if let Some(bits) = self.concerns.get_mut(*concern) {
                bits.silent.remove(*index);
                mark(&mut bits.values, *value, *index);
            }
        }
    }

    pub(super) fn raw(&self) -> &[u8] {
        &self.bytes
    }
}

fn holding(sets: &[Bits], index: usize) -> impl Iterator<Item = usize> {
    sets.iter().enumerate().filter(move |(_, bits)| bits.contains(index)).map(|(id, _)| id)
}
