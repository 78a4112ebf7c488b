use super::{
    capabilities::{Capabilities, RequiredCapabilities},
    local_process::LocalProcess,
    number::{MAX_NUMBER, positive},
    passed_method::PassedMethod,
    renames::{NameMap, Renames},
};
use crate::{catalog::Prefix, error::Error, json::Entry};

/// Most servers behind one gateway.
pub const MAX_UPSTREAMS: usize = 32;
/// Longest prefix, in bytes.
const MAX_PREFIX: usize = 64;
const PREFIX: &str = "expected 1 to 64 of the characters A-Z a-z 0-9 _ - . /";

/// A server behind, and how it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    /// Its name in `server:` terms and in reports.
    pub name: String,
    /// Its address; empty where it is given beside the file, and of a local server.
    pub url: String,
    /// The process that is the server, if it is a local one.
    pub process: Option<LocalProcess>,
    /// What goes before the names of its tools and prompts.
    pub prefix: Option<String>,
    /// Whether the prefix goes before every name, or only before those that another server lists too.
    pub prefix_all: bool,
    /// Headers that every request to it carries; a value may refer to variables of the deployment.
    pub headers: Vec<(String, String)>,
    /// Headers of a caller's request that its calls are sent on with.
    pub pass_headers: Vec<String>,
    /// The names that its groups, tags and concerns are given.
    pub renames: Renames,
    /// Whether it is asked for resources that no list mentions; by default a sole server is while nothing is hidden.
    pub unlisted: Option<bool>,
    /// The capabilities of clients that it is listed with, beside those that it lists without.
    pub capabilities: Capabilities,
    /// What is done with primitives for clients that lack what they require; by default what needs the configured
    /// capabilities is hidden, and other primitives are listed with what they require.
    pub required_capabilities: Option<RequiredCapabilities>,
    /// Whether its `instructions` are passed to callers.
    pub instructions: bool,
    /// The methods of other vendors that are passed to it.
    pub pass_methods: Vec<PassedMethod>,
    /// Milliseconds for a list to begin, and for each further piece of it.
    pub timeout_ms: u64,
    /// Milliseconds for all its lists, from the first page to the last.
    pub list_timeout_ms: u64,
    /// Milliseconds for the answer to a call to begin, and for each further message of it: tools may work for a
    /// while before they report anything. Comments and incomplete messages do not count.
    pub call_timeout_ms: u64,
    /// Milliseconds for which its lists are kept, unless it says otherwise.
    pub ttl_ms: u64,
    /// Minimum number of milliseconds for which its lists are kept, whatever it says. A notification that they have
    /// changed takes effect at once all the same.
    pub min_ttl_ms: u64,
    /// Maximum number of milliseconds for which a request waits for the first lists of the server, or for its lists
    /// after it has said that they have changed.
    pub list_wait_ms: u64,
    /// Most pages followed in one list.
    pub max_pages: usize,
}

impl Default for Upstream {
    fn default() -> Self {
        Self {
            name: "upstream".to_owned(),
            url: String::new(),
            process: None,
            prefix: None,
            prefix_all: false,
            headers: Vec::new(),
            pass_headers: Vec::new(),
            renames: Renames::default(),
            unlisted: None,
            capabilities: Capabilities::default(),
            required_capabilities: None,
            instructions: true,
            pass_methods: Vec::new(),
            timeout_ms: 10_000,
            list_timeout_ms: 60_000,
            call_timeout_ms: 120_000,
            ttl_ms: 60_000,
            min_ttl_ms: 5_000,
            list_wait_ms: 1_500,
            max_pages: 1_000,
        }
    }
}

/// The members of a server.
const KNOWN: [&str; 24] = [
    "name",
    "url",
    "command",
    "env",
    "cwd",
    "prefix",
    "prefixAll",
    "headers",
    "passHeaders",
    "groups",
    "tags",
    "concerns",
    "unlisted",
    "capabilities",
    "requiredCapabilities",
    "instructions",
    "passMethods",
    "timeoutMs",
    "listTimeoutMs",
    "callTimeoutMs",
    "ttlMs",
    "minTtlMs",
    "listWaitMs",
    "maxPages",
];

