//! The settings of a gateway, and their defaults.

use std::sync::Arc;

use mcp_sieve::{
    Error,
    catalog::Catalog,
    json::Entry,
    policy::{Guarded, Predicate},
    task::Support,
};

use super::{
    Audit, Auth, ConcernUse, Disclosure, Drafts, Limits, Renames, Transport, middleware::Middleware,
    upstream::Upstream,
};

/// A parsed and validated configuration: `sieve.jsonc`, as a gateway reads it. The default has no rules, no policies
/// and no upstream server.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The part of the configuration that the engine uses: rules, concerns, policies and presets.
    pub engine: mcp_sieve::Config,
    /// The identity of the server.
    pub server: Identity,
    /// The proposal features that are offered.
    pub filtering: Filtering,
    /// The settings for the disclosure of tools.
    pub disclosure: Disclosure,
    /// The drafts of the protocol that are enabled.
    pub drafts: Drafts,
    /// The settings for lists of tasks.
    pub tasks: Tasks,
    /// The wording of errors for unknown tools and prompts.
    pub unknown_names: UnknownNames,
    /// Whether each request of the stateless revision, which has no `initialize`, is checked.
    pub check_stateless: bool,
    /// Maximum number of primitives on one page of a list.
    pub page_size: usize,
    /// The origins of web pages that may send requests, in addition to the server's own. `*` allows any.
    pub origins: Vec<String>,
    /// The host names that requests may use. Empty allows any.
    pub hosts: Vec<String>,
    /// The transport on which clients reach the deployment. The host sets it, not the file.
    pub transport: Transport,
    /// The settings for access tokens, in addition to the tokens that the operator issued.
    pub auth: Option<Auth>,
    /// The request limits of one caller.
    pub limits: Limits,
    /// Whether each request is logged.
    pub log: bool,
    /// The requests that the operator's log holds.
    pub audit: Audit,
    /// The settings of a single upstream server. The file need not have its URL.
    pub upstream: Upstream,
    /// The upstream servers, if there are several, in the order in which they are listed.
    pub upstreams: Vec<Upstream>,
    /// The settings for context middleware, if it is on.
    pub middleware: Option<Middleware>,
    /// The findings that the operator has accepted: the code of each, or the code, a colon and the place.
    pub acknowledged: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            engine: mcp_sieve::Config::default(),
            server: Identity::default(),
            filtering: Filtering::default(),
            disclosure: Disclosure::default(),
            drafts: Drafts::default(),
            tasks: Tasks::default(),
            unknown_names: UnknownNames::default(),
            check_stateless: true,
            page_size: PAGE_SIZE,
            origins: Vec::new(),
            hosts: Vec::new(),
            transport: Transport::default(),
            auth: None,
            limits: Limits::default(),
            log: false,
            audit: Audit::default(),
            upstream: Upstream::default(),
            upstreams: Vec::new(),
            middleware: None,
            acknowledged: Vec::new(),
        }
    }
}

impl Config {
    /// Adds a policy in Rust to those of the configuration.
    #[must_use]
    pub fn with_predicate(mut self, predicate: impl Predicate + 'static) -> Self {
        self.engine = self.engine.with_predicate(predicate);
        self
    }

    /// Applies the policies, predicates and presets of the configuration to a catalog.
    pub fn guard(&self, catalog: impl Into<Arc<Catalog>>) -> Guarded {
        self.engine.guard(catalog)
    }

    /// Returns the number of concerns that the file declares. Those of servers come after them.
    pub(super) fn own_concerns(&self) -> usize {
        let [.., served] = self.engine.assignments.served;
        self.engine.concerns.iter().count().saturating_sub(served)
    }

    /// Returns the operator's names for the groups, tags and concerns of a server.
    pub fn renames(&self, server: &str) -> &Renames {
        &self.server_settings(server).renames
    }

    /// Returns the settings of a server.
    pub(crate) fn server_settings(&self, server: &str) -> &Upstream {
        let named = self.upstreams.iter().find(|upstream| upstream.name == server);
        named.unwrap_or(&self.upstream)
    }

    /// Returns whether callers' concerns are forwarded to a server.
    pub(crate) fn forwards_concerns(&self) -> bool {
        let servers = self.upstreams.iter().chain([&self.upstream]);
        servers.into_iter().any(|server| server.concerns == ConcernUse::Forward)
    }

    /// Returns the servers that may be asked for resources that no list contains. `servers` has the `unlisted` setting
    /// of each server. The default is `true` for a single server while nothing is hidden from any caller.
    pub fn unlisted<'a>(
        &self,
        servers: impl ExactSizeIterator<Item = (&'a str, Option<bool>)>,
    ) -> Vec<String> {
        let default = servers.len() == 1 && self.engine.is_open();
        let searched = servers.filter(|(_, unlisted)| unlisted.unwrap_or(default));
        searched.map(|(name, _)| name.to_owned()).collect()
    }
}

