//! Properties of every expression that parses.

use mcp_sieve::{
    expr::{Expr, Field, Subject},
    json::Raw,
};

/// Asserts that both forms of a tree parse again, and that its meaning follows from its parts.
pub fn holds(tree: &Expr) -> String {
    let (text, json) = (tree.to_string(), String::from_utf8(tree.json()).unwrap());
    assert!(text.len() <= Expr::MAX_SOURCE);
    assert_eq!(text.parse().as_ref(), Ok(tree), "{text}");
    assert_eq!(Raw::parse(&json).and_then(Expr::from_json).as_ref(), Ok(tree), "{json}");
    // The values of the terms, so that comparisons find equal ones.
    let wanted: Vec<&str> = tree.terms().iter().map(|term| term.value()).collect();
    let mut held = 0;
    for values in [&[][..], &["x"], &["7", "2026-07-28", "1.2.3"], &wanted] {
        let subject = Uniform(values);
        assert_eq!(tree.holds(&subject), means(tree, &subject), "{text} of {values:?}");
        held += usize::from(tree.holds(&subject));
    }
    let operators: Vec<_> = tree.terms().iter().take(2).map(|term| term.op().sign()).collect();
    format!("read, held {held} times: {}", operators.join(" "))
}

fn means(tree: &Expr, subject: &Uniform<'_>) -> bool {
    match tree {
        Expr::All(parts) => !parts.iter().any(|part| !means(part, subject)),
        Expr::Any(parts) => parts.iter().any(|part| means(part, subject)),
        Expr::Not(inner) => !means(inner, subject),
        term => term.holds(subject),
    }
}

/// A subject with the same values in every field.
struct Uniform<'a>(&'a [&'a str]);

impl Subject for Uniform<'_> {
    fn values(&self, _: &Field, visit: &mut dyn FnMut(&str)) {
        self.0.iter().for_each(|value| visit(value));
    }
}
