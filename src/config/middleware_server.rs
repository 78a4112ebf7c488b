use super::{number::positive, upstream::header_names};
use crate::{error::Error, json::Entry};

/// Maximum number of middleware servers.
pub const MAX_MIDDLEWARE_SERVERS: usize = 16;
/// Maximum length, in bytes, of the name of a middleware server.
const MAX_NAME: usize = 64;
/// Default time, in milliseconds, for one call of a function.
const TIMEOUT_MS: u64 = 5_000;
const NAME: &str = "expected 1 to 64 of the characters A-Z a-z 0-9 _ - .";

/// A server with functions of context middleware, as the application's operator configures it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MiddlewareServer {
    /// The name, unique among the servers. Its functions are called `NAME/FUNCTION`.
    pub name: String,
    /// The absolute URL of its MCP endpoint.
    pub url: String,
    /// Headers of every request. A value may refer to variables of the deployment, as `${NAME}`.
    pub headers: Vec<(String, String)>,
    /// Maximum time for one call, in milliseconds, handshake included.
    pub timeout_ms: u64,
    /// Names of the servers that are called, in this order, if this one fails.
    pub fallback: Vec<String>,
    /// The functions that may be called; none for all that the server lists.
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

    /// Reads servers by their names.
    pub(super) fn read_all(entry: &Entry<'_>) -> Result<Vec<Self>, Error> {
        let servers = entry.members(Self::read)?;
        if servers.len() > MAX_MIDDLEWARE_SERVERS {
            return Err(entry.refuse(format!("expected at most {MAX_MIDDLEWARE_SERVERS} servers")));
        }
        let servers: Vec<Self> = servers.into_iter().map(|(name, server)| Self { name, ..server }).collect();
        let has = |name: &str| servers.iter().any(|server| server.name == name);
        for server in &servers {
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
            if !(1..=MAX_NAME).contains(&server.name.len()) || !server.name.bytes().all(fits) {
                return Err(entry.refuse(NAME));
            }
            let unusable = |fallback: &&String| **fallback == server.name || !has(fallback);
            if let Some(fallback) = server.fallback.iter().find(unusable) {
                let name = &server.name;
                let message =
                    format!("the fallback `{fallback}` of `{name}` is not another server of this list");
                return Err(entry.refuse(message));
            }
        }
        Ok(servers)
    }

    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut server = Self::default();
        let mut record = entry.record(&["url", "headers", "timeoutMs", "fallback", "functions"])?;
        record.need(&["url"]);
        record.fill("url", &mut server.url, Entry::some_text);
        record.fill("headers", &mut server.headers, |entry| {
            let headers = entry.members(Entry::text)?;
            header_names(entry, headers.iter().map(|(name, _)| name)).map(|()| headers)
        });
        record.fill("timeoutMs", &mut server.timeout_ms, positive);
        record.fill("fallback", &mut server.fallback, |entry| match entry.raw().get().starts_with('[') {
            true => entry.texts(),
            false => entry.text().map(|name| vec![name]),
        });
        record.fill_optional("functions", &mut server.functions, Entry::texts);
        record.end().map(|()| server)
    }
}
