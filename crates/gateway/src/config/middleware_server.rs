//! The settings of remote middleware servers (`middleware.servers`).

use mcp_sieve::{Error, json::Entry};

use super::{number::positive, request::check_request};

/// Maximum number of middleware servers.
pub const MAX_MIDDLEWARE_SERVERS: usize = 16;
/// Maximum length, in bytes, of the name of a middleware server.
const MAX_NAME: usize = 64;
/// Default time, in milliseconds, for one call of a function.
const TIMEOUT_MS: u64 = 5_000;
const TOO_MANY: &str = "expected at most 16 servers";
const FALLBACK: &str = "expected every `fallback` to name another server of this list";
const NAME: &str = "expected 1 to 64 of the characters A-Z a-z 0-9 _ - .";

/// A server with functions of context middleware.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MiddlewareServer {
    /// The name, unique among the servers. Its functions are named `NAME/FUNCTION`.
    pub name: String,
    /// The absolute URL of its MCP endpoint.
    pub url: String,
    /// Headers of every request. A value may refer to variables of the deployment, as `${NAME}`.
    pub headers: Vec<(String, String)>,
    /// Maximum time for one call, in milliseconds, handshake included.
    pub timeout_ms: u64,
    /// Names of the servers that are called, in this order, if this one fails.
    pub fallback: Vec<String>,
    /// The functions that may be called. `None` for all that the server lists.
    pub functions: Option<Vec<String>>,
}

impl Default for MiddlewareServer {
    fn default() -> Self {
        Self {
            name: String::new(),
            url: String::new(),
            headers: Vec::new(),
            timeout_ms: TIMEOUT_MS,
            fallback: Vec::new(),
            functions: None,
        }
    }
}

impl MiddlewareServer {
    /// Returns whether a function of the server, by its name there, may be called.
    pub fn may_call(&self, function: &str) -> bool {
        self.functions.as_ref().is_none_or(|functions| functions.iter().any(|name| name == function))
    }

    /// Checks the name, which is a part of the names of functions.
    ///
    /// # Errors
    /// Returns what was expected.
    pub(crate) fn check_name(&self) -> Result<(), &'static str> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let is_name = (1..=MAX_NAME).contains(&self.name.len()) && self.name.bytes().all(fits);
        if is_name { Ok(()) } else { Err(NAME) }
    }

    /// Reads the servers from an object whose keys are their names.
    pub(super) fn read_all(entry: &Entry<'_>) -> Result<Vec<Self>, Error> {
        let mut servers = Vec::new();
        entry.each_member(&mut |name, entry| Self::read(name, entry).map(|server| servers.push(server)))?;
        if servers.len() > MAX_MIDDLEWARE_SERVERS {
            return Err(entry.refuse(TOO_MANY));
        }
        for server in &servers {
            if let Err(message) = server.check_name() {
                return Err(entry.refuse(message));
            }
            for fallback in &server.fallback {
                if *fallback == server.name || !servers.iter().any(|other| other.name == *fallback) {
                    return Err(entry.refuse(FALLBACK));
                }
            }
        }
        Ok(servers)
    }

    fn read(name: &str, entry: &Entry<'_>) -> Result<Self, Error> {
        let mut server = Self::default();
        server.name.push_str(name);
        let mut record = entry.record(&["url", "headers", "timeoutMs", "fallback", "functions"])?;
        record.need(&["url"]);
        record.fill("url", &mut server.url, Entry::some_text);
        record.fill("headers", &mut server.headers, |entry| entry.members(Entry::text));
        record.fill("timeoutMs", &mut server.timeout_ms, positive);
        record.fill("fallback", &mut server.fallback, one_or_more);
        record.fill_optional("functions", &mut server.functions, Entry::texts);
        record.end()?;
        entry.read(|_| check_request(&server.url, &server.headers, &[]))?;
        Ok(server)
    }
}

/// Reads a name, or an array of names.
fn one_or_more(entry: &Entry<'_>) -> Result<Vec<String>, Error> {
    match entry.raw().get().starts_with('[') {
        true => entry.texts(),
        false => entry.text().map(|name| vec![name]),
    }
}
