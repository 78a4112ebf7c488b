//! Custom patterns: redacted values are restored, and streamed pieces give the same result as the whole.

use mcp_sieve_redact::{Patterns, PlaceholderMap, Redactor, Restorer, Scan, pii::Scanner};
use serde_json::{Map, Value, json};

use crate::{
    generate,
    properties::{in_pieces, nasty, pairs},
    random::Random,
};

/// Patterns with and without bounds, some of which match built-in findings, handles, ends of lines and nearly all text.
const PATTERNS: [&str; 14] = [
    "E-[0-9]{6}",
    r"\b[A-Z]{2}[0-9]+\b",
    "(?i)case [a-z]+",
    "[0-9]+",
    "(?s)J.*",
    ".+@",
    r"\[[^\]]*\]",
    "[^a-z]{2,}",
    "(?m)^.$",
    r"(?s)a.*\z",
    "é|日+",
    "[a-z]{300}",
    "(?m)x$|x[^y]*y",
    "_1",
];

/// Pieces of texts that these patterns match, and that look like their handles.
const PIECES: [&str; 12] = [
    "E-123456",
    "E-123456789",
    "AB12",
    "CASE x",
    "[OWN_A_1]",
    "[own-a 1]",
    "[OWN_A_",
    "[OWN_",
    "OWN_B_1",
    "xy",
    "x\n",
    "éé日日",
];

fn patterns(random: &mut Random) -> Patterns {
    let mut own = Map::new();
    for letter in "ABCD".chars().take(1 + random.below(4)) {
        let mut pattern = json!({"pattern": random.pick(&PATTERNS)});
        if random.one_in(3) {
            pattern["words"] = json!(["case", "x", "E"]);
        }
        if random.one_in(4) {
            pattern["checksum"] = json!(random.pick(&["luhn", "mod97-10"]));
        }
        own.insert(format!("OWN_{letter}"), pattern);
    }
    Patterns::parse(&Value::from(own).to_string()).unwrap()
}

fn text(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(6) {
        match random.below(3) {
            0 => text.push_str(&nasty(random)),
            1 => text.push_str(&random.pick(&PIECES).repeat(1 + random.below(2))),
            _ => text.push_str(&"x1".repeat(random.below(Patterns::MAX_MATCH))),
        }
    }
    text
}

fn comes_back(seed: u64) {
    let mut random = Random::new(seed);
    let patterns = patterns(&mut random);
    let mut map: Vec<(String, String)> = Vec::new();
    let mut turns = Vec::new();
    for _ in 0..1 + random.below(3) {
        let carried = PlaceholderMap::carried(map.iter().map(|(name, value)| (&**name, &**value)));
        let scanner = Scanner::new(random.one_in(2), None).with_patterns(patterns.clone());
        let mut redactor = Redactor::new(scanner, carried);
        let text = text(&mut random);
        let redacted = redactor.redact(&text).into_owned();
        // What looks like a handle that is known means its value.
        let known = Restorer::new(map.iter().map(|(name, value)| (&**name, &**value)), false);
        turns.push((known.restore(&text).into_owned(), redacted));
        map = pairs(redactor.placeholders());
    }
    let restorer = Restorer::new(map.iter().map(|(name, value)| (&**name, &**value)), false);
    for (text, redacted) in turns {
        assert_eq!(restorer.restore(&redacted), text, "seed {seed}: {redacted:?}, {map:?}");
    }
}

#[test]
fn what_own_patterns_replace_comes_back() {
    (0..1_500).for_each(comes_back);
}

#[test]
fn pieces_give_what_the_whole_gives_with_own_patterns() {
    for seed in 0..6 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let patterns = patterns(&mut random);
        let mut whole = String::new();
        while whole.len() < 20_000 {
            whole.push_str(&text(&mut random));
            whole.push_str(&generate::text(&mut random, 3).text);
        }
        in_pieces(Scanner::default().with_patterns(patterns), &whole, 9_000, &mut random);
    }
}

/// Any text may be given as a pattern: it is refused, or what it finds are pieces of the text in order.
#[test]
fn no_pattern_panics() {
    const SIGNS: [&str; 24] = [
        "a", "[a-z]", "\\b", "\\d", "(", ")", "|", "*", "+", "?", "{2}", "{1,", "}", "[", "]", "^", "$", ".",
        "(?i)", "(?s)", "\\", "é", "[^x]", "(?P<n>",
    ];
    let mut accepted = 0;
    for seed in 0..4_000 {
        let mut random = Random::new(seed);
        let pattern: String = (0..1 + random.below(6)).map(|_| *random.pick(&SIGNS)).collect();
        let own = json!({"OWN_A": {"pattern": pattern}}).to_string();
        let Ok(patterns) = Patterns::parse(&own) else { continue };
        accepted += 1;
        let (text, mut place) = (text(&mut random), 0);
        for found in Scanner::default().with_patterns(patterns).findings(&text) {
            assert!(place <= found.start && found.start < found.end, "seed {seed}");
            assert!(text.get(found.start..found.end).is_some(), "seed {seed}: {pattern}");
            place = found.end;
        }
    }
    assert!(accepted > 400, "{accepted} patterns");
}

/// A match is tried at each word that a text has, and each try reads a bounded part of it: this ends.
#[test]
fn texts_of_many_matches_without_a_checksum_end() {
    let own = json!({"OWN_A": {"pattern": "[0-9 ]+", "checksum": "luhn", "words": ["no"]}}).to_string();
    let scanner = Scanner::default().with_patterns(Patterns::parse(&own).unwrap());
    assert_eq!(scanner.findings(&"1 ".repeat(5_000)).count(), 0);
}

/// A hostile text makes a pattern no slower than a window for each byte: this ends.
#[test]
fn long_runs_end() {
    let own = json!({"OWN_A": {"pattern": "[0-9]+x|[0-9]"}, "OWN_B": {"pattern": "(?s)a.*b"}}).to_string();
    let scanner = Scanner::default().with_patterns(Patterns::parse(&own).unwrap());
    let count = scanner.findings(&"1a".repeat(5_000)).count();
    assert!(count > 0);
}

#[test]
fn there_are_as_many_patterns_as_kinds_have_room() {
    let own = |count: usize| {
        let names = (0..count).map(|at| {
            let letter = |at: usize| char::from(b'A' + (at % 26) as u8);
            format!("OWN_{}{}", letter(at / 26), letter(at))
        });
        let own: Map<_, _> = names.map(|name| (name, json!({"pattern": "x"}))).collect();
        Patterns::parse(&Value::from(own).to_string())
    };
    assert_eq!(own(Patterns::MAX_PATTERNS).unwrap().names().count(), Patterns::MAX_PATTERNS);
    let error = own(Patterns::MAX_PATTERNS + 1).unwrap_err();
    assert!(error.to_string().contains("expected at most 32 patterns"), "{error}");
}
