//! The record of which server first listed each name. A server that begins to list a name later does not take it over.

use std::borrow::Cow;

use super::{kind::Kind, resource_uri::fold_listed};
use crate::digest::Digest;

impl NameRecord {
    /// Maximum number of names that are recorded for one server. Names beyond have no recorded owner, so the first
    /// server in the file has them.
    pub const MAX_NAMES: usize = 20_000;
}

/// The servers that first listed each name, in the order of recording. Names are stored as digests, so that they take
/// the same room whatever a server calls its primitives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameRecord {
    /// The servers with recorded names.
    servers: Vec<String>,
    /// The digest of each name, with the number of its server.
    names: Vec<(u128, u32)>,
    /// The digest of each name with its position in `names`, ascending.
    places: Vec<(u128, u32)>,
}

impl NameRecord {
    /// Creates the record of `names`: digests with the number of their server in `servers`. Names of a server without a
    /// name, and repeated ones, are dropped.
    pub fn new(servers: &[Option<&str>], names: impl Iterator<Item = (u128, u32)>) -> Self {
        let mut record = Self::default();
        let names = names.filter_map(|(name, number)| {
            let server = servers.get(number as usize).copied().flatten()?;
            Some((name, record.number(server)))
        });
        record.names = names.collect();
        record.sort();
        record
    }

    /// Returns the servers to which the numbers of [`names`](Self::names) refer.
    pub fn servers(&self) -> &[String] {
        &self.servers
    }

    /// Returns the digest of each name and the number of its server, in the order of recording.
    pub fn names(&self) -> &[(u128, u32)] {
        &self.names
    }

    /// Returns the server that first listed a name, `uri` or `uriTemplate`.
    pub fn owner(&self, kind: Kind, id: &str) -> Option<&str> {
        let (_, server) = self.names.get(self.place(name_key(kind, id))?)?;
        self.servers.get(*server as usize).map(String::as_str)
    }

    /// Returns the position of a name in the order of recording. Names that are not recorded come last.
    pub(crate) fn rank(&self, kind: Kind, id: &str) -> usize {
        self.place(name_key(kind, id)).unwrap_or(usize::MAX)
    }

    /// Returns the position of a name in the order of recording, if it is recorded for this server.
    pub(crate) fn rank_of(&self, kind: Kind, id: &str, server: &str) -> usize {
        if self.owner(kind, id) == Some(server) { self.rank(kind, id) } else { usize::MAX }
    }

    /// Records the names that have no owner yet, of a catalog's primitives: each with its kind and server. A server
    /// that reaches [`NameRecord::MAX_NAMES`](crate::catalog::NameRecord::MAX_NAMES) first loses those that it no
    /// longer lists. Returns whether a name was recorded.
    pub(crate) fn learn<'n>(&mut self, names: impl Iterator<Item = (Kind, &'n str, &'n str)>) -> bool {
        let mut listed: Vec<_> =
            names.map(|(kind, id, server)| (name_key(kind, id), self.number(server))).collect();
        let mut new = listed.clone();
        new.retain(|(name, _)| self.place(*name).is_none());
        if new.is_empty() {
            return false;
        }
        listed.sort_unstable();
        for number in 0..self.servers.len() as u32 {
            let count = |names: &[(u128, u32)]| names.iter().filter(|(_, of)| *of == number).count();
            if count(&self.names) + count(&new) > NameRecord::MAX_NAMES {
                self.names.retain(|name| name.1 != number || listed.binary_search(name).is_ok());
                let mut room = NameRecord::MAX_NAMES.saturating_sub(count(&self.names));
                new.retain(|(_, of)| {
                    let fits = *of != number || room > 0;
                    room = room.saturating_sub(usize::from(*of == number));
                    fits
                });
            }
        }
        self.names.append(&mut new);
        self.sort();
        true
    }

    fn number(&mut self, server: &str) -> u32 {
        let known = self.servers.iter().position(|known| known == server);
        known.unwrap_or_else(|| {
            self.servers.push(server.to_owned());
            self.servers.len() - 1
        }) as u32
    }

    fn place(&self, name: u128) -> Option<usize> {
        let at = self.places.binary_search_by_key(&name, |(known, _)| *known).ok()?;
        self.places.get(at).map(|(_, place)| *place as usize)
    }

    fn sort(&mut self) {
        self.places = self.names.iter().enumerate().map(|(place, (name, _))| (*name, place as u32)).collect();
        self.places.sort_unstable();
        self.places.dedup_by_key(|(name, _)| *name);
    }
}

/// Returns the name by which two primitives of a kind collide. Spellings of a URI are one name, because a server could
/// otherwise list the resource of another under a URI that clients take for the same.
pub(crate) fn collision_key(kind: Kind, id: &str) -> Cow<'_, str> {
    if kind == Kind::Resource { fold_listed(id).into() } else { id.into() }
}

/// Returns the digest of a name of a kind.
fn name_key(kind: Kind, id: &str) -> u128 {
    let mut digest = Digest::new();
    digest.part(kind.name().as_bytes());
    digest.part(collision_key(kind, id).as_bytes());
    digest.end()
}
