use std::{collections::VecDeque, rc::Rc};

use super::session::Memory;
use crate::mcp::SessionStreams;

/// Most sessions whose running side is kept; the one that has gone unused for longest makes room for another.
const MAX_LIVE: usize = 1_000;

/// The running sides of sessions by id, the latest used last.
#[derive(Default)]
pub(super) struct LiveSessions(VecDeque<(String, Rc<SessionStreams>)>);

impl LiveSessions {
    /// The running side of the session of this id.
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

    /// Takes out the running side of the session of this id, if there is one.
    pub fn remove(&mut self, id: &str) -> Option<Rc<SessionStreams>> {
        let at = self.0.iter().rposition(|(known, _)| known == id)?;
        Some(self.0.remove(at)?.1)
    }
}
