//! Tests of the secret scanner: each documented kind is found, and texts without secrets have no findings.

use std::collections::BTreeMap;

use mcp_sieve_redact::{PlaceholderMap, Redactor, Restorer, secrets::Secrets};

use crate::{
    random::Random,
    secret_samples::{self, LETTERS, draw, in_context, token},
};

/// Seeds of the samples that rules may be tuned with, and of those that only judge.
const TUNING: u64 = 1 << 20;
const JUDGING: u64 = 1 << 40;

/// How many samples there are of each kind in either half.
pub const SAMPLES: u64 = 400;

/// How many samples of each kind are found from their first byte to their last, in one half; and misses to show.
fn recall(half: u64) -> (BTreeMap<&'static str, u64>, Vec<String>) {
    let (secrets, mut found, mut missed) = (Secrets::default(), BTreeMap::new(), Vec::new());
    for (number, name) in secret_samples::names().into_iter().enumerate() {
        for seed in 0..SAMPLES {
            let mut random = Random::new(half + (number as u64) * SAMPLES + seed);
            let secret = secret_samples::token_of(&mut random, name);
            let (text, start) = in_context(&mut random, &secret);
            let held: Vec<_> = secrets.secrets(&text).map(|secret| (secret.start, secret.end)).collect();
            if held == [(start, start + secret.len())] {
                *found.entry(name).or_default() += 1;
            } else {
                missed.push(format!("{name}: {text:?}: {held:?}"));
            }
        }
    }
    (found, missed)
}

/// How many samples of each kind are found in the tuning and in the judging half.
pub fn both_halves() -> BTreeMap<&'static str, [u64; 2]> {
    let [tuning, judging] = [TUNING, JUDGING].map(|half| recall(half).0);
    let found = |half: &BTreeMap<_, u64>, name| half.get(name).copied().unwrap_or(0);
    secret_samples::names()
        .into_iter()
        .map(|name| (name, [found(&tuning, name), found(&judging, name)]))
        .collect()
}

#[test]
fn claimed_tokens_are_found() {
    let names = secret_samples::names();
    let (found, missed) = recall(TUNING);
    for (name, found) in &found {
        println!("tuning: {name}: {found} of {SAMPLES}");
    }
    missed.iter().take(60).for_each(|missed| println!("missed {missed}"));
    // The misses of this half are not shown, so that no rule is made for them.
    let (found, _) = recall(JUDGING);
    for name in &names {
        let found = found.get(name).copied().unwrap_or(0);
        assert!(found * 100 >= SAMPLES * 98, "{name}: {found} of {SAMPLES}");
    }
    let (found, all) = (found.values().sum::<u64>(), SAMPLES * names.len() as u64);
    println!("judging: {found} of {all}");
    assert!(found * 100 >= all * 98, "{found} of {all}");
}

/// docs/middleware.md lists the kinds of the table, and no others.
#[test]
fn documentation_lists_the_kinds() {
    let page = include_str!("../../../../docs/middleware.md");
    let (_, list) = page.split_once("<!-- kinds of tokens -->\n").unwrap();
    let (list, _) = list.split_once(".\n").unwrap();
    let listed: Vec<_> = list.split(',').map(|name| name.trim().trim_matches('`')).collect();
    assert_eq!(listed, secret_samples::names());
}

