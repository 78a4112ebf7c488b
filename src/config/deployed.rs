use super::{Config, Upstream};
use crate::{
    catalog::{Assignments, Catalog, Source},
    error::{Error, ErrorKind},
};

impl Config {
    /// The catalog of what the servers list, under the rules, with the prefixes that servers have.
    #[doc(hidden)]
    pub fn compile(&self, sources: &[Source<'_>]) -> Catalog {
        self.compile_under(&self.assignments, sources)
    }

    /// The same under other declarations and rules than those of the configuration.
    #[doc(hidden)]
    pub fn compile_under(&self, assignments: &Assignments, sources: &[Source<'_>]) -> Catalog {
        let prefixes: Vec<_> = self.upstreams.iter().filter_map(Upstream::prefix).collect();
        Catalog::merge(sources, &prefixes, assignments)
    }

    /// Returns the settings of the upstream servers in order, wherever the URL of a single one stands.
    #[doc(hidden)]
    pub fn upstream_settings(&self) -> &[Upstream] {
        if self.upstreams.is_empty() { std::slice::from_ref(&self.upstream) } else { &self.upstreams }
    }

    /// Returns the upstream servers in order: those of the configuration, or the one whose URL a variable of the
    /// deployment holds. Empty if neither names any. `variable` is the variable's name.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] if both do, or for a server with a `command`: a deployment starts no processes.
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
            (None, Some(url)) => Ok(vec![Upstream { url: url.to_owned(), ..self.upstream.clone() }]),
            (None, None) => Ok(Vec::new()),
        }
    }
}
