//! Measures the accuracy of the policy `potential_harm_seeking` on a set of our own questions.

use mcp_sieve_redact::moderation::Policies;

/// True positives, false positives and false negatives, which `docs/middleware.md` publishes.
const EXPECTED: [usize; 3] = [14, 2, 10];

#[test]
fn precision_and_recall_are_as_published() {
    let policies = Policies::default();
    let (mut right, mut wrong, mut missed) = (0, Vec::new(), Vec::new());
    for line in include_str!("harm_seeking.txt").lines().filter(|line| !line.starts_with('#')) {
        let (label, question) = line.split_once(' ').unwrap();
        let flagged = !policies.flags(question, &[Policies::HARM_SEEKING]).is_empty();
        match (label, flagged) {
            ("+", true) => right += 1,
            ("+", false) => missed.push(question),
            (_, true) => wrong.push(question),
            _ => {}
        }
    }
    assert_eq!([right, wrong.len(), missed.len()], EXPECTED, "wrong: {wrong:#?}, missed: {missed:#?}");
}
