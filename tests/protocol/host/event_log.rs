//! The events of a session in memory.

use std::cell::RefCell;

use mcp_sieve_gateway::{
    error::RpcError,
    session::{EventLog, LoggedEvent, MAX_READ},
};

/// The events of a session in a list; the number of an event is its position, counted from 1.
#[derive(Default)]
pub struct Memory(RefCell<Vec<(u64, LoggedEvent)>>);

impl EventLog for Memory {
    fn append(&self, stream: Option<u64>, body: &[u8], last: bool) -> Result<u64, RpcError> {
        let mut entries = self.0.borrow_mut();
        let event = entries.len() as u64 + 1;
        entries.push((stream.unwrap_or(event), LoggedEvent { event, body: body.to_vec(), last }));
        Ok(event)
    }

    fn read(&self, stream: u64, after: u64) -> Result<Vec<LoggedEvent>, RpcError> {
        let entries = self.0.borrow();
        let behind = entries.iter().filter(|(of, entry)| *of == stream && entry.event > after);
        Ok(behind.take(MAX_READ).map(|(_, entry)| entry.clone()).collect())
    }
}
