//! The numbered names of a catalog: servers, groups, tags, concern values and requirements.

use std::{collections::HashMap, sync::Arc};

use super::requirement::MAX_REQUIREMENTS;
use crate::{digest::Hashing, json::same_text};

/// Names in the order of their registration. The number of a name is its position.
#[derive(Debug, Clone, Default)]
pub struct Names {
    list: Vec<Arc<str>>,
    ids: HashMap<Arc<str>, usize, Hashing>,
    /// The numbers of recently found names. The primitives of a catalog share few names, which are then found without a
    /// hash.
    recent: [u32; RECENT],
}

/// Number of names that are found without a hash. It must be a power of two.
const RECENT: usize = 32;

impl Names {
    /// Creates an empty set of names, with this seed for its hash table.
    pub fn seeded(seed: u64) -> Self {
        Self { ids: HashMap::with_hasher(Hashing(seed)), ..Self::default() }
    }

    /// Returns the number of a name like [`Names::find`], but faster for recently requested names.
    #[inline(always)]
    pub fn recall(&mut self, name: &str) -> Option<usize> {
        let slot = match name.as_bytes() {
            [.., before, last] => name.len() ^ usize::from(*last) ^ usize::from(*before) << 2,
            _ => name.len(),
        };
        let recent = self.recent.get(slot % RECENT).map(|id| *id as usize);
        if let Some(id) = recent.filter(|id| self.get(*id).is_some_and(|known| same_text(known, name))) {
            return Some(id);
        }
        self.find_anew(name, slot % RECENT)
    }

    #[inline(never)]
    fn find_anew(&mut self, name: &str, slot: usize) -> Option<usize> {
        let id = self.find(name)?;
        self.recent.get_mut(slot).into_iter().for_each(|recent| *recent = id as u32);
        Some(id)
    }

    pub fn intern(&mut self, name: &str) -> usize {
        if let Some(id) = self.recall(name) {
            return id;
        }
        let (id, name) = (self.len(), Arc::<str>::from(name));
        self.list.push(Arc::clone(&name));
        self.ids.insert(name, id);
        id
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        if self.list.is_empty() { None } else { self.ids.get(name).copied() }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, id: usize) -> Option<&str> {
        self.list.get(id).map(AsRef::as_ref)
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.list.iter().map(AsRef::as_ref)
    }

    pub fn named(&self, ids: impl Iterator<Item = usize>) -> impl Iterator<Item = &str> {
        ids.filter_map(|id| self.get(id))
    }
}

/// The first character of a requirement whose primitives are hidden from clients that do not meet it.
const HIDING: char = '-';

/// The vocabulary of a catalog.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    pub groups: Names,
    pub tags: Names,
    /// The capabilities that primitives require of clients, as JSON. A leading [`HIDING`] marks those whose primitives
    /// are hidden from other clients.
    requirements: Names,
    concerns: Names,
    values: Vec<Names>,
}

impl Vocabulary {
    /// Creates a vocabulary with these concerns. Returns `None` if a concern occurs twice.
    pub fn new(
        groups: Names,
        tags: Names,
        requirements: Names,
        concerns: Vec<(&str, Names)>,
    ) -> Option<Self> {
        let mut facets = Self { groups, tags, requirements, ..Self::default() };
        for (place, (name, values)) in concerns.into_iter().enumerate() {
            facets.values.push(values);
            (facets.concerns.intern(name) == place).then_some(())?;
        }
        Some(facets)
    }

    /// Returns the number of a concern and its values, if any primitive has one.
    pub fn concern(&self, name: &str) -> Option<(usize, &Names)> {
        let id = self.concerns.find(name)?;
        Some((id, self.values.get(id)?))
    }

    /// Returns the number of a requirement, and adds it if it is new. `hides` is whether its primitives are hidden from
    /// other clients. Returns `None` if there are too many.
    pub fn intern_requirement(&mut self, needed: &str, hides: bool) -> Option<usize> {
        let mark = if hides { HIDING.to_string() } else { String::new() };
        let key = [&mark, needed].concat();
        let known = self.requirements.find(&key);
        known.or_else(|| (self.requirements.len() < MAX_REQUIREMENTS).then(|| self.requirements.intern(&key)))
    }

    /// Returns the requirements by number, each with whether its primitives are hidden from other clients.
    pub fn requirements(&self) -> impl ExactSizeIterator<Item = (&str, bool)> {
        self.requirements
            .iter()
            .map(|key| key.strip_prefix(HIDING).map_or((key, false), |needed| (needed, true)))
    }

    /// Returns the requirements in the form of snapshots.
    pub fn marked_requirements(&self) -> &Names {
        &self.requirements
    }

    /// Returns whether a value of a concern is known. Faster for recently requested values.
    pub fn knows_value(&mut self, concern: &str, value: &str) -> bool {
        let values = self.concerns.recall(concern).and_then(|id| self.values.get_mut(id));
        values.is_some_and(|values| values.recall(value).is_some())
    }

    /// Returns the numbers of a concern and of a value of it, and adds them if they are new.
    pub fn intern_value(&mut self, concern: &str, value: &str) -> (usize, usize) {
        let id = self.concerns.intern(concern);
        if self.values.len() <= id {
            self.values.resize_with(id + 1, Names::default);
        }
        let value = self.values.get_mut(id).map_or(0, |values| values.intern(value));
        (id, value)
    }

    /// Returns the name of every concern with its values, in the order of registration.
    pub fn concerns(&self) -> impl ExactSizeIterator<Item = (&str, &Names)> {
        self.concerns.iter().zip(&self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, RECENT};

    #[test]
    fn names_keep_their_numbers_however_many_share_a_place() {
        let names: Vec<String> =
            (0..10 * RECENT).map(|number| format!("{}{number}", "n".repeat(number % 7))).collect();
        let mut known = Names::default();
        assert_eq!(known.recall(""), None);
        for turn in 0..3 {
            for (number, name) in names.iter().enumerate() {
                assert_eq!(known.recall(name), (turn > 0).then_some(number), "{name}");
                assert_eq!((known.intern(name), known.find(name)), (number, Some(number)));
                assert_eq!(known.recall(name), Some(number));
            }
        }
        assert_eq!(known.recall("another"), None);
        assert_eq!(known.len(), names.len());
    }
}
