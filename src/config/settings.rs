use super::{Auth, Disclosure, Drafts, Limits, Renames, middleware::Middleware, upstream::Upstream};
use crate::{
    catalog::{Assignments, Catalog},
    concern::{Concerns, OnInvalid},
    error::Error,
    json::Entry,
    policy::{Check, Guarded, Policy, Predicate, Predicates, Preset},
    task::Support,
};

/// A parsed and validated configuration. The default has no rules and no policies.
///
/// ```
/// use mcp_sieve::Config;
///
/// let config = Config::parse(r#"{
///     // Comments and trailing commas are allowed.
///     "rules": [{ "match": "name:*_issue*", "groups": ["issues"] }],
///     "policies": [{ "name": "staff", "show": "-tag:internal or claim.role=staff" }],
/// }"#)?;
/// assert!(Config::parse(r#"{"rulez":[]}"#).is_err());
/// # Ok::<(), mcp_sieve::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Who the server says it is.
    #[doc(hidden)]
    pub server: Identity,
    /// Groups, tags and the rules that assign them.
    #[doc(hidden)]
    pub assignments: Assignments,
    /// Declared concerns.
    #[doc(hidden)]
    pub concerns: Concerns,
    /// Whether the default of every concern counts for callers that do not configure it, of those that servers declare
    /// too.
    #[doc(hidden)]
    pub apply_defaults: bool,
    /// What to do with a concern value outside its declaration.
    #[doc(hidden)]
    pub on_invalid_concern: OnInvalid,
    /// Who sees what.
    #[doc(hidden)]
    pub policies: Vec<Policy>,
    /// The same in Rust: no file says them, whoever runs the server registers them.
    #[doc(hidden)]
    pub predicates: Predicates,
    /// Bounds with a name: those that the file declares, and those that ship behind them.
    #[doc(hidden)]
    pub presets: Vec<Preset>,
    /// Whom the server talks to at all.
    #[doc(hidden)]
    pub checks: Vec<Check>,
    /// Which proposal features are offered.
    #[doc(hidden)]
    pub filtering: Filtering,
    /// How tools are listed.
    #[doc(hidden)]
    pub disclosure: Disclosure,
    /// Which drafts of the protocol are on.
    #[doc(hidden)]
    pub drafts: Drafts,
    /// How tasks are listed.
    #[doc(hidden)]
    pub tasks: Tasks,
    /// How an error words an unknown tool or prompt.
    #[doc(hidden)]
    pub unknown_names: UnknownNames,
    /// Whether requests of the stateless revision, which has no `initialize`, are checked one by one.
    #[doc(hidden)]
    pub check_stateless: bool,
    /// Primitives on one page of a list.
    #[doc(hidden)]
    pub page_size: usize,
    /// Whether the filter in the URL also bounds what can be called.
    #[doc(hidden)]
    pub enforce: bool,
    /// Origins of web pages that may call, beside the server's own; `*` for any.
    #[doc(hidden)]
    pub origins: Vec<String>,
    /// Names that requests may call this server by; none for any.
    #[doc(hidden)]
    pub hosts: Vec<String>,
    /// Whose tokens are taken, beside those that the operator handed out.
    #[doc(hidden)]
    pub auth: Option<Auth>,
    /// How much one caller may ask.
    #[doc(hidden)]
    pub limits: Limits,
    /// Whether each request is a line of the log.
    #[doc(hidden)]
    pub log: bool,
    /// How the one server behind is asked, whose address the file does not have.
    #[doc(hidden)]
    pub upstream: Upstream,
    /// Several servers behind, in the order in which they are listed.
    #[doc(hidden)]
    pub upstreams: Vec<Upstream>,
    /// Context middleware, where it is on.
    #[doc(hidden)]
    pub middleware: Option<Middleware>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            server: Identity::default(),
            assignments: Assignments::default(),
            concerns: Concerns::default(),
            apply_defaults: false,
            on_invalid_concern: OnInvalid::default(),
            policies: Vec::new(),
            predicates: Predicates::default(),
            presets: Preset::shipped().to_vec(),
            checks: Vec::new(),
            filtering: Filtering::default(),
            disclosure: Disclosure::default(),
            drafts: Drafts::default(),
            tasks: Tasks::default(),
            unknown_names: UnknownNames::default(),
            check_stateless: true,
            page_size: PAGE_SIZE,
            enforce: false,
            origins: Vec::new(),
            hosts: Vec::new(),
            auth: None,
            limits: Limits::default(),
            log: false,
            upstream: Upstream::default(),
            upstreams: Vec::new(),
            middleware: None,
        }
    }
}

