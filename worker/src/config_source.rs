//! Chooses the configuration: the operator's if there is one, otherwise that of the Worker's own server.

use mcp_sieve_gateway::{config::Config, error::RpcError};
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
pub(crate) struct ConfigSources<'a> {
    /// The variable `SIEVE_CONFIG`.
    pub variable: Option<&'a str>,
    /// The operator's file, `sieve.jsonc`.
    pub file: Option<&'a str>,
    /// The configuration of the Worker's own server ([`crate::local`]), if it has one.
    pub local: Option<&'a str>,
    /// Whether `UPSTREAM_URL` names an upstream server, which takes the place of the Worker's own.
    pub upstream: bool,
}

impl ConfigSources<'_> {
    /// Reads the configuration that applies. A configuration always applies or is an error: if a policy were ignored,
    /// it would show what it hides.
    ///
    /// # Errors
    /// When the configuration cannot be read, when both the variable and the file set it, and when the rules of the
    /// Worker's own server would not apply.
    pub fn read(self) -> Result<Config, RpcError> {
        let read = |place: &str, text: &str| {
            Config::parse(text).map_err(|error| RpcError::internal("config", format!("{place}: {error}")))
        };
        let file = self.file.map(|text| read("sieve.jsonc", text)).transpose()?;
        let variable = self.variable.map(|text| read("SIEVE_CONFIG", text)).transpose()?;
        // An empty file sets nothing.
        let file = file.filter(|file| *file != Config::default());
        match (variable, file) {
            (Some(_), Some(_)) => return Err(both()),
            (Some(only), None) | (None, Some(only)) => return Ok(only),
            (None, None) => {}
        }
        let Some(local) = self.local else { return Ok(Config::default()) };
        let local = read("the configuration of the Worker's own server", local)?;
        if !self.upstream || local == Config::default() {
            return Ok(local);
        }
        let message = "UPSTREAM_URL: the rules of the Worker's own server do not apply to another server, expected \
                       rules in SIEVE_CONFIG or sieve.jsonc";
        Err(RpcError::internal("config", message))
    }
}

/// Returns the error of a deployment whose file would be ignored. The command refuses the two in the same way.
fn both() -> RpcError {
    let message = "the variable SIEVE_CONFIG and the file sieve.jsonc both set the configuration, expected one of them: \
                   remove the variable, or deploy with an empty sieve.jsonc";
    RpcError::internal("config", message)
}

#[cfg(test)]
#[path = "config_source_test.rs"]
mod tests;
