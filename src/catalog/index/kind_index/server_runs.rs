//! The primitives of an index by server.

use super::queries::KindIndex;
use crate::catalog::index::bitset::Bitset;

impl KindIndex {
    /// Returns the server of each run of primitives, in order. A server has several runs if its lists are not adjacent.
    pub(crate) fn server_runs(&self) -> impl Iterator<Item = &str> {
        self.servers.iter().map(|(_, server)| server.as_ref())
    }

    /// Returns the primitives of a server.
    pub(crate) fn of_server(&self, name: &str) -> Bitset {
        let mut found = Bitset::none(self.len());
        let mut from = 0;
        for (end, server) in &self.servers {
            if server.as_ref() == name {
                (from..*end).for_each(|index| found.insert(index));
            }
            from = *end;
        }
        found
    }
}
