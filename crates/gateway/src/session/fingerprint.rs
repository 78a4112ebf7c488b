//! The hashes of the lists that a listener sees, by which changes are detected.

use serde::{Deserialize, Serialize};

use crate::session::change::Change;

/// The hashes of the lists that one listener sees, by which changes are detected. Hidden primitives are not included,
/// so their changes are not reported. The hash of a list is stored with its view, so listeners with the same view share
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub(crate) struct ListFingerprints(pub(crate) [[u128; 2]; Change::LISTS.len()]);

impl ListFingerprints {
    /// Returns the lists that differ in `new`.
    pub fn changes(&self, new: &Self) -> impl Iterator<Item = Change> {
        let lists = self.0.iter().zip(&new.0).zip(Change::LISTS);
        lists.filter(|((old, new), _)| old != new).map(|(_, (_, change))| change)
    }
}

/// Writes the hashes in hexadecimal, with a space between them: JSON has no numbers of this length.
impl From<ListFingerprints> for String {
    fn from(lists: ListFingerprints) -> Self {
        let hashes: Vec<String> = lists.0.as_flattened().iter().map(|hash| format!("{hash:x}")).collect();
        hashes.join(" ")
    }
}

impl From<String> for ListFingerprints {
    /// A hash that cannot be read is that of no list, so its list counts as changed.
    fn from(text: String) -> Self {
        let mut hashes = text.split(' ').map(|hash| u128::from_str_radix(hash, 16).unwrap_or_default());
        Self(std::array::from_fn(|_| std::array::from_fn(|_| hashes.next().unwrap_or_default())))
    }
}
