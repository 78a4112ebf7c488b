//! The settings of the engine.

use std::sync::Arc;

use super::partial::PartialConfig;
use crate::{
    catalog::{Assignments, Catalog, Prefix},
    concern::{Concerns, OnInvalid},
    error::{Error, ErrorKind},
    filter::OnUnknownMember,
    json::{Entry, Raw, Record},
    policy::{Check, Guarded, Policy, Predicate, Predicates, Preset},
};

/// The members of `sieve.jsonc` that the engine reads.
const MEMBERS: [&str; 25] = [
    "$schema",
    "groups",
    "tags",
    "groupsFrom",
    "tagsFrom",
    "toolsets",
    "concerns",
    "concernMapping",
    "applyDefaults",
    "rules",
    "lock",
    "policies",
    "presets",
    "checks",
    "exposeConcerns",
    "exposeSep2084Groups",
    "onInvalidConcern",
    "onUnknownMember",
    "filtering",
    "maxToolName",
    "definitions",
    "toolNames",
    "enforce",
    "upstream",
    "upstreams",
];
/// The members that only a gateway reads.
const OTHERS: [&str; 15] = [
    "server",
    "disclosure",
    "drafts",
    "tasks",
    "unknownNames",
    "checkStateless",
    "pageSize",
    "origins",
    "hosts",
    "auth",
    "limits",
    "log",
    "audit",
    "middleware",
    "acknowledged",
];

/// A parsed and validated configuration. The default has no rules and no policies.
///
/// A gateway and the engine share one file, `sieve.jsonc`. The engine accepts the members that only a gateway uses,
/// such as `auth`, and does not validate them.
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
#[non_exhaustive]
pub struct Config {
    /// Groups, tags and the rules that assign them.
    pub assignments: Assignments,
    /// The toolsets that `X-MCP-Toolsets` and `?toolsets=` can name beside groups: the name and the groups of each.
    pub toolsets: Vec<(String, Vec<String>)>,
    /// Declared concerns, and whether their defaults apply.
    pub concerns: Concerns,
    /// The treatment of a concern value outside its declaration.
    pub on_invalid_concern: OnInvalid,
    /// The treatment of a misspelt member of a request's filter.
    pub on_unknown_member: OnUnknownMember,
    /// The policies, which decide what each caller sees.
    pub policies: Vec<Policy>,
    /// The policies that are written in Rust. The program registers them, not the file.
    pub predicates: Predicates,
    /// The presets that the file declares, followed by the built-in ones.
    pub presets: Vec<Preset>,
    /// The conditions that a caller must meet to use the server at all.
    pub checks: Vec<Check>,
    /// Whether the filter in the URL also limits what can be called.
    pub enforce: bool,
    /// The names of the upstream servers, for `server:` terms. Empty if the file names none.
    pub servers: Vec<String>,
    /// The prefixes of the names of the servers' primitives.
    pub prefixes: Vec<Prefix>,
}

/// The name of a server that the file does not name.
pub(super) const UNNAMED: &str = "upstream";

impl Default for Config {
    fn default() -> Self {
        Self {
            assignments: Assignments::default(),
            toolsets: Vec::new(),
            concerns: Concerns::default(),
            on_invalid_concern: OnInvalid::default(),
            on_unknown_member: OnUnknownMember::default(),
            policies: Vec::new(),
            predicates: Predicates::default(),
            presets: Preset::shipped().to_vec(),
            checks: Vec::new(),
            enforce: false,
            servers: Vec::new(),
            prefixes: Vec::new(),
        }
    }
}

impl Config {
    /// Reads `sieve.jsonc`: JSON with comments and trailing commas.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] with the byte position, for text that is not JSON. [`ErrorKind::Config`] with the path of
    /// the member, for a member that violates the schema or contradicts another.
    pub fn parse(source: &str) -> Result<Self, Error> {
        let source = Raw::strip_comments(source)?;
        let mut file = Self::root(Raw::parse(&source)?)?.record(&[&MEMBERS[..], &OTHERS[..]].concat())?;
        let mut partial = PartialConfig::read(&mut file);
        partial.read_servers(&mut file);
        file.end()?;
        partial.complete()
    }

    /// Reads the members of a file that the engine uses. The record may have other members, such as those that only a
    /// gateway reads.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the path of a member that contradicts another. An error within a member is kept by
    /// the record instead, and [`Record::end`] returns it.
    pub fn read(file: &mut Record<'_>) -> Result<Self, Error> {
        PartialConfig::read(file).complete()
    }

    /// Returns the entry of a whole file.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the path of a member that occurs twice in its object.
    pub fn root(root: Raw<'_>) -> Result<Entry<'_>, Error> {
        match root.repeated_member() {
            None => Ok(Entry::root(root)),
            Some(path) => {
                let message = "the member occurs twice, expected once";
                Err(Error::new(ErrorKind::Config, message).field(path))
            }
        }
    }

    /// Adds a policy in Rust to those of the configuration. [`Predicate`] has an example.
    #[must_use]
    pub fn with_predicate(mut self, predicate: impl Predicate + 'static) -> Self {
        self.predicates.add(predicate);
        self
    }

    /// Applies the policies, predicates and presets of the configuration to a catalog.
    pub fn guard(&self, catalog: impl Into<Arc<Catalog>>) -> Guarded {
        let lock = self.assignments.lock.as_deref();
        Guarded::new(catalog, self.policies.clone())
            .awaiting(lock.is_some_and(|lock| lock.refuses()))
            .asking(&self.predicates)
            .bounded(self.presets.clone())
            .prefixed(self.prefixes.iter().cloned())
    }

    /// Returns the name of the only server.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] for a configuration with several servers: lists do not name theirs.
    pub(crate) fn server(&self) -> Result<&str, Error> {
        match self.servers.as_slice() {
            [] => Ok(UNNAMED),
            [only] => Ok(only),
            [..] => {
                let message = "several servers, but the lists are of one; name the server of each with `Sieve::compile_servers`";
                Err(Error::new(ErrorKind::Config, message).field("upstreams"))
            }
        }
    }

    /// Returns whether every caller sees every listed primitive: no policy, no declared preset, no rule or lock
    /// that hides, and no enforced URL filter.
    pub fn is_open(&self) -> bool {
        let lock = self.assignments.lock.as_deref();
        let hides =
            self.assignments.rules.iter().any(|rule| rule.hide) || lock.is_some_and(|lock| lock.hides());
        self.policies.is_empty()
            && self.predicates.iter().next().is_none()
            && self.presets == Preset::shipped()
            && !hides
            && !self.enforce
    }
}
