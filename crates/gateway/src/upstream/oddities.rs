//! What the operator is told once of a server: its peculiarities that Sieve tolerates, and which callers share a session.

use std::sync::Mutex;

use crate::{protocol::error::RpcError, upstream::lock};

/// Maximum number of kinds that are reported.
const MAX_KINDS: usize = 8;

/// The reported peculiarities.
#[derive(Debug, Default)]
pub(crate) struct Oddities(Mutex<Reported>);

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
        let mut reported = lock(&self.0);
        if reported.kinds.len() < MAX_KINDS && !reported.kinds.contains(&kind) {
            reported.waiting.push([&kind, "; ", words].concat());
            reported.kinds.push(kind);
        }
    }

    /// Removes and returns the reports that wait.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.0).waiting)
    }
}
