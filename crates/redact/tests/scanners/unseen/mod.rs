//! Sentences with personal data by an author who had not read the scanner's rules, nor the other corpus, when the rows
//! were written: as people write to each other, fill forms and log. A row is changed if it is wrong, such as a check
//! digit, and never because the scanner misses it.

mod addresses;
pub mod checks;
mod contacts;
mod dates;
mod english;
mod identities;
mod money;
mod negatives;
mod numbers;
mod overseas;
mod people;

use mcp_sieve_redact::Kind;

use crate::corpus::{Class, Corpus, Sentences};

use negatives::NOTHING;

pub type Rows = (&'static [&'static str], &'static [&'static [&'static str]]);

pub const fn class(
    kind: Kind,
    language: &'static str,
    holds: fn(&str) -> bool,
    tuning: Rows,
    judging: Rows,
) -> Class {
    Class {
        kind,
        language,
        holds,
        tuning: Sentences { around: tuning.0, parts: tuning.1 },
        judging: Sentences { around: judging.0, parts: judging.1 },
    }
}

/// Forms in which a number stands behind its name, for the tuning half, and sentences of a row's own.
macro_rules! tuning {
    ($($word:literal),+; $($own:literal),* $(,)?) => {
        &[
            $(
                concat!($word, ": {}"),
                concat!("- ", $word, " {}\n- status: open"),
                concat!("| ", $word, " | {} |"),
                concat!("{\"label\": \"", $word, "\", \"value\": \"{}\"}"),
                concat!("Hello, the ", $word, " you asked for is {}. Thanks!"),
                concat!("id,", $word, "\n4,{}\n"),
            )+
            $($own),*
        ]
    };
}

/// The same for the judging half.
macro_rules! judging {
    ($($word:literal),+; $($own:literal),* $(,)?) => {
        &[
            $(
                concat!($word, " = {}"),
                concat!("Please change my ", $word, " to {} from Monday on."),
                concat!("<tr><th>", $word, "</th><td>{}</td></tr>"),
                concat!("[2024-03-11 10:22:31] WARN validation failed, ", $word, " {}"),
                concat!("id;", $word, ";status\n12;{};open"),
                concat!($word, "\n{}\n"),
                concat!("wait what's wrong with my ", $word, "? it's {}"),
            )+
            $($own),*
        ]
    };
}

pub(super) use {judging, tuning};

/// Every row, kind by kind.
pub fn corpus() -> Corpus {
    let files = [
        english::CLASSES,
        people::CLASSES,
        addresses::CLASSES,
        contacts::CLASSES,
        dates::CLASSES,
        money::CLASSES,
        identities::CLASSES,
        overseas::CLASSES,
        numbers::CLASSES,
    ];
    Corpus { classes: files.into_iter().flatten().collect(), nothing: NOTHING }
}
