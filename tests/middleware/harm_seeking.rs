//! How well the policy `potential_harm_seeking` tells questions that seek harm from others, on questions of our own.

use mcp_sieve::middleware::moderation;

/// Right flags, wrong flags and missed questions. `docs/middleware.md` publishes these figures.
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
