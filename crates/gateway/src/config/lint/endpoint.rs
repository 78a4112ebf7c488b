//! The servers of a configuration with the credentials that each receives.

use mcp_sieve_redact::secrets::names_secret;
use url::form_urlencoded;

use crate::config::{AuthKind, Config, Upstream};

/// A server and its credentials.
#[derive(Debug)]
pub(super) struct Endpoint<'a> {
    /// The path of the server in the file.
    pub place: String,
    pub name: &'a str,
    url: &'a str,
    /// The credentials, each with its member: the reference `${NAME}`, or the text.
    pub credentials: Vec<(String, &'a str)>,
    /// The member that passes a credential of callers.
    pub passed_credential: Option<String>,
}

impl<'a> Endpoint<'a> {
    /// Returns the servers of a file, upstream servers first.
    pub fn all(config: &'a Config) -> Vec<Self> {
        let upstreams = upstreams(config).into_iter().map(|(place, upstream)| Self::new(place, upstream));
        let servers = config.middleware.iter().flat_map(|middleware| &middleware.servers);
        let servers = servers.map(|server| Self {
            place: format!("middleware.servers.{}", server.name),
            name: &server.name,
            url: &server.url,
            credentials: in_headers(&server.headers).chain(in_url(&server.url)).collect(),
            passed_credential: None,
        });
        upstreams.chain(servers).collect()
    }

    fn new(place: String, upstream: &'a Upstream) -> Self {
        let mut credentials: Vec<_> = in_headers(&upstream.headers).chain(in_url(&upstream.url)).collect();
        let process = upstream.process.iter();
        for (name, value) in process.clone().flat_map(|process| &process.env) {
            let secrets = secrets(value)
                .filter(|secret| names_secret(name) || is_reference(value) && names_secret(secret));
            credentials.extend(secrets.map(|secret| (format!("env.{name}"), secret)));
        }
        for (at, argument) in process.flat_map(|process| process.command.iter().enumerate()) {
            let secrets = secrets(argument).filter(|secret| is_reference(argument) && names_secret(secret));
            credentials.extend(secrets.map(|secret| (format!("command[{at}]"), secret)));
        }
        let client = upstream.auth.client.iter();
        for (member, value) in client.flat_map(|client| [("secret", &client.secret), ("key", &client.key)]) {
            let secrets = value.iter().flat_map(|value| secrets(value));
            credentials.extend(secrets.map(|secret| (format!("auth.client.{member}"), secret)));
        }
        let passed = upstream.pass_headers.iter().position(|name| names_secret(name));
        let passed = passed.map(|at| format!("passHeaders[{at}]"));
        let has_tokens = upstream.auth.kind != AuthKind::Headers;
        Self {
            place,
            name: &upstream.name,
            url: &upstream.url,
            credentials,
            passed_credential: passed.or_else(|| has_tokens.then(|| "auth".to_owned())),
        }
    }

    /// Returns whether requests cross a network without encryption.
    pub fn is_plain(&self) -> bool {
        let scheme = self.url.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http://"));
        scheme && !is_loopback(host(self.url))
    }

    /// Returns whether both have the same scheme, host and port.
    pub fn is_same_origin(&self, other: &Self) -> bool {
        !self.url.is_empty() && origin(self.url).eq_ignore_ascii_case(origin(other.url))
    }
}

/// Returns the upstream servers with their paths in the file.
pub(super) fn upstreams(config: &Config) -> Vec<(String, &Upstream)> {
    if config.upstreams.is_empty() {
        return vec![("upstream".to_owned(), &config.upstream)];
    }
    let several = config.upstreams.iter().enumerate();
    several.map(|(at, upstream)| (format!("upstreams[{at}]"), upstream)).collect()
}

/// Returns the credentials in headers: values that refer to a variable, or whose name marks a credential.
fn in_headers(headers: &[(String, String)]) -> impl Iterator<Item = (String, &str)> {
    let secret = headers.iter().filter(|(name, value)| is_reference(value) || names_secret(name));
    secret.flat_map(|(name, value)| secrets(value).map(move |secret| (format!("headers.{name}"), secret)))
}

/// Returns the credentials in the parameters of a URL.
fn in_url(url: &str) -> impl Iterator<Item = (String, &str)> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let pairs = query.split(['&', '#']).map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let named = |name: &str| form_urlencoded::parse(name.as_bytes()).any(|(name, _)| names_secret(&name));
    pairs.filter(move |(name, _)| named(name)).map(|(_, value)| ("url".to_owned(), value))
}

/// Returns whether a value refers to a variable.
fn is_reference(value: &str) -> bool {
    value.contains("${")
}

/// Returns the names of the variables that a value refers to or, if there are none, its last word, which follows a
/// scheme such as `Bearer`.
fn secrets(value: &str) -> impl Iterator<Item = &str> {
    let names = value.split("${").skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
    let text = value.rsplit(' ').next().filter(|text| !text.is_empty() && !is_reference(value));
    names.chain(text)
}

/// Returns the scheme, host and port of a URL.
fn origin(url: &str) -> &str {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end =
        url.get(start..).and_then(|rest| rest.find(['/', '?', '#', '\\'])).map_or(url.len(), |at| start + at);
    url.get(..end).unwrap_or_default()
}

/// Returns the host of a URL, without its port.
fn host(url: &str) -> &str {
    let authority = origin(url).split_once("://").map_or("", |(_, authority)| authority);
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match authority.split_once(']') {
        Some((host, _)) => host.trim_start_matches('['),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

/// Returns whether a host is this machine.
fn is_loopback(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let is_address = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_address || host == "localhost" || host.ends_with(".localhost")
}
