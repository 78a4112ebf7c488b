//! Serialization of a gateway's catalog for other processes. A process that starts with it knows all tools at once and
//! lists no server. The lists of each server can be stored too, so that a process that restarts can compile them again.
//!
//! Each format is a line of JSON, followed by bytes. A catalog that is sent to another process is preceded by one more
//! line with what may change while the catalog stays: the number of milliseconds until it expires and, after a space,
//! the handshakes with stateless servers.

use std::sync::Arc;

use mcp_sieve::{Digest, Error, Kind, catalog::Catalog};
use serde::{Deserialize, Serialize};

use crate::{
    backend::{
        declared::ServerDeclarations,
        features::Features,
        guarded_catalog::{Backend, catalog_reports},
        header_param::MARK,
        introduction::Introduction,
        status::{ListProblem, Status},
    },
    config::Config,
    drafts::definitions::DefinitionDigests,
    gateway::{
        Gateway,
        head_line::{read, split_line, unreadable, write},
        serve::{CompiledLists, Served},
        upstream_slot::UpstreamSlot,
    },
    upstream::{Declarations, Upstream, lock, pages::Listing, shared_handshake::SharedHandshake},
};

/// The first line of a shared catalog. A snapshot follows.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CatalogHead {
    /// The hash of the catalog, in hex.
    hash: String,
    servers: Vec<Status>,
    /// What each server offers beside its primitives.
    features: Vec<(String, Features)>,
    /// The descriptions that the servers give of themselves, with the name of each server.
    #[serde(default)]
    introductions: Vec<(String, Introduction)>,
    /// The declarations of each server; empty if the other process already has the catalog.
    #[serde(default)]
    declared: Vec<(String, Declarations)>,
    /// The servers with tools that mark arguments to be repeated as headers.
    marking: Vec<String>,
}

/// The first line of the lists of one server.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListingHead {
    ttl_ms: u64,
    features: Features,
    #[serde(default)]
    introduction: Introduction,
    declared: Declarations,
    #[serde(default)]
    problems: Vec<ListProblem>,
    /// The handshake with the server, if the lists are sent to the process that keeps the catalog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    handshake: Option<SharedHandshake>,
}

/// The result of [`Gateway::adopt`].
#[derive(Debug)]
pub struct Adopted {
    /// The catalog that is served now.
    pub served: Served,
    /// Milliseconds until the catalog expires; `None` while a server is being listed or its last attempt failed.
    pub good_ms: Option<u64>,
}

impl Listing {
    /// Returns the lists as bytes, for [`Listing::read`] in another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.write(None)
    }

    fn write(&self, handshake: Option<SharedHandshake>) -> Vec<u8> {
        let Self { ttl_ms, features, .. } = *self;
        let (introduction, declared) = (self.introduction.clone(), self.declared.clone());
        let problems = self.problems.clone();
        let head = ListingHead { ttl_ms, features, introduction, declared, problems, handshake };
        let mut out = Vec::new();
        write(&head, self.lists.as_bytes(), &mut out);
        out
    }

    /// Parses the bytes that [`Listing::to_bytes`] returned.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Json`](mcp_sieve::ErrorKind::Json) for other bytes.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        Self::read_with_handshake(bytes).map(|(listing, _)| listing)
    }

    fn read_with_handshake(bytes: &[u8]) -> Result<(Self, Option<SharedHandshake>), Error> {
        let (head, lists) = read(bytes)?;
        let ListingHead { ttl_ms, features, introduction, declared, problems, handshake } = head;
        let lists = std::str::from_utf8(lists).map_err(|_| unreadable())?.to_owned();
        Ok((Self { lists, ttl_ms, features, introduction, declared, problems }, handshake))
    }
}

impl Upstream {
    /// Returns lists of the server as bytes, for [`Upstream::read_listing`] in another process. The handshake with a stateless
    /// server is sent with them.
    pub fn write_listing(&self, listing: &Listing) -> Vec<u8> {
        listing.write(self.shared_handshake())
    }

    /// Parses the bytes that [`Gateway::write_listing`] returned in another process, and uses the handshake of that
    /// process.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Json`](mcp_sieve::ErrorKind::Json) for other bytes.
    pub fn read_listing(&self, bytes: &[u8]) -> Result<Listing, Error> {
        let (listing, handshake) = Listing::read_with_handshake(bytes)?;
        handshake.into_iter().for_each(|handshake| self.adopt_handshake(handshake));
        Ok(listing)
    }
}

impl Gateway {
    /// Returns the catalog as bytes, for [`Gateway::adopt`] in another process; `None` if nothing is served yet. If the
    /// other process already has the catalog with the hash `have`, only the status of the servers is returned.
    pub fn share(&self, now: u64, have: Option<u128>) -> Option<Vec<u8>> {
        let mut shared = Self::share_stored(self.good_for(now), &self.handshakes());
        self.write_catalog(have, &mut shared)?;
        Some(shared)
    }

