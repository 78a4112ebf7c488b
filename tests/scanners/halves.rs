//! How well personal data is found in the two halves of the corpus; `make quality` writes the table.

use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::Path};

use mcp_sieve::middleware::{
    pii::Scanner,
    scan::{Finding, Kind, Scan},
};

use crate::{
    corpus::{CLASSES, Half, nothing},
    own_text,
    quality::Counts,
    random::Random,
};

/// How many sentences are drawn of each class.
const SENTENCES: u64 = 400;

type Table = BTreeMap<(&'static str, &'static str), Counts>;

/// A finding is right if it is of the kind and has at least half in common with the label.
fn is_hit(found: &Finding, (kind, start, end): (Kind, usize, usize)) -> bool {
    let common = found.end.min(end).saturating_sub(found.start.max(start));
    found.kind == kind && common * 2 >= found.end.max(end) - found.start.min(start)
}

/// Counts by kind and language. What is found without a label counts against the kind that was found.
fn measure(half: Half, show: bool) -> Table {
    let scanner = Scanner::default();
    let mut table = Table::new();
    let seed = if half == Half::Tuning { 1 } else { 1_000_001 };
    for (row, class) in CLASSES.iter().enumerate() {
        let mut random = Random::new(seed + row as u64);
        for _ in 0..SENTENCES {
            let labelled = class.sentence(half, &mut random);
            let label = labelled.truth[0];
            let found: Vec<_> = scanner.findings(&labelled.text).collect();
            let hit = found.iter().any(|found| is_hit(found, label));
            table.entry((class.kind.name(), class.language)).or_default().count(hit);
            for found in found.iter().filter(|found| !is_hit(found, label)) {
                table.entry((found.kind.name(), class.language)).or_default().count_wrong();
            }
            if show && !hit {
                println!("missed {} {}: {}", class.kind.name(), class.language, labelled.text);
            }
        }
    }
    let mut random = Random::new(seed);
    for _ in 0..SENTENCES * 10 {
        let text = nothing(half, &mut random);
        for found in scanner.findings(&text) {
            table.entry((found.kind.name(), "any")).or_default().count_wrong();
            if show {
                println!("wrong {}: {text}", found.kind.name());
            }
        }
    }
    table
}

/// The same by kind.
fn by_kind(table: &Table) -> BTreeMap<&'static str, Counts> {
    let mut kinds: BTreeMap<_, Counts> = BTreeMap::new();
    table.iter().for_each(|((kind, _), counts)| kinds.entry(*kind).or_default().add(*counts));
    kinds
}

/// Least recall, on the judging half, of a kind that the documentation claims.
const CLAIMED_RECALL: f64 = 0.95;
/// Kinds that miss it on the judging half, and so are documented as best effort.
const BEST_EFFORT: &[&str] = &["PERSON", "ORGANIZATION", "ADDRESS"];

#[test]
fn claimed_kinds_are_found_in_the_judging_half() {
    let table = measure(Half::Judging, false);
    let mut whole = Counts::default();
    for (kind, counts) in by_kind(&table).into_iter().filter(|(kind, _)| !BEST_EFFORT.contains(kind)) {
        let labelled = CLASSES.iter().any(|class| class.kind.name() == kind);
        assert!(!labelled || counts.recall() >= CLAIMED_RECALL, "{kind}: {counts:?}");
        whole.add(counts);
    }
    assert!(whole.f1() >= 0.95, "{whole:?}");
    let phones = by_kind(&table)["PHONE"];
    assert!(phones.recall() >= 0.9 && phones.precision() >= 0.97, "{phones:?}");
}

#[test]
fn halves_share_neither_sentences_nor_values() {
    for class in CLASSES {
        let [tuning, judging] = [&class.tuning, &class.judging];
        assert!(!tuning.around.iter().any(|around| judging.around.contains(around)), "{class:?}");
        let part = |at: usize| Some((tuning.parts.get(at)?, judging.parts.get(at)?));
        let disjoint = (0..).map_while(part).all(|(one, other)| !one.iter().any(|part| other.contains(part)));
        assert!(disjoint, "{class:?}");
    }
}

/// The page that `make quality` writes, from the figures.
fn page() -> String {
    let (tuning, judging) = (measure(Half::Tuning, false), measure(Half::Judging, false));
    let mut rows = String::new();
    let mut row = |kind: &str, language: &str, tuning: Counts, judging: Counts| {
        let figures = |counts: Counts| {
            format!("{:.3} | {:.3} | {:.3}", counts.precision(), counts.recall(), counts.f1())
        };
        writeln!(rows, "| {kind} | {language} | {} | {} |", figures(tuning), figures(judging)).unwrap();
    };
    let mut whole = [Counts::default(); 2];
    let (kinds, judged) = (by_kind(&tuning), by_kind(&judging));
    for kind in kinds.keys().chain(judged.keys()).collect::<std::collections::BTreeSet<_>>() {
        let both = [&kinds, &judged].map(|table| table.get(kind).copied().unwrap_or_default());
        if !CLASSES.iter().any(|class| class.kind.name() == *kind) {
            continue;
        }
        let languages: Vec<_> =
            CLASSES.iter().filter(|class| class.kind.name() == *kind).map(|class| class.language).collect();
        if languages.len() > 1 {
            let one = |table: &Table, language| table.get(&(*kind, language)).copied().unwrap_or_default();
            languages
                .iter()
                .for_each(|language| row(kind, language, one(&tuning, language), one(&judging, language)));
        }
        row(kind, "all", both[0], both[1]);
        if !BEST_EFFORT.contains(kind) {
            whole.iter_mut().zip(both).for_each(|(whole, counts)| whole.add(counts));
        }
    }
    row("structured kinds together", "all", whole[0], whole[1]);
    let own = own_text::measure();
    let typical = own.typical(20);
    format!(
        include_str!("quality.md"),
        sentences = SENTENCES,
        rows = rows.trim_end(),
        megabytes = own.bytes as f64 / 1e6,
        structured = own.per_megabyte(false),
        names = own.per_megabyte(true),
        typical = typical.trim_end(),
    )
}

#[test]
#[ignore = "writes docs/quality.md; `make quality`"]
fn quality_page() {
    measure(Half::Tuning, env::var_os("SHOW").is_some());
    fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/quality.md"), page()).unwrap();
}
