//! Redacted texts are restored byte for byte, as a whole and in pieces.

use std::env;

use mcp_sieve_redact::{
    PlaceholderMap, RedactionStream, Redactor, Restorer, Scan, pii::Scanner, secrets::Secrets,
};

use crate::{generate, random::Random, secrets};

/// Pieces of which nasty texts are made.
const PIECES: &[&str] = &[
    "[PERSON_1]",
    "[EMAIL_2]",
    "[person 1]",
    "[HANDLE_1]",
    "[",
    "]",
    "[[",
    "]]",
    "_1]",
    "[PERSON_",
    "[SSN_",
    "John Smith",
    "jane@example.com",
    "123-45-6789",
    "é",
    "日本",
    "\u{200b}",
    "\u{0}",
    " ",
    "\n",
    "@",
    "://",
    "a:b@",
    "4111 1111 1111 1111",
    "-",
    ".",
    ":",
    "1",
    "0",
    "A",
    "z",
    "+44 20 7946 0958",
    "Dr. ",
    "https://u:p@h.example/x",
    "GB82WEST12345698765432",
    "1.2.3.4",
    "::1",
    "Acme Inc",
    "born 1/2/1980",
    "[CUSTOMER_7]",
    "00:1A:2B:3C:4D:5E",
    "\u{301}",
    "’s",
    "12 Main Street, Springfield, IL 62704",
    "Straße 1",
    "\u{ff11}",
    "[x_1]",
    "SSN",
    "ssn: ",
    "\t",
    "(",
    ")",
    "/",
    "_",
    "%",
];

pub(crate) fn nasty(random: &mut Random) -> String {
    let length = 1 + random.below(14);
    let mut text = String::new();
    for _ in 0..length {
        match random.below(8) {
            0 => text.push_str(&generate::decoy(random)),
            1 => text.push(char::from_u32(random.below(0x11_0000) as u32).unwrap_or('x')),
            2 => text.push(char::from(random.below(128) as u8)),
            3 => text.push_str(&(random.pick(generate::MAKERS).make)(random)),
            _ => text.push_str(random.pick::<&str>(PIECES)),
        }
    }
    text
}

pub(crate) fn pairs(handles: &PlaceholderMap) -> Vec<(String, String)> {
    handles.iter().map(|(name, _, value)| (name, value.to_owned())).collect()
}

/// Several turns of one conversation come back, with the map carried along; and each alone with the whole map. What is
/// written like a handle of an earlier turn is that handle, and comes back as its value.
fn comes_back(seed: u64) {
    let mut random = Random::new(seed);
    let strict = random.one_in(2);
    let mut map: Vec<(String, String)> = Vec::new();
    if random.one_in(4) {
        map.push(("CUSTOMER_7".to_owned(), "somebody".to_owned()));
    }
    let (mut texts, mut redacted) = ([Vec::new(), Vec::new()], Vec::new());
    for _ in 0..1 + random.below(3) {
        let carried = PlaceholderMap::carried(map.iter().map(|(name, value)| (&**name, &**value)));
        let mut redactor = Redactor::new(Scanner::new(strict, None), carried);
        for _ in 0..1 + random.below(2) {
            let text = nasty(&mut random);
            redacted.push(redactor.redact(&text).into_owned());
            for (tolerant, texts) in [false, true].into_iter().zip(&mut texts) {
                let known = Restorer::new(map.iter().map(|(name, value)| (&**name, &**value)), tolerant);
                texts.push(known.restore(&text).into_owned());
            }
        }
        map = pairs(redactor.placeholders());
    }
    for (tolerant, texts) in [false, true].into_iter().zip(&texts) {
        let restorer = Restorer::new(map.iter().map(|(name, value)| (&**name, &**value)), tolerant);
        // Another spelling of a handle inside a longer value stays as it was written, as exact restoration wants it.
        let whole = |value: &str| value.starts_with('[') && value.find(']') == Some(value.len() - 1);
        let inside = |value: &str| !whole(value) && restorer.restore(value) != value;
        if tolerant && map.iter().any(|(_, value)| inside(value)) {
            continue;
        }
        for (text, redacted) in texts.iter().zip(&redacted) {
            // Nor can a tolerant reader tell a handle that was given out later from a text that already read like it.
            if tolerant && restorer.restore(text) != *text {
                continue;
            }
            assert_eq!(
                restorer.restore(redacted),
                *text,
                "seed {seed}, tolerant {tolerant}: {redacted:?}, {map:?}"
            );
        }
    }
}

#[test]
fn what_is_replaced_comes_back() {
    (0..10_000).for_each(comes_back);
}

#[test]
#[ignore = "a million strings (CASES=n SEED=n); `cargo test --profile fuzz --package mcp-sieve-redact --test scanners -- --ignored come_back`"]
fn a_million_texts_come_back() {
    let number = |name, usual| env::var(name).map_or(usual, |number| number.parse().unwrap());
    let (from, cases) = (number("SEED", 1 << 32), number("CASES", 1_000_000));
    (from..from + cases).for_each(comes_back);
    println!("{cases} conversations from seed {from} came back");
}

