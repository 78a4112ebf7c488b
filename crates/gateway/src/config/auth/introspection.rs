//! The endpoint of an authorization server that judges opaque tokens (RFC 7662).

use mcp_sieve::{Error, json::Entry};

use super::address::address;
use crate::config::auth_client::AuthClient;

/// The introspection endpoint of an authorization server, and the client that may ask it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introspection {
    /// The URL of the endpoint.
    pub url: String,
    /// The client as which the gateway asks. It has a secret.
    pub client: AuthClient,
}

impl Introspection {
    /// Reads the settings. `own` is the client of the issuer, which asks if the endpoint names no other.
    pub(super) fn read(entry: &Entry<'_>, own: Option<&AuthClient>) -> Result<Self, Error> {
        let (mut url, mut client) = (String::new(), None);
        let mut record = entry.record(&["url", "client"])?;
        record.need(&["url"]);
        record.fill("url", &mut url, address);
        record.fill_optional("client", &mut client, AuthClient::read);
        record.end()?;
        match client.as_ref().or(own) {
            Some(client) if client.secret.is_some() => Ok(Self { url, client: client.clone() }),
            _ => Err(entry.refuse("expected `client` with an `id` and a `secret`, here or beside it")),
        }
    }
}