/// Our own sources: names, paths, hashes and tables, and no secret but those of tests.
#[test]
fn sources_have_no_secrets() {
    fn read(folder: &std::path::Path, out: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                // The packages that scripts use are none of ours.
                if !entry.ends_with("node_modules") {
                    read(&entry, out);
                }
            } else if let Ok(text) = std::fs::read_to_string(&entry) {
                out.push((entry.display().to_string(), text));
            }
        }
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut sources = Vec::new();
    ["src", "crates/gateway/src", "crates/bindings", "worker/src", "web/page", "web/src", "scripts"]
        .iter()
        .for_each(|folder| read(&root.join(folder), &mut sources));
    if let Some(folder) = std::env::var_os("SIEVE_DATA").map(std::path::PathBuf::from) {
        let catalogs = folder.join("catalogs");
        if catalogs.exists() {
            read(&catalogs, &mut sources);
        }
    }
    let bytes: usize = sources.iter().map(|(_, text)| text.len()).sum();
    let secrets = Secrets::default();
    let mut found = Vec::new();
    for (path, text) in &sources {
        found.extend(
            secrets
                .secrets(text)
                .map(|secret| format!("{path}: {} {}", secret.rule, &text[secret.start..secret.end])),
        );
    }
    println!("{} found in {bytes} bytes of sources and catalogs", found.len());
    assert!(bytes > 500_000);
    assert!(found.len() <= bytes / 1_000_000, "{} in {bytes} bytes: {found:#?}", found.len());
}

/// A value that is let pass, as it is one of documentation, and what looks like a handle in it.
#[test]
fn handles_in_values_that_are_let_pass_come_back() {
    for text in [
        "://:[SECRET_1]example@Bearer JhbGciOiJIUzI1NiJ9.e",
        "password=\"[SECRET_1]example1!\" token: ghp_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA1b",
        "db://u:your[SECRET_1][SECRET_2]@h and db://u:hr2pass@h",
    ] {
        let mut redactor = Redactor::new(Secrets::default(), PlaceholderMap::new());
        let redacted = redactor.redact(text).into_owned();
        assert!(redacted.contains("[HANDLE_1]"), "{redacted}");
        let map: Vec<_> =
            redactor.placeholders().iter().map(|(name, _, value)| (name, value.to_owned())).collect();
        let restorer = Restorer::new(map.iter().map(|(name, value)| (&**name, &**value)), false);
        assert_eq!(restorer.restore(&redacted), text);
    }
}

#[test]
fn secrets_come_back() {
    let mut random = Random::new(3);
    for _ in 0..3000 {
        let mut text = String::new();
        for _ in 0..random.below(9) {
            match random.below(8) {
                0 => text.push_str("[SECRET_1]"),
                4 => text.push_str("://:[SECRET_1]example@"),
                5 => text.push_str("Bearer your"),
                1 => text.push_str("password=\"hunter2!X\" "),
                2 => text.push_str("a://b:c4d5e6@f "),
                3 => text.push_str("-----BEGIN PRIVATE KEY-----"),
                _ => text.push_str(&format!("{} é", token(&mut random))),
            }
        }
        let mut redactor = Redactor::new(Secrets::default(), PlaceholderMap::new());
        let redacted = redactor.redact(&text).into_owned();
        let map: Vec<_> =
            redactor.placeholders().iter().map(|(name, _, value)| (name, value.to_owned())).collect();
        let restorer = Restorer::new(map.iter().map(|(name, value)| (&**name, &**value)), false);
        assert_eq!(restorer.restore(&redacted), text);
    }
}

/// Something of which secrets are made: a token, whole or cut, a key of any length, an assignment, a connection string.
pub fn nasty(random: &mut Random) -> String {
    let token = token(random);
    let (short, cut, body) =
        (1 + random.below(300), 1 + random.below(token.len() - 1), 1 + random.below(20_000));
    match random.below(8) {
        0 => token,
        1 => token[..cut].to_owned(),
        2 => format!("password={}", draw(random, LETTERS, short)),
        3 => format!("postgres://u:{}@db.example/x ", draw(random, LETTERS, short)),
        4 => {
            let lines = draw(random, LETTERS, body);
            let end = if random.one_in(3) { "" } else { "-----END RSA PRIVATE KEY-----\n" };
            format!("-----BEGIN RSA PRIVATE KEY-----\n{lines}\n{end}")
        }
        5 => draw(random, LETTERS, 2 * body),
        6 => format!("{} ", "=:-[".repeat(1 + random.below(3_000))),
        _ => format!("\n{}: {token}\n", draw(random, LETTERS, short)),
    }
}
