//! The expression language: printed expressions parse again, and patterns match by their definition.

use mcp_sieve::expr::{Expr, Field, Subject};
use proptest::prelude::*;

use crate::cases;

const FIELDS: [&str; 12] = [
    "kind",
    "group",
    "tag",
    "name",
    "title",
    "uri",
    "client.version",
    "method",
    "concern.cost",
    "claim.a.b",
    "header.x-team",
    "annotation.n-1",
];
const OPS: [&str; 5] = [":", "=", "!=", " contains ", " starts "];
/// Operators that compare by order; `MEASURES` are values that have an order in any field.
const ORDERS: [&str; 4] = ["<", "<=", ">", ">="];
const MEASURES: [&str; 5] = ["0", "7", "20260728", "1.2", "01"];

/// Generates a value that may look like anything: bare words, operators, quotes, white space of every kind.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "", "=", "=x", ">", "-", "(", ")", "or", "and", "\"", "\\", "a b", "*", "\u{3000}", "né🧀"
        ])
        .prop_map(str::to_owned),
        prop::collection::vec(any::<char>(), 0..12).prop_map(|chars| chars.into_iter().collect()),
        prop::collection::vec(prop::sample::select(vec!['a', '=', '<', ':', '"', '\\', ' ', '(', '-']), 0..6)
            .prop_map(|chars| chars.into_iter().collect()),
    ]
}

fn term() -> impl Strategy<Value = Expr> {
    let compared = prop_oneof![
        5 => (prop::sample::select(OPS.to_vec()), value()),
        4 => (prop::sample::select(ORDERS.to_vec()), prop::sample::select(MEASURES.to_vec()).prop_map(str::to_owned)),
    ];
    let term = (prop::sample::select(FIELDS.to_vec()), compared);
    term.prop_map(|(field, (op, value))| {
        let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
        format!("{field}{op}\"{quoted}\"").parse().expect("a term")
    })
}

/// Generates any tree that a text can have: lists of two or more, nested in every way.
fn tree() -> impl Strategy<Value = Expr> {
    term().prop_recursive(8, 64, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expr::All),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Expr::Any),
            inner.prop_map(|inner| Expr::Not(Box::new(inner))),
        ]
    })
}

/// A subject with the same values in every field.
struct Uniform(&'static [&'static str]);

impl Subject for Uniform {
    fn values(&self, _: &Field, visit: &mut dyn FnMut(&str)) {
        self.0.iter().for_each(|value| visit(value));
    }
}

/// Evaluates a tree from the results of its terms.
fn holds(tree: &Expr, subject: &Uniform) -> bool {
    match tree {
        Expr::All(parts) => !parts.iter().any(|part| !holds(part, subject)),
        Expr::Any(parts) => parts.iter().any(|part| holds(part, subject)),
        Expr::Not(inner) => !holds(inner, subject),
        term => term.holds(subject),
    }
}

/// Matches a pattern by its definition, by trying every possibility.
fn naive(pattern: &[char], text: &[char]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some(('*', rest)) => (0..=text.len()).any(|skip| naive(rest, &text[skip..])),
        Some(('?', rest)) => !text.is_empty() && naive(rest, &text[1..]),
        Some((c, rest)) => text.first() == Some(c) && naive(rest, &text[1..]),
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn what_is_printed_reads_back(tree in tree()) {
        let text = tree.to_string();
        let again: Expr = text.parse().map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(&again, &tree, "{}", text);
        prop_assert_eq!(again.to_string(), text);
    }

    #[test]
    fn a_tree_means_what_its_parts_mean(tree in tree()) {
        for subject in [Uniform(&[]), Uniform(&["x"]), Uniform(&["7", "a b", "=x"])] {
            prop_assert_eq!(tree.holds(&subject), holds(&tree, &subject));
            let negated = Expr::Not(Box::new(tree.clone()));
            prop_assert_eq!(negated.holds(&subject), !tree.holds(&subject));
        }
    }

    #[test]
    fn a_pattern_matches_by_its_definition(pattern in "[aé*?]{0,8}", text in "[aé]{0,8}") {
        let (p, t): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
        prop_assert_eq!(Expr::glob(&pattern, &text), naive(&p, &t));
    }

    /// Parts of more than 64 characters take several words of bits.
    #[test]
    fn a_long_pattern_matches_by_its_definition(
        parts in prop::collection::vec("[ab?]{60,70}|[ab?é]{0,3}|[ab]{125,132}", 1..4),
        text in "[abé]{0,300}",
        swaps in prop::collection::vec((0..400usize, "[abé]"), 0..3),
    ) {
        // Most texts match no long pattern, so this builds one that does and changes a little of it.
        let mut made: Vec<String> = parts.iter().map(|part| part.replace('?', "é")).collect();
        made.insert(1.min(made.len()), text.chars().take(9).collect());
        let mut made: Vec<char> = made.concat().chars().collect();
        for (at, letter) in swaps {
            let letter = letter.chars().next().unwrap();
            made.get_mut(at).into_iter().for_each(|slot| *slot = letter);
        }
        let pattern = parts.join("*");
        let p: Vec<char> = pattern.chars().collect();
        for text in [text.chars().collect(), made] {
            prop_assert_eq!(Expr::glob(&pattern, &text.iter().collect::<String>()), naive(&p, &text), "{}", pattern);
        }
    }

    #[test]
    fn a_text_without_wildcards_matches_itself_alone(text in any::<String>(), other in any::<String>()) {
        let text = text.replace(['*', '?'], "x");
        prop_assert!(Expr::glob(&text, &text));
        prop_assert_eq!(Expr::glob(&text, &other), text == other);
    }
}

#[test]
fn a_pattern_of_many_stars_is_answered_at_once() {
    let (pattern, text) = ("*a".repeat(64) + "b", "a".repeat(4096));
    let begun = std::time::Instant::now();
    assert!(!Expr::glob(&pattern, &text));
    assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
}
