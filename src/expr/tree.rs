//! The syntax tree of expressions: connectives, terms, operators and fields.

use super::field::Field;
use super::{glob, under};
use crate::error::{Error, ErrorKind};

/// A condition on a primitive and, in policies, its caller. The [module](super) describes the language.
///
/// ```
/// use mcp_sieve::expr::Expr;
///
/// let expr: Expr = "tag:stable -name:*_beta priority>=0.5".parse()?;
/// assert_eq!(expr.to_string(), "tag:stable -name:*_beta priority>=0.5");
/// # Ok::<(), mcp_sieve::Error>(())
/// ```
///
/// The parser creates lists of two parts or more. It replaces a list of one part by that part.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr {
    /// True if every part holds. Also true without parts.
    All(Vec<Expr>),
    /// True if at least one part holds.
    Any(Vec<Expr>),
    /// True if the part does not hold.
    Not(Box<Expr>),
    /// A comparison.
    Term(Term),
}

/// A comparison: a field, an operator and a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Term {
    pub(super) field: Field,
    pub(super) op: Op,
    pub(super) value: String,
}

impl Term {
    /// Returns the comparison of `field` with `value`.
    ///
    /// # Errors
    /// [`ErrorKind::Expression`] for a value that is too long, or that has no order if the operator needs one.
    pub fn new(field: Field, op: Op, value: impl Into<String>) -> Result<Self, Error> {
        let term = Self { field, op, value: value.into() };
        match term.flaw() {
            Some(flaw) => Err(Error::new(ErrorKind::Expression, flaw)),
            None => Ok(term),
        }
    }

    /// Returns a term that matches `field` with a pattern. The caller must have checked the limits.
    pub(crate) fn matches(field: Field, pattern: &str) -> Self {
        Self { field, op: Op::Matches, value: pattern.to_owned() }
    }

    /// Returns the field.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// Returns the operator.
    pub fn op(&self) -> Op {
        self.op
    }

    /// Returns the value that the field is compared with.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns the maximum number of steps that the term takes for each byte of the member that it reads: to find the
    /// value in it, and to compare.
    pub(crate) fn steps(&self) -> usize {
        let find = match &self.field {
            _ if self.op == Op::Under => under::STEPS,
            Field::Meta(path) => 1 + path.bytes().filter(|byte| *byte == b'.').count(),
            _ => 1,
        };
        find + if self.op == Op::Matches { glob::steps(&self.value) } else { 1 }
    }

    /// Returns the only text that the term accepts. Returns `None` if it accepts several: by a pattern, an order, or
    /// other spellings of a number.
    pub(crate) fn only_value(&self) -> Option<&str> {
        let only = match self.op {
            Op::Matches => !self.is_pattern(),
            Op::Equals | Op::Differs => self.field.measure().is_none(),
            _ => false,
        };
        only.then_some(&self.value)
    }

    /// Returns whether the value is a pattern that can match more than one text.
    pub fn is_pattern(&self) -> bool {
        self.op == Op::Matches && self.value.bytes().any(|byte| matches!(byte, b'*' | b'?'))
    }
}

/// The operator of a term. The table of the [module](super) defines each.
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
    /// `under`
    Under,
}

/// The operators as they are written. A longer operator comes before its prefix.
pub(super) const OPS: [(&str, Op); 10] = [
    ("!=", Op::Differs),
    ("<=", Op::AtMost),
    (">=", Op::AtLeast),
    (":", Op::Matches),
    ("=", Op::Equals),
    ("<", Op::Less),
    (">", Op::Greater),
    ("contains", Op::Contains),
    ("starts", Op::Starts),
    ("under", Op::Under),
];

/// The description of an operator in error messages.
pub(super) const AN_OPERATOR: &str =
    "an operator (`:` `=` `!=` `<` `<=` `>` `>=` `contains` `starts` `under`)";

impl Op {
    /// Returns the operator as it is written.
    pub fn sign(self) -> &'static str {
        OPS.iter().find(|(_, op)| *op == self).map_or("", |(sign, _)| sign)
    }

    pub(super) fn is_word(self) -> bool {
        matches!(self, Self::Contains | Self::Starts | Self::Under)
    }
}

impl Expr {
    /// Returns every term, in source order.
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

    /// Returns the maximum number of steps of an evaluation for each byte of the members that it reads: the number of
    /// terms times the steps of the slowest.
    pub(crate) fn steps(&self) -> usize {
        let terms = self.terms();
        terms.len() * terms.into_iter().map(Term::steps).max().unwrap_or_default()
    }

    /// Returns the first field that reads the caller, if any. Such an expression is valid only in policies.
    pub fn reads_caller(&self) -> Option<&Field> {
        self.terms().into_iter().map(Term::field).find(|field| field.reads_caller())
    }

    /// Returns the first field that reads the arguments of a call, if any.
    pub fn reads_arguments(&self) -> Option<&Field> {
        self.terms().into_iter().map(Term::field).find(|field| field.reads_arguments())
    }

    /// Returns the conjunction of two expressions.
    ///
    /// # Errors
    /// [`ErrorKind::Expression`] if the conjunction exceeds the limits of an expression.
    pub fn both(self, other: Self) -> Result<Self, Error> {
        Self::All(vec![self, other]).bounded()
    }

    /// Returns a list of parts, or its only part: `(a)` and `a` are the same tree.
    pub(crate) fn list(mut parts: Vec<Self>, list: fn(Vec<Self>) -> Self) -> Self {
        match (parts.len(), parts.pop()) {
            (1, Some(only)) => only,
            (_, last) => {
                parts.extend(last);
                list(parts)
            }
        }
    }
}