/// The wording of the error for a tool or prompt that does not exist, or that the caller may not see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnknownNames {
    /// `Unknown tool: NAME`, as in the protocol's own example.
    #[default]
    Unknown,
    /// `Invalid tool name: NAME`, as in Quarkus.
    Invalid,
}

impl UnknownNames {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        match entry.text()?.as_str() {
            "unknown" => Ok(Self::Unknown),
            "invalid" => Ok(Self::Invalid),
            _ => Err(entry.refuse("expected `unknown` or `invalid`")),
        }
    }

    /// Returns the message for an unknown primitive called `name`. `what` is its kind, such as `tool`.
    pub(crate) fn message(self, what: &str, name: &str) -> String {
        match self {
            Self::Unknown => format!("Unknown {what}: {name}"),
            Self::Invalid => format!("Invalid {what} name: {name}"),
        }
    }
}

/// The identity of the server: its `serverInfo` and `instructions`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// `serverInfo.name`.
    pub name: Option<String>,
    /// `serverInfo.version`.
    pub version: Option<String>,
    /// `serverInfo.title`.
    pub title: Option<String>,
    /// The instructions that a client may pass to its model.
    pub instructions: Option<String>,
}

impl Identity {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut server = Self::default();
        let mut record = entry.record(&["name", "version", "title", "instructions"])?;
        record.fill("name", &mut server.name, |entry| entry.text().map(Some));
        record.fill("version", &mut server.version, |entry| entry.text().map(Some));
        record.fill_optional("title", &mut server.title, Entry::text);
        record.fill_optional("instructions", &mut server.instructions, Entry::text);
        record.end().map(|()| server)
    }

    /// Returns `serverInfo.name`, by default `mcp-sieve`.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(PRODUCT)
    }

    /// Returns `serverInfo.version`, by default the version of this package.
    pub fn version(&self) -> &str {
        self.version.as_deref().unwrap_or(env!("CARGO_PKG_VERSION"))
    }
}

/// The features that are offered. By default, all features of the proposals are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filtering {
    /// Whether `groups/list` and `filtering.groups` are offered.
    pub groups: bool,
    /// Whether `tags/list` and `filtering.tags` are offered.
    pub tags: bool,
    /// Whether `capabilities.concerns` is offered. If not, declarations stay private but still work.
    pub concerns: bool,
    /// Whether capabilities contain the declarations of concerns. If not, only `listConcerns` returns them.
    pub declare_concerns: bool,
    /// Whether the capability keys of the proposals are sent, in addition to the extensions with the same content.
    pub proposal_capabilities: bool,
    /// Whether `_meta` repeats the groups and tags of a primitive, in addition to the members of the proposal.
    pub mirror: bool,
    /// Whether `dev.mcpsieve/explain` is offered, by which clients ask why a list lacks an item. Off by default.
    pub explain: bool,
}

impl Default for Filtering {
    fn default() -> Self {
        Self {
            groups: true,
            tags: true,
            concerns: true,
            declare_concerns: true,
            proposal_capabilities: true,
            mirror: true,
            explain: false,
        }
    }
}

impl Filtering {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut filtering = Self::default();
        let mut record = entry.record(&[
            "groups",
            "tags",
            "concerns",
            "declareConcerns",
            "proposalCapabilities",
            "mirror",
            "explain",
        ])?;
        record.fill("groups", &mut filtering.groups, Entry::flag);
        record.fill("tags", &mut filtering.tags, Entry::flag);
        record.fill("concerns", &mut filtering.concerns, Entry::flag);
        record.fill("declareConcerns", &mut filtering.declare_concerns, Entry::flag);
        record.fill("proposalCapabilities", &mut filtering.proposal_capabilities, Entry::flag);
        record.fill("mirror", &mut filtering.mirror, Entry::flag);
        record.fill("explain", &mut filtering.explain, Entry::flag);
        record.end().map(|()| filtering)
    }
}

/// The settings for lists of tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tasks {
    /// The criteria by which lists of tasks can be filtered and sorted. They are both declared and enforced.
    pub filter: Support,
}

impl Tasks {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut tasks = Self::default();
        let mut record = entry.record(&["filter"])?;
        record.fill("filter", &mut tasks.filter, Support::read);
        record.end().map(|()| tasks)
    }
}

/// The default number of primitives on one page of a list.
pub const PAGE_SIZE: usize = 1000;

/// The name by which the gateway introduces itself, to clients and to upstream servers.
pub const PRODUCT: &str = "mcp-sieve";
