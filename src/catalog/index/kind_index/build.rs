//! The construction of an index, one primitive after another.

use std::{ops::Range, sync::Arc};

use super::{
    draft::Entry,
    queries::{ConcernBitsets, KindIndex},
};
use crate::{
    catalog::{
        index::{bitset::Bitset, id_table::IdTable},
        model::binding::BoundArgument,
        model::vocabulary::{Names, Vocabulary},
    },
    revision::Era,
};

impl KindIndex {
    /// Creates an empty index with room for so many primitives, in tables with this [seed](IdTable::seed).
    pub(crate) fn with_room(primitives: usize, seed: u64) -> Self {
        let (ids, ends) = (IdTable::with_room(primitives, seed), Vec::with_capacity(primitives));
        Self { ids, ends, hidden: Names::seeded(seed), ..Self::default() }
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

    /// Records that only applications may call the next tool.
    pub(crate) fn mark_app_only(&mut self) {
        mark(&mut self.app_only, 0, self.ends.len());
    }

    /// Adds example requests to the next primitive.
    pub(crate) fn add_examples(&mut self, examples: &[&str]) {
        if !examples.is_empty() {
            self.examples.push((self.len(), examples.join("\n").into()));
        }
    }

    /// Adds bound arguments to the next tool.
    pub(crate) fn bind(&mut self, bound: Vec<BoundArgument>) {
        if !bound.is_empty() {
            self.bound.push((self.len(), bound.into()));
        }
    }

    /// Restricts the next primitive to clients of one era.
    pub(crate) fn mark_era(&mut self, era: Era) {
        let bits = match era {
            Era::Stateless => &mut self.stateless,
            Era::Session => &mut self.sessions,
        };
        mark(bits, 0, self.ends.len());
    }

    /// Records that clients of older revisions reject the output schema of the next tool.
    pub(crate) fn mark_modern_output(&mut self) {
        mark(&mut self.modern_outputs, 0, self.ends.len());
    }

    /// Adds tag `id` to the next primitive.
    pub(crate) fn mark_tag(&mut self, id: usize) {
        mark(&mut self.tags, id, self.ends.len());
    }

    /// Adds the next primitive to group `id` for filters only.
    pub(crate) fn publish_group(&mut self, id: usize) {
        mark(&mut self.filter_groups, id, self.ends.len());
    }

    /// Adds tag `id` to the next primitive for filters only.
    pub(crate) fn publish_tag(&mut self, id: usize) {
        mark(&mut self.filter_tags, id, self.ends.len());
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
        add_trusted(&mut self.filter_groups, &self.groups, len);
        add_trusted(&mut self.filter_tags, &self.tags, len);
        fill(&mut self.requiring, facets.requirements().len(), len);
        self.pinned
            .iter_mut()
            .chain(&mut self.stateless)
            .chain(&mut self.sessions)
            .chain(&mut self.modern_outputs)
            .chain(&mut self.app_only)
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

/// Adds the trusted members to `sets`, if any membership is published.
fn add_trusted(sets: &mut Vec<Bitset>, trusted: &[Bitset], len: usize) {
    if !sets.is_empty() {
        fill(sets, trusted.len(), len);
        sets.iter_mut().zip(trusted).for_each(|(set, trusted)| set.unite(trusted));
    }
}
