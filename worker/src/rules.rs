//! Which configuration applies: the operator's, if there is one, else that of what the Worker serves of its own.

use mcp_sieve::{config::Config, mcp::RpcError};
use worker::js_sys::{Reflect, global};

/// The global variable in which the Worker's entry module keeps the text of `sieve.jsonc`: a file has no size limit,
/// whereas a variable of the deployment holds 5 KB.
const FILE: &str = "SIEVE_CONFIG_FILE";

/// Returns the operator's file, if the entry module brings one.
pub(crate) fn file() -> Option<String> {
    Reflect::get(&global(), &FILE.into()).ok()?.as_string()
}

/// Where a configuration can come from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules<'a> {
    /// The variable `SIEVE_CONFIG`.
    pub variable: Option<&'a str>,
    /// The operator's file, `sieve.jsonc`.
    pub file: Option<&'a str>,
    /// The configuration of what the Worker serves of its own.
    pub own: &'a str,
    /// The configuration of the built-in tracker, which is no operator's.
    pub tracker: &'a str,
    /// Whether another server stands behind instead (`UPSTREAM_URL`).
    pub upstream: bool,
}

impl Rules<'_> {
    /// Reads the configuration that applies. Rules that are written somewhere apply or are an error: a policy that is
    /// passed over would show what it hides.
    ///
    /// # Errors
    /// When it cannot be read, and when rules of the Worker's own server would not apply.
    pub fn read(self) -> Result<Config, RpcError> {
        let read = |place: &str, text: &str| {
            Config::parse(text).map_err(|error| RpcError::internal("config", format!("{place}: {error}")))
        };
        if let Some(text) = self.variable {
            return read("SIEVE_CONFIG", text);
        }
        let file = self.file.map_or(Ok(Config::default()), |text| read("sieve.jsonc", text))?;
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
        let message = "UPSTREAM_URL: the rules of the Worker's own server do not apply to another server, expected \
                       rules in SIEVE_CONFIG or sieve.jsonc";
        Err(RpcError::internal("config", message))
    }
}

#[cfg(test)]
#[path = "rules_test.rs"]
mod tests;
