use super::{field::Field, glob};
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
/// Parsing gives lists of two parts or more; a list of one is its part.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Expr {
    /// True if every part holds, and for no parts.
    All(Vec<Expr>),
    /// True if at least one part holds.
    Any(Vec<Expr>),
    /// True if the part does not hold.
    Not(Box<Expr>),
    /// A comparison.
    Term(Term),
}

/// One comparison: a field, an operator and the value wanted.
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
    /// [`ErrorKind::Expression`] for a value that is too long, or that nothing can be in order with.
    pub fn new(field: Field, op: Op, value: impl Into<String>) -> Result<Self, Error> {
        let term = Self { field, op, value: value.into() };
        match term.flaw() {
            Some(flaw) => Err(Error::new(ErrorKind::Expression, flaw)),
            None => Ok(term),
        }
    }

    /// Matches `field` with a pattern that whoever made it has bounded.
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

    /// The most steps that the term takes for each byte of the member that it reads: to find the value in it, and to
    /// compare.
    pub(crate) fn steps(&self) -> usize {
        let find = match &self.field {
            Field::Meta(path) => 1 + path.bytes().filter(|byte| *byte == b'.').count(),
            _ => 1,
        };
        find + if self.op == Op::Matches { glob::steps(&self.value) } else { 1 }
    }

    /// The only value that the comparison is about, unless it takes several: a pattern, or numbers in other spellings.
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
}

/// Each operator as it is written; the longer spelling first where one begins another.
pub(super) const OPS: [(&str, Op); 9] = [
    ("!=", Op::Differs),
    ("<=", Op::AtMost),
    (">=", Op::AtLeast),
    (":", Op::Matches),
    ("=", Op::Equals),
    ("<", Op::Less),
    (">", Op::Greater),
    ("contains", Op::Contains),
    ("starts", Op::Starts),
];

/// What a message expects where none of them stands.
pub(super) const AN_OPERATOR: &str = "an operator (`:` `=` `!=` `<` `<=` `>` `>=` `contains` `starts`)";

impl Op {
    /// Returns the operator as it is written.
    pub fn sign(self) -> &'static str {
        OPS.iter().find(|(_, op)| *op == self).map_or("", |(sign, _)| sign)
    }

    pub(super) fn is_word(self) -> bool {
        matches!(self, Self::Contains | Self::Starts)
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

    /// The most steps that evaluation takes for each byte of the members that it reads: for each term as many as
    /// the slowest takes.
    pub(crate) fn steps(&self) -> usize {
        let terms = self.terms();
        terms.len() * terms.into_iter().map(Term::steps).max().unwrap_or_default()
    }

    /// Whether a term reads the caller. Such an expression has a meaning in policies only.
    pub fn reads_caller(&self) -> Option<&Field> {
        self.terms().into_iter().map(Term::field).find(|field| field.reads_caller())
    }

    /// Joins two expressions; both must hold.
    ///
    /// # Errors
    /// [`ErrorKind::Expression`] where both together are beyond the bounds of one.
    pub fn both(self, other: Self) -> Result<Self, Error> {
        Self::All(vec![self, other]).bounded()
    }

    /// A list of one is its element: `(a)` and `a` are one tree.
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
