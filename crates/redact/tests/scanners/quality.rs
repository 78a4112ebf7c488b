//! How well, on texts that are made here: precision and recall by kind. A finding is right where a label of its kind
//! covers at least half of what both cover together.

use std::collections::BTreeMap;

use mcp_sieve_redact::{Kind, Scan, pii::Scanner};

use crate::{generate, random::Random};

/// Kinds that are told from words and capitals: best effort.
const BEST_EFFORT: [Kind; 3] = [Kind::Person, Kind::Organization, Kind::Address];

#[derive(Debug, Default, Clone, Copy)]
pub struct Counts {
    right: u32,
    missed: u32,
    wrong: u32,
}

impl Counts {
    /// Counts a label as found or missed.
    pub fn count(&mut self, hit: bool) {
        self.right += u32::from(hit);
        self.missed += u32::from(!hit);
    }

    /// Returns the number of labels.
    pub fn labels(self) -> u32 {
        self.right + self.missed
    }

    /// Counts a finding that has no label.
    pub fn count_wrong(&mut self) {
        self.wrong += 1;
    }

    pub fn precision(self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.wrong).max(1))
    }

    pub fn recall(self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.missed).max(1))
    }

    pub fn f1(self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        2.0 * precision * recall / (precision + recall).max(f64::MIN_POSITIVE)
    }

    pub fn add(&mut self, other: Self) {
        self.right += other.right;
        self.missed += other.missed;
        self.wrong += other.wrong;
    }
}

fn measure(texts: u64, show: bool) -> BTreeMap<&'static str, (Kind, Counts)> {
    let scanner = Scanner::default();
    let mut table: BTreeMap<&str, (Kind, Counts)> = BTreeMap::new();
    let mut shown: BTreeMap<&str, u32> = BTreeMap::new();
    let mut show = |kind: Kind, what: &str, text: &str, start: usize, end: usize| {
        let times = shown.entry(kind.name()).or_default();
        *times += 1;
        if show && *times <= 12 {
            let before: String =
                text[..start].chars().rev().take(24).collect::<Vec<_>>().into_iter().rev().collect();
            println!("{what} {}: …{before}⟦{}⟧", kind.name(), &text[start..end]);
        }
    };
    for seed in 0..texts {
        let labelled = generate::text(&mut Random::new(seed), 12);
        let found: Vec<_> = scanner.findings(&labelled.text).collect();
        let mut met = vec![false; found.len()];
        for (kind, start, end) in &labelled.truth {
            let hit = found.iter().position(|found| {
                let common = found.end.min(*end).saturating_sub(found.start.max(*start));
                let whole = found.end.max(*end) - found.start.min(*start);
                found.kind == *kind && common * 2 >= whole
            });
            let counts = &mut table.entry(kind.name()).or_insert((*kind, Counts::default())).1;
            match hit {
                Some(hit) => {
                    met[hit] = true;
                    counts.right += 1;
                }
                None => {
                    counts.missed += 1;
                    show(*kind, "missed", &labelled.text, *start, *end);
                }
            }
        }
        for (found, _) in found.iter().zip(met).filter(|(_, met)| !met) {
            table.entry(found.kind.name()).or_insert((found.kind, Counts::default())).1.wrong += 1;
            show(found.kind, "wrong", &labelled.text, found.start, found.end);
        }
    }
    table
}

/// How many texts the page is about.
pub const TEXTS: u64 = 5000;

/// The rows of a table by kind, and of its structured kinds together.
fn rows(table: &BTreeMap<&str, (Kind, Counts)>) -> String {
    let row = |name: &str, counts: Counts| {
        let (precision, recall, f1) = (counts.precision(), counts.recall(), counts.f1());
        format!("| {name} | {} | {precision:.3} | {recall:.3} | {f1:.3} |", counts.labels())
    };
    let mut whole = Counts::default();
    table.values().filter(|(kind, _)| !BEST_EFFORT.contains(kind)).for_each(|(_, counts)| whole.add(*counts));
    let kinds = table.iter().filter(|(_, (_, counts))| counts.labels() > 0);
    let kinds = kinds.map(|(name, (_, counts))| row(name, *counts));
    kinds.chain([row("structured kinds together", whole)]).collect::<Vec<_>>().join("\n")
}

/// The rows of the page.
pub fn page_rows() -> String {
    rows(&measure(TEXTS, false))
}

#[test]
fn structured_kinds_are_found() {
    let table = measure(600, false);
    let mut whole = Counts::default();
    for (kind, counts) in table.values().filter(|(kind, _)| !BEST_EFFORT.contains(kind)) {
        whole.add(*counts);
        let labelled = generate::MAKERS.iter().any(|maker| maker.kind == *kind);
        assert!(!labelled || counts.f1() >= 0.9, "{}: {counts:?}", kind.name());
    }
    assert!(whole.f1() >= 0.95, "{whole:?}");
    let people = table["PERSON"].1;
    assert!(people.f1() >= 0.7, "{people:?}");
}

#[test]
#[ignore = "prints what is missed and wrong; `make quality`"]
fn table() {
    println!("{}", rows(&measure(TEXTS, true)));
}
