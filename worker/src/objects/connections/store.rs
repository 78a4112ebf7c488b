//! The storage of a holder's object: sealed records in SQLite, or with a private service on this machine.

use mcp_sieve_gateway::{error::RpcError, upstream::Identity};
use worker::{Env, SqlStorage, SqlStorageValue};

use super::service::Service;
use crate::{
    clock,
    objects::{
        lost,
        sql::{Database, first_number, number, text, whole},
    },
};

const TABLES: [&str; 7] = [
    "CREATE TABLE IF NOT EXISTS connections (server TEXT PRIMARY KEY, sealed TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS pending
        (state TEXT PRIMARY KEY, server TEXT NOT NULL, sealed TEXT NOT NULL, until INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS issued (name TEXT PRIMARY KEY, sealed TEXT NOT NULL, until INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS clients (place TEXT PRIMARY KEY, sealed TEXT NOT NULL, renewed INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS discoveries (place TEXT PRIMARY KEY, document TEXT NOT NULL, until INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS lists
        (name TEXT NOT NULL, server TEXT NOT NULL, until INTEGER NOT NULL, bytes BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS changes (server TEXT PRIMARY KEY, count INTEGER NOT NULL)",
];

/// Length of the blocks in which lists are stored, in bytes. The platform limits a value to two megabytes.
const BLOCK: usize = 1024 * 1024;

type Stored<T> = Result<T, RpcError>;

/// The storage of one holder, or of the gateway itself.
pub(super) struct Store {
    database: Database,
    service: Option<Service>,
}

impl Store {
    pub fn new(sql: SqlStorage, env: &Env) -> Self {
        Self { database: Database::new(sql, &TABLES), service: Service::bound(env) }
    }

    /// Returns the service that has the connections of this holder, if it is not this object.
    pub fn service(&self, holder: &str) -> Option<&Service> {
        self.service.as_ref().filter(|_| holder == Identity::LOCAL)
    }

    /// Returns the sealed connection to a server.
    pub async fn connection(&self, holder: &str, server: &str) -> Stored<Option<String>> {
        match self.service(holder) {
            Some(service) => service.get(server).await,
            None => self.column("SELECT sealed FROM connections WHERE server = ?", vec![server.into()]),
        }
    }

    /// Stores the sealed connection to a server.
    pub async fn save_connection(&self, holder: &str, server: &str, sealed: &str) -> Stored<()> {
        match self.service(holder) {
            Some(service) => service.put(server, sealed).await,
            None => {
                let query = "INSERT OR REPLACE INTO connections (server, sealed) VALUES (?, ?)";
                self.run(query, vec![server.into(), sealed.into()])
            }
        }
    }

    /// Replaces the sealed connection `known` to a server by another one, or deletes it. Returns whether it was still the
    /// present one: several gateways of one person share a service.
    pub async fn replace_connection(
        &self,
        holder: &str,
        server: &str,
        known: &str,
        sealed: Option<&str>,
    ) -> Stored<bool> {
        if let Some(service) = self.service(holder) {
            return service.replace(server, known, sealed).await;
        }
        if self.connection(holder, server).await?.as_deref() != Some(known) {
            return Ok(false);
        }
        match sealed {
            Some(sealed) => self.save_connection(holder, server, sealed).await?,
            None => self.remove_connection(holder, server).await?,
        }
        Ok(true)
    }

    /// Deletes the connection to a server.
    pub async fn remove_connection(&self, holder: &str, server: &str) -> Stored<()> {
        match self.service(holder) {
            Some(service) => service.delete(server).await,
            None => self.run("DELETE FROM connections WHERE server = ?", vec![server.into()]),
        }
    }

    /// Stores a pending sign-in. The oldest are dropped beyond `most`, and those that have ended.
    pub fn add_pending(&self, pending: Row<'_>, server: &str, now: u64, most: u64) -> Stored<()> {
        self.run("DELETE FROM pending WHERE until <= ?", vec![exact(now)?])?;
        let query = "DELETE FROM pending WHERE state IN
            (SELECT state FROM pending ORDER BY until DESC, rowid DESC LIMIT -1 OFFSET ?)";
        self.run(query, vec![exact(most.saturating_sub(1))?])?;
        let Row { name, sealed, until } = pending;
        let query = "INSERT INTO pending (state, server, sealed, until) VALUES (?, ?, ?, ?)";
        self.run(query, vec![name.into(), server.into(), sealed.into(), exact(until)?])
    }

    /// Takes a pending sign-in for a server that has not ended. Nothing can take it again.
    pub fn take_pending(&self, state: &str, server: &str, now: u64) -> Stored<Option<String>> {
        let query = "DELETE FROM pending WHERE state = ? AND server = ? AND until > ? RETURNING sealed";
        self.column(query, vec![state.into(), server.into(), exact(now)?])
    }

    /// Returns whether a sign-in to a server is pending.
    pub fn has_pending(&self, server: &str, now: u64) -> Stored<bool> {
        let query = "SELECT count(*) FROM pending WHERE server = ? AND until > ?";
        let rows = self.database.rows(query, vec![server.into(), exact(now)?]).map_err(failed)?;
        Ok(first_number(&rows).unwrap_or_default() > 0)
    }

    /// Ends the pending sign-ins to a server.
    pub fn drop_pending(&self, server: &str) -> Stored<()> {
        self.run("DELETE FROM pending WHERE server = ?", vec![server.into()])
    }

    /// Returns a kept token of the gateway or of an exchange.
    pub fn issued(&self, name: &str, now: u64) -> Stored<Option<String>> {
        self.column("SELECT sealed FROM issued WHERE name = ? AND until > ?", vec![name.into(), exact(now)?])
    }

    /// Keeps a token of the gateway or of an exchange. Those that end first are dropped beyond `most`.
    pub fn keep_issued(&self, row: Row<'_>, now: u64, most: u64) -> Stored<()> {
        self.run("DELETE FROM issued WHERE until <= ?", vec![exact(now)?])?;
        let query = "INSERT OR REPLACE INTO issued (name, sealed, until) VALUES (?, ?, ?)";
        self.run(query, vec![row.name.into(), row.sealed.into(), exact(row.until)?])?;
        let query = "DELETE FROM issued WHERE name IN
            (SELECT name FROM issued ORDER BY until DESC, rowid DESC LIMIT -1 OFFSET ?)";
        self.run(query, vec![exact(most)?])
    }

    /// Deletes a kept token.
    pub fn drop_issued(&self, name: &str) -> Stored<()> {
        self.run("DELETE FROM issued WHERE name = ?", vec![name.into()])
    }

    /// Returns a registered client, sealed, and when it was last registered anew; zero if it never was.
    pub fn client(&self, place: &str) -> Stored<Option<(String, u64)>> {
        let query = "SELECT sealed, renewed FROM clients WHERE place = ?";
        let rows = self.database.rows(query, vec![place.into()]).map_err(failed)?;
        let row = rows.into_iter().next().and_then(|row| <[_; 2]>::try_from(row).ok());
        Ok(row.and_then(|[sealed, renewed]| Some((text(sealed)?, whole(&renewed)?))))
    }

    /// Stores a registered client; an empty record if it has to be registered anew.
    pub fn save_client(&self, place: &str, sealed: &str, renewed: u64) -> Stored<()> {
        let query = "INSERT OR REPLACE INTO clients (place, sealed, renewed) VALUES (?, ?, ?)";
        self.run(query, vec![place.into(), sealed.into(), exact(renewed)?])
    }

    /// Returns the clients that are registered with an issuer: the place of each, its sealed record, and when it was
    /// last registered anew.
    pub fn clients_of(&self, issuer: &str) -> Stored<Vec<(String, String, u64)>> {
        let query = "SELECT place, sealed, renewed FROM clients WHERE substr(place, 1, length(?1) + 1) = ?1 || char(10)";
        let rows = self.database.rows(query, vec![issuer.into()]).map_err(failed)?;
        let row = |row: Vec<SqlStorageValue>| {
            let [place, sealed, renewed] = <[_; 3]>::try_from(row).ok()?;
            Some((text(place)?, text(sealed)?, whole(&renewed)?))
        };
        Ok(rows.into_iter().filter_map(row).collect())
    }

    /// Returns a discovery that has not ended, as JSON.
    pub fn discovery(&self, place: &str, now: u64) -> Stored<Option<String>> {
        let query = "SELECT document FROM discoveries WHERE place = ? AND until > ?";
        self.column(query, vec![place.into(), exact(now)?])
    }

    /// Keeps a discovery until a time.
    pub fn keep_discovery(&self, row: Row<'_>, now: u64) -> Stored<()> {
        self.run("DELETE FROM discoveries WHERE until <= ?", vec![exact(now)?])?;
        let query = "INSERT OR REPLACE INTO discoveries (place, document, until) VALUES (?, ?, ?)";
        self.run(query, vec![row.name.into(), row.sealed.into(), exact(row.until)?])
    }

    /// Returns kept lists that have not expired, and when they do.
    pub fn lists(&self, name: &str, now: u64) -> Stored<Option<(Vec<u8>, u64)>> {
        let query = "SELECT until, bytes FROM lists WHERE name = ? AND until > ? ORDER BY rowid";
        let rows = self.database.rows(query, vec![name.into(), exact(now)?]).map_err(failed)?;
        let (mut all, mut end) = (Vec::new(), None);
        for row in rows {
            let Ok([until, SqlStorageValue::Blob(bytes)]) = <[_; 2]>::try_from(row) else { return Ok(None) };
            all.extend(bytes);
            end = whole(&until);
        }
        Ok(end.map(|until| (all, until)))
    }

    /// Keeps lists of a server until a time, in place of earlier ones.
    pub fn keep_lists(&self, name: &str, server: &str, bytes: &[u8], until: u64) -> Stored<()> {
        self.run("DELETE FROM lists WHERE name = ? OR until <= ?", vec![name.into(), exact(clock::now())?])?;
        let query = "INSERT INTO lists (name, server, until, bytes) VALUES (?, ?, ?, ?)";
        bytes.chunks(BLOCK).try_for_each(|block| {
            let block = SqlStorageValue::Blob(block.to_vec());
            self.run(query, vec![name.into(), server.into(), exact(until)?, block])
        })
    }

    /// Deletes the lists of a server, and counts the change.
    pub fn drop_lists(&self, server: &str) -> Stored<()> {
        self.run("DELETE FROM lists WHERE server = ?", vec![server.into()])?;
        let query = "INSERT INTO changes (server, count) VALUES (?, 1)
            ON CONFLICT (server) DO UPDATE SET count = count + 1";
        self.run(query, vec![server.into()])
    }

    /// Returns how often the lists of a server were dropped.
    pub fn changes(&self, server: &str) -> Stored<u64> {
        let query = "SELECT count FROM changes WHERE server = ?";
        let rows = self.database.rows(query, vec![server.into()]).map_err(failed)?;
        Ok(first_number(&rows).unwrap_or_default())
    }

    fn run(&self, query: &str, bound: Vec<SqlStorageValue>) -> Stored<()> {
        self.database.rows(query, bound).map(drop).map_err(failed)
    }

    /// Returns the text in the first column of the first row.
    fn column(&self, query: &str, bound: Vec<SqlStorageValue>) -> Stored<Option<String>> {
        let rows = self.database.rows(query, bound).map_err(failed)?;
        Ok(rows.into_iter().next().and_then(|row| row.into_iter().next()).and_then(text))
    }
}

/// A text under a name, and when it ends, in milliseconds since 1970.
pub(super) struct Row<'a> {
    pub name: &'a str,
    pub sealed: &'a str,
    pub until: u64,
}

fn exact(value: u64) -> Stored<SqlStorageValue> {
    number(value).map_err(failed)
}

fn failed(error: worker::Error) -> RpcError {
    lost("the connections", &error)
}
