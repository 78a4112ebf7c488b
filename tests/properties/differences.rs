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
    /// The behavior of the implementation.
    rule: String,
    /// The behavior of Sieve.
    answer: String,
    /// The reason why Sieve differs.
    why: String,
}

/// Asserts that the rows of a proposal are exactly these, and that each explains at least one answer.
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
