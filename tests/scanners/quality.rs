//! How well, on texts that are made here: precision and recall by kind. A finding is right where a label of its kind
//! covers at least half of what both cover together.

use std::collections::BTreeMap;

use mcp_sieve::middleware::{
    pii::Scanner,
    scan::{Kind, Scan},
};

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

fn print(table: &BTreeMap<&str, (Kind, Counts)>) {
    println!("| kind | in the texts | precision | recall | F1 |\n|---|---|---|---|---|");
    for (name, (_, counts)) in table {
        let all = counts.labels();
        println!(
            "| {name} | {all} | {:.3} | {:.3} | {:.3} |",
            counts.precision(),
            counts.recall(),
            counts.f1()
        );
    }
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
#[ignore = "prints the table; `make quality`"]
fn table() {
    let table = measure(5000, true);
    print(&table);
    let mut whole = Counts::default();
    table.values().filter(|(kind, _)| !BEST_EFFORT.contains(kind)).for_each(|(_, counts)| whole.add(*counts));
    println!(
        "| structured kinds together | {} | {:.3} | {:.3} | {:.3} |",
        whole.right + whole.missed,
        whole.precision(),
        whole.recall(),
        whole.f1()
    );
}
