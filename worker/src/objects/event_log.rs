//! The events of one session, from which a client resumes a stream.

use std::{cell::Cell, rc::Rc};

use mcp_sieve_gateway::{
    error::RpcError,
    session::{EventLog, LoggedEvent, MAX_EVENTS, MAX_READ},
};
use worker::{SqlStorage, SqlStorageValue};

use super::sql::{Database, Row, first_number, number, whole};

/// The events of all sessions of an object. The key of an event is its number behind the first key of its session.
const TABLES: [&str; 1] = ["CREATE TABLE IF NOT EXISTS journal
    (event INTEGER PRIMARY KEY, stream INTEGER, body BLOB NOT NULL, last INTEGER NOT NULL)"];
/// Number of keys of one session.
const KEYS: u64 = 1 << 40;
/// Maximum length of the events that are stored of one session, in bytes: the sessions of an object share the ten
/// gigabytes that its database may have.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Returns the database for the events of an object's sessions.
pub(crate) fn database(sql: SqlStorage) -> Database {
    Database::new(sql, &TABLES)
}

/// The event log of one session in the SQLite database of its object.
#[derive(Debug, Clone)]
pub(crate) struct SqlEventLog {
    database: Rc<Database>,
    /// The key before the first event.
    first: u64,
    /// Length of the stored events in bytes, once it was counted.
    bytes: Rc<Cell<Option<u64>>>,
}

impl SqlEventLog {
    pub fn new(database: Rc<Database>, place: u8) -> Self {
        Self { database, first: u64::from(place) * KEYS, bytes: Rc::default() }
    }

    /// Deletes all events.
    pub fn clear(&self) -> worker::Result<()> {
        self.delete_until(KEYS)
    }

    fn add(&self, stream: Option<u64>, body: &[u8], last: bool) -> worker::Result<u64> {
        let stream = stream.map_or(Ok(SqlStorageValue::Null), number)?;
        let mut bound = self.range(0, KEYS)?;
        bound.extend([stream, body.to_vec().into(), SqlStorageValue::Integer(last.into())]);
        let query = "INSERT INTO journal (event, stream, body, last)
            SELECT COALESCE(MAX(event), ?1) + 1, ?3, ?4, ?5 FROM journal WHERE event > ?1 AND event < ?2
            RETURNING event";
        let rows = self.database.rows(query, bound)?;
        let event = first_number(&rows).unwrap_or_default().saturating_sub(self.first);
        if let Some(oldest) = event.checked_sub(MAX_EVENTS) {
            self.delete_until(oldest)?;
        }
        self.bound_bytes(event, body.len() as u64)?;
        Ok(event)
    }

    /// Deletes the older half of the events if all together are too long.
    fn bound_bytes(&self, newest: u64, added: u64) -> worker::Result<()> {
        let bytes = match self.bytes.get() {
            Some(bytes) => bytes.saturating_add(added),
            None => self.count_bytes()?,
        };
        let is_short = bytes <= MAX_BYTES;
        self.bytes.set(is_short.then_some(bytes));
        // Events that were deleted since the last count are still part of the sum.
        if is_short || self.count_bytes()? <= MAX_BYTES {
            return Ok(());
        }
        self.delete_until(newest.saturating_sub(MAX_EVENTS).midpoint(newest))
    }

    fn count_bytes(&self) -> worker::Result<u64> {
        let query = "SELECT SUM(LENGTH(body)) FROM journal WHERE event > ?1 AND event < ?2";
        Ok(first_number(&self.database.rows(query, self.range(0, KEYS)?)?).unwrap_or_default())
    }

    /// Deletes the events up to this one.
    fn delete_until(&self, event: u64) -> worker::Result<()> {
        let bound = self.range(0, event.saturating_add(1))?;
        self.database.rows("DELETE FROM journal WHERE event > ?1 AND event < ?2", bound).map(drop)
    }

    fn behind(&self, stream: u64, after: u64) -> worker::Result<Vec<LoggedEvent>> {
        let query = "SELECT event, body, last FROM journal
            WHERE event > ?1 AND event < ?2 AND (stream = ?3 OR event = ?4) ORDER BY event LIMIT ?5";
        let most = SqlStorageValue::Integer(i64::try_from(MAX_READ).unwrap_or(1));
        let mut bound = self.range(after, KEYS)?;
        bound.extend([number(stream)?, number(self.key(stream))?, most]);
        let entry = |row: Row| {
            let [event, SqlStorageValue::Blob(body), last] = <[_; 3]>::try_from(row).ok()? else {
                return None;
            };
            let event = whole(&event)?.saturating_sub(self.first);
            Some(LoggedEvent { event, body, last: whole(&last)? != 0 })
        };
        Ok(self.database.rows(query, bound)?.into_iter().filter_map(entry).collect())
    }

    /// Returns the keys of two events, neither of them another session's.
    fn range(&self, after: u64, before: u64) -> worker::Result<Vec<SqlStorageValue>> {
        Ok(vec![number(self.key(after))?, number(self.key(before))?])
    }

    fn key(&self, event: u64) -> u64 {
        self.first + event.min(KEYS)
    }
}

impl EventLog for SqlEventLog {
    fn append(&self, stream: Option<u64>, body: &[u8], last: bool) -> Result<u64, RpcError> {
        self.add(stream, body, last).map_err(|error| failed(&error))
    }

    fn read(&self, stream: u64, after: u64) -> Result<Vec<LoggedEvent>, RpcError> {
        self.behind(stream, after).map_err(|error| failed(&error))
    }
}

fn failed(error: &worker::Error) -> RpcError {
    RpcError::storage_unavailable("the log of the session's events", error)
}
