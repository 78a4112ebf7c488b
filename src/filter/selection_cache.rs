//! A cache of the first selection that a filter step makes for each kind.

use std::sync::OnceLock;

use crate::catalog::{Bitset, ByKind, Kind};

/// A cache of the first selection of a step for each kind. Filters and catalogs never change, so the same input has the
/// same selection.
#[derive(Debug, Clone, Default)]
pub(super) struct SelectionCache(ByKind<OnceLock<CachedSelection>>);

#[derive(Debug, Clone)]
struct CachedSelection {
    within: Bitset,
    picked: Bitset,
}

impl SelectionCache {
    /// Stores the selection `picked` from `within`.
    pub fn store(&self, kind: Kind, within: &Bitset, picked: Bitset) {
        _ = kind.of(&self.0).set(CachedSelection { within: within.clone(), picked });
    }

    /// Replaces `bits` by the selection that `pick` makes from them.
    pub fn narrow(&self, kind: Kind, bits: &mut Bitset, pick: impl Fn(&Bitset) -> Bitset) {
        let cell = kind.of(&self.0);
        match cell.get() {
            Some(known) if known.within == *bits => bits.copy_from(&known.picked),
            Some(_) => *bits = pick(bits),
            None => {
                let picked = pick(bits);
                let within = std::mem::replace(bits, picked.clone());
                // If another thread was first, its selection is kept.
                _ = cell.set(CachedSelection { within, picked });
            }
        }
    }
}
