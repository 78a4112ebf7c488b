//! The skills of a catalog by directory, to find the skill of which a resource is a file.

use super::{
    attached::{directories, skill_directory},
    kind_index::KindIndex,
};
use crate::{
    catalog::model::{
        resource_uri::{ResourceUri, listed_keys},
        skill_path::{scoped, unscoped},
    },
    digest::Digest,
};

/// An index of skills by their directories. It is built when a resource is first requested.
///
/// If the directory of a skill lies in that of another, only the outermost one counts: its manifest lists the files of
/// the others.
#[derive(Debug, Clone, Default)]
pub struct Skills {
    /// The digests of the keys of directories with the index of the skill, or `None` for a skill that is left out. Each
    /// skill has one entry with its server and the server's URI, and one without a server and with the URI that callers
    /// see. Ascending.
    entries: Vec<(u128, Option<usize>)>,
    /// The servers that have skills.
    servers: Vec<Box<str>>,
}

/// The skills whose directory is the outermost one that contains a URI. `None` for each that is left out.
pub(crate) type Holders = Vec<Option<usize>>;

impl Skills {
    pub fn new(kind_index: &KindIndex) -> Self {
        let mut skills = Self::default();
        for (index, id) in kind_index.ids().enumerate() {
            let server = kind_index.server(index).unwrap_or_default();
            skills.add(server, kind_index.own_id(index).unwrap_or(id), Some(index));
            skills.add("", id, Some(index));
        }
        for (server, uri) in kind_index.hidden().map(unscoped) {
            skills.add(server, uri, None);
        }
        skills.entries.sort_unstable();
        skills
    }

    fn add(&mut self, server: &str, uri: &str, index: Option<usize>) {
        for key in listed_keys(uri) {
            let Some(directory) = skill_directory(&key) else { continue };
            self.entries.push((Digest::of(scoped(server, directory).as_bytes()), index));
        }
        if !server.is_empty() && !self.servers.iter().any(|known| **known == *server) {
            self.servers.push(server.into());
        }
    }

    /// Returns the skills that contain `uri` on a server or, for a server with an empty name, as callers see it.
    pub fn holding(&self, server: &str, uri: &ResourceUri<'_>) -> Holders {
        uri.keys().flat_map(|key| self.outermost(server, &key)).collect()
    }

    /// Returns the skills that may contain `uri` on any server, or as callers see it, by whatever spelling.
    pub fn holding_anywhere(&self, uri: &ResourceUri<'_>) -> Holders {
        let servers = self.servers.iter().map(AsRef::as_ref).chain([""]);
        servers.flat_map(|server| self.holding(server, uri)).collect()
    }

    fn outermost(&self, server: &str, key: &str) -> Holders {
        // The directory of a skill contains itself.
        let key = [key, "/"].concat();
        let mut levels = directories(&key).map(|directory| {
            let wanted = Digest::of(scoped(server, directory).as_bytes());
            let from = self.entries.partition_point(|(known, _)| *known < wanted);
            let found = self.entries.get(from..).unwrap_or_default().iter();
            found.take_while(|(known, _)| *known == wanted).map(|(_, index)| *index).collect::<Vec<_>>()
        });
        levels.find(|level| !level.is_empty()).unwrap_or_default()
    }
}
