//! Sealed tokens from clients: only a token that was sealed here opens, and only for its purpose.

use std::sync::LazyLock;

use mcp_sieve::{
    Kind,
    catalog::{Catalog, Lists, Source},
    seal::Key,
};
use mcp_sieve_gateway::server::Cursor;

use super::text;
use crate::target::Target;

pub const TARGET: Target =
    Target { mutations: 10_000, seeds, words: &["A", "_", "-", "=", "+", "/", "AQ", "Ag"], holds };

const PURPOSES: [&str; 3] = ["cursor", "session", "elsewhere"];
const CURSOR: Cursor = Cursor { kind: Kind::Prompt, filter: 7, principal: 9 };

struct Sealed {
    key: Key,
    catalog: Catalog,
    cursors: Vec<String>,
    others: Vec<(&'static str, String)>,
}

static SEALED: LazyLock<Sealed> = LazyLock::new(|| {
    let lists = Lists::read(r#"{"prompts":[{"name":"a"},{"name":"bé"},{"name":"c"}]}"#).unwrap();
    let catalog = Catalog::compile(&[Source { server: "s", lists }], &Default::default());
    let key = Key::new(b"key").unwrap();
    let kind_index = catalog.kind_index(Kind::Prompt);
    let after =
        |next: usize| next.checked_sub(1).and_then(|before| kind_index.id(before)).unwrap_or_default();
    let cursors = (0..=3).map(|next| CURSOR.seal(&key, after(next), next)).collect();
    let others = PURPOSES
        .iter()
        .flat_map(|purpose| [&b""[..], b"x", &[0; 40]].map(|content| (*purpose, key.seal(purpose, content))));
    let others = others.collect();
    Sealed { key, catalog, cursors, others }
});

fn seeds() -> Vec<Vec<u8>> {
    let strange = Cursor { kind: Kind::Tool, ..CURSOR }.seal(&SEALED.key, "", 0);
    let others = SEALED.others.iter().map(|(_, token)| token).chain([&strange]);
    SEALED.cursors.iter().chain(others).map(|token| token.clone().into_bytes()).collect()
}

fn holds(bytes: &[u8]) -> String {
    let (token, sealed) = (text(bytes), &*SEALED);
    for purpose in PURPOSES {
        if let Some(content) = sealed.key.open(purpose, &token) {
            assert_eq!(sealed.key.seal(purpose, &content), token, "one content has two tokens");
            let cursor = purpose == "cursor" && seeds().contains(&token.clone().into_bytes());
            assert!(cursor || sealed.others.contains(&(purpose, token.clone())), "nobody sealed {token}");
        }
    }
    match CURSOR.open(&sealed.key, &token) {
        Ok(position) => {
            let next =
                sealed.cursors.iter().position(|known| *known == token).expect("nobody sealed this cursor");
            assert_eq!(position.locate(|id| sealed.catalog.kind_index(Kind::Prompt).find(id)), next);
            format!("opens at {next}")
        }
        Err(error) => error.code().to_owned(),
    }
}
