//! The SQLite database of a Durable Object.

use std::cell::Cell;

use worker::{Result, SqlStorage, SqlStorageValue, web_sys};

use super::respond_stored;

/// The largest integer that a JavaScript number represents exactly.
const MAX_SAFE: i64 = (1 << 53) - 1;

/// One row of a result, a value for each column.
pub(crate) type Row = Vec<SqlStorageValue>;

/// A database whose tables are created before the first query.
#[derive(Debug)]
pub(crate) struct Database {
    sql: SqlStorage,
    /// The statements that create the tables and indexes, each with `IF NOT EXISTS`.
    schema: &'static [&'static str],
    /// Whether the tables are known to exist.
    is_ready: Cell<bool>,
}

impl Database {
    /// Returns the database of an object. Nothing is read or written yet.
    pub fn new(sql: SqlStorage, schema: &'static [&'static str]) -> Self {
        Self { sql, schema, is_ready: Cell::new(false) }
    }

    /// Runs one query and returns its rows.
    ///
    /// # Errors
    /// When SQLite rejects the query, or the storage fails.
    pub fn rows(&self, query: &str, bindings: Vec<SqlStorageValue>) -> Result<Vec<Row>> {
        self.each(query, bindings)?.collect()
    }

    /// Runs one query and returns its rows one at a time.
    ///
    /// # Errors
    /// As [`Database::rows`].
    pub fn each(
        &self,
        query: &str,
        bindings: Vec<SqlStorageValue>,
    ) -> Result<impl Iterator<Item = Result<Row>>> {
        self.create_tables()?;
        Ok(self.sql.exec(query, bindings)?.raw())
    }

    /// Returns the response of an object with `head` and the blobs that a query finds under a name; `None` if there are
    /// none.
    ///
    /// # Errors
    /// The errors of [`Database::rows`].
    pub fn respond(&self, query: &str, name: &str, head: &[u8]) -> Result<Option<web_sys::Response>> {
        self.create_tables()?;
        Ok(respond_stored(self.sql.as_ref(), query, name, head)?)
    }

    /// Returns whether a table exists, and creates none.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn has_table(&self, name: &str) -> Result<bool> {
        const QUERY: &str = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?";
        Ok(self.is_ready.get() || self.sql.exec(QUERY, vec![name.into()])?.raw().next().is_some())
    }

    /// Creates the tables, unless they are known to exist.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn create_tables(&self) -> Result<()> {
        match self.is_ready.replace(true) {
            true => Ok(()),
            false => self.schema.iter().try_for_each(|statement| self.sql.exec(statement, None).map(drop)),
        }
    }

    /// Makes the next query create the tables again, because the storage was deleted.
    pub fn forget_tables(&self) {
        self.is_ready.set(false);
    }

    /// Returns the size of the database in bytes.
    pub fn size(&self) -> usize {
        self.sql.database_size()
    }
}

/// Converts a number for SQLite. Numbers beyond the exact range of JavaScript become the largest one in it: no stored
/// number is larger, but a request may contain one that is.
pub(crate) fn number(value: u64) -> Result<SqlStorageValue> {
    SqlStorageValue::try_from_i64(i64::try_from(value).unwrap_or(MAX_SAFE).min(MAX_SAFE))
}

/// Returns a column as a whole number. SQLite's integers arrive as JavaScript numbers.
pub(crate) fn whole(value: &SqlStorageValue) -> Option<u64> {
    match value {
        SqlStorageValue::Integer(value) => u64::try_from(*value).ok(),
        SqlStorageValue::Float(value) if *value >= 0.0 => Some(*value as u64),
        _ => None,
    }
}

/// Returns the number in the first column of the first row.
pub(crate) fn first_number(rows: &[Row]) -> Option<u64> {
    whole(rows.first()?.first()?)
}

/// Returns a column as text.
pub(crate) fn text(value: SqlStorageValue) -> Option<String> {
    match value {
        SqlStorageValue::String(text) => Some(text),
        _ => None,
    }
}
