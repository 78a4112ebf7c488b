//! The record of the servers that had each name first, as a gateway keeps and stores it.
//!
//! A server is recorded by its address. Its names stay its own while the file has a server with this address, whatever
//! else of the file changes. Of the processes of a deployment only the one that stores the record keeps it: with several
//! records, two processes could send one name to different servers.

use std::sync::Arc;

use crate::{
    catalog::NameRecord,
    error::Error,
    mcp::{
        gateway::{
            Gateway,
            backend::Backend,
            shared::{read, unreadable, write},
        },
        upstream::lock,
    },
    policy::Guarded,
};

/// The record, and what of it is stored.
#[derive(Debug, Default)]
pub(crate) struct RecordedNames {
    pub record: NameRecord,
    /// Whether the record differs from the stored one.
    is_changed: bool,
    /// The catalog whose names were recorded last.
    recorded: Option<Arc<Guarded>>,
}

/// Length, in bytes, of a stored name: its digest and the number of its server.
const STORED_NAME: usize = 20;

impl Gateway {
    /// Keeps no record of the servers that had each name first: a name that several servers list belongs to none of them,
    /// unless the file gives it to one. For processes that share no storage.
    pub fn forget_names(&self) {
        *lock(&self.names) = None;
    }

    /// Begins with a stored record of the servers that had each name first. Without one, names belong to the first
    /// server in the file that lists them.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Json`](crate::error::ErrorKind::Json) for other bytes than those of
    /// [`Gateway::changed_names`]. The gateway then begins a new record.
    pub fn restore_names(&self, stored: &[u8]) -> Result<(), Error> {
        let restored = if stored.is_empty() { Ok(NameRecord::default()) } else { self.read_names(stored) };
        let (record, problem) =
            restored.map_or_else(|error| (NameRecord::default(), Err(error)), |record| (record, Ok(())));
        *lock(&self.names) = Some(RecordedNames { record, ..RecordedNames::default() });
        problem
    }

    /// Returns the record as bytes, if it differs from the stored one, until [`Gateway::names_are_stored`].
    pub fn changed_names(&self) -> Option<Vec<u8>> {
        let names = lock(&self.names);
        let names = names.as_ref().filter(|names| names.is_changed)?;
        let address = |name: &String| {
            let member = self.members.iter().find(|member| member.name == *name);
            member.map_or("", |member| member.address.as_str())
        };
        let servers: Vec<(&str, &str)> =
            names.record.servers().iter().map(|name| (name.as_str(), address(name))).collect();
        let mut rows = Vec::with_capacity(names.record.names().len() * STORED_NAME);
        for (name, server) in names.record.names() {
            rows.extend_from_slice(&name.to_le_bytes());
            rows.extend_from_slice(&server.to_le_bytes());
        }
        let mut stored = Vec::new();
        write(&servers, &rows, &mut stored);
        Some(stored)
    }

    /// Notes that the record was stored as [`Gateway::changed_names`] returned it.
    pub fn names_are_stored(&self) {
        if let Some(names) = lock(&self.names).as_mut() {
            names.is_changed = false;
        }
    }

    /// Reads a stored record. Names of servers that the file no longer has are free.
    fn read_names(&self, stored: &[u8]) -> Result<NameRecord, Error> {
        let (servers, rows): (Vec<(String, String)>, _) = read(stored)?;
        let member = |(name, address): &(String, String)| {
            let at_address = || self.members.iter().filter(|member| member.address == *address);
            let found = at_address().find(|member| member.name == *name).or_else(|| at_address().next());
            found.map(|member| member.name.as_str())
        };
        let servers: Vec<Option<&str>> = servers.iter().map(member).collect();
        let (rows, rest) = rows.as_chunks::<STORED_NAME>();
        let names = rows.iter().map(|row| {
            let (name, server) = row.split_first_chunk()?;
            Some((u128::from_le_bytes(*name), u32::from_le_bytes(*server.first_chunk()?)))
        });
        let names: Option<Vec<_>> = names.collect();
        let names = names.filter(|_| rest.is_empty()).ok_or_else(unreadable)?;
        if names.iter().any(|(_, server)| *server as usize >= servers.len()) {
            return Err(unreadable());
        }
        Ok(NameRecord::new(&servers, names.into_iter()))
    }

    /// Records the names of a catalog that no server had before. Waits until each server has answered or failed once, so
    /// that the order of the file decides between servers that are first listed together.
    pub(super) fn record_names(&self, backend: &Backend) {
        if !self.members.iter().any(|member| member.is_pending()) {
            self.record_stored_names(backend);
        }
    }

    /// Records the names of a catalog that was served before, for a store that has no record or a damaged one.
    pub(super) fn record_stored_names(&self, backend: &Backend) {
        let mut names = lock(&self.names);
        let Some(names) = names.as_mut() else { return };
        if !names.recorded.as_ref().is_some_and(|known| Arc::ptr_eq(known, &backend.guarded)) {
            names.is_changed |= names.record.learn(backend.guarded.catalog());
            names.recorded = Some(Arc::clone(&backend.guarded));
        }
    }
}
