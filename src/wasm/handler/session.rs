use std::{cell::RefCell, collections::VecDeque};

use crate::mcp::{EventLog, LoggedEvent, MAX_EVENT, MAX_EVENTS, MAX_READ, RpcError};

/// The newest events of a session, in memory.
#[derive(Debug, Default)]
pub(super) struct Memory(RefCell<Kept>);

#[derive(Debug, Default)]
struct Kept {
    last: u64,
    entries: VecDeque<(u64, LoggedEvent)>,
}

impl EventLog for Memory {
    fn append(&self, stream: Option<u64>, body: &[u8], last: bool) -> Result<u64, RpcError> {
        let mut kept = self.0.borrow_mut();
        kept.last += 1;
        let event = kept.last;
        let body = if body.len() > MAX_EVENT { Vec::new() } else { body.to_vec() };
        kept.entries.push_back((stream.unwrap_or(event), LoggedEvent { event, body, last }));
        while kept.entries.len() as u64 > MAX_EVENTS {
            kept.entries.pop_front();
        }
        Ok(event)
    }

    fn read(&self, stream: u64, after: u64) -> Result<Vec<LoggedEvent>, RpcError> {
        let kept = self.0.borrow();
        let behind = kept.entries.iter().filter(|(of, entry)| *of == stream && entry.event > after);
        Ok(behind.take(MAX_READ).map(|(_, entry)| entry.clone()).collect())
    }
}
