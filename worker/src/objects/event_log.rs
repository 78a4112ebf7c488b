//! The events of one session, from which a client resumes a stream.

use std::rc::Rc;

use mcp_sieve::mcp::{EventLog, LoggedEvent, MAX_EVENT, MAX_EVENTS, MAX_READ, RpcError};
use worker::{SqlStorage, SqlStorageValue};

use super::sql::{Database, Row, first_number, number, whole};

const TABLES: [&str; 1] = ["CREATE TABLE IF NOT EXISTS journal
    (event INTEGER PRIMARY KEY AUTOINCREMENT, stream INTEGER, body BLOB NOT NULL, last INTEGER NOT NULL)"];

/// An event log in the SQLite database of the session's object.
#[derive(Debug, Clone)]
pub(crate) struct SqlEventLog(Rc<Database>);

impl SqlEventLog {
    pub fn new(sql: SqlStorage) -> Self {
        Self(Rc::new(Database::new(sql, &TABLES)))
    }

    /// Has the table created again: the storage was deleted, and the table with it.
    pub fn forget_tables(&self) {
        self.0.forget_tables();
    }

    fn add(&self, stream: Option<u64>, body: &[u8], last: bool) -> worker::Result<u64> {
        let kept = if body.len() > MAX_EVENT { &[] } else { body };
        let stream = stream.map_or(Ok(SqlStorageValue::Null), number)?;
        let bound = vec![stream, kept.to_vec().into(), SqlStorageValue::Integer(last.into())];
        let rows = self
            .0
            .rows("INSERT INTO journal (stream, body, last) VALUES (?, ?, ?) RETURNING event", bound)?;
        let event = first_number(&rows).unwrap_or_default();
        if let Some(oldest) = event.checked_sub(MAX_EVENTS) {
            self.0.rows("DELETE FROM journal WHERE event <= ?", vec![number(oldest)?])?;
        }
        Ok(event)
    }

    fn behind(&self, stream: u64, after: u64) -> worker::Result<Vec<LoggedEvent>> {
        let query = "SELECT event, body, last FROM journal
            WHERE (stream = ?1 OR event = ?1) AND event > ?2 ORDER BY event LIMIT ?3";
        let most = SqlStorageValue::Integer(i64::try_from(MAX_READ).unwrap_or(1));
        let rows = self.0.rows(query, vec![number(stream)?, number(after)?, most])?;
        let entry = |row: Row| {
            let [event, SqlStorageValue::Blob(body), last] = <[_; 3]>::try_from(row).ok()? else {
                return None;
            };
            Some(LoggedEvent { event: whole(&event)?, body, last: whole(&last)? != 0 })
        };
        Ok(rows.into_iter().filter_map(entry).collect())
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
    RpcError::internal("storage", format!("the session's events: {error}"))
}
