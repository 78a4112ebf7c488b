use std::sync::{Arc, OnceLock};

use super::Index;
use crate::catalog::{Bitset, Catalog, Kind};

/// The indexes of a catalog, or of what one caller may see of it: each is made when it is first asked for,
/// and kept.
#[derive(Debug, Default)]
pub struct Indexes {
    kinds: [OnceLock<Kept>; 4],
}

#[derive(Debug)]
struct Kept {
    visible: Bitset,
    index: Arc<Index>,
}

impl Indexes {
    /// The index of what is `visible` of a kind. One that was asked for with something else visible is not
    /// given for this: another is made, and not kept.
    pub fn get(&self, catalog: &Catalog, kind: Kind, visible: &Bitset) -> Arc<Index> {
        let make = || Arc::new(Index::within(catalog, kind, visible));
        let Some(cell) = self.kinds.get(kind as usize) else { return make() };
        let kept = cell.get_or_init(|| Kept { visible: visible.clone(), index: make() });
        if kept.visible == *visible { Arc::clone(&kept.index) } else { make() }
    }
}
