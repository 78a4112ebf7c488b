//! The one way to the Durable Object's SQLite.
//!
//! Queries are constants of this program and everything that came from a caller is bound, never written into
//! the text. Each query returns one column: a number, or a JSON text that SQLite itself puts together, so a
//! row arrives in the shape it is sent in.
//!
//! Every request is answered without an `await`, and the runtime commits what was written in between as one
//! piece. Tools check first and write after, so a refusal leaves nothing half done.

use serde_json::{Value, json};
use worker::{SqlStorage, SqlStorageValue};

use super::{error::Fail, instant::Instant};

/// The database and the time of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Store<'a> {
    sql: &'a SqlStorage,
    now: Instant,
}

impl<'a> Store<'a> {
    /// The store as one request sees it.
    pub(crate) fn open(sql: &'a SqlStorage, now_ms: u64) -> Result<Self, Fail> {
        let now = i64::try_from(now_ms / 1000).ok().and_then(Instant::from_unix);
        Ok(Self { sql, now: now.ok_or_else(|| Fail::Fault("the clock is out of range".into()))? })
    }

    /// When the request came in.
    pub(crate) fn now(&self) -> Instant {
        self.now
    }

    /// [`Store::now`], as it is stored.
    pub(crate) fn now_text(&self) -> SqlStorageValue {
        self.now.text().into()
    }

    /// Bytes of the database.
    pub(crate) fn size(&self) -> usize {
        self.sql.database_size()
    }

    /// Runs a statement for its effect.
    pub(crate) fn run<const N: usize>(&self, query: &str, bound: [SqlStorageValue; N]) -> Result<(), Fail> {
        self.sql.exec(query, bind(bound))?;
        Ok(())
    }

    /// The first column of every row.
    pub(crate) fn rows<const N: usize>(
        &self,
        query: &str,
        bound: [SqlStorageValue; N],
    ) -> Result<Vec<Value>, Fail> {
        let cursor = self.sql.exec(query, bind(bound))?;
        cursor.raw().map(|row| value(row?.into_iter().next())).collect()
    }

    /// The first column of the first row.
    pub(crate) fn row<const N: usize>(
        &self,
        query: &str,
        bound: [SqlStorageValue; N],
    ) -> Result<Option<Value>, Fail> {
        Ok(self.rows(query, bound)?.into_iter().next())
    }

    /// The number that a counting query or an `INSERT … RETURNING id` gives.
    pub(crate) fn number<const N: usize>(
        &self,
        query: &str,
        bound: [SqlStorageValue; N],
    ) -> Result<i64, Fail> {
        let row = self.row(query, bound)?;
        row.as_ref().and_then(Value::as_i64).ok_or_else(|| Fail::Fault("the storage gave no number".into()))
    }

    /// Whether a query gives any row.
    pub(crate) fn any<const N: usize>(&self, query: &str, bound: [SqlStorageValue; N]) -> Result<bool, Fail> {
        Ok(self.row(query, bound)?.is_some())
    }
}

/// Booleans become the numbers that SQLite has for them; the runtime would bind the text `true`.
fn bind<const N: usize>(values: [SqlStorageValue; N]) -> Vec<SqlStorageValue> {
    let bound = values.into_iter().map(|value| match value {
        SqlStorageValue::Boolean(flag) => SqlStorageValue::Integer(flag.into()),
        other => other,
    });
    bound.collect()
}

/// A column as JSON; text is JSON already.
fn value(column: Option<SqlStorageValue>) -> Result<Value, Fail> {
    match column {
        Some(SqlStorageValue::String(text)) => serde_json::from_str(&text)
            .map_err(|error| Fail::Fault(format!("the storage gave no JSON: {error}"))),
        Some(SqlStorageValue::Integer(number)) => Ok(number.into()),
        Some(SqlStorageValue::Float(number)) => Ok(number.into()),
        _ => Ok(Value::Null),
    }
}

/// A page of a list: the rows, how many there are in all, and where the next page starts.
pub(crate) fn page(name: &str, rows: Vec<Value>, total: i64, offset: i64) -> Value {
    let next = offset.saturating_add(i64::try_from(rows.len()).unwrap_or(i64::MAX));
    let next = (!rows.is_empty() && next < total).then_some(next);
    json!({ name: rows, "total": total, "next_offset": next })
}
