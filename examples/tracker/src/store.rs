//! Access to the Durable Object's SQLite database; no other file runs queries.
//!
//! Queries are constants of this program; values from callers are bound, never written into the text. Each query
//! returns one column: a number, or JSON text that SQLite builds, so a row needs no conversion before it is sent.
//!
//! Every request is handled without an `await`, and the runtime commits its writes in one transaction. Tools check
//! first and write afterwards, so a rejected request leaves no partial changes.

use serde_json::{Value, json};
use worker::{SqlStorage, SqlStorageValue};

use super::{error::Fail, instant::Instant};

/// The database, and the time of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Store<'a> {
    sql: &'a SqlStorage,
    now: Instant,
}

impl<'a> Store<'a> {
    /// Opens the store for one request.
    pub(crate) fn open(sql: &'a SqlStorage, now_ms: u64) -> Result<Self, Fail> {
        let now = i64::try_from(now_ms / 1000).ok().and_then(Instant::from_unix);
        Ok(Self { sql, now: now.ok_or_else(|| Fail::Fault("the clock is out of range".into()))? })
    }

    /// Returns the time of the request.
    pub(crate) fn now(&self) -> Instant {
        self.now
    }

    /// Returns [`Store::now`] in its stored form.
    pub(crate) fn now_text(&self) -> SqlStorageValue {
        self.now.text().into()
    }

    /// Returns the size of the database, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.sql.database_size()
    }

    /// Runs a statement and ignores its rows.
    pub(crate) fn run<const N: usize>(&self, query: &str, bound: [SqlStorageValue; N]) -> Result<(), Fail> {
        self.sql.exec(query, bind(bound))?;
        Ok(())
    }

    /// Returns the first column of every row.
    pub(crate) fn rows<const N: usize>(
        &self,
        query: &str,
        bound: [SqlStorageValue; N],
    ) -> Result<Vec<Value>, Fail> {
        let cursor = self.sql.exec(query, bind(bound))?;
        cursor.raw().map(|row| value(row?.into_iter().next())).collect()
    }

    /// Returns the first column of the first row, if there is one.
    pub(crate) fn row<const N: usize>(
        &self,
        query: &str,
        bound: [SqlStorageValue; N],
    ) -> Result<Option<Value>, Fail> {
        Ok(self.rows(query, bound)?.into_iter().next())
    }

    /// Returns the number from a counting query or an `INSERT … RETURNING id`.
    pub(crate) fn number<const N: usize>(
        &self,
        query: &str,
        bound: [SqlStorageValue; N],
    ) -> Result<i64, Fail> {
        let row = self.row(query, bound)?;
        row.as_ref().and_then(Value::as_i64).ok_or_else(|| Fail::Fault("the storage gave no number".into()))
    }

    /// Returns whether a query yields any row.
    pub(crate) fn any<const N: usize>(&self, query: &str, bound: [SqlStorageValue; N]) -> Result<bool, Fail> {
        Ok(self.row(query, bound)?.is_some())
    }
}

/// Converts booleans to the integers that SQLite uses; the runtime would bind the text `true`.
fn bind<const N: usize>(values: [SqlStorageValue; N]) -> Vec<SqlStorageValue> {
    let bound = values.into_iter().map(|value| match value {
        SqlStorageValue::Boolean(flag) => SqlStorageValue::Integer(flag.into()),
        other => other,
    });
    bound.collect()
}

/// Converts a column to JSON; text columns contain JSON already.
fn value(column: Option<SqlStorageValue>) -> Result<Value, Fail> {
    match column {
        Some(SqlStorageValue::String(text)) => serde_json::from_str(&text)
            .map_err(|error| Fail::Fault(format!("the storage gave no JSON: {error}"))),
        Some(SqlStorageValue::Integer(number)) => Ok(number.into()),
        Some(SqlStorageValue::Float(number)) => Ok(number.into()),
        _ => Ok(Value::Null),
    }
}

/// Returns a page of a list: the rows, the total number, and the offset of the next page.
pub(crate) fn page(name: &str, rows: Vec<Value>, total: i64, offset: i64) -> Value {
    let next = offset.saturating_add(i64::try_from(rows.len()).unwrap_or(i64::MAX));
    let next = (!rows.is_empty() && next < total).then_some(next);
    json!({ name: rows, "total": total, "next_offset": next })
}
