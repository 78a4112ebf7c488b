//! The command, arguments and environment of an upstream server on stdio.

use mcp_sieve::{
    Error,
    json::{Entry, Members},
};

use super::Upstream;

/// The process of an upstream server that uses stdio. Only the command `mcp-sieve` starts processes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalProcess {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Variables of its environment. A value may refer to variables of the environment of `mcp-sieve`.
    pub env: Vec<(String, String)>,
    /// The working directory of the process.
    pub cwd: Option<String>,
}

impl LocalProcess {
    /// Reads the program and its arguments.
    pub(super) fn command(entry: &Entry<'_>) -> Result<Vec<String>, Error> {
        match entry.texts()? {
            command if command.first().is_none_or(String::is_empty) => {
                Err(entry.refuse("expected a program and its arguments"))
            }
            command => Ok(command),
        }
    }

    /// Reads variables of an environment.
    pub(super) fn env(entry: &Entry<'_>) -> Result<Vec<(String, String)>, Error> {
        let env = entry.members(Entry::text)?;
        match env.iter().find(|(name, _)| name.is_empty() || name.contains('=')) {
            Some((name, _)) => Err(entry.refuse(format!("`{name}` is not the name of a variable"))),
            None => Ok(env),
        }
    }

    /// Returns the process of the server `upstream`, or `None` if it is a remote one.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](mcp_sieve::ErrorKind::Config) for members that contradict each other.
    pub(super) fn of(self, entry: &Entry<'_>, upstream: &Upstream) -> Result<Option<Self>, Error> {
        if self.command.is_empty() {
            let members = Members::read(entry.raw());
            let has = |key| members.as_ref().is_some_and(|members| members.get(key).is_some());
            return match has("env") || has("cwd") {
                true => Err(entry.refuse("`env` and `cwd` need a `command`")),
                false => Ok(None),
            };
        }
        let variables = self.env.iter().flat_map(|(name, value)| [name, value]);
        // No platform passes such text to a process.
        if self.command.iter().chain(variables).chain(&self.cwd).any(|text| text.contains('\0')) {
            return Err(entry.refuse("`command`, `env` and `cwd` cannot contain the character U+0000"));
        }
        if !upstream.url.is_empty() {
            return Err(
                entry.refuse("expected the `url` of a server or the `command` of a local one, not both")
            );
        }
        if !upstream.headers.is_empty() || !upstream.pass_headers.is_empty() {
            return Err(entry.refuse("a server with a `command` gets no headers; `env` sets its variables"));
        }
        Ok(Some(self))
    }
}
