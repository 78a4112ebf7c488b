//! The open streams of sessions, with a limit on their number.

use std::{collections::VecDeque, rc::Rc};

use mcp_sieve_gateway::session::SessionStreams;

use super::session::Memory;

/// Maximum number of sessions whose streams are kept. Beyond it, the streams of the least recently used session end.
const MAX_LIVE: usize = 1_000;

/// The streams of sessions by id, the most recently used last.
#[derive(Default)]
pub(super) struct LiveSessions(VecDeque<(String, Rc<SessionStreams>)>);

impl LiveSessions {
    /// Returns the streams of a session, which are created if there are none.
    pub fn open(&mut self, id: &str) -> Rc<SessionStreams> {
        let live = self.remove(id).unwrap_or_else(|| SessionStreams::new(Memory::default()));
        if self.0.len() >= MAX_LIVE
            && let Some((_, oldest)) = self.0.pop_front()
        {
            oldest.end();
        }
        self.0.push_back((id.to_owned(), Rc::clone(&live)));
        live
    }

    /// Removes and returns the streams of a session, if there are any.
    pub fn remove(&mut self, id: &str) -> Option<Rc<SessionStreams>> {
        let at = self.0.iter().rposition(|(known, _)| known == id)?;
        Some(self.0.remove(at)?.1)
    }
}