impl Config {
    /// Adds a policy in Rust to those of the configuration. [`Predicate`] has an example.
    #[must_use]
    pub fn with_predicate(mut self, predicate: impl Predicate + 'static) -> Self {
        self.predicates.add(predicate);
        self
    }

    /// Puts a catalog under what the configuration says of who sees what.
    #[doc(hidden)]
    pub fn guard(&self, catalog: Catalog) -> Guarded {
        Guarded::new(catalog, self.policies.clone()).asking(&self.predicates).bounded(self.presets.clone())
    }

    /// How many of the concerns the file declares. Those of servers stand behind them.
    pub(super) fn own_concerns(&self) -> usize {
        let [.., served] = self.assignments.served;
        self.concerns.iter().count().saturating_sub(served)
    }

    /// The names that the groups, tags and concerns of a server are given.
    #[doc(hidden)]
    pub fn renames(&self, server: &str) -> &Renames {
        let named = self.upstreams.iter().find(|upstream| upstream.name == server);
        &named.unwrap_or(&self.upstream).renames
    }

    /// Whether everybody sees everything that is listed: no policy, no preset beside those that ship, no rule that
    /// hides, and no binding URL.
    #[doc(hidden)]
    pub fn is_open(&self) -> bool {
        let hides = self.assignments.rules.iter().any(|rule| rule.hide);
        self.policies.is_empty()
            && self.predicates.iter().next().is_none()
            && self.presets == Preset::shipped()
            && !hides
            && !self.enforce
    }

    /// The servers that may be asked for resources that no list mentions, of all with what their operator says of
    /// it. By default a sole server may, as long as nothing is hidden from any caller.
    #[doc(hidden)]
    pub fn unlisted<'a>(
        &self,
        servers: impl ExactSizeIterator<Item = (&'a str, Option<bool>)>,
    ) -> Vec<String> {
        let default = servers.len() == 1 && self.is_open();
        let asked = servers.filter(|(_, unlisted)| unlisted.unwrap_or(default));
        asked.map(|(name, _)| name.to_owned()).collect()
    }
}

/// The wording of the error for a tool or prompt that does not exist, or that the caller may not see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnknownNames {
    /// `Unknown tool: NAME`, as the protocol's own example.
    #[default]
    Unknown,
    /// `Invalid tool name: NAME`, as Quarkus.
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

    /// Returns the message about a `what`, such as a tool, called `name`.
    pub(crate) fn message(self, what: &str, name: &str) -> String {
        match self {
            Self::Unknown => format!("Unknown {what}: {name}"),
            Self::Invalid => format!("Invalid {what} name: {name}"),
        }
    }
}

/// `serverInfo` and `instructions`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    /// `serverInfo.name`.
    pub name: Option<String>,
    /// `serverInfo.version`.
    pub version: Option<String>,
    /// `serverInfo.title`.
    pub title: Option<String>,
    /// What a client may tell its model about the server.
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

    /// Returns `serverInfo.name`: `mcp-sieve` if the file gives none.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(env!("CARGO_PKG_NAME"))
    }

    /// Returns `serverInfo.version`: that of this package if the file gives none.
    pub fn version(&self) -> &str {
        self.version.as_deref().unwrap_or(env!("CARGO_PKG_VERSION"))
    }
}

/// Which features are offered. All those of the proposals are by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filtering {
    /// `groups/list` and `filtering.groups`.
    pub groups: bool,
    /// `tags/list` and `filtering.tags`.
    pub tags: bool,
    /// `capabilities.concerns`; off, declarations stay private and still work.
    pub concerns: bool,
    /// The declarations of concerns in the capabilities; off, `listConcerns` alone returns them.
    pub declare_concerns: bool,
    /// The proposals' own capability keys, beside the extensions that carry the same.
    pub proposal_capabilities: bool,
    /// Groups and tags of a primitive in `_meta`, beside the members of the proposal.
    pub mirror: bool,
    /// `dev.mcpsieve/explain`, by which clients ask why a list does not hold something. Off by default.
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

/// How tasks are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tasks {
    /// The criteria by which lists of tasks can be filtered and ordered: what clients are told, and what is done.
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

/// Primitives on one page of a list, unless the operator says otherwise.
pub const PAGE_SIZE: usize = 1000;
