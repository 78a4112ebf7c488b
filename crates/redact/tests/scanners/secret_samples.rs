//! Samples of secrets, drawn from the alphabets and lengths that the table of kinds states. Nothing here reads how the
//! scanner matches.

#[path = "../../src/secrets/kinds.rs"]
mod kinds;

use kinds::{KINDS, TokenKind};

use crate::random::Random;

pub const DIGITS: &[u8] = b"0123456789";
pub const HEX: &[u8] = b"0123456789abcdef";
pub const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The alphabets of the table, by their letters.
fn alphabet(letter: char) -> &'static [u8] {
    match letter {
        'd' => DIGITS,
        'x' => HEX,
        'b' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        'u' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        'l' => b"abcdefghijklmnopqrstuvwxyz0123456789",
        'w' => LETTERS,
        's' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
        'p' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        other => panic!("no alphabet {other}"),
    }
}

pub fn draw(random: &mut Random, from: &[u8], length: usize) -> String {
    (0..length).map(|_| char::from(*random.pick(from))).collect()
}

/// A token of a row of the table.
fn sample(random: &mut Random, kind: &TokenKind) -> String {
    let mut token = random.pick(&kind.prefixes.split(' ').collect::<Vec<_>>()).to_string();
    for part in kind.body.split(' ') {
        if let Some(text) = part.strip_prefix('\'') {
            token.push_str(text);
            continue;
        }
        let lengths: Vec<usize> = part[1..].split('-').map(|length| length.parse().unwrap()).collect();
        let (least, most) = (lengths[0], *lengths.last().unwrap());
        let length = least + random.below(most - least + 1);
        token.push_str(&draw(random, alphabet(part.chars().next().unwrap()), length));
    }
    token
}

/// A token of any kind that is claimed.
pub fn token(random: &mut Random) -> String {
    let kind = random.pick(KINDS);
    sample(random, kind)
}

/// The names of the kinds in the table, each once.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
    names.dedup();
    names
}

/// A token of a kind, of any of its rows.
pub fn token_of(random: &mut Random, name: &str) -> String {
    let rows: Vec<_> = KINDS.iter().filter(|kind| kind.name == name).collect();
    let kind = random.pick(&rows);
    sample(random, kind)
}

/// What may stand before and behind a secret.
const CONTEXTS: &[(&str, &str)] = &[
    ("use ", " now"),
    ("key=", "\n"),
    ("(", ")"),
    ("\"", "\","),
    ("\n", "\n"),
    ("X: ", ", and"),
    ("'", "'"),
    ("`", "`."),
    ("", ""),
    ("token ", "."),
    ("<b>", "</b>"),
    ("https://h.example/?k=", "&x=1"),
];

/// A secret in a text, and where it stands.
pub fn in_context(random: &mut Random, secret: &str) -> (String, usize) {
    let (before, behind) = random.pick(CONTEXTS);
    (format!("{before}{secret}{behind}"), before.len())
}
