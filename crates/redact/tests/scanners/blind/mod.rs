//! Whole texts with marked personal data, by authors who had read neither the scanner's rules nor the other sets. They
//! were committed with the figures of their first run. A text is changed if it is wrong, such as a check digit or a
//! missing mark, and never because the scanner misses it. Rules may be tuned on the first half. Of the second half,
//! only figures are looked at.
//!
//! In the files, `%%` on a line of its own separates texts, and a mark is `{{KIND|value}}`.

use std::collections::BTreeMap;

use mcp_sieve_redact::{Kind, Scan, pii::Scanner};

use crate::{corpus::Half, generate::Labelled, halves::is_hit, quality::Counts};

/// The marked texts of each half, and texts without personal data.
const TUNING: &[&str] = &[
    include_str!("contacts-tuning.txt"),
    include_str!("identities-tuning.txt"),
    include_str!("no-contacts-tuning.txt"),
    include_str!("no-identities-tuning.txt"),
    include_str!("english-tuning.txt"),
    include_str!("no-english-tuning.txt"),
    include_str!("documents-tuning.txt"),
    include_str!("no-documents-tuning.txt"),
    include_str!("languages-tuning.txt"),
    include_str!("no-languages-tuning.txt"),
];
const JUDGING: &[&str] = &[
    include_str!("contacts-judging.txt"),
    include_str!("identities-judging.txt"),
    include_str!("no-contacts-judging.txt"),
    include_str!("no-identities-judging.txt"),
    include_str!("english-judging.txt"),
    include_str!("no-english-judging.txt"),
    include_str!("documents-judging.txt"),
    include_str!("no-documents-judging.txt"),
    include_str!("languages-judging.txt"),
    include_str!("no-languages-judging.txt"),
];

/// Reads a marked text.
fn read(marked: &str) -> Labelled {
    let (mut text, mut truth) = (String::new(), Vec::new());
    let mut rest = marked;
    while let Some((before, mark)) = rest.split_once("{{") {
        let (mark, after) = mark.split_once("}}").unwrap();
        let (name, value) = mark.split_once('|').unwrap();
        let kind = Kind::named(name).expect(name);
        text.push_str(before);
        truth.push((kind, text.len(), text.len() + value.len()));
        text.push_str(value);
        rest = after;
    }
    text.push_str(rest);
    Labelled { text, truth }
}

/// Returns the texts of a half.
fn texts(half: Half) -> impl Iterator<Item = Labelled> {
    let files = if half == Half::Tuning { TUNING } else { JUDGING };
    files.iter().flat_map(|file| file.trim_end().split("\n%%\n")).map(read)
}

/// Counts by kind. A finding without a label counts against its kind, except organizations, which are not marked.
pub fn measure(half: Half, show: bool) -> BTreeMap<&'static str, Counts> {
    let scanner = Scanner::default();
    let mut table: BTreeMap<_, Counts> = BTreeMap::new();
    for Labelled { text, truth } in texts(half) {
        let found: Vec<_> =
            scanner.findings(&text).filter(|found| found.kind != Kind::Organization).collect();
        for label @ (kind, start, end) in &truth {
            let hit = found.iter().any(|found| is_hit(found, *label));
            table.entry(kind.name()).or_default().count(hit);
            if show && !hit {
                println!("missed {} {:?}: {text}", kind.name(), &text[*start..*end]);
            }
        }
        for found in found.iter().filter(|found| !truth.iter().any(|label| is_hit(found, *label))) {
            table.entry(found.kind.name()).or_default().count_wrong();
            if show {
                println!("wrong {} {:?}: {text}", found.kind.name(), &text[found.start..found.end]);
            }
        }
    }
    table
}

#[test]
fn halves_share_no_text() {
    let [tuning, judging] = [Half::Tuning, Half::Judging].map(|half| texts(half).map(|one| one.text));
    let tuning: Vec<_> = tuning.collect();
    for text in judging {
        assert!(!tuning.contains(&text), "{text}");
    }
}

#[test]
#[ignore = "prints the table, and the misses of the tuning half"]
fn table_of_blind_texts() {
    for half in [Half::Tuning, Half::Judging] {
        for (kind, counts) in measure(half, half == Half::Tuning) {
            let figures =
                [counts.precision(), counts.recall(), counts.f1()].map(|figure| format!("{figure:.3}"));
            println!("{half:?} {kind} {} {}", counts.labels(), figures.join(" "));
        }
    }
}
