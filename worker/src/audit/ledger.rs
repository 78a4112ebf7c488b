use mcp_sieve::mcp::Operation;
use serde::Serialize;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use worker::{Result, SqlStorage, SqlStorageValue};

use crate::journal::{number, whole};

/// Lines that are kept; with one more the oldest goes.
const LINES: u64 = 100_000;
/// Lines on a page, unless fewer are asked for.
const PAGE: u64 = 200;

/// The table of what was denied.
#[derive(Debug)]
pub(super) struct Ledger(SqlStorage);

/// A page of the log.
#[derive(Debug, Serialize)]
pub(super) struct Page {
    operations: Vec<Line>,
    /// Goes into `after` for the page behind this one, where there is one.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    reason: String,
}

impl Ledger {
    pub fn new(sql: SqlStorage) -> Self {
        Self(sql)
    }

    /// Writes a line behind the last.
    pub fn append(&self, operation: &Operation) -> Result<()> {
        let Operation { at, who, method, kind, reason } = operation;
        let text =
            |text: &Option<String>| text.clone().map_or(SqlStorageValue::Null, SqlStorageValue::String);
        let line = vec![
            number(*at)?,
            text(who),
            SqlStorageValue::String(method.clone()),
            text(kind),
            SqlStorageValue::String(reason.clone()),
        ];
        let insert = "INSERT INTO audit (at, who, method, kind, reason) VALUES (?, ?, ?, ?, ?) RETURNING id";
        let id = self.rows(insert, line)?.first().and_then(|row| whole(row.first()?)).unwrap_or_default();
        if let Some(oldest) = id.checked_sub(LINES) {
            self.rows("DELETE FROM audit WHERE id <= ?", vec![number(oldest)?])?;
        }
        Ok(())
    }

    /// The lines behind the one of this number, the oldest first.
    pub fn page(&self, after: Option<u64>, limit: Option<u64>) -> Result<Page> {
        let limit = limit.unwrap_or(PAGE).clamp(1, PAGE);
        let query = "SELECT id, at, who, method, kind, reason FROM audit WHERE id > ? ORDER BY id LIMIT ?";
        // One more than asked for tells whether there is a next page.
        let bound = vec![number(after.unwrap_or_default())?, number(limit + 1)?];
        let rows = self.rows(query, bound)?;
        let more = rows.len() as u64 > limit;
        let operations: Vec<Line> = rows.into_iter().take(limit as usize).filter_map(line).collect();
        let next = operations.last().map(|line| line.id).filter(|_| more);
        Ok(Page { operations, next })
    }

    fn rows(&self, query: &str, bound: Vec<SqlStorageValue>) -> Result<Vec<Vec<SqlStorageValue>>> {
        let table =
            "CREATE TABLE IF NOT EXISTS audit (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,
            who TEXT, method TEXT NOT NULL, kind TEXT, reason TEXT NOT NULL)";
        self.0.exec(table, None)?;
        self.0.exec(query, bound)?.raw().collect()
    }
}

fn line(row: Vec<SqlStorageValue>) -> Option<Line> {
    let [id, at, who, method, kind, reason] = <[_; 6]>::try_from(row).ok()?;
    let nanoseconds = i128::from(whole(&at)?) * 1_000_000;
    let at = OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).ok()?.format(&Rfc3339).ok()?;
    Some(Line {
        id: whole(&id)?,
        at,
        who: text(who),
        method: text(method)?,
        kind: text(kind),
        reason: text(reason)?,
    })
}

fn text(value: SqlStorageValue) -> Option<String> {
    match value {
        SqlStorageValue::String(text) => Some(text),
        _ => None,
    }
}
