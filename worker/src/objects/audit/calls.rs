//! The database table of allowed calls.

use mcp_sieve_gateway::audit::AllowedCall;
use serde::Serialize;
use worker::{Result, SqlStorage, SqlStorageValue};

use super::{PageQuery, time};
use crate::objects::sql::{Database, Row, first_number, number, text, whole};

/// Maximum number of stored calls. Beyond it the oldest is deleted.
const CALLS: u64 = 100_000;

const TABLES: [&str; 1] = ["CREATE TABLE IF NOT EXISTS calls (id INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL, who TEXT, method TEXT NOT NULL, server TEXT NOT NULL, name TEXT, arguments TEXT)"];

/// The table of the calls that were forwarded to servers.
#[derive(Debug)]
pub(super) struct CallTable(Database);

/// A page of the log.
#[derive(Debug, Serialize)]
pub(super) struct CallPage {
    calls: Vec<Line>,
    /// The value of `after` for the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Line {
    id: u64,
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    who: Option<String>,
    method: String,
    server: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The digest of the arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<String>,
}

impl CallTable {
    pub fn new(sql: SqlStorage) -> Self {
        Self(Database::new(sql, &TABLES))
    }

    /// Appends a call.
    pub fn append(&self, call: &AllowedCall) -> Result<()> {
        let AllowedCall { at, who, method, server, name, arguments } = call;
        let optional =
            |text: &Option<String>| text.clone().map_or(SqlStorageValue::Null, SqlStorageValue::String);
        let line = vec![
            number(*at)?,
            optional(who),
            SqlStorageValue::String(method.clone()),
            SqlStorageValue::String(server.clone()),
            optional(name),
            optional(arguments),
        ];
        let insert = "INSERT INTO calls (at, who, method, server, name, arguments)
            VALUES (?, ?, ?, ?, ?, ?) RETURNING id";
        let id = first_number(&self.0.rows(insert, line)?).unwrap_or_default();
        match id.checked_sub(CALLS) {
            Some(oldest) => self.0.rows("DELETE FROM calls WHERE id <= ?", vec![number(oldest)?]).map(drop),
            None => Ok(()),
        }
    }

    /// Returns a page of calls, oldest first.
    pub fn page(&self, query: &PageQuery) -> Result<CallPage> {
        let select = "SELECT id, at, who, method, server, name, arguments FROM calls
            WHERE id > ? ORDER BY id LIMIT ?";
        // One row more than requested shows whether there is a next page.
        let rows = self.0.rows(select, vec![number(query.after)?, number(query.limit + 1)?])?;
        let more = rows.len() as u64 > query.limit;
        let calls: Vec<Line> = rows.into_iter().take(query.limit as usize).filter_map(line).collect();
        let next = calls.last().map(|line| line.id).filter(|_| more);
        Ok(CallPage { calls, next })
    }
}

fn line(row: Row) -> Option<Line> {
    let [id, at, who, method, server, name, arguments] = <[_; 7]>::try_from(row).ok()?;
    Some(Line {
        id: whole(&id)?,
        at: time(&at)?,
        who: text(who),
        method: text(method)?,
        server: text(server)?,
        name: text(name),
        arguments: text(arguments),
    })
}
