//! Measures the accuracy of the policy `potential_harm_seeking` on a set of our own questions.

use mcp_sieve::middleware::moderation;

/// True positives, false positives and false negatives, which `docs/middleware.md` publishes.
const EXPECTED: [usize; 3] = [14, 2, 10];

#[test]
fn precision_and_recall_are_as_published() {
    let (mut right, mut wrong, mut missed) = (0, Vec::new(), Vec::new());
    for line in include_str!("harm_seeking.txt").lines().filter(|line| !line.starts_with('#')) {
        let (label, question) = line.split_once(' ').unwrap();
        let flagged = !moderation::flags(question, &["potential_harm_seeking"]).is_empty();
        match (label, flagged) {
            ("+", true) => right += 1,
            ("+", false) => missed.push(question),
            (_, true) => wrong.push(question),
            _ => {}
        }
    }
    assert_eq!([right, wrong.len(), missed.len()], EXPECTED, "wrong: {wrong:#?}, missed: {missed:#?}");
}
