//! The type `Sieve`: lists that are compiled under a configuration.

use std::{fmt, sync::Arc};

use super::{caller::Caller, view::View};

use crate::{
    catalog::{Catalog, Change, Kind, Lists, Report, Source},
    config::Config,
    digest::Digest,
    error::{Error, ErrorKind},
    policy::{Check, Guarded},
};

/// The lists of a server, or of several, compiled under a configuration.
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
    reports: Arc<[Report]>,
}

/// The message for a caller in the path of a preset that does not exist for it.
const NO_PRESET: &str = "no such preset is for the caller";

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

    /// Compiles the lists of several servers, each with its name, into one catalog. Terms such as `server:wiki` read the
    /// name, and [`View::origin`] returns it.
    ///
    /// Names are kept while they are unique. If two servers list the same name, those with a `prefix` in the configuration
    /// have it added; with `prefixAll`, every name of the server has it. A name that servers without a prefix share is
    /// left out and [reported](Self::reports), because neither may get the calls of the other. Renames of groups, tags and concerns in `upstreams` are not
    /// applied.
    ///
    /// ```
    /// use mcp_sieve::{Caller, Config, Filter, Sieve};
    ///
    /// let forge = r#"{"tools":[{"name":"search","inputSchema":{"type":"object"}}]}"#;
    /// let wiki = r#"{"tools":[{"name":"search","inputSchema":{"type":"object"}},
    ///                         {"name":"edit","inputSchema":{"type":"object"}}]}"#;
    /// let config = Config::parse(r#"{"upstreams":[{"name":"forge"},{"name":"wiki","prefix":"wiki_"}],
    ///     "rules":[{"match":"server:wiki","groups":["pages"]}]}"#)?;
    /// let sieve = Sieve::compile_servers(&[("forge", forge), ("wiki", wiki)], &config)?;
    ///
    /// let tools = sieve.view(&Caller::anonymous()).tools(&Filter::default())?;
    /// assert_eq!(tools.names().collect::<Vec<_>>(), ["search", "wiki_search", "edit"]);
    /// # Ok::<(), mcp_sieve::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Sieve::compile`], with the position of the lists, such as `[1].lists`.
    /// [`ErrorKind::Config`](crate::ErrorKind::Config) for a server that occurs twice, or that a configuration with
    /// servers does not name.
    pub fn compile_servers(servers: &[(&str, &str)], config: &Config) -> Result<Self, Error> {
        let mut sources: Vec<Source<'_>> = Vec::new();
        for (at, (server, lists)) in servers.iter().enumerate() {
            let refuse =
                |message: String| Err(Error::new(ErrorKind::Config, message).field(format!("[{at}].server")));
            if sources.iter().any(|known| known.server == *server) {
                return refuse(format!("`{server}` occurs twice, expected each server once"));
            }
            if !config.servers.is_empty() && !config.servers.iter().any(|known| known == server) {
                let known: Vec<&str> = config.servers.iter().map(String::as_str).collect();
                let expected = Error::one_of(&known);
                return refuse(format!("`{server}` is no server of the configuration, expected {expected}"));
            }
            let lists = Lists::read(lists).map_err(|error| error.within(&format!("[{at}].lists")))?;
            sources.push(Source { server, lists });
        }
        let catalog = Catalog::merge(&sources, &config.prefixes, &config.assignments);
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
        let mut reports = catalog.reports().to_vec();
        reports.append(&mut catalog.undeclared_concerns(&|name| config.concerns.declares(name)));
        Self {
            reports: reports.into(),
            guarded: Arc::new(config.guard(catalog).opening_pages()),
            config: Arc::new(config.clone()),
        }
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
        View::new(self.guarded.view(&caller.bind(&self.config.presets)), Arc::clone(&self.config))
    }

    /// Returns the message of the first check of the configuration that a caller does not pass, or that the
    /// [preset](Caller::with_preset) of its path is not for it; `None` for a caller that is served. Views do not apply
    /// checks: refuse such a caller before you answer it.
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
        let bound = caller.bind(&self.config.presets);
        let failed = Check::failed(&self.config.checks, &bound).map(|check| check.message.as_str());
        // As in a gateway, a caller that fails a check learns nothing about presets.
        failed.or_else(|| (!bound.has_path()).then_some(NO_PRESET))
    }

    /// Returns the primitives that were left out or repaired when the lists were compiled, with the reasons, and those
    /// with a value of a concern that the configuration does not declare.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// Returns the primitives that differ from the lock of the configuration, hidden ones included. It is for the
    /// operator, not for callers. A restored sieve has none.
    pub fn changes(&self) -> &[Change] {
        self.guarded.catalog().changes()
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
