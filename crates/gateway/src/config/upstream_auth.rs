//! The settings under `auth` of an upstream server: the credentials with which requests to it are sent.

use mcp_sieve::{
    Error,
    json::{Entry, Members},
};

use super::{
    auth::{address, scopes},
    auth_client::AuthClient,
};

/// The default for the longest time, in seconds, for which a token of an exchange is kept.
pub const EXCHANGE_AGE_S: u64 = 300;
/// Maximum of `maxAgeS`: one day.
const MAX_AGE_S: i64 = 24 * 60 * 60;

/// The credentials with which requests to an upstream server are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamAuth {
    /// The source of the credentials.
    pub kind: AuthKind,
    /// The authorization server. By default the metadata of the server names it (RFC 9728).
    pub issuer: Option<String>,
    /// The scopes to request. By default those that the server asks for.
    pub scopes: Vec<String>,
    /// The client at the authorization server. By default the gateway introduces itself as one.
    pub client: Option<AuthClient>,
    /// The audience of an exchange, if the authorization server needs another name than the address of the server.
    pub audience: Option<String>,
    /// The longest time, in seconds, for which a token of an exchange is kept.
    pub max_age_s: u64,
}

/// The source of the credentials for an upstream server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AuthKind {
    /// The fixed headers of the configuration.
    #[default]
    Headers,
    /// A token for the gateway itself (RFC 6749, section 4.4).
    ClientCredentials,
    /// A token for the caller, in exchange for the one that the caller sent (RFC 8693).
    Exchange,
    /// A token that the caller allowed once, in a browser.
    User,
    /// The token that the caller sent, which is meant for the server.
    Pass,
}

impl AuthKind {
    const NAMES: [(&str, Self); 5] = [
        ("headers", Self::Headers),
        ("client_credentials", Self::ClientCredentials),
        ("exchange", Self::Exchange),
        ("user", Self::User),
        ("pass", Self::Pass),
    ];

    /// Returns the name of the setting.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// Returns whether each caller has credentials of its own at the server.
    pub fn is_of_caller(self) -> bool {
        matches!(self, Self::Exchange | Self::User | Self::Pass)
    }

    /// Returns whether an authorization server issues the tokens.
    pub fn needs_tokens(self) -> bool {
        matches!(self, Self::ClientCredentials | Self::Exchange | Self::User)
    }

    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let named = entry.text()?;
        let known = Self::NAMES.iter().find(|(name, _)| *name == named);
        let names = || Error::one_of(&Self::NAMES.map(|(name, _)| name));
        known.map(|(_, kind)| *kind).ok_or_else(|| entry.refuse(format!("expected {}", names())))
    }
}

impl Default for UpstreamAuth {
    fn default() -> Self {
        let (kind, issuer, scopes, client, audience) = Default::default();
        Self { kind, issuer, scopes, client, audience, max_age_s: EXCHANGE_AGE_S }
    }
}

impl UpstreamAuth {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut auth = Self::default();
        if Members::read(entry.raw()).is_none() {
            auth.kind = AuthKind::read(entry)?;
            return auth.checked(entry);
        }
        let mut record = entry.record(&["type", "issuer", "scopes", "client", "audience", "maxAgeS"])?;
        record.need(&["type"]);
        record.fill("type", &mut auth.kind, AuthKind::read);
        record.fill_optional("issuer", &mut auth.issuer, address);
        record.fill("scopes", &mut auth.scopes, scopes);
        record.fill_optional("client", &mut auth.client, AuthClient::read);
        record.fill_optional("audience", &mut auth.audience, Entry::some_text);
        record.fill("maxAgeS", &mut auth.max_age_s, |entry| entry.whole(1, MAX_AGE_S));
        record.end()?;
        auth.checked(entry)
    }

    /// Checks that the members fit the source of the credentials.
    fn checked(self, entry: &Entry<'_>) -> Result<Self, Error> {
        let Self { kind, client, .. } = &self;
        let has_proof = client.as_ref().is_some_and(|client| client.secret.is_some() || client.key.is_some());
        let name = kind.name();
        if matches!(kind, AuthKind::ClientCredentials | AuthKind::Exchange) && !has_proof {
            let message = format!("`{name}` needs a `client` with an `id`, and a `secret` or a `key`");
            return Err(entry.refuse(message));
        }
        let is_plain = Self { kind: *kind, ..Self::default() } == self;
        if !kind.needs_tokens() && !is_plain {
            return Err(entry.refuse(format!("`{name}` requests no tokens and takes no other members")));
        }
        let is_exchange = *kind == AuthKind::Exchange;
        let has_secret = client.as_ref().is_some_and(|client| client.secret.is_some());
        if (is_exchange || has_secret) && self.issuer.is_none() {
            let sent = if is_exchange { "tokens of callers" } else { "the secret of the `client`" };
            let message = format!("name the `issuer`, or the server would choose who receives {sent}");
            return Err(entry.refuse(message));
        }
        if !is_exchange && (self.audience.is_some() || self.max_age_s != EXCHANGE_AGE_S) {
            return Err(
                entry.refuse(format!("`audience` and `maxAgeS` are for `exchange`, not for `{name}`"))
            );
        }
        Ok(self)
    }
}
