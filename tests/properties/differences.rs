//! The rows of `tests/fixtures/proposals/differences.json`: where Sieve differs from public implementations of the
//! proposals. The comparisons with these implementations assert them.

use serde::Deserialize;

const ROWS: &str = include_str!("../fixtures/proposals/differences.json");

/// A rule of an implementation that Sieve does not follow.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// The number of the proposal.
    document: String,
    implementation: String,
    /// What the implementation does.
    rule: String,
    /// What Sieve does.
    answer: String,
    /// Why Sieve differs.
    why: String,
}

/// Fails unless the rows of a proposal are exactly these, and each explained some answers.
pub fn assert_explained(document: &str, explained: &[(&str, usize)]) {
    let rows: Vec<Row> = serde_json::from_str(ROWS).unwrap();
    let rows: Vec<&Row> = rows.iter().filter(|row| row.document == document).collect();
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    let known: Vec<&str> = explained.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, known, "the rows of {document} and the differences that its comparison knows");
    for (row, (_, count)) in rows.iter().zip(explained) {
        let texts = [&row.implementation, &row.rule, &row.answer, &row.why];
        assert!(texts.iter().all(|text| !text.is_empty()), "{row:?}");
        assert!(*count > 10, "Sieve differed {count} times: {row:?}");
    }
}
