//! The catalog in the storage of its object.

use std::{
    cell::{Cell, RefCell},
    sync::Arc,
};

use mcp_sieve_gateway::{
    config::Config,
    upstream::{Backend, Gateway, Introduction, Listing, UpstreamState},
};
use worker::{Result, SqlStorage, SqlStorageValue, web_sys};

use crate::objects::sql::{Database, first_number, text};

/// Maximum number of bytes in one row; the platform takes rows of 2 MB.
const MAX_ROW: usize = 1 << 20;
/// Names of the stored parts: the deployment's key, the record of the servers that had each name first, the catalog,
/// its lifetime, the handshakes with stateless servers, and the prefix of the lists of a server, before the server's
/// source.
const KEY: &str = "key";
const NAMES: &str = "names";
const CATALOG: &str = "catalog";
const GOOD: &str = "good";
const HANDSHAKES: &str = "handshakes";
const LISTS: &str = "lists ";

/// The rows of each part, in order. They are few and large, and a search through an index would read whole rows.
const TABLES: [&str; 1] = ["CREATE TABLE IF NOT EXISTS blocks (name TEXT NOT NULL, bytes BLOB NOT NULL)"];

/// The rows of a part.
const PART: &str = "SELECT bytes FROM blocks WHERE name = ? ORDER BY rowid";

/// The rows of three parts, with their names.
const SMALL_PARTS: &str = "SELECT name, bytes FROM blocks WHERE name IN (?, ?, ?) ORDER BY rowid";

/// Minimum length, in milliseconds, of a lifetime that replaces another one.
const MIN_GOOD_MS: u64 = 60_000;
/// Difference, in milliseconds, below which the ends of two lifetimes count as equal.
const CLOSE_MS: u64 = 1_000;

/// The stored catalog.
#[derive(Debug)]
pub(crate) struct CatalogStore {
    database: Database,
    /// Whether the stored catalog is known to belong to this deployment.
    is_own: Cell<bool>,
    /// The stored catalog, once it was loaded or written.
    stored: RefCell<Option<StoredCatalog>>,
    /// The stored lifetime.
    good: Cell<Option<Lifetime>>,
    /// The stored handshakes.
    handshakes: RefCell<Vec<u8>>,
    /// The stored lists of each server.
    lists: RefCell<Vec<(String, Arc<Listing>)>>,
}

/// The properties by which a catalog is compared with the stored one.
#[derive(Debug)]
struct StoredCatalog {
    hash: u128,
    introductions: Vec<(String, Introduction)>,
    /// Whether no server was failing when it was stored.
    is_sound: bool,
}

/// The start and end of the time in which a catalog need not be listed again, in milliseconds since 1970. While a
/// server is failing or has changed, no lifetime is stored.
#[derive(Debug, Clone, Copy)]
struct Lifetime {
    from: u64,
    until: u64,
}

impl Lifetime {
    fn read(bytes: &[u8]) -> Option<Self> {
        let (from, until) = std::str::from_utf8(bytes).ok()?.split_once(' ')?;
        Some(Self { from: from.parse().ok()?, until: until.parse().ok()? })
    }

    fn write(self) -> Vec<u8> {
        [self.from.to_string(), self.until.to_string()].join(" ").into_bytes()
    }

    /// Returns the remaining milliseconds. `None` if the lifetime ended, or the clock was set back before its start.
    fn left(self, now: u64) -> Option<u64> {
        let left = self.until.checked_sub(now).filter(|left| *left > 0)?;
        (self.from <= now).then_some(left)
    }
}

impl StoredCatalog {
    fn from_backend(backend: &Backend) -> Self {
        Self {
            hash: backend.hash(),
            introductions: backend.introductions.clone(),
            is_sound: backend.upstreams.iter().all(|server| server.state == UpstreamState::Ok),
        }
    }

    /// Returns whether this one need not be replaced by `other`. Changes in the status of failing servers are not worth
    /// a write.
    fn covers(&self, other: &Self) -> bool {
        self.hash == other.hash
            && self.introductions == other.introductions
            && (self.is_sound || !other.is_sound)
    }
}

impl CatalogStore {
    pub fn new(sql: SqlStorage) -> Self {
        let (is_own, stored, good, handshakes, lists) = Default::default();
        Self { database: Database::new(sql, &TABLES), is_own, stored, good, handshakes, lists }
    }

