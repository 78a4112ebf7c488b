//! The record of the servers that had each name first, as a gateway keeps and stores it.
//!
//! A server is recorded by its address. Its names stay its own while the file has a server with this address, whatever
//! else of the file changes. Of the processes of a deployment only the one that stores the record keeps it: with
//! several records, two processes could send one name to different servers.

use std::sync::Arc;

use mcp_sieve::{Error, catalog::NameRecord, policy::Guarded};

use crate::gateway::head_line::{read, unreadable, write};

/// Length, in bytes, of a stored name: its digest and the number of its server.
const STORED_NAME: usize = 20;

/// The record, and whether it is stored.
#[derive(Debug, Default)]
pub(super) struct RecordedNames {
    pub record: NameRecord,
    /// Whether the record differs from the stored one.
    pub is_changed: bool,
    /// The catalog whose names were recorded last.
    recorded: Option<Arc<Guarded>>,
}

impl RecordedNames {
    /// Reads a stored record. `servers` are the names and addresses of the servers in the file. Names of servers that
    /// the file no longer has are free.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Json`](mcp_sieve::ErrorKind::Json) for other bytes than those of
    /// [`RecordedNames::to_bytes`].
    pub fn read(stored: &[u8], servers: &[(&str, &str)]) -> Result<Self, Error> {
        let (recorded, rows): (Vec<(String, String)>, _) = read(stored)?;
        let current = |(name, address): &(String, String)| {
            let at_address = || servers.iter().filter(|server| server.1 == address);
            at_address()
                .find(|server| server.0 == name)
                .or_else(|| at_address().next())
                .map(|server| server.0)
        };
        let recorded: Vec<Option<&str>> = recorded.iter().map(current).collect();
        let (rows, rest) = rows.as_chunks::<STORED_NAME>();
        let names = rows.iter().map(|row| {
            let (name, server) = row.split_first_chunk()?;
            let server = u32::from_le_bytes(*server.first_chunk()?);
            ((server as usize) < recorded.len()).then_some((u128::from_le_bytes(*name), server))
        });
        let names: Option<Vec<_>> = names.collect();
        let names = names.filter(|_| rest.is_empty()).ok_or_else(unreadable)?;
        Ok(Self { record: NameRecord::new(&recorded, names.into_iter()), ..Self::default() })
    }

    /// Returns the record as bytes.
    pub fn to_bytes(&self, servers: &[(&str, &str)]) -> Vec<u8> {
        let address =
            |name: &str| servers.iter().find(|server| server.0 == name).map_or("", |server| server.1);
        let recorded: Vec<(&str, &str)> =
            self.record.servers().iter().map(|name| (name.as_str(), address(name))).collect();
        let mut rows = Vec::with_capacity(self.record.names().len() * STORED_NAME);
        for (name, server) in self.record.names() {
            rows.extend_from_slice(&name.to_le_bytes());
            rows.extend_from_slice(&server.to_le_bytes());
        }
        let mut stored = Vec::new();
        write(&recorded, &rows, &mut stored);
        stored
    }

    /// Records the names of a catalog that no server had before.
    pub fn learn(&mut self, catalog: &Arc<Guarded>) {
        if !self.recorded.as_ref().is_some_and(|known| Arc::ptr_eq(known, catalog)) {
            self.is_changed |= catalog.catalog().record_names(&mut self.record);
            self.recorded = Some(Arc::clone(catalog));
        }
    }
}
