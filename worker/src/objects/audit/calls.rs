//! The database table of allowed calls.

use mcp_sieve_gateway::audit::AllowedCall;
use serde::Serialize;
use worker::{Result, SqlStorage, SqlStorageValue};

use super::{ShardLine, ShardQuery, time};
use crate::objects::sql::{Database, Row, first_number, number, text, whole};

/// Maximum number of calls that a shard stores. Beyond it the oldest is deleted.
const CALLS: u64 = 100_000;

/// Only the oldest lines are deleted, so no id is used twice. `AUTOINCREMENT` would write another row for each line.
const TABLES: [&str; 1] = ["CREATE TABLE IF NOT EXISTS calls (id INTEGER PRIMARY KEY,
        at INTEGER NOT NULL, who TEXT, method TEXT NOT NULL, server TEXT NOT NULL, name TEXT, arguments TEXT)"];

/// The table of the calls that were forwarded to servers.
#[derive(Debug)]
pub(super) struct CallTable(Database);

#[derive(Debug, Serialize)]
struct Line {
    id: String,
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

    /// Returns the calls that a query finds, oldest first.
    pub fn lines(&self, query: &ShardQuery) -> Result<Vec<ShardLine>> {
        let select = "SELECT id, at, who, method, server, name, arguments FROM calls
            WHERE id > ? ORDER BY id LIMIT ?";
        if !self.0.has_table("calls")? {
            return Ok(Vec::new());
        }
        let rows = self.0.rows(select, vec![number(query.after)?, number(query.limit)?])?;
        Ok(rows.into_iter().filter_map(|row| line(query, row)).collect())
    }
}

fn line(query: &ShardQuery, row: Row) -> Option<ShardLine> {
    let [id, at, who, method, server, name, arguments] = <[_; 7]>::try_from(row).ok()?;
    let (id, at) = (whole(&id)?, whole(&at)?);
    let line = Line {
        id: query.id(id),
        at: time(at)?,
        who: text(who),
        method: text(method)?,
        server: text(server)?,
        name: text(name),
        arguments: text(arguments),
    };
    Some((id, at, serde_json::to_string(&line).ok()?))
}
