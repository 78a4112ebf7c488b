use std::{cell::Cell, rc::Rc};

use mcp_sieve::mcp::{EventLog, LoggedEvent, MAX_EVENT, MAX_EVENTS, MAX_READ, RpcError};
use worker::{SqlStorage, SqlStorageValue};

/// A session's events in its Durable Object's SQLite.
#[derive(Debug, Clone)]
pub(crate) struct SqlJournal {
    sql: SqlStorage,
    /// Whether the table is known to be there.
    ready: Rc<Cell<bool>>,
}

impl SqlJournal {
    pub fn new(sql: SqlStorage) -> Self {
        Self { sql, ready: Rc::default() }
    }

    /// The storage was emptied, the table with it.
    pub fn forget(&self) {
        self.ready.set(false);
    }

    fn rows(&self, query: &str, bound: Vec<SqlStorageValue>) -> worker::Result<Vec<Vec<SqlStorageValue>>> {
        if !self.ready.replace(true) {
            let table = "CREATE TABLE IF NOT EXISTS journal
                (event INTEGER PRIMARY KEY AUTOINCREMENT, stream INTEGER, body BLOB NOT NULL, last INTEGER NOT NULL)";
            self.sql.exec(table, None)?;
        }
        self.sql.exec(query, bound)?.raw().collect()
    }

    fn add(&self, stream: Option<u64>, body: &[u8], last: bool) -> worker::Result<u64> {
        let kept = if body.len() > MAX_EVENT { &[] } else { body };
        let stream = stream.map_or(Ok(SqlStorageValue::Null), number)?;
        let bound = vec![stream, kept.to_vec().into(), SqlStorageValue::Integer(last.into())];
        let rows =
            self.rows("INSERT INTO journal (stream, body, last) VALUES (?, ?, ?) RETURNING event", bound)?;
        let event = rows.first().and_then(|row| whole(row.first()?)).unwrap_or_default();
        if let Some(oldest) = event.checked_sub(MAX_EVENTS) {
            self.rows("DELETE FROM journal WHERE event <= ?", vec![number(oldest)?])?;
        }
        Ok(event)
    }

    fn behind(&self, stream: u64, after: u64) -> worker::Result<Vec<LoggedEvent>> {
        let query = "SELECT event, body, last FROM journal
            WHERE (stream = ?1 OR event = ?1) AND event > ?2 ORDER BY event LIMIT ?3";
        let most = SqlStorageValue::Integer(i64::try_from(MAX_READ).unwrap_or(1));
        let rows = self.rows(query, vec![number(stream)?, number(after)?, most])?;
        let entry = |row: Vec<SqlStorageValue>| {
            let [event, SqlStorageValue::Blob(body), last] = <[_; 3]>::try_from(row).ok()? else {
                return None;
            };
            Some(LoggedEvent { event: whole(&event)?, body, last: whole(&last)? != 0 })
        };
        Ok(rows.into_iter().filter_map(entry).collect())
    }
}

impl EventLog for SqlJournal {
    fn append(&self, stream: Option<u64>, body: &[u8], last: bool) -> Result<u64, RpcError> {
        self.add(stream, body, last).map_err(|error| failed(&error))
    }

    fn read(&self, stream: u64, after: u64) -> Result<Vec<LoggedEvent>, RpcError> {
        self.behind(stream, after).map_err(|error| failed(&error))
    }
}

/// A number for SQLite. None that is kept is beyond JavaScript's whole numbers; one that somebody asks for may be.
pub(crate) fn number(value: u64) -> worker::Result<SqlStorageValue> {
    SqlStorageValue::try_from_i64(i64::try_from(value).unwrap_or(MAX_SAFE).min(MAX_SAFE))
}

/// The largest whole number that JavaScript has for certain.
const MAX_SAFE: i64 = (1 << 53) - 1;

/// SQLite's numbers come as what JavaScript has.
pub(crate) fn whole(value: &SqlStorageValue) -> Option<u64> {
    match value {
        SqlStorageValue::Integer(value) => u64::try_from(*value).ok(),
        SqlStorageValue::Float(value) if *value >= 0.0 => Some(*value as u64),
        _ => None,
    }
}

fn failed(error: &worker::Error) -> RpcError {
    RpcError::internal("storage", format!("the session's events: {error}"))
}