    /// Returns the catalog as bytes, for the storage of a process; `None` if nothing is served yet.
    pub fn store(&self) -> Option<Vec<u8>> {
        let mut stored = Vec::new();
        self.write_catalog(None, &mut stored)?;
        Some(stored)
    }

    /// Returns the line that [`Gateway::share`] puts before a catalog that expires in `good_ms` milliseconds. `handshakes`
    /// are those of [`Gateway::handshakes`], or empty. With it, a process can send a stored catalog without parsing it.
    pub fn share_stored(good_ms: Option<u64>, handshakes: &[u8]) -> Vec<u8> {
        let mut line = good_ms.map(|ms| ms.to_string()).unwrap_or_default().into_bytes();
        if !handshakes.is_empty() {
            line.push(b' ');
            line.extend_from_slice(handshakes);
        }
        line.push(b'\n');
        line
    }

    /// Returns the handshakes with stateless servers as bytes, for [`Gateway::adopt_handshakes`] in another process;
    /// empty if there are none.
    pub fn handshakes(&self) -> Vec<u8> {
        let shared =
            |member: &Arc<UpstreamSlot>| Some((member.name.clone(), member.upstream.shared_handshake()?));
        let known: Vec<_> = self.members.iter().filter_map(shared).collect();
        // Serializing these types cannot fail.
        if known.is_empty() { Vec::new() } else { serde_json::to_vec(&known).unwrap_or_default() }
    }

    /// Uses the handshakes of another process, as returned by [`Gateway::handshakes`], until each expires.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Json`](mcp_sieve::ErrorKind::Json) for other bytes.
    pub fn adopt_handshakes(&self, handshakes: &[u8]) -> Result<(), Error> {
        self.use_handshakes(read_handshakes(handshakes)?);
        Ok(())
    }

    fn use_handshakes(&self, handshakes: Vec<(String, SharedHandshake)>) {
        for (name, handshake) in handshakes {
            if let Some(member) = self.members.iter().find(|member| member.name == name) {
                member.upstream.adopt_handshake(handshake);
            }
        }
    }

    /// Returns the lists of the server with this name as bytes, for [`Upstream::read_listing`] in the process that keeps
    /// the catalog. The handshake with a stateless server is sent with them.
    pub fn write_listing(&self, name: &str, listing: &Listing) -> Vec<u8> {
        let member = self.members.iter().find(|member| member.name == name);
        listing.write(member.and_then(|member| member.upstream.shared_handshake()))
    }

    /// Returns the last lists of the server with this name in the form of [`Gateway::write_listing`]; `None` if this process
    /// has none.
    pub fn kept_listing(&self, name: &str) -> Option<Vec<u8>> {
        let listing = self.members.iter().find(|member| member.name == name)?.listing()?;
        Some(self.write_listing(name, &listing))
    }

    fn write_catalog(&self, have: Option<u128>, out: &mut Vec<u8>) -> Option<()> {
        let backend = self.held()?;
        let catalog = backend.guarded.catalog();
        let mut head = CatalogHead {
            hash: Digest::hex(backend.hash()),
            servers: backend.upstreams.clone(),
            features: backend.features.clone(),
            introductions: backend.introductions.clone(),
            declared: Vec::new(),
            marking: Vec::new(),
        };
        if have == Some(backend.hash()) {
            write(&head, &[], out);
            return Some(());
        }
        head.declared = backend.declared.sources().to_vec();
        head.marking = marking(catalog);
        write(&head, &catalog.snapshot_as_known(), out);
        Some(())
    }

    /// Serves the catalog of another process with the same configuration, as returned by [`Gateway::share`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::Snapshot`](mcp_sieve::ErrorKind::Snapshot) or
    /// [`ErrorKind::Json`](mcp_sieve::ErrorKind::Json) for other bytes. The gateway then continues to serve its
    /// previous catalog.
    pub fn adopt(&self, shared: Vec<u8>, config: &Config) -> Result<Adopted, Error> {
        let (line, stored) = split_line(&shared)?;
        let space = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
        let (good_ms, handshakes) = line.split_at_checked(space).ok_or_else(unreadable)?;
        let good_ms = match good_ms {
            b"" => None,
            ms => Some(std::str::from_utf8(ms).ok().and_then(|ms| ms.parse().ok()).ok_or_else(unreadable)?),
        };
        let handshakes = read_handshakes(handshakes.trim_ascii_start())?;
        let start = shared.len() - stored.len();
        let served = self.serve_stored(shared, start, config)?;
        self.use_handshakes(handshakes);
        Ok(Adopted { served, good_ms })
    }

    /// Serves a catalog that was stored under the same configuration, as returned by [`Gateway::store`].
    ///
    /// # Errors
    /// As for [`Gateway::adopt`].
    pub fn load(&self, stored: Vec<u8>, config: &Config) -> Result<Served, Error> {
        let served = self.serve_stored(stored, 0, config)?;
        self.record_stored_names(&served.backend);
        Ok(served)
    }