impl Upstream {
    /// Reads a server that has at least the members `needed`.
    pub(crate) fn read(entry: &Entry<'_>, needed: &[&str]) -> Result<Self, Error> {
        let mut upstream = Self::default();
        let mut record = entry.record(&KNOWN)?;
        record.need(needed);
        record.fill("name", &mut upstream.name, Entry::some_text);
        record.fill("url", &mut upstream.url, Entry::text);
        let mut process = LocalProcess::default();
        record.fill("command", &mut process.command, LocalProcess::command);
        record.fill("env", &mut process.env, LocalProcess::env);
        record.fill_optional("cwd", &mut process.cwd, Entry::some_text);
        record.fill_optional("prefix", &mut upstream.prefix, prefix);
        record.fill("prefixAll", &mut upstream.prefix_all, Entry::flag);
        record.fill("headers", &mut upstream.headers, headers);
        record.fill("passHeaders", &mut upstream.pass_headers, |entry| {
            let headers = entry.texts()?;
            match headers.iter().find(|name| !is_header(name)) {
                Some(name) => Err(refuse_header(entry, name)),
                None => Ok(headers),
            }
        });
        record.fill("groups", &mut upstream.renames.groups, NameMap::read);
        record.fill("tags", &mut upstream.renames.tags, NameMap::read);
        record.fill("concerns", &mut upstream.renames.concerns, NameMap::read);
        record.fill_optional("unlisted", &mut upstream.unlisted, Entry::flag);
        record.fill("capabilities", &mut upstream.capabilities, Capabilities::read);
        let required = &mut upstream.required_capabilities;
        record.fill_optional("requiredCapabilities", required, RequiredCapabilities::read);
        record.fill("instructions", &mut upstream.instructions, |entry| match entry.text()?.as_str() {
            "pass" => Ok(true),
            "hide" => Ok(false),
            _ => Err(entry.refuse("expected `pass` or `hide`")),
        });
        record.fill("passMethods", &mut upstream.pass_methods, PassedMethod::read_all);
        record.fill("timeoutMs", &mut upstream.timeout_ms, positive);
        record.fill("listTimeoutMs", &mut upstream.list_timeout_ms, positive);
        record.fill("callTimeoutMs", &mut upstream.call_timeout_ms, positive);
        record.fill("ttlMs", &mut upstream.ttl_ms, |entry| entry.whole(0, MAX_NUMBER));
        record.fill("minTtlMs", &mut upstream.min_ttl_ms, |entry| entry.whole(0, MAX_NUMBER));
        record.fill("listWaitMs", &mut upstream.list_wait_ms, |entry| entry.whole(0, MAX_NUMBER));
        record.fill("maxPages", &mut upstream.max_pages, positive);
        record.end()?;
        upstream.process = process.of(entry, &upstream)?;
        Ok(upstream)
    }

    /// Whether the file says where the server is.
    pub fn is_named(&self) -> bool {
        self.process.is_some() || !self.url.is_empty()
    }

    /// Whether clients are not shown what requires capabilities that they do not declare.
    pub fn hides_incapable(&self) -> bool {
        let default = if self.capabilities.parts.is_empty() {
            RequiredCapabilities::Annotate
        } else {
            RequiredCapabilities::Hide
        };
        self.required_capabilities.unwrap_or(default) == RequiredCapabilities::Hide
    }

    /// What goes before its names, for the catalog.
    pub fn prefix(&self) -> Option<Prefix> {
        let text = self.prefix.clone()?;
        Some(Prefix { server: self.name.clone(), text, always: self.prefix_all })
    }
}

/// Reads the headers of requests to a server.
pub(super) fn headers(entry: &Entry<'_>) -> Result<Vec<(String, String)>, Error> {
    let headers = entry.members(Entry::text)?;
    match headers.iter().find(|(name, _)| !is_header(name)) {
        Some((name, _)) => Err(refuse_header(entry, name)),
        None => Ok(headers),
    }
}

/// A header's name is a token (RFC 9110, section 5.6.2).
fn is_header(name: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(token)
}

fn refuse_header(entry: &Entry<'_>, name: &str) -> Error {
    entry.refuse(format!("`{name}` is not the name of a header"))
}

/// A prefix is of the characters that names of tools are made of.
fn prefix(entry: &Entry<'_>) -> Result<String, Error> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    let text = entry.text()?;
    match (1..=MAX_PREFIX).contains(&text.len()) && text.bytes().all(fits) {
        true => Ok(text),
        false => Err(entry.refuse(PREFIX)),
    }
}
