//! The expression language: one tree behind assignment rules and policies.
//!
//! # Syntax
//! ```text
//! group:issues tag:stable -tag:destructive (name:create_* or name:update_*)
//! ```
//! A term is `field operator value`. Terms side by side, or joined by `and`, must all hold; `or` binds
//! weaker; `not` and `-` negate what follows; parentheses group. A value that holds spaces, parentheses
//! or quotes is written in double quotes, with `\"` and `\\` inside.
//!
//! | operator | holds when a value of the field |
//! |---|---|
//! | `:` | matches the pattern (`*` any run, `?` any one character; `/` is not special) |
//! | `=` | is the text |
//! | `!=` | exists and none is the text |
//! | `<` `<=` `>` `>=` | is a number on that side of the number |
//! | `contains` `starts` | contains, or starts with, the text |
//!
//! # Semantics
//! Matching is exact and case-sensitive. A field may have several values (`tag`) or none; a comparison
//! with nothing is false, and `not` of it is true, so evaluation has two values and no third.

mod display;
mod eval;
mod field;
mod glob;
mod parse;

pub use eval::Subject;
pub use field::Field;
pub use glob::glob;

/// Longest source text, in bytes.
pub const MAX_SOURCE: usize = 8 * 1024;
/// Deepest nesting of `not` and parentheses.
pub const MAX_DEPTH: usize = 32;
/// Most terms in one expression.
pub const MAX_TERMS: usize = 256;
/// Longest pattern or value, in characters (SEP-2564).
pub const MAX_VALUE: usize = 256;

/// A condition on a primitive and, in policies, its caller.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr {
    /// Every one holds; of none, true.
    All(Vec<Expr>),
    /// At least one holds; of none, false.
    Any(Vec<Expr>),
    /// It does not hold.
    Not(Box<Expr>),
    /// A comparison.
    Term(Term),
}

/// One comparison: a field, an operator and the value wanted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Term {
    field: Field,
    op: Op,
    value: String,
}

impl Term {
    /// What it reads.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// How it compares.
    pub fn op(&self) -> Op {
        self.op
    }

    /// What it compares with.
    pub fn value(&self) -> &str {
        &self.value
    }
}

/// How a term compares; the table of the [module](self) says what each means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// `:`
    Matches,
    /// `=`
    Equals,
    /// `!=`
    Differs,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `contains`
    Contains,
    /// `starts`
    Starts,
}

impl Expr {
    /// Every term, in source order.
    pub fn terms(&self) -> Vec<&Term> {
        let mut terms = Vec::new();
        self.visit_terms(&mut |term| terms.push(term));
        terms
    }

    fn visit_terms<'a>(&'a self, visit: &mut impl FnMut(&'a Term)) {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.visit_terms(visit)),
            Self::Not(inner) => inner.visit_terms(visit),
            Self::Term(term) => visit(term),
        }
    }
}