    /// Serves the stored catalog that begins at `start`. The bytes are reused rather than copied, since a catalog can
    /// have ten megabytes.
    fn serve_stored(&self, mut bytes: Vec<u8>, start: usize, config: &Config) -> Result<Served, Error> {
        let (head, snapshot): (CatalogHead, _) = read(bytes.get(start..).unwrap_or_default())?;
        let before_snapshot = bytes.len() - snapshot.len();
        let hash = u128::from_str_radix(&head.hash, 16).map_err(|_| unreadable())?;
        let before = self.held();
        let (upstreams, features, introductions) = (head.servers, head.features, head.introductions);
        let known = before.as_ref().filter(|backend| backend.hash() == hash);
        let backend = match known {
            Some(backend)
                if backend.upstreams == upstreams
                    && backend.features == features
                    && backend.introductions == introductions =>
            {
                let (backend, notes) = (Arc::clone(backend), Vec::new());
                return Ok(Served { backend, replaced: false, notes });
            }
            Some(backend) => Backend { features, introductions, ..backend.with_status(upstreams) },
            None => {
                bytes.drain(..before_snapshot);
                let catalog = Catalog::restore(bytes)?;
                self.learn_marks(&catalog, &head.marking);
                let declared = Arc::new(ServerDeclarations::new(head.declared, config));
                let reports = catalog_reports(&catalog, &declared, config);
                let guarded = Arc::new(config.guard(catalog).opening_pages());
                let unlisted = self.unlisted(config);
                let definitions = Arc::new(DefinitionDigests::new(&config.drafts));
                Backend {
                    guarded,
                    definitions,
                    features,
                    introductions,
                    reports,
                    declared,
                    unlisted,
                    open: config.engine.is_open(),
                    upstreams,
                    is_of_caller: self.lists_callers(),
                }
            }
        };
        let (replaced, backend) = (before.is_some() && known.is_none(), Arc::new(backend));
        let listings: Vec<_> = self.members.iter().map(|member| member.listing()).collect();
        let without_lists = listings.iter().all(Option::is_none);
        let problems = Vec::new();
        *lock(&self.kept) =
            Some(CompiledLists { backend: Arc::clone(&backend), listings, without_lists, problems });
        Ok(Served { backend, replaced, notes: Vec::new() })
    }

    /// Returns the last lists of each server, with the source that [`Gateway::restore`] takes. A source identifies the
    /// name of the server, its address, and the capabilities that it is listed with. Rules and other settings apply to
    /// the lists later.
    pub fn listings(&self) -> Vec<(&str, Arc<Listing>)> {
        self.members.iter().filter_map(|member| Some((member.source.as_str(), member.listing()?))).collect()
    }

    /// Sets the last lists of the server with this source, as they were stored. They are served, and expire at
    /// `good_until`, in milliseconds since 1970. Lists that the server has returned since are kept. Returns whether
    /// there is such a server.
    pub fn restore(&self, source: &str, listing: impl Into<Arc<Listing>>, good_until: u64) -> bool {
        let Some(slot) = self.members.iter().find(|member| member.source == source) else { return false };
        slot.restore(listing.into(), good_until);
        // A catalog that was loaded without lists was compiled from these: they were stored together.
        if let Some(kept) = lock(&self.kept).as_mut().filter(|kept| kept.without_lists) {
            kept.listings = self.members.iter().map(|member| member.listing()).collect();
        }
        true
    }

    /// Reads the marks of tool arguments from the catalog, since this process lists no server.
    pub(super) fn learn_marks(&self, catalog: &Catalog, marking: &[String]) {
        let tools = catalog.kind_index(Kind::Tool);
        for member in self.members.iter().filter(|member| marking.contains(&member.name)) {
            let own = (0..tools.len()).filter(|index| tools.server(*index) == Some(&member.name));
            let text = |index| std::str::from_utf8(tools.bytes(index)?).ok();
            let own = own.filter_map(|index| Some((tools.own_id(index)?, text(index)?, tools.bound(index))));
            member.upstream.learn_marks(own);
        }
    }
}

/// Reads the handshakes of [`Gateway::handshakes`], each with the name of its server.
fn read_handshakes(bytes: &[u8]) -> Result<Vec<(String, SharedHandshake)>, Error> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_slice(bytes).map_err(|_| unreadable())
}

/// Returns the servers with tools that mark arguments to be repeated as headers.
pub(super) fn marking(catalog: &Catalog) -> Vec<String> {
    let tools = catalog.kind_index(Kind::Tool);
    let mut marking: Vec<String> = Vec::new();
    for index in 0..tools.len() {
        let Some(server) =
            tools.server(index).filter(|server| marking.last().is_none_or(|last| last != server))
        else {
            continue;
        };
        let text = tools.bytes(index).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let is_bound = tools.bound(index).iter().any(|argument| argument.marked.is_some());
        if is_bound || text.is_some_and(|text| text.contains(MARK)) {
            marking.push(server.to_owned());
        }
    }
    marking
}
