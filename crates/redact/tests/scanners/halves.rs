//! Measures the accuracy for personal data in both halves of the corpus; `make quality` writes the table.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use mcp_sieve_redact::{Finding, Kind, Scan, pii::Scanner};

use crate::{
    blind,
    corpus::{self, Corpus, Half},
    gaps, lookalikes, own_text, presidio,
    quality::{self, Counts},
    random::Random,
    secret_forms, secrets, unseen,
};

/// How many sentences are drawn of each class.
const SENTENCES: u64 = 400;

type Table = BTreeMap<(&'static str, &'static str), Counts>;

/// A finding is right if it is of the kind and has at least half in common with the label. A Philippine mobile number
/// is a telephone number as well, and both kinds are right.
pub fn is_hit(found: &Finding, (kind, start, end): (Kind, usize, usize)) -> bool {
    let common = found.end.min(end).saturating_sub(found.start.max(start));
    let alike = found.kind == Kind::Phone && kind == Kind::PhMobile;
    (found.kind == kind || alike) && common * 2 >= found.end.max(end) - found.start.min(start)
}

/// Counts by kind and language. What is found without a label counts against the kind that was found.
fn measure(corpus: &Corpus, half: Half, show: bool) -> Table {
    let scanner = Scanner::default();
    let mut table = Table::new();
    let seed = if half == Half::Tuning { 1 } else { 1_000_001 };
    for (row, class) in corpus.classes.iter().enumerate() {
        let mut random = Random::new(seed + row as u64);
        for _ in 0..SENTENCES {
            let labelled = class.sentence(half, &mut random);
            let label = labelled.truth[0];
            let found: Vec<_> = scanner.findings(&labelled.text).collect();
            let hit = found.iter().any(|found| is_hit(found, label));
            table.entry((class.kind.name(), class.language)).or_default().count(hit);
            for found in found.iter().filter(|found| !is_hit(found, label)) {
                table.entry((found.kind.name(), class.language)).or_default().count_wrong();
                if show {
                    let value = &labelled.text[found.start..found.end];
                    println!("wrong {} {value:?}: {}", found.kind.name(), labelled.text);
                }
            }
            if show && !hit {
                println!("missed {} {}: {}", class.kind.name(), class.language, labelled.text);
            }
        }
    }
    let mut random = Random::new(seed);
    for _ in 0..SENTENCES * 10 {
        let text = corpus.nothing(half, &mut random);
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
    let corpus = corpus::corpus();
    let table = measure(&corpus, Half::Judging, false);
    let mut whole = Counts::default();
    for (kind, counts) in by_kind(&table).into_iter().filter(|(kind, _)| !BEST_EFFORT.contains(kind)) {
        let labelled = corpus.classes.iter().any(|class| class.kind.name() == kind);
        assert!(!labelled || counts.recall() >= CLAIMED_RECALL, "{kind}: {counts:?}");
        whole.add(counts);
    }
    assert!(whole.f1() >= 0.95, "{whole:?}");
    let phones = by_kind(&table)["PHONE"];
    assert!(phones.recall() >= 0.9 && phones.precision() >= 0.97, "{phones:?}");
}

/// Kinds that miss it on the judging half of the unseen sentences, of those for missed classes, of those with
/// lookalikes, or of the blind texts.
const UNSEEN_BEST_EFFORT: [&str; 9] = [
    "ADDRESS",
    "BR_CNPJ",
    "BR_CPF",
    "DATE_OF_BIRTH",
    "IT_IDENTITY_CARD",
    "ORGANIZATION",
    "PERSON",
    "PHONE",
    "SSN",
];
/// Minimum number of marks in the blind texts by which a kind is judged.
const FEWEST_MARKS: u32 = 30;

/// The kinds that are claimed are found in the judging halves of the other sets, and no others are claimed.
#[test]
fn claimed_kinds_are_found_in_unseen_sentences() {
    let mut missing = BTreeSet::new();
    for corpus in [unseen::corpus(), gaps::corpus(), lookalikes::corpus()] {
        let table = by_kind(&measure(&corpus, Half::Judging, false));
        let labelled = corpus.classes.iter().map(|class| class.kind.name());
        missing.extend(labelled.filter(|kind| table[kind].recall() < CLAIMED_RECALL));
        let phones = table["PHONE"];
        assert!(phones.recall() >= 0.95 && phones.precision() >= 0.97, "{phones:?}");
    }
    let blind = blind::measure(Half::Judging, false);
    let judged = blind.iter().filter(|(_, counts)| counts.labels() >= FEWEST_MARKS);
    missing.extend(judged.filter(|(_, counts)| counts.recall() < CLAIMED_RECALL).map(|(kind, _)| *kind));
    assert_eq!(missing.into_iter().collect::<Vec<_>>(), UNSEEN_BEST_EFFORT);
}

/// The figures of the judging half of the blind texts, below which no change may fall.
#[test]
fn blind_texts_are_found_as_well_as_before() {
    let table = blind::measure(Half::Judging, false);
    let mut whole = Counts::default();
    table.iter().filter(|(kind, _)| !BEST_EFFORT.contains(kind)).for_each(|(_, counts)| whole.add(*counts));
    assert!(whole.precision() >= 0.97 && whole.recall() >= 0.89, "{whole:?}");
    let phones = table["PHONE"];
    assert!(phones.precision() >= 0.97 && phones.recall() >= 0.9, "{phones:?}");
}

/// docs/middleware.md says of the same kinds that they are best effort.
#[test]
fn documentation_lists_kinds_of_best_effort() {
    let page = include_str!("../../../../docs/middleware.md");
    let (_, list) = page.split_once("<!-- kinds of best effort -->\n").unwrap();
    let (list, _) = list.split_once(".\n").unwrap();
    let listed: Vec<_> = list.split(',').map(|name| name.trim().trim_matches('`')).collect();
    assert_eq!(listed, UNSEEN_BEST_EFFORT);
}

/// Every corpus with halves.
const CORPORA: [fn() -> Corpus; 4] = [corpus::corpus, unseen::corpus, gaps::corpus, lookalikes::corpus];

#[test]
fn halves_share_neither_sentences_nor_values() {
    for class in CORPORA.iter().flat_map(|corpus| corpus().classes) {
        let [tuning, judging] = [&class.tuning, &class.judging];
        assert!(!tuning.around.iter().any(|around| judging.around.contains(around)), "{class:?}");
        let part = |at: usize| Some((tuning.parts.get(at)?, judging.parts.get(at)?));
        let disjoint = (0..).map_while(part).all(|(one, other)| !one.iter().any(|part| other.contains(part)));
        assert!(disjoint, "{class:?}");
    }
}

/// A row whose values no check digit fits would be drawn forever, and lengths are fixed: one of each pattern is drawn.
#[test]
fn every_pattern_has_values() {
    for class in CORPORA.iter().flat_map(|corpus| corpus().classes) {
        for half in [Half::Tuning, Half::Judging] {
            let mut random = Random::new(7);
            for _ in 0..40 {
                let labelled = class.sentence(half, &mut random);
                let (_, start, end) = labelled.truth[0];
                assert!((class.holds)(&labelled.text[start..end]), "{}", labelled.text);
                println!("{} {:?}", class.kind.name(), &labelled.text[start..end]);
            }
        }
    }
}

/// The rows of a corpus in the page that `make quality` writes, and those of its structured kinds together.
fn rows(corpus: &Corpus) -> String {
    let [tuning, judging] = [Half::Tuning, Half::Judging].map(|half| measure(corpus, half, false));
    let mut rows = String::new();
    let mut row = |kind: &str, language: &str, tuning: Counts, judging: Counts| {
        let figures = |counts: Counts| {
            format!("{:.3} | {:.3} | {:.3}", counts.precision(), counts.recall(), counts.f1())
        };
        writeln!(rows, "| {kind} | {language} | {} | {} |", figures(tuning), figures(judging)).unwrap();
    };
    let mut whole = [Counts::default(); 2];
    let (kinds, judged) = (by_kind(&tuning), by_kind(&judging));
    for kind in kinds.keys().chain(judged.keys()).collect::<BTreeSet<_>>() {
        let both = [&kinds, &judged].map(|table| table.get(kind).copied().unwrap_or_default());
        let languages: Vec<_> = corpus
            .classes
            .iter()
            .filter(|class| class.kind.name() == *kind)
            .map(|class| class.language)
            .collect();
        if languages.is_empty() {
            continue;
        }
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
    rows.trim_end().to_owned()
}

/// The same for the marked texts. A kind has few of them, so the rows have the number of marks.
fn blind_rows() -> String {
    let [tuning, judging] = [Half::Tuning, Half::Judging].map(|half| blind::measure(half, false));
    let mut rows = String::new();
    let mut row = |kind: &str, halves: [Counts; 2]| {
        let figures = halves.map(|counts| {
            format!(
                "{} | {:.3} | {:.3} | {:.3}",
                counts.labels(),
                counts.precision(),
                counts.recall(),
                counts.f1()
            )
        });
        writeln!(rows, "| {kind} | {} |", figures.join(" | ")).unwrap();
    };
    let mut whole = [Counts::default(); 2];
    for kind in tuning.keys().chain(judging.keys()).collect::<BTreeSet<_>>() {
        let both = [&tuning, &judging].map(|table| table.get(kind).copied().unwrap_or_default());
        if both.iter().any(|counts| counts.labels() > 0) {
            row(kind, both);
        }
        if !BEST_EFFORT.contains(kind) {
            whole.iter_mut().zip(both).for_each(|(whole, counts)| whole.add(counts));
        }
    }
    row("structured kinds together", whole);
    rows.trim_end().to_owned()
}

/// Rows of secrets: what is found of the samples of either half, in percent.
fn secret_rows(found: &BTreeMap<&str, [u64; 2]>, samples: u64) -> String {
    let percent = |found: u64, samples: u64| found as f64 * 100.0 / samples as f64;
    let row = |name: &str, found: [u64; 2], samples: u64| {
        format!("| {name} | {:.1} | {:.1} |\n", percent(found[0], samples), percent(found[1], samples))
    };
    let mut rows: String = found.iter().map(|(name, found)| row(name, *found, samples)).collect();
    let whole = found.values().fold([0, 0], |sum, found| [sum[0] + found[0], sum[1] + found[1]]);
    rows += &row("all", whole, samples * found.len() as u64);
    rows.trim_end().to_owned()
}

/// What the cases of others say, or that they were not there.
fn presidio_section() -> String {
    let Some(table) = presidio::table() else {
        return "This page was written without external sets.".to_owned();
    };
    let rows: String =
        table.iter().map(|(name, (right, all))| format!("| {name} | {right} | {all} |\n")).collect();
    let note = "The cases that presidio's authors test their recognizers with. They were used for tuning.";
    format!("{note}\n\n| recognizer | right | cases |\n|---|---|---|\n{}", rows.trim_end())
}

/// The tables of the page, by their names in its template. They depend on the scanners and the sets of this crate only.
fn tables() -> [(&'static str, String); 8] {
    [
        ("several", quality::page_rows()),
        ("rows", rows(&corpus::corpus())),
        ("unseen", rows(&unseen::corpus())),
        ("gaps", rows(&gaps::corpus())),
        ("lookalikes", rows(&lookalikes::corpus())),
        ("blind", blind_rows()),
        ("kinds_of_secrets", secret_rows(&secrets::both_halves(), secrets::SAMPLES)),
        ("forms_of_secrets", secret_rows(&secret_forms::both_halves(), secret_forms::SAMPLES)),
    ]
}

/// The page that `make quality` writes, from the figures.
fn page() -> String {
    let own = own_text::measure();
    let best_effort = UNSEEN_BEST_EFFORT.map(|kind| format!("`{kind}`")).join(", ");
    let texts = [
        ("texts", format!("{},000", quality::TEXTS / 1000)),
        ("sentences", SENTENCES.to_string()),
        ("fewest_marks", FEWEST_MARKS.to_string()),
        ("best_effort", best_effort),
        ("external", presidio_section()),
        ("megabytes", format!("{:.1}", own.bytes as f64 / 1e6)),
        ("structured", format!("{:.2}", own.per_megabyte(false))),
        ("names", format!("{:.2}", own.per_megabyte(true))),
        ("typical", own.typical(20).trim_end().to_owned()),
    ];
    let template = include_str!("quality.md").to_owned();
    tables().into_iter().chain(texts).fold(template, |page, (name, text)| {
        let place = format!("{{{name}}}");
        assert!(page.contains(&place), "the template has no {place}");
        page.replace(&place, &text)
    })
}

fn page_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("QUALITY.md")
}

#[test]
#[ignore = "writes QUALITY.md; `make quality`"]
fn quality_page() {
    if env::var_os("SHOW").is_some() {
        CORPORA.iter().for_each(|corpus| drop(measure(&corpus(), Half::Tuning, true)));
        blind::measure(Half::Tuning, true);
    }
    fs::write(page_path(), page()).unwrap();
}

/// The figures on the page are those of the scanners. The false positives in the sources of the project and the results
/// of external sets are not compared: every change of a source changes the first, and the others are not in the
/// repository.
#[test]
fn quality_page_is_current() {
    let page = fs::read_to_string(page_path()).unwrap();
    for (name, table) in tables() {
        assert!(page.contains(&table), "`{name}` is not current: run `make quality`");
    }
}
