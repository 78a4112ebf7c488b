//! The settings under `auth`: issuer, audience, scopes and key source of accepted access tokens.

use mcp_sieve::{
    Error,
    json::{self, Entry, Members, Raw},
};

/// The default tolerance, in seconds, for differences between clocks.
pub(crate) const CLOCK_SKEW_S: u64 = 60;
/// Maximum tolerance, in seconds, for differences between clocks.
const MAX_SKEW_S: i64 = 300;
const ADDRESS: &str = "expected an https URL, or http to this machine";

/// The access tokens that the gateway accepts, as an OAuth 2.1 resource server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Auth {
    /// The authorization server: the `iss` claim of its tokens, and the address that clients are sent to for a token.
    pub issuer: String,
    /// The accepted audiences. The `aud` claim of a token must name at least one of them.
    pub audience: Vec<String>,
    /// The keys that verify the signatures of tokens.
    pub jwks: KeySource,
    /// Whether requests without a token are rejected.
    pub required: bool,
    /// The scopes that every token must have.
    pub scopes: Vec<String>,
    /// Tolerance, in seconds, for differences between the issuer's clock and this one.
    pub clock_skew: u64,
}

/// The source of a JSON Web Key Set (RFC 7517).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The key set itself: `{"keys": […]}`.
    Inline(String),
    /// The key of an entry in the KV namespace of the deployment.
    Kv(String),
    /// The URL of the key set.
    Url(String),
}

impl Auth {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut auth = Self {
            issuer: String::new(),
            audience: Vec::new(),
            jwks: KeySource::Url(String::new()),
            required: true,
            scopes: Vec::new(),
            clock_skew: CLOCK_SKEW_S,
        };
        let mut record = entry.record(&["issuer", "audience", "jwks", "required", "scopes", "clockSkew"])?;
        record.need(&["issuer", "audience", "jwks"]);
        record.fill("issuer", &mut auth.issuer, address);
        record.fill("audience", &mut auth.audience, |entry| match entry.list(Entry::some_text)? {
            none if none.is_empty() => Err(entry.refuse("expected at least one audience")),
            some => Ok(some),
        });
        record.fill("jwks", &mut auth.jwks, KeySource::read);
        record.fill("required", &mut auth.required, Entry::flag);
        record.fill("scopes", &mut auth.scopes, scopes);
        record.fill("clockSkew", &mut auth.clock_skew, |entry| entry.whole(0, MAX_SKEW_S));
        record.end().map(|()| auth)
    }
}

impl KeySource {
    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        if entry.text().is_ok() {
            return address(entry).map(Self::Url);
        }
        let (mut keys, mut kv) = (Vec::new(), None);
        let mut record = entry.record(&["keys", "kv"])?;
        record.fill("keys", &mut keys, |entry| entry.list(is_public));
        record.fill_optional("kv", &mut kv, Entry::some_text);
        record.end()?;
        match (keys.contains(&true), kv) {
            (true, None) => Ok(Self::Inline(Raw::get(entry.raw()).to_owned())),
            (false, Some(name)) if keys.is_empty() => Ok(Self::Kv(name)),
            _ => Err(entry.refuse("expected `keys` with at least one of type RSA, EC or OKP, or `kv`")),
        }
    }
}

/// Returns whether a JSON Web Key has one of the types that have a public key (RFC 7518, section 6.1; RFC 8037).
fn is_public(key: &Entry<'_>) -> Result<bool, Error> {
    let members = Members::read(key.raw()).unwrap_or_default();
    match members.get("kty").and_then(json::Raw::text) {
        Some(kind) => Ok(["RSA", "EC", "OKP"].contains(&kind.as_ref())),
        None => Err(key.refuse("expected a JSON Web Key, with its type as `kty`")),
    }
}

/// Reads a URL whose responses no machine on the way can forge: HTTPS, or HTTP to this machine.
pub(super) fn address(entry: &Entry<'_>) -> Result<String, Error> {
    let text = entry.text()?;
    let loopback = text.strip_prefix("http://").is_some_and(|rest| {
        // Anything else between host and path, such as `:x@`, makes another host of it.
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let port = ["localhost", "127.0.0.1", "[::1]"].iter().find_map(|host| authority.strip_prefix(host));
        port.is_some_and(|port| {
            port.is_empty()
                || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
        })
    });
    let there = |rest: &str| !rest.is_empty() && !rest.starts_with('/');
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\');
    match plain && (loopback || text.strip_prefix("https://").is_some_and(there)) {
        true => Ok(text),
        false => Err(entry.refuse(ADDRESS)),
    }
}

/// Reads scopes. Headers carry them in quotes, separated by spaces (RFC 6749, section 3.3), so a scope contains
/// neither.
pub(super) fn scopes(entry: &Entry<'_>) -> Result<Vec<String>, Error> {
    let token = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    let scopes = entry.texts()?;
    match scopes.iter().find(|scope| scope.is_empty() || !scope.bytes().all(token)) {
        Some(scope) => Err(entry.refuse(format!("`{scope}` is not a scope"))),
        None => Ok(scopes),
    }
}
