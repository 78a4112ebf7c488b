//! What the operator is told once of a server: its peculiarities that Sieve tolerates, and which callers share a session.

use std::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering},
};

use crate::{protocol::error::RpcError, upstream::lock};

/// Maximum number of kinds that are reported.
const MAX_KINDS: usize = 8;

/// The reported peculiarities.
#[derive(Debug, Default)]
pub(crate) struct Oddities {
    reported: Mutex<Reported>,
    /// Whether a response turned out to be wrong after a part of it had passed unread.
    is_distrusted: AtomicBool,
}

#[derive(Debug, Default)]
struct Reported {
    kinds: Vec<String>,
    waiting: Vec<String>,
}

impl Oddities {
    /// Reports a message that was skipped, with the failure that it would have been.
    pub fn skipped(&self, failure: &RpcError) {
        self.report(failure.message.clone(), "this and others like it are skipped");
    }

    /// Reports a peculiarity, if it is new, with what follows from it.
    pub fn report(&self, kind: String, words: &str) {
        let mut reported = lock(&self.reported);
        if reported.kinds.len() < MAX_KINDS && !reported.kinds.contains(&kind) {
            reported.waiting.push([&kind, "; ", words].concat());
            reported.kinds.push(kind);
        }
    }

    /// Has all further responses read before they pass.
    pub fn distrust(&self) {
        self.is_distrusted.store(true, Ordering::Relaxed);
    }

    /// Returns whether all responses are read before they pass.
    pub fn is_distrusted(&self) -> bool {
        self.is_distrusted.load(Ordering::Relaxed)
    }

    /// Removes and returns the reports that wait.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.reported).waiting)
    }
}
