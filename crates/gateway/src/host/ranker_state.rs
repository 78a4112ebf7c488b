//! The circuit breaker of a host's ranking model.

use std::cell::RefCell;

use super::circuit_breaker::{Admission, CircuitBreaker};

/// A model serves one deployment, so there is no crowd of clients whose calls chance would have to spread.
const CHANCE: f64 = 1.0;

/// The circuit breaker of a host's model, kept for as long as the host serves. A model that fails
/// [several times in a row](crate::upstream::MAX_FAILURES) is not called for a while, so that searches do not wait
/// for it.
#[derive(Debug, Default)]
pub struct RankerState(RefCell<CircuitBreaker>);

impl RankerState {
    /// Admits a call; `None` during a pause.
    pub(crate) fn admit(&self, now: u64) -> Option<Admission> {
        self.0.borrow_mut().admit(now, CHANCE).ok()
    }

    /// Records that the model returned scores.
    pub(crate) fn answered(&self) {
        self.0.borrow_mut().answered();
    }

    /// Records that a call returned no scores. Returns the milliseconds for which the model is not called, which can
    /// be 0.
    pub(crate) fn failed(&self, admission: Admission, now: u64) -> u64 {
        self.0.borrow_mut().failed(admission, now, CHANCE)
    }
}
