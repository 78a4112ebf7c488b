//! The settings of one authorization server whose tokens are accepted.

use mcp_sieve::{Error, json::Entry};

use super::{CLOCK_SKEW_S, Introspection, KeySource, address::address};
use crate::config::{auth_client::AuthClient, request::is_configurable};

/// Maximum tolerance, in seconds, for differences between clocks.
const MAX_SKEW_S: i64 = 300;

/// An authorization server, and the tokens of it that are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenIssuer {
    /// The authorization server: the `iss` claim of its tokens, and the address that clients are sent to for a token.
    pub issuer: String,
    /// The accepted audiences. The `aud` claim of a token must name at least one of them.
    pub audience: Vec<String>,
    /// The keys that verify the signatures of tokens. Without them, [`introspection`](Self::introspection) judges all.
    pub jwks: Option<KeySource>,
    /// The endpoint that judges the tokens that keys cannot verify.
    pub introspection: Option<Introspection>,
    /// The header that holds the token alone, in lowercase. `None` for a bearer token in `Authorization`.
    pub header: Option<String>,
    /// The scopes that every token must have.
    pub scopes: Vec<String>,
    /// Tolerance, in seconds, for differences between the issuer's clock and this one.
    pub clock_skew: u64,
    /// The client by which the gateway signs a browser in, if the operator registered one.
    pub client: Option<AuthClient>,
}

impl TokenIssuer {
    /// Reads the settings of an issuer, and whether callers without a token are rejected.
    pub(super) fn read(entry: &Entry<'_>) -> Result<(Self, bool), Error> {
        let mut required = true;
        let mut issuer = Self {
            issuer: String::new(),
            audience: Vec::new(),
            jwks: None,
            introspection: None,
            header: None,
            scopes: Vec::new(),
            clock_skew: CLOCK_SKEW_S,
            client: None,
        };
        let mut record = entry.record(&[
            "issuer",
            "audience",
            "jwks",
            "introspection",
            "header",
            "required",
            "scopes",
            "clockSkew",
            "client",
        ])?;
        record.need(&["issuer", "audience"]);
        record.fill("issuer", &mut issuer.issuer, address);
        record.fill("audience", &mut issuer.audience, |entry| match entry.list(Entry::some_text)? {
            none if none.is_empty() => Err(entry.refuse("expected at least one audience")),
            some => Ok(some),
        });
        record.fill_optional("jwks", &mut issuer.jwks, KeySource::read);
        record.fill_optional("client", &mut issuer.client, AuthClient::read);
        let own = issuer.client.clone();
        record.fill_optional("introspection", &mut issuer.introspection, |entry| {
            Introspection::read(entry, own.as_ref())
        });
        record.fill_optional("header", &mut issuer.header, header);
        record.fill("required", &mut required, Entry::flag);
        record.fill("scopes", &mut issuer.scopes, scopes);
        record.fill("clockSkew", &mut issuer.clock_skew, |entry| entry.whole(0, MAX_SKEW_S));
        record.end()?;
        match issuer.jwks.is_some() || issuer.introspection.is_some() {
            true => Ok((issuer, required)),
            false => Err(entry.refuse("expected `jwks`, `introspection` or both")),
        }
    }
}

/// Reads the name of a header that holds a token.
fn header(entry: &Entry<'_>) -> Result<String, Error> {
    let name = entry.some_text()?.to_ascii_lowercase();
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    // The first holds a scheme before the token, and the second a proof beside it.
    let taken = ["authorization", "dpop"].contains(&name.as_str());
    match name.bytes().all(token) && is_configurable(&name) && !taken {
        true => Ok(name),
        false => Err(entry.refuse(format!("`{name}` is no header that holds a token alone"))),
    }
}

/// Reads scopes. Headers carry them in quotes, separated by spaces (RFC 6749, section 3.3), so a scope contains
/// neither.
pub(in crate::config) fn scopes(entry: &Entry<'_>) -> Result<Vec<String>, Error> {
    let token = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    let scopes = entry.texts()?;
    match scopes.iter().find(|scope| scope.is_empty() || !scope.bytes().all(token)) {
        Some(scope) => Err(entry.refuse(format!("`{scope}` is not a scope"))),
        None => Ok(scopes),
    }
}
