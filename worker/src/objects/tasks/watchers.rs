//! The open streams on which task changes are sent.

use std::{cell::RefCell, rc::Rc, time::Duration};

use futures_util::{
    StreamExt,
    future::{Either, select},
    stream,
};
use mcp_sieve_gateway::error::RpcError;
use mcp_sieve_gateway::tasks::Task;
use worker::{Delay, Response, Result};

use super::{refused, unread::Unread, without_answers};

/// Maximum number of watchers of one owner's tasks.
const MAX_WATCHERS: usize = 1_000;
/// Interval at which a blank line is sent to a watcher. Writing it fails once the watcher is gone.
const PULSE: Duration = Duration::from_secs(5);
/// Maximum length, in bytes, of an outcome that is sent to watchers. Those that need a longer one load the task.
const MAX_OUTCOME: usize = 16 * 1024;

/// The open streams of task changes.
#[derive(Debug, Default)]
pub(super) struct Watchers(RefCell<Vec<Watcher>>);

#[derive(Debug)]
struct Watcher {
    /// The ids of the watched tasks; empty for all of them.
    ids: Vec<String>,
    unread: Unread,
}

impl Watchers {
    /// Opens a stream with a line for each change of a task from now on.
    pub fn open(&self, ids: Vec<String>) -> Result<Response> {
        let mut watchers = self.0.borrow_mut();
        watchers.retain(|watcher| !watcher.unread.is_closed());
        if watchers.len() >= MAX_WATCHERS {
            let message = format!("{MAX_WATCHERS} others watch, come back later");
            let failure = RpcError::internal("too_many_listeners", message);
            return Response::from_json(&refused(&failure));
        }
        let (unread, lines) = Unread::new();
        watchers.push(Watcher { ids, unread });
        let lines =
            stream::unfold(lines, async |mut lines| match select(lines.next(), Delay::from(PULSE)).await {
                Either::Left((line, _)) => line.map(|line| (line, lines)),
                Either::Right(_) => Some((b"\n".to_vec(), lines)),
            });
        // The runtime delivers the response with its first bytes.
        let lines = stream::iter([b"\n".to_vec()]).chain(lines);
        Response::from_stream(lines.map(Ok::<_, worker::Error>))
    }

    /// Sends a changed task to its watchers.
    pub fn notify(&self, task: &Task) {
        let mut watchers = self.0.borrow_mut();
        watchers.retain(|watcher| !watcher.unread.is_closed());
        let mut watching = watchers
            .iter()
            .filter(|watcher| watcher.ids.is_empty() || watcher.ids.contains(&task.id))
            .peekable();
        if watching.peek().is_none() {
            return;
        }
        let mut shown = without_answers(task.clone());
        shown.outcome = shown.outcome.filter(|outcome| outcome.len() <= MAX_OUTCOME);
        let mut line = serde_json::to_vec(&shown).unwrap_or_default();
        line.push(b'\n');
        let line = Rc::from(line);
        // The next blank line removes watchers that are gone.
        watching.for_each(|watcher| watcher.unread.push(&task.id, &line));
    }
}
