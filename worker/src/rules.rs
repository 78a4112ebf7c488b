//! Which configuration applies: the operator's, if there is one, else that of what the Worker serves of its own.

use mcp_sieve::{config::Config, mcp::Failure};

/// The operator's file, as it was when the Worker was built.
const FILE: &str = include_str!("../sieve.jsonc");

/// Where a configuration can come from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules<'a> {
    /// The variable `SIEVE_CONFIG`.
    pub variable: Option<&'a str>,
    /// The operator's file, `worker/sieve.jsonc`.
    pub file: &'a str,
    /// The configuration of what the Worker serves of its own.
    pub own: &'a str,
    /// The configuration of the built-in tracker, which is no operator's.
    pub tracker: &'a str,
    /// Whether another server stands behind instead (`UPSTREAM_URL`).
    pub upstream: bool,
}

impl<'a> Rules<'a> {
    /// The places of this build.
    pub fn new(variable: Option<&'a str>, own: &'a str, upstream: bool) -> Self {
        Self { variable, file: FILE, own, tracker: crate::tracker::CONFIG, upstream }
    }

    /// Reads the configuration that applies. Rules that are written somewhere apply or are an error: a policy that is
    /// passed over would show what it hides.
    ///
    /// # Errors
    /// When it cannot be read, and when rules of the Worker's own server would not apply.
    pub fn read(self) -> Result<Config, Failure> {
        let read = |place: &str, text: &str| {
            Config::parse(text).map_err(|error| Failure::internal("config", format!("{place}: {error}")))
        };
        if let Some(text) = self.variable {
            return read("SIEVE_CONFIG", text);
        }
        let file = read("worker/sieve.jsonc", self.file)?;
        if file != Config::default() {
            return Ok(file);
        }
        let own = read("the configuration of the Worker's own server", self.own)?;
        if !self.upstream {
            return Ok(own);
        }
        if self.own == self.tracker || own == Config::default() {
            return Ok(Config::default());
        }
        let message = "UPSTREAM_URL: the rules of the Worker's own server are not those of another, expected rules in \
                       SIEVE_CONFIG or worker/sieve.jsonc";
        Err(Failure::internal("config", message))
    }
}

#[cfg(test)]
#[path = "rules_test.rs"]
mod tests;
