//! An event log in memory, for the streams of one session.

use std::{cell::RefCell, collections::VecDeque};

use mcp_sieve_gateway::{
    error::RpcError,
    session::{EventLog, LoggedEvent, MAX_EVENTS, MAX_READ},
};

/// Maximum length of the events that are stored of one session, in bytes. The newest event is stored in any case.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The newest events of a session, in memory.
#[derive(Debug, Default)]
pub(super) struct Memory(RefCell<Kept>);

#[derive(Debug, Default)]
struct Kept {
    last: u64,
    bytes: usize,
    entries: VecDeque<(u64, LoggedEvent)>,
}

impl Kept {
    fn is_full(&self) -> bool {
        self.entries.len() as u64 > MAX_EVENTS || self.bytes > MAX_BYTES
    }
}

impl EventLog for Memory {
    fn append(&self, stream: Option<u64>, body: &[u8], last: bool) -> Result<u64, RpcError> {
        let mut kept = self.0.borrow_mut();
        kept.last += 1;
        let event = kept.last;
        kept.bytes += body.len();
        kept.entries.push_back((stream.unwrap_or(event), LoggedEvent { event, body: body.to_vec(), last }));
        while kept.entries.len() > 1 && kept.is_full() {
            let oldest = kept.entries.pop_front();
            kept.bytes -= oldest.map_or(0, |(_, entry)| entry.body.len());
        }
        Ok(event)
    }

    fn read(&self, stream: u64, after: u64) -> Result<Vec<LoggedEvent>, RpcError> {
        let kept = self.0.borrow();
        let behind = kept.entries.iter().filter(|(of, entry)| *of == stream && entry.event > after);
        Ok(behind.take(MAX_READ).map(|(_, entry)| entry.clone()).collect())
    }
}
