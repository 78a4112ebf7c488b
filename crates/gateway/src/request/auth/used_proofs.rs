//! The proofs that were used, so that each is accepted once.

use std::collections::{BTreeMap, VecDeque};

/// Maximum number of used proofs that are remembered. Beyond it the oldest is forgotten, and could be used again until it
/// expires.
pub const MAX_USED_PROOFS: usize = 8192;

/// The used proofs of one process, by their ids.
#[derive(Debug, Default)]
pub(super) struct UsedProofs {
    /// When each proof expires, in seconds since 1970.
    expiries: BTreeMap<[u8; 32], f64>,
    order: VecDeque<[u8; 32]>,
}

impl UsedProofs {
    /// Records a proof. Returns whether it was new.
    pub fn insert(&mut self, id: [u8; 32], expires: f64, now: f64) -> bool {
        if self.expiries.contains_key(&id) {
            return false;
        }
        while let Some(oldest) = self.order.front() {
            let is_over = self.expiries.get(oldest).is_none_or(|expires| *expires <= now);
            if !is_over && self.order.len() < MAX_USED_PROOFS {
                break;
            }
            self.expiries.remove(oldest);
            self.order.pop_front();
        }
        self.expiries.insert(id, expires);
        self.order.push_back(id);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> [u8; 32] {
        let mut id = [0; 32];
        id.iter_mut().zip(number.to_le_bytes()).for_each(|(to, from)| *to = from);
        id
    }

    #[test]
    fn a_proof_is_new_once_and_the_oldest_is_forgotten() {
        let mut used = UsedProofs::default();
        assert!(used.insert(id(0), 60.0, 0.0) && !used.insert(id(0), 60.0, 1.0));
        // Expired proofs make room before others do.
        assert!(used.insert(id(1), 120.0, 60.0));
        assert_eq!(used.order.len(), 1);
        for number in 2..=MAX_USED_PROOFS {
            assert!(used.insert(id(number), 120.0, 60.0));
        }
        assert!(!used.insert(id(1), 120.0, 60.0));
        assert!(used.insert(id(MAX_USED_PROOFS + 1), 120.0, 60.0));
        assert_eq!((used.order.len(), used.expiries.len()), (MAX_USED_PROOFS, MAX_USED_PROOFS));
        assert!(used.insert(id(1), 120.0, 60.0), "the oldest was forgotten");
    }
}
