use std::sync::OnceLock;

use crate::catalog::{Bits, Kind};

/// What a step selected when it was first asked of each kind. Neither a filter nor its catalog ever changes,
/// so asked again for the same, nothing is read again.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept([OnceLock<Known>; 4]);

#[derive(Debug, Clone)]
struct Known {
    within: Bits,
    picked: Bits,
}

impl Kept {
    /// Takes in what was selected from `within`.
    pub fn learn(&self, kind: Kind, within: &Bits, picked: Bits) {
        if let Some(cell) = self.0.get(kind as usize) {
            _ = cell.set(Known { within: within.clone(), picked });
        }
    }

    /// Replaces `bits` by what `pick` selects from them.
    pub fn narrow(&self, kind: Kind, bits: &mut Bits, pick: impl Fn(&Bits) -> Bits) {
        let Some(cell) = self.0.get(kind as usize) else { return };
        let known = cell.get_or_init(|| Known { within: bits.clone(), picked: pick(bits) });
        if known.within == *bits {
            bits.copy_from(&known.picked);
        } else {
            *bits = pick(bits);
        }
    }
}
