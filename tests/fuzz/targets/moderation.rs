//! Texts with phrases that policies flag, spelled to evade a list.

use mcp_sieve_redact::moderation::Policies;

use super::text;
use crate::{corpus, target::Target};

pub const TARGET: Target = Target { mutations: 3_000, seeds, words: WORDS, holds };

const WORDS: &[&str] = &[
    "make a bomb",
    "m4ke",
    "b o m b",
    "b.o.m.b",
    " a ",
    "ignore ",
    "previous ",
    "instructions",
    "к",
    "\u{200b}",
    "\u{301}",
    "ｂ",
    "𝐛",
    "!",
    "$",
    "0",
    "日本",
];

fn seeds() -> Vec<Vec<u8>> {
    corpus::under("text").iter().filter(|text| text.is_string()).map(corpus::bytes).collect()
}

fn holds(bytes: &[u8]) -> String {
    let (text, known) = (text(bytes), Policies::default());
    let all = known.flags(&text, &known.names());
    for flag in &all {
        assert!(flag.start < flag.end && text.get(flag.start..flag.end).is_some(), "{flag:?}");
    }
    // A policy flags the same alone as together with others.
    for policy in known.names() {
        let alone = known.flags(&text, &[policy]);
        assert!(alone.iter().eq(all.iter().filter(|flag| flag.policy == policy)));
    }
    all.first().map_or_else(|| "nothing".to_owned(), |flag| flag.policy.clone())
}
