//! The database table of denied requests, in which equal decisions share a line.

use mcp_sieve_gateway::audit::{MAX_AUDIT_NAMES, Operation};
use serde::Serialize;
use worker::{Result, SqlStorage, SqlStorageValue};

use super::{ShardLine, ShardQuery, time};
use crate::objects::sql::{Database, Row, first_number, number, text, whole};

/// Maximum number of lines that a shard stores. Beyond it the oldest is deleted.
const LINES: u64 = 100_000;
/// Interval, in milliseconds, within which equal decisions are counted in one line, whatever names they concern. A
/// caller that is denied continuously takes 288 lines a day of a shard, so it does not displace other lines.
const ALIKE_MS: u64 = 5 * 60 * 1000;

/// Only the oldest lines are deleted, so no id is used twice. `AUTOINCREMENT` would write another row for each line.
const TABLES: [&str; 3] = [
    "CREATE TABLE IF NOT EXISTS operations (id INTEGER PRIMARY KEY,
        at INTEGER NOT NULL, last INTEGER NOT NULL, count INTEGER NOT NULL,
        who TEXT, method TEXT NOT NULL, kind TEXT, reason TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS alike ON operations (reason, method, who, kind, at)",
    "CREATE TABLE IF NOT EXISTS names (operation INTEGER NOT NULL, name TEXT NOT NULL, UNIQUE (operation, name))",
];

/// The table of the requests that were denied.
#[derive(Debug)]
pub(super) struct AuditTable(Database);

#[derive(Debug, Serialize)]
struct Line {
    id: String,
    at: String,
    /// The number of decisions that the line counts.
    count: u64,
    /// The time of the last decision, if there were several.
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    who: Option<String>,
    method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    reason: String,
    /// The first names that were requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    names: Vec<String>,
}

impl AuditTable {
    pub fn new(sql: SqlStorage) -> Self {
        Self(Database::new(sql, &TABLES))
    }

    /// Counts a decision in an equal line of the last minutes, or appends a line.
    pub fn append(&self, operation: &Operation) -> Result<()> {
        let Operation { at, last, count, who, method, kind, reason, names } = operation;
        let optional =
            |text: &Option<String>| text.clone().map_or(SqlStorageValue::Null, SqlStorageValue::String);
        let line = vec![
            number(*at)?,
            number(*last)?,
            number((*count).into())?,
            optional(who),
            SqlStorageValue::String(method.clone()),
            optional(kind),
            SqlStorageValue::String(reason.clone()),
        ];
        let alike = "UPDATE operations SET count = count + ?3, last = MAX(last, ?2) WHERE id = (
            SELECT id FROM operations WHERE reason = ?7 AND method = ?5 AND who IS ?4 AND kind IS ?6
            AND at BETWEEN ?1 - ?8 AND ?1 ORDER BY at DESC LIMIT 1) RETURNING id";
        let within = line.iter().cloned().chain([number(ALIKE_MS)?]).collect();
        if let Some(id) = first_number(&self.0.rows(alike, within)?) {
            return self.name(id, names);
        }
        let insert = "INSERT INTO operations (at, last, count, who, method, kind, reason)
            VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id";
        let id = first_number(&self.0.rows(insert, line)?).unwrap_or_default();
        if let Some(oldest) = id.checked_sub(LINES) {
            self.0.rows("DELETE FROM names WHERE operation <= ?", vec![number(oldest)?])?;
            self.0.rows("DELETE FROM operations WHERE id <= ?", vec![number(oldest)?])?;
        }
        self.name(id, names)
    }

    /// Adds names to a line, up to [`MAX_AUDIT_NAMES`].
    fn name(&self, id: u64, names: &[String]) -> Result<()> {
        let insert = "INSERT OR IGNORE INTO names (operation, name) SELECT ?1, ?2
            WHERE (SELECT COUNT(*) FROM names WHERE operation = ?1) < ?3";
        let most = number(MAX_AUDIT_NAMES as u64)?;
        names.iter().try_for_each(|name| {
            let bound = vec![number(id)?, SqlStorageValue::String(name.clone()), most.clone()];
            self.0.rows(insert, bound).map(|_| ())
        })
    }

    /// Returns the lines that a query finds, oldest first.
    pub fn lines(&self, query: &ShardQuery) -> Result<Vec<ShardLine>> {
        let select = "SELECT id, at, last, count, who, method, kind, reason,
            (SELECT json_group_array(name) FROM names WHERE operation = operations.id) FROM operations
            WHERE id > ? ORDER BY id LIMIT ?";
        if !self.0.has_table("operations")? {
            return Ok(Vec::new());
        }
        let rows = self.0.rows(select, vec![number(query.after)?, number(query.limit)?])?;
        Ok(rows.into_iter().filter_map(|row| line(query, row)).collect())
    }
}

fn line(query: &ShardQuery, row: Row) -> Option<ShardLine> {
    let [id, at, last, count, who, method, kind, reason, names] = <[_; 9]>::try_from(row).ok()?;
    let (id, at, count) = (whole(&id)?, whole(&at)?, whole(&count)?);
    let last = time(whole(&last)?)?;
    let line = Line {
        id: query.id(id),
        at: time(at)?,
        count,
        last: (count > 1).then_some(last),
        who: text(who),
        method: text(method)?,
        kind: text(kind),
        reason: text(reason)?,
        names: serde_json::from_str(&text(names)?).ok()?,
    };
    Some((id, at, serde_json::to_string(&line).ok()?))
}
