//! Secrets of every kind that is claimed, and texts that have none.

use mcp_sieve::middleware::{
    scan::{PlaceholderMap, Redactor, Restorer},
    secrets::Secrets,
};

use crate::random::Random;

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &[u8] = b"0123456789abcdef";
const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CAPITALS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

fn draw(random: &mut Random, from: &[u8], length: usize) -> String {
    (0..length).map(|_| char::from(*random.pick(from))).collect()
}

/// A beginning, the characters behind it, and how many.
const KINDS: &[(&str, &[u8], usize)] = &[
    ("AKIA", CAPITALS, 16),
    ("ASIA", CAPITALS, 16),
    ("ghp_", LETTERS, 36),
    ("gho_", LETTERS, 36),
    ("ghs_", LETTERS, 36),
    ("github_pat_", LETTERS, 82),
    ("glpat-", LETTERS, 20),
    ("xoxb-", LETTERS, 40),
    ("xoxp-", LETTERS, 60),
    ("sk_live_", LETTERS, 24),
    ("rk_live_", LETTERS, 24),
    ("whsec_", LETTERS, 32),
    ("AIza", LETTERS, 35),
    ("GOCSPX-", LETTERS, 28),
    ("ya29.", LETTERS, 60),
    ("sk-ant-api03-", LETTERS, 90),
    ("sk-proj-", LETTERS, 64),
    ("sk-", LETTERS, 48),
    ("npm_", LETTERS, 36),
    ("pypi-AgEIcHlwaS5vcmc", LETTERS, 80),
    ("SK", HEX, 32),
    ("key-", HEX, 32),
    ("shpat_", HEX, 32),
    ("dop_v1_", HEX, 64),
    ("hf_", ALPHABET, 34),
    ("shpca_", LETTERS, 38),
    ("dapi", HEX, 32),
    ("lin_api_", LETTERS, 40),
    ("ntn_", LETTERS, 46),
    ("figd_", LETTERS, 40),
    ("hvs.", LETTERS, 90),
    ("dp.pt.", LETTERS, 43),
    ("ATATT3", LETTERS, 180),
    ("glsa_", LETTERS, 40),
    ("NRAK-", CAPITALS, 27),
    ("pscale_tkn_", LETTERS, 43),
    ("pul-", HEX, 40),
    ("rubygems_", HEX, 48),
    ("sntryu_", HEX, 64),
    ("sbp_", HEX, 40),
    ("nfp_", LETTERS, 36),
    ("dckr_pat_", LETTERS, 27),
    ("LTAI", LETTERS, 20),
    ("gsk_", LETTERS, 52),
    ("r8_", LETTERS, 37),
    ("pplx-", LETTERS, 48),
    ("sq0atp-", LETTERS, 22),
    ("aio_", LETTERS, 28),
    ("AKCp", LETTERS, 69),
    ("cio", LETTERS, 32),
    ("xai-", LETTERS, 80),
    ("123456789:AA", LETTERS, 33),
];

/// A token of a kind that is claimed, in a sentence, and the token itself: with a digit, and without a placeholder, as
/// a few of the others are let pass.
pub fn claimed(random: &mut Random) -> (String, String) {
    loop {
        let (beginning, from, length) = *random.pick(KINDS);
        let token = format!("{beginning}{}", draw(random, from, length));
        let small = token.to_lowercase();
        if small.contains(|sign: char| sign.is_ascii_digit())
            && !["xxxx", "your", "todo"].iter().any(|word| small.contains(word))
        {
            return (format!("{}{token}", random.pick(&["use ", "key=", "(", "\"", "X: "])), token);
        }
    }
}

#[test]
fn claimed_tokens_are_found() {
    let (mut random, secrets) = (Random::new(7), Secrets::default());
    let (mut found, mut all) = (0, 0);
    for _ in 0..40 {
        for (beginning, from, length) in KINDS {
            let token = format!("{beginning}{}", draw(&mut random, from, *length));
            let text = format!(
                "{}{token}{}",
                random.pick(&["use ", "key=", "(", "\"", "\n", "X: "]),
                random.pick(&[" now", ")", "\"", "\n", "", ", and"])
            );
            all += 1;
            let held: Vec<_> = secrets.secrets(&text).map(|secret| &text[secret.start..secret.end]).collect();
            if held == [token.as_str()] {
                found += 1;
            } else {
                println!("{text:?}: {held:?}");
            }
        }
    }
    println!("{found} of {all} tokens found");
    assert!(found * 1000 >= all * 998, "{found} of {all}");
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
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    ["src", "worker/src", "web", "scripts"].iter().for_each(|folder| read(&root.join(folder), &mut sources));
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
            let (beginning, from, length) = random.pick(KINDS);
            match random.below(8) {
                0 => text.push_str("[SECRET_1]"),
                4 => text.push_str("://:[SECRET_1]example@"),
                5 => text.push_str("Bearer your"),
                1 => text.push_str("password=\"hunter2!X\" "),
                2 => text.push_str("a://b:c4d5e6@f "),
                3 => text.push_str("-----BEGIN PRIVATE KEY-----"),
                _ => text.push_str(&format!("{beginning}{} é", draw(&mut random, from, *length))),
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
    let (prefix, letters, length) = *random.pick(KINDS);
    let token = format!("{prefix}{}", draw(random, letters, length));
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
