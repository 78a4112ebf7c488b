//! Compiles catalogs under a configuration, and resolves its list of upstream servers.

use mcp_sieve::{
    Error, ErrorKind,
    catalog::{Assignments, Catalog, NameRecord, Source},
};

use super::{
    Config, Upstream,
    request::{LOGIN, has_login},
};

impl Config {
    /// Compiles the lists of the servers into a catalog, with the rules and the prefixes of this configuration, for a
    /// program that keeps no record of the servers that had each name: a name of several servers belongs to none.
    pub fn compile(&self, sources: &[Source<'_>]) -> Catalog {
        self.compile_under(&self.engine.assignments, sources, None)
    }

    /// Compiles the lists of the servers like a gateway that is deployed for the first time: a name of several servers
    /// belongs to the first.
    pub fn compile_first(&self, sources: &[Source<'_>]) -> Catalog {
        self.compile_under(&self.engine.assignments, sources, Some(&NameRecord::default()))
    }

    /// Compiles a catalog with the given declarations and rules instead of those of the configuration. `record` has the
    /// servers that had each name first.
    pub fn compile_under(
        &self,
        assignments: &Assignments,
        sources: &[Source<'_>],
        record: Option<&NameRecord>,
    ) -> Catalog {
        let prefixes: Vec<_> = self.upstreams.iter().filter_map(Upstream::prefix).collect();
        Catalog::merge_recorded(sources, &prefixes, assignments, record)
    }

    /// Returns the settings of the upstream servers in order. A single server counts too, even if its URL is set
    /// elsewhere.
    pub fn upstream_settings(&self) -> &[Upstream] {
        if self.upstreams.is_empty() { std::slice::from_ref(&self.upstream) } else { &self.upstreams }
    }

    /// Notes that only one person can reach the gateway, unless it verifies tokens of several.
    pub fn serve_one_user(&mut self) {
        let one_user = self.auth.is_none();
        self.upstreams
            .iter_mut()
            .chain([&mut self.upstream])
            .for_each(|upstream| upstream.one_user = one_user);
    }

    /// Returns the upstream servers in order: those of the configuration, or the server at `url`, which the environment
    /// variable named `variable` holds. Empty if neither names a server.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] if both name a server, if the URL has a login, or if a server has a `command`: a
    /// deployment starts no processes.
    pub fn deployed_upstreams(&self, variable: &str, url: Option<&str>) -> Result<Vec<Upstream>, Error> {
        let local = self.upstream_settings().iter().find(|upstream| upstream.process.is_some());
        if let Some(Upstream { name, .. }) = local {
            let message = format!(
                "the server `{name}` is started by its `command`, which a Worker cannot do: `npx mcp-sieve run` and `stdio` start it; a deployment needs its `url`"
            );
            return Err(Error::new(ErrorKind::Config, message));
        }
        let written = match (self.upstreams.is_empty(), self.upstream.url.is_empty()) {
            (false, _) => Some(("upstreams", self.upstreams.clone())),
            (true, false) => Some(("upstream.url", vec![self.upstream.clone()])),
            (true, true) => None,
        };
        match (written, url) {
            (Some((member, _)), Some(_)) => {
                let message = format!(
                    "{variable} and `{member}` of the configuration both name the server, expected one of them"
                );
                Err(Error::new(ErrorKind::Config, message))
            }
            (Some((_, servers)), None) => Ok(servers),
            (None, Some(url)) if has_login(url) => {
                Err(Error::new(ErrorKind::Config, [variable, ": ", LOGIN].concat()))
            }
            (None, Some(url)) => Ok(vec![Upstream { url: url.to_owned(), ..self.upstream.clone() }]),
            (None, None) => Ok(Vec::new()),
        }
    }
}