    /// Returns the catalog stored under `key`, in the format of [`Gateway::share`], and whether it has not expired.
    /// Returns `None` if there is no catalog, or a server was failing.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn read_catalog(&self, key: &str, now: u64) -> Result<Option<(web_sys::Response, bool)>> {
        if !self.open(key)? {
            return Ok(None);
        }
        let Some(good) = self.good.get() else { return Ok(None) };
        let good_ms = good.left(now);
        let shared = self.database.respond(
            PART,
            CATALOG,
            &Gateway::share_stored(good_ms, &self.handshakes.borrow()),
        )?;
        Ok(shared.map(|shared| (shared, good_ms.is_some())))
    }

    /// Reads the key, the lifetime and the handshakes of the stored catalog once. Returns whether it is stored under `key`. One under
    /// another key is deleted, because it belongs to another configuration or version. The lists of the servers and the
    /// record of names stay: a server that is down while a configuration is deployed keeps its names.
    fn open(&self, key: &str) -> Result<bool> {
        if self.is_own.get() {
            return Ok(true);
        }
        let [stored_key, good, handshakes] = self.read_small()?;
        if stored_key == key.as_bytes() {
            self.good.set(Lifetime::read(&good));
            self.handshakes.replace(handshakes);
            self.is_own.set(true);
            return Ok(true);
        }
        [CATALOG, GOOD, HANDSHAKES].into_iter().try_for_each(|name| self.delete(name))?;
        self.put(KEY, key.as_bytes())?;
        self.is_own.set(true);
        Ok(false)
    }

    /// Loads the stored lists into a gateway, and the catalog that was compiled from them if it is stored under `key`.
    /// Lists that no server has, or that another version stored in another format, are deleted.
    ///
    /// # Errors
    /// When the storage fails or the catalog is damaged; the gateway then lists its servers.
    pub fn load(&self, key: &str, gateway: &Gateway, config: &Config, now: u64) -> Result<()> {
        self.open(key)?;
        let restored = gateway.restore_names(&self.read(NAMES)?);
        let good_until = self.good.get().filter(|good| good.left(now).is_some()).map_or(0, |good| good.until);
        let names = self.database.rows("SELECT DISTINCT name FROM blocks", vec![])?;
        for name in names.into_iter().filter_map(|row| text(row.into_iter().next()?)) {
            let Some(source) = name.strip_prefix(LISTS) else { continue };
            match Listing::read(&self.read(&name)?).map(Arc::new) {
                Ok(listing) if gateway.restore(source, Arc::clone(&listing), good_until) => {
                    self.lists.borrow_mut().push((source.to_owned(), listing));
                }
                _ => self.delete(&name)?,
            }
        }
        let catalog = self.read(CATALOG)?;
        if !catalog.is_empty() {
            let served = gateway.load(catalog, config);
            let served = served.map_err(|error| worker::Error::RustError(error.to_string()))?;
            self.stored.replace(Some(StoredCatalog::from_backend(&served.backend)));
        }
        // Handshakes in another form are made again.
        _ = gateway.adopt_handshakes(&self.handshakes.borrow());
        restored.map_err(|error| worker::Error::RustError(format!("the record of names: {error}")))
    }

    /// Stores the catalog that a gateway serves, unless it is stored already, and its lifetime. The servers that had
    /// its names first are stored before it.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn write(&self, gateway: &Gateway, backend: &Backend, now: u64) -> Result<()> {
        if let Some(names) = gateway.changed_names() {
            self.put(NAMES, &names)?;
            gateway.names_are_stored();
        }
        let catalog = StoredCatalog::from_backend(backend);
        let is_sound = catalog.is_sound;
        if !self.stored.borrow().as_ref().is_some_and(|stored| stored.covers(&catalog)) {
            // No lifetime is stored until the catalog is written.
            self.write_lifetime(None)?;
            self.write_catalog(gateway)?;
            self.stored.replace(Some(catalog));
        }
        let is_written = match gateway.good_for(now) {
            _ if !is_sound => self.write_lifetime(None)?,
            Some(ms) => self.write_lifetime(Some(Lifetime { from: now, until: now.saturating_add(ms) }))?,
            // The servers are being listed: this is so at the end of every lifetime.
            None => false,
        };
        if is_written || self.handshakes.borrow().is_empty() {
            self.write_handshakes(gateway)
        } else {
            Ok(())
        }
    }

    /// Stores the handshakes if they differ. They are renewed about as often as the lifetime, with which they are stored.
    fn write_handshakes(&self, gateway: &Gateway) -> Result<()> {
        let handshakes = gateway.handshakes();
        if *self.handshakes.borrow() != handshakes {
            self.put(HANDSHAKES, &handshakes)?;
            self.handshakes.replace(handshakes);
        }
        Ok(())
    }

    /// Ends the stored lifetime, because a server has changed.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn expire(&self) -> Result<()> {
        self.write_lifetime(None).map(drop)
    }

    /// Stores a lifetime if it differs from the stored one, and returns whether it did. A short one is not worth a write for
    /// each listing.
    fn write_lifetime(&self, good: Option<Lifetime>) -> Result<bool> {
        let needless = match (self.good.get(), good) {
            (None, None) => true,
            (Some(stored), Some(good)) => {
                good.until.abs_diff(stored.until) < CLOSE_MS || good.until - good.from < MIN_GOOD_MS
            }
            _ => false,
        };
        if !needless {
            self.put(GOOD, &good.map(Lifetime::write).unwrap_or_default())?;
            self.good.set(good);
        }
        Ok(!needless)
    }

    fn write_catalog(&self, gateway: &Gateway) -> Result<()> {
        let Some(catalog) = gateway.store() else { return Ok(()) };
        self.put(CATALOG, &catalog)?;
        for (source, listing) in gateway.listings() {
            // A gateway keeps equal lists, so only lists that changed are others than before.
            let is_stored =
                |(known, stored): &(String, Arc<Listing>)| known == source && Arc::ptr_eq(stored, &listing);
            if !self.lists.borrow().iter().any(is_stored) {
                self.put(&format!("{LISTS}{source}"), &listing.to_bytes())?;
                let mut lists = self.lists.borrow_mut();
                lists.retain(|(known, _)| known != source);
                lists.push((source.to_owned(), listing));
            }
        }
        Ok(())
    }

    /// Returns the bytes of a part; empty if it is not stored.
    ///
    /// They are read a row at a time, so that ten megabytes are in memory only once.
    fn read(&self, name: &str) -> Result<Vec<u8>> {
        let mut part = Vec::new();
        for row in self.database.each(PART, vec![words(name)])? {
            let Some(SqlStorageValue::Blob(bytes)) = row?.into_iter().next() else { continue };
            if part.is_empty() && bytes.len() == MAX_ROW {
                part.reserve_exact(self.length(name)?);
            }
            part.extend_from_slice(&bytes);
        }
        Ok(part)
    }

    /// Returns the key, the lifetime and the handshakes, in one query; each is empty if it is not stored.
    fn read_small(&self) -> Result<[Vec<u8>; 3]> {
        let mut parts = [KEY, GOOD, HANDSHAKES].map(|name| (name, Vec::new()));
        let names = parts.iter().map(|(name, _)| words(name)).collect();
        for row in self.database.each(SMALL_PARTS, names)? {
            let mut row = row?.into_iter();
            let (Some(name), Some(SqlStorageValue::Blob(bytes))) = (row.next().and_then(text), row.next())
            else {
                continue;
            };
            let part = parts.iter_mut().find(|(known, _)| *known == name);
            part.into_iter().for_each(|(_, part)| part.extend_from_slice(&bytes));
        }
        Ok(parts.map(|(_, part)| part))
    }

    /// Returns the length of a part, in bytes.
    fn length(&self, name: &str) -> Result<usize> {
        let rows = "SELECT SUM(LENGTH(bytes)) FROM blocks WHERE name = ?";
        let rows = self.database.rows(rows, vec![words(name)])?;
        Ok(usize::try_from(first_number(&rows).unwrap_or_default()).unwrap_or_default())
    }

    fn delete(&self, name: &str) -> Result<()> {
        self.database.rows("DELETE FROM blocks WHERE name = ?", vec![words(name)]).map(drop)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.delete(name)?;
        for bytes in bytes.chunks(MAX_ROW) {
            let row = vec![words(name), bytes.to_vec().into()];
            self.database.rows("INSERT INTO blocks (name, bytes) VALUES (?, ?)", row)?;
        }
        Ok(())
    }
}

fn words(text: &str) -> SqlStorageValue {
    SqlStorageValue::String(text.to_owned())
}