/// Pieces give what the whole gives, and back; whatever it is that is looked for.
pub(crate) fn in_pieces<S: Scan + Clone>(scanner: S, text: &str, longest: usize, random: &mut Random) {
    let mut whole = Redactor::new(scanner.clone(), PlaceholderMap::new());
    let expected = whole.redact(text).into_owned();
    let mut redactor = Redactor::new(scanner, PlaceholderMap::new());
    let mut stream = RedactionStream::new(&mut redactor);
    let mut out = String::new();
    each_piece(text, longest, random, |piece| out.push_str(&stream.push(piece)));
    out.push_str(&stream.finish());
    assert!(out == expected);
    assert_eq!(pairs(redactor.placeholders()), pairs(whole.placeholders()));

    let map = pairs(redactor.placeholders());
    for tolerant in [false, true] {
        let restorer = Restorer::new(map.iter().map(|(name, value)| (&**name, &**value)), tolerant);
        let (mut held, mut back) = (String::new(), String::new());
        each_piece(&out, 50, random, |piece| back.push_str(&restorer.push(&mut held, piece)));
        back.push_str(&restorer.restore(&held));
        assert!(back == restorer.restore(&out));
        assert!(tolerant || back == text);
    }
}

/// What models make of handles, and what a tolerant reader makes of that, whole and in any pieces.
#[test]
fn rewritten_placeholders_are_restored_in_any_pieces() {
    const WRITTEN: &[&str] = &[
        "[PERSON_1]",
        "[PERSON\\_1]",
        "\\[PERSON\\_1\\]",
        "\\[PERSON_1, PERSON_2\\]",
        "\\[PERSON_3\\]",
        "C:\\[PERSON_1]\\a",
        "PERSON_1",
        "PERSON\\_2",
        "[PERSON_1, PERSON_2]",
        "[PERSON_1; EMAIL_1 & PERSON_2]",
        "\u{3010}PERSON_1\u{3011}",
        "\u{ff3b}PERSON_2\u{ff3d}",
        "**[PERSON_1]**",
        "`PERSON_1`",
        "[**PERSON_1**]",
        "[`EMAIL_1`]",
        "[person 1]",
        "[PERSON_3]",
        "[PERSON_1, PERSON_3]",
        "PERSON_11",
        "XPERSON_1",
        "person_1",
        "Person 1",
        "[PERSON_1",
        "\u{3010}PERSON_1",
        "[",
        "]",
        "\u{3010}",
        "\u{3011}",
        "\u{ff3b}",
        "_1",
        "PERSON_",
        "\\",
        " ",
        ",",
        "é",
        "日本",
        "\n",
    ];
    let map = [("PERSON_1", "Ann"), ("PERSON_2", "Bob [PERSON_1]"), ("EMAIL_1", "a@b.example")];
    let restorer = Restorer::new(map, true);
    for seed in 0..5_000 {
        let mut random = Random::new(seed);
        let text: String = (0..random.below(12)).map(|_| WRITTEN[random.below(WRITTEN.len())]).collect();
        let whole = restorer.restore(&text);
        let (mut held, mut out) = (String::new(), String::new());
        each_piece(&text, 6, &mut random, |piece| out.push_str(&restorer.push(&mut held, piece)));
        out.push_str(&restorer.restore(&held));
        assert_eq!(out, whole, "seed {seed}: {text:?}");
    }
}

fn each_piece(text: &str, longest: usize, random: &mut Random, mut take: impl FnMut(&str)) {
    let mut place = 0;
    while place < text.len() {
        let mut end = (place + 1 + random.below(longest)).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        take(&text[place..end]);
        place = end;
    }
}

#[test]
fn pieces_give_what_the_whole_gives() {
    for seed in 0..20 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let mut text = String::new();
        while text.len() < 40_000 {
            text.push_str(&nasty(&mut random));
            text.push_str(&generate::text(&mut random, 3).text);
            if random.one_in(40) {
                text.push_str(&"a1B2".repeat(random.below(3000)));
            }
        }
        in_pieces(Scanner::default(), &text, 9_000, &mut random);
        in_pieces(Scanner::new(true, None), &text, 40, &mut random);
    }
}

#[test]
fn pieces_of_secrets_give_what_the_whole_gives() {
    for seed in 0..4 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let mut text = String::new();
        while text.len() < 200_000 {
            text.push_str(&nasty(&mut random));
            text.push_str(&secrets::nasty(&mut random));
            text.push_str(&generate::text(&mut random, 2).text);
        }
        in_pieces(Secrets::default(), &text, 60_000, &mut random);
        in_pieces(Secrets::default(), &text, 3_000, &mut random);
    }
}
