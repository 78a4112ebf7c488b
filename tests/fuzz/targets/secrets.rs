//! Texts with tokens, keys and passwords.

use mcp_sieve_redact::{PlaceholderMap, Redactor, Restorer, secrets::Secrets};

use super::text;
use crate::{corpus, target::Target};

pub const TARGET: Target = Target { mutations: 3_000, seeds, words: WORDS, holds };

const WORDS: &[&str] = &[
    "ghp_",
    "AKIA",
    "sk-ant-",
    "eyJ",
    ".",
    "password=",
    "\"",
    "'",
    "token: ",
    "Bearer ",
    "://",
    ":",
    "@",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "[SECRET_1]",
    "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA1b",
    "é",
    "\u{0}",
];

fn seeds() -> Vec<Vec<u8>> {
    corpus::under("text").iter().filter(|text| text.is_string()).map(corpus::bytes).collect()
}

fn holds(bytes: &[u8]) -> String {
    let (text, secrets) = (text(bytes), Secrets::default());
    let found: Vec<_> = secrets.secrets(&text).collect();
    let mut last = 0;
    for secret in &found {
        assert!(
            last <= secret.start && secret.start < secret.end && text.get(secret.start..secret.end).is_some()
        );
        last = secret.end;
    }
    let mut redactor = Redactor::new(secrets, PlaceholderMap::new());
    let redacted = redactor.redact(&text);
    let map: Vec<_> =
        redactor.placeholders().iter().map(|(name, _, value)| (name, value.to_owned())).collect();
    let restorer = Restorer::new(map.iter().map(|(name, value)| (&**name, &**value)), false);
    assert_eq!(restorer.restore(&redacted), text);
    found.first().map_or("none", |secret| secret.rule).to_owned()
}
