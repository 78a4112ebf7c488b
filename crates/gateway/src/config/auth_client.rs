//! A client that an authorization server knows.

use mcp_sieve::{Error, json::Entry};

/// A client that an authorization server knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthClient {
    /// The id of the client. May refer to variables of the deployment, and so may the two that follow.
    pub id: String,
    /// The secret of the client.
    pub secret: Option<String>,
    /// The private key of the client, as a JSON Web Key, with which it signs assertions (RFC 7523).
    pub key: Option<String>,
}

impl AuthClient {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut client = Self::default();
        let mut record = entry.record(&["id", "secret", "key"])?;
        record.need(&["id"]);
        record.fill("id", &mut client.id, Entry::some_text);
        record.fill_optional("secret", &mut client.secret, Entry::some_text);
        record.fill_optional("key", &mut client.key, Entry::some_text);
        record.end()?;
        match (&client.secret, &client.key) {
            (Some(_), Some(_)) => Err(entry.refuse("expected `secret` or `key`, not both")),
            _ => Ok(client),
        }
    }
}
