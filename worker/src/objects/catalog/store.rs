//! The catalog in the storage of its object.

use std::cell::{Cell, RefCell};

use mcp_sieve::{
    config::Config,
    digest::digest,
    mcp::{Gateway, upstream::Listing},
};
use worker::{Result, SqlStorage, SqlStorageValue};

use crate::objects::sql::{Database, number, text};

/// Maximum number of bytes in one row; the platform takes rows of 2 MB.
const MAX_ROW: usize = 1 << 20;
/// Names of the stored parts: the deployment's key, the catalog, and the lists of each server.
const KEY: &str = "key";
const CATALOG: &str = "catalog";
const LISTS: &str = "lists ";

const TABLES: [&str; 1] = ["CREATE TABLE IF NOT EXISTS parts
    (name TEXT NOT NULL, row INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (name, row)) WITHOUT ROWID"];

/// The stored catalog.
#[derive(Debug)]
pub(crate) struct CatalogStore {
    database: Database,
    key: RefCell<String>,
    /// The hash of the catalog that is stored.
    stored: Cell<Option<u128>>,
    /// The hashes of the lists that are stored, by the name of their part.
    lists: RefCell<Vec<(String, u128)>>,
}

impl CatalogStore {
    pub fn new(sql: SqlStorage) -> Self {
        let (key, stored, lists) = Default::default();
        Self { database: Database::new(sql, &TABLES), key, stored, lists }
    }

    /// Reads the catalog that is stored under `key` into a gateway. A catalog under another key is deleted: it belongs to
    /// another configuration or version.
    ///
    /// # Errors
    /// When the storage fails or is damaged; the gateway then lists its servers.
    pub fn load(&self, key: &str, gateway: &Gateway, config: &Config) -> Result<()> {
        self.key.replace(key.to_owned());
        if self.read(KEY)? != key.as_bytes() {
            self.database.rows("DELETE FROM parts", vec![])?;
            return self.put(KEY, key.as_bytes());
        }
        let names = self.database.rows("SELECT DISTINCT name FROM parts", vec![])?;
        for name in names.into_iter().filter_map(|row| text(row.into_iter().next()?)) {
            let Some(server) = name.strip_prefix(LISTS) else { continue };
            let bytes = self.read(&name)?;
            let listing =
                Listing::read(&bytes).map_err(|error| worker::Error::RustError(error.to_string()))?;
            self.lists.borrow_mut().push((name.clone(), digest(&bytes)));
            gateway.restore(server, listing);
        }
        let catalog = self.read(CATALOG)?;
        if !catalog.is_empty() {
            let adopted = gateway.adopt(&catalog, config);
            let adopted = adopted.map_err(|error| worker::Error::RustError(error.to_string()))?;
            self.stored.set(Some(adopted.served.backend.hash()));
        }
        Ok(())
    }

    /// Stores the catalog of a gateway, which has this hash, unless it is stored already.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn write(&self, gateway: &Gateway, hash: u128) -> Result<()> {
        if self.stored.get() == Some(hash) {
            return Ok(());
        }
        let Some(catalog) = gateway.share(0, None) else { return Ok(()) };
        self.put(CATALOG, &catalog)?;
        for (server, listing) in gateway.listings() {
            let (name, bytes) = (format!("{LISTS}{server}"), listing.to_bytes());
            let hash = digest(&bytes);
            if !self.lists.borrow().iter().any(|known| *known == (name.clone(), hash)) {
                self.put(&name, &bytes)?;
                let mut lists = self.lists.borrow_mut();
                lists.retain(|(known, _)| *known != name);
                lists.push((name, hash));
            }
        }
        self.stored.set(Some(hash));
        Ok(())
    }

    /// Returns the bytes of a part; empty if it is not stored.
    fn read(&self, name: &str) -> Result<Vec<u8>> {
        let rows = "SELECT bytes FROM parts WHERE name = ? ORDER BY row";
        let rows = self.database.rows(rows, vec![words(name)])?;
        let mut rows = rows.into_iter().filter_map(|row| match row.into_iter().next() {
            Some(SqlStorageValue::Blob(bytes)) => Some(bytes),
            _ => None,
        });
        // Most parts have one row, which is the part. Others are appended a row at a time, not a byte at a time.
        let mut part = rows.next().unwrap_or_default();
        rows.for_each(|bytes| part.extend_from_slice(&bytes));
        Ok(part)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.database.rows("DELETE FROM parts WHERE name = ?", vec![words(name)])?;
        for (row, bytes) in bytes.chunks(MAX_ROW).enumerate() {
            let row = vec![words(name), number(row as u64)?, bytes.to_vec().into()];
            self.database.rows("INSERT INTO parts (name, row, bytes) VALUES (?, ?, ?)", row)?;
        }
        Ok(())
    }
}

fn words(text: &str) -> SqlStorageValue {
    SqlStorageValue::String(text.to_owned())
}
