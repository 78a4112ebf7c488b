//! Coordinates the streams of a task, so that only one of them polls the upstream server at a time.

use std::{cell::RefCell, collections::HashMap};

/// Number of tasks above which those whose turn has passed are removed. If none has, further tasks are polled by each
/// of their streams.
const MAX_TASKS: usize = 10_000;

/// The upstream tasks that were polled lately. Each change is reported to all streams of a task, so one of them polls
/// it.
#[derive(Debug, Default)]
pub struct PollTurns(RefCell<HashMap<String, u64>>);

impl PollTurns {
    /// Returns whether the task with an id is to be polled at `now`, in milliseconds since 1970. If so, the next turn
    /// begins after `pause_ms`.
    pub fn take(&self, id: &str, now: u64, pause_ms: u64) -> bool {
        let mut turns = self.0.borrow_mut();
        let until = now.saturating_add(pause_ms);
        // A clock that was set back would leave turns that never begin.
        if turns.get(id).is_some_and(|next| (now + 1..=until).contains(next)) {
            return false;
        }
        if turns.len() >= MAX_TASKS {
            turns.retain(|_, next| *next > now);
        }
        if turns.len() < MAX_TASKS {
            turns.insert(id.to_owned(), until);
        }
        true
    }
}
