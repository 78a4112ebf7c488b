//! The record of a connection: the tokens of one holder for one server, and what refreshes them.

use std::fmt;

use mcp_sieve::seal::Key;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::sealing::{open, seal};

/// The purpose for which the key of connections is derived.
const PURPOSE: &str = "connection";

/// The tokens of one holder for one server, with the members that are needed to refresh and revoke them. It shows none
/// of them. Times are in milliseconds since 1970.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Connection {
    /// The URL of the server. The tokens go to no other.
    pub server_url: String,
    /// The authorization server that issued the tokens.
    pub issuer: String,
    /// The metadata of the authorization server.
    pub as_server: Value,
    /// The client to which the tokens were issued.
    pub client: Value,
    /// The resource that the tokens are for (RFC 8707), if it was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// The access token.
    pub access: String,
    /// When the access token ends, if the authorization server stated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// The refresh token, if there is one that was not sent yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh: Option<String>,
    /// The granted scopes, separated by spaces, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// When the holder signed in.
    pub since: u64,
    /// When the access token was issued.
    #[serde(default)]
    pub obtained: u64,
    /// When the refresh token was marked as sent, if the answer was not stored yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refreshing: Option<u64>,
}

impl Connection {
    /// Returns the sealed record, in base64url. It opens for the same holder and server only.
    pub fn seal(&self, key: &Key, holder: &str, server: &str) -> String {
        let json = serde_json::to_vec(self).unwrap_or_default();
        seal(key, PURPOSE, &[holder, server], &json)
    }

    /// Opens a record that [`Connection::seal`] made for this holder and server under one of the keys.
    pub fn open(key: &Key, text: &str, holder: &str, server: &str) -> Option<Self> {
        let json = open(key, PURPOSE, &[holder, server], text)?;
        serde_json::from_slice(&json).ok()
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

/// Returns the key of the connections of one machine, from the text of its file. White space around it does not belong
/// to the key.
pub fn connection_key(text: &str) -> Option<Key> {
    Key::new(text.trim().as_bytes())
}

#[cfg(test)]
mod tests {
    use mcp_sieve::seal::Key;
    use serde_json::json;

    use super::Connection;

    fn key(secrets: &[&str]) -> Key {
        let secrets: Vec<&[u8]> = secrets.iter().map(|secret| secret.as_bytes()).collect();
        #[expect(clippy::unwrap_used, reason = "the secrets are valid")]
        Key::rotated(&secrets).unwrap()
    }

    fn connection() -> Connection {
        Connection {
            server_url: "https://mcp.example/mcp".to_owned(),
            issuer: "https://as.example".to_owned(),
            as_server: json!({"issuer": "https://as.example"}),
            client: json!({"id": "gateway"}),
            resource: None,
            access: "access-token-in-clear".to_owned(),
            expires: Some(1_800_000_000_000),
            refresh: Some("refresh-token-in-clear".to_owned()),
            scope: None,
            since: 1,
            obtained: 2,
            refreshing: None,
        }
    }

    #[test]
    fn a_record_opens_for_its_holder_and_server_only() {
        let key = key(&["first key of the test"]);
        let sealed = connection().seal(&key, "alice", "tracker");
        assert_eq!(Connection::open(&key, &sealed, "alice", "tracker"), Some(connection()));
        for (holder, server) in
            [("bob", "tracker"), ("alice", "mail"), ("alicet", "racker"), ("tracker", "alice")]
        {
            assert_eq!(Connection::open(&key, &sealed, holder, server), None, "{holder} {server}");
        }
    }

    #[test]
    fn the_first_key_seals_and_each_opens() {
        let (old, new) = ("an old key of the test", "a new key of the test");
        let sealed = connection().seal(&key(&[old]), "alice", "tracker");
        assert!(Connection::open(&key(&[new, old]), &sealed, "alice", "tracker").is_some());
        assert!(Connection::open(&key(&[new]), &sealed, "alice", "tracker").is_none());
        let sealed = connection().seal(&key(&[new, old]), "alice", "tracker");
        assert!(Connection::open(&key(&[new]), &sealed, "alice", "tracker").is_some());
    }

    #[test]
    fn a_changed_text_does_not_open() {
        let key = key(&["first key of the test"]);
        let sealed = connection().seal(&key, "alice", "tracker");
        for left in [0, 1, 20, sealed.len() - 1] {
            let cut: String = sealed.chars().take(left).collect();
            assert_eq!(Connection::open(&key, &cut, "alice", "tracker"), None, "{left}");
        }
        let longer = format!("{sealed}AAAA");
        assert_eq!(Connection::open(&key, &longer, "alice", "tracker"), None);
        let foreign = super::seal(&key, "another purpose", &["alice", "tracker"], b"{}");
        assert_eq!(Connection::open(&key, &foreign, "alice", "tracker"), None);
    }

    #[test]
    fn neither_the_text_nor_the_debug_output_shows_a_token() {
        let sealed = connection().seal(&key(&["first key of the test"]), "alice", "tracker");
        let shown = format!("{:?} {sealed}", connection());
        assert!(!shown.contains("in-clear") && !shown.contains("alice"), "{shown}");
    }
}
