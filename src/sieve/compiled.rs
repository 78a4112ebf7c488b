//! The type `Sieve`: lists that are compiled under a configuration.

use std::{fmt, sync::Arc};

use super::{caller::Caller, view::View};

use crate::{
    catalog::{Catalog, Kind, Lists, Report, Source},
    config::Config,
    digest::Digest,
    error::Error,
    policy::{Check, Guarded},
};

/// The lists of one server, compiled under a configuration.
///
/// Compiling is the slow part; a [`View`] of one caller and a [`Selection`](super::Selection) from it are fast. A sieve
/// is immutable and can be shared between threads.
///
/// ```
/// use mcp_sieve::{Caller, Config, Filter, Sieve};
///
/// let lists = r#"{"tools":[
///     {"name":"create_issue","inputSchema":{"type":"object"}},
///     {"name":"list_issues","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
///     {"name":"send_mail","inputSchema":{"type":"object"}}]}"#;
/// let config = Config::parse(r#"{"rules":[
///     {"match":"name:*_issue*","groups":["issues"]},
///     {"match":"annotation.readOnlyHint=true","tags":["read-only"]}]}"#)?;
/// let filter: Filter = r#"{"groups":["issues"],"tags":["read-only"]}"#.parse()?;
///
/// let tools = Sieve::compile(lists, &config)?.view(&Caller::anonymous()).tools(&filter)?;
/// assert_eq!(tools.names().collect::<Vec<_>>(), ["list_issues"]);
/// # Ok::<(), mcp_sieve::Error>(())
/// ```
#[derive(Clone)]
pub struct Sieve {
    guarded: Arc<Guarded>,
    config: Arc<Config>,
}

/// Writes the number of primitives of each kind. The lists themselves may be megabytes.
impl fmt::Debug for Sieve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let catalog = self.guarded.catalog();
        write_counts(f, "Sieve", |kind| catalog.kind_index(kind).len())
    }
}

pub(super) fn write_counts(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    count: impl Fn(Kind) -> usize,
) -> fmt::Result {
    let mut counts = f.debug_struct(name);
    Kind::ALL.into_iter().for_each(|kind| _ = counts.field(kind.list_key(), &count(kind)));
    counts.finish_non_exhaustive()
}

impl Sieve {
    /// Compiles the results of list requests, as JSON: an object with any of `tools`, `resources`, `resourceTemplates`
    /// and `prompts`; a JSON-RPC response that holds one as its `result`; or an array of these, such as the pages of a
    /// list.
    ///
    /// A primitive that cannot be used is left out and [reported](Self::reports).
    ///
    /// # Errors
    /// [`ErrorKind::Json`](crate::ErrorKind::Json) for text that is not JSON or nests deeper than 64 levels,
    /// [`ErrorKind::Catalog`](crate::ErrorKind::Catalog) for lists of another shape, and
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) for a configuration with several upstream servers.
    pub fn compile(lists: &str, config: &Config) -> Result<Self, Error> {
        let source = Source { server: config.server()?, lists: Lists::read(lists)? };
        let catalog = Catalog::compile(&[source], &config.assignments);
        Ok(Self::new(catalog, config))
    }

    /// Restores the sieve of a snapshot, as the command `mcp-sieve snapshot` writes it, with the configuration that it
    /// was made under.
    ///
    /// # Errors
    /// [`ErrorKind::Snapshot`](crate::ErrorKind::Snapshot) for bytes that are not a snapshot, are damaged or have
    /// another format.
    pub fn restore(snapshot: impl Into<Vec<u8>>) -> Result<Self, Error> {
        let (catalog, config) = Catalog::restore_under(snapshot)?;
        let config = if config.is_empty() { Config::default() } else { Config::parse(&config)? };
        Ok(Self::new(catalog, &config))
    }

    fn new(catalog: Catalog, config: &Config) -> Self {
        Self { guarded: Arc::new(config.guard(catalog)), config: Arc::new(config.clone()) }
    }

    /// Returns what a caller may see: the primitives that no policy of the configuration hides from it.
    ///
    /// ```
    /// use mcp_sieve::{Caller, Config, Filter, Sieve};
    ///
    /// let config = Config::parse(r#"{"policies":[{"name":"staff","show":"claim.role=staff"}]}"#)?;
    /// let sieve = Sieve::compile(r#"{"prompts":[{"name":"greet"}]}"#, &config)?;
    /// let staff = Caller::with_claims(r#"{"sub":"alice","role":"staff"}"#)?;
    ///
    /// assert_eq!(sieve.view(&staff).prompts(&Filter::default())?.len(), 1);
    /// assert!(sieve.view(&Caller::anonymous()).prompts(&Filter::default())?.is_empty());
    /// # Ok::<(), mcp_sieve::Error>(())
    /// ```
    pub fn view(&self, caller: &Caller) -> View {
        View::new(self.guarded.view(&caller.bound(&self.config.presets)), Arc::clone(&self.config))
    }

    /// Returns the message of the first check of the configuration that a caller does not pass; `None` if it passes
    /// all. Views do not apply checks: refuse such a caller before you answer it.
    ///
    /// ```
    /// use mcp_sieve::{Caller, Config, Sieve};
    ///
    /// let checks = r#"{"checks":[{"name":"tenant","require":"header.x-tenant:*","message":"Name your tenant."}]}"#;
    /// let sieve = Sieve::compile(r#"{"tools":[]}"#, &Config::parse(checks)?)?;
    /// assert_eq!(sieve.refusal(&Caller::anonymous()), Some("Name your tenant."));
    /// assert_eq!(sieve.refusal(&Caller::anonymous().with_header("X-Tenant", "acme")), None);
    /// # Ok::<(), mcp_sieve::Error>(())
    /// ```
    pub fn refusal(&self, caller: &Caller) -> Option<&str> {
        let failed = Check::failed(&self.config.checks, &caller.bound(&self.config.presets));
        failed.map(|check| check.message.as_str())
    }

    /// Returns the primitives that were left out or repaired when the lists were compiled, with the reasons.
    pub fn reports(&self) -> &[Report] {
        self.guarded.catalog().reports()
    }

    /// Returns what policies could not decide since the last call: a [`Predicate`](crate::policy::Predicate) that
    /// returned an error, or a primitive that is too large to be read. Such a primitive is hidden unless the policy is
    /// set to `failOpen`.
    pub fn undecided(&self) -> Vec<Report> {
        self.guarded.reports()
    }

    /// Returns the hash of the catalog, 32 hexadecimal digits. Equal catalogs have equal hashes.
    pub fn hash(&self) -> String {
        Digest::hex(self.guarded.catalog().hash())
    }
}
