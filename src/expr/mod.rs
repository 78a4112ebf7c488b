//! The expression language of rules, policies and the `where` of filters.
//!
//! It has a text form, which a person types, and a JSON form, which a program sends. Both parse to one
//! [`Expr`]; [`Display`](std::fmt::Display) and [`Expr::json`] print it in its canonical form of each.
//!
//! # Syntax
//! ```text
//! group:issues tag:stable -tag:destructive (name:create_* or name:update_*) priority>=0.5
//! {"all":[{"group":"issues"},{"tag":"stable"},{"not":{"tag":"destructive"}},
//!         {"any":[{"name":"create_*"},{"name":"update_*"}]},{"priority":{">=":0.5}}]}
//! ```
//! | text | JSON | holds when |
//! |---|---|---|
//! | `a b`, `a and b` | `{"all": [a, b]}` | every one holds |
//! | `a or b` | `{"any": [a, b]}` | at least one holds; binds weaker than *and* |
//! | `-a`, `not a` | `{"not": a}` | it does not hold |
//! | `(a)` | `a` | it holds |
//! | `tag:stable` | `{"tag": "stable"}` | the term holds, here that a tag matches a pattern |
//! | `priority>=0.5` | `{"priority": {">=": 0.5}}` | the term holds; every operator is such a key |
//! | `concern.cost<5` | `{"concern": {"cost": {"<": 5}}}` | the term holds; a field's own name stands inside |
//!
//! In text, a value or a field's own name that holds spaces, parentheses or quotes (a name also: operators)
//! is written in double quotes, with `\"` and `\\` inside: `claim."https://example.com/role"="on call"`.
//! In JSON, a value is text, a number in its shortest spelling, `true` or `false`; each object has one
//! member, and wherever an expression stands its text may stand.
//!
//! | operator | holds when a value of the field |
//! |---|---|
//! | `:` | matches the pattern (`*` any run, `?` any one character; nothing else is special) |
//! | `=` | is the same |
//! | `!=` | exists, and none is the same |
//! | `<` `<=` `>` `>=` | is on that side, as a number, an instant or a version |
//! | `contains` `starts` | contains, or starts with, the text |
//!
//! # Fields
//! | of the primitive | values |
//! |---|---|
//! | `kind` | `tool`, `resource`, `template`, `prompt` |
//! | `group` `tag` `concern.NAME` | what it is a member of, carries, is mapped to |
//! | `name` `title` `description` `uri` `server` | text; `uri` is a template's `uriTemplate` too |
//! | `annotation.NAME` | a member of `annotations`, such as `readOnlyHint` |
//! | `audience` `priority` `lastModified` | the same, of the three annotations of content |
//! | `meta.PATH` | a member of `_meta`, or of an object in it |
//!
//! | of a task, in its lists | values |
//! |---|---|
//! | `status` `method` `taskId` | how it stands, what was asked, its id |
//! | `createdAt` `lastUpdatedAt` | instants |
//! | `name` and what else a primitive has | those of what was called; `description` is how it stands, in words |
//!
//! | of the caller, in policies | values |
//! |---|---|
//! | `client.name` `client.version` `capability.PATH` | what the client says of itself |
//! | `claim.PATH` `preset` | what its token says, and the preset it came by |
//! | `protocol` `method` `header.NAME` | the request |
//!
//! A path leads through objects: `a.b` is the member `a.b` if there is one, else member `b` of member `a`.
//! Of an array each element is a value; numbers are spelt shortest (`3`, `0.5`), a primitive's objects as
//! their JSON.
//!
//! # Semantics
//! Matching is exact and case-sensitive. A field may have several values (`tag`) or none; a comparison
//! with nothing is false, and `not` of it is true, so evaluation has two values and no third.
//!
//! `client.version` is compared as a version (as semver has it; missing parts are zero), `lastModified`, `createdAt`
//! and `lastUpdatedAt` as an instant, `priority` as a number, by `=` and `!=` too. The order of any other field is that of what it
//! is compared with: a number, else an instant (RFC 3339, or a date alone), else a version. A value that is
//! none of that sort compares with nothing.

mod display;
mod eval;
mod field;
mod glob;
mod json;
mod limits;
mod nearest;
mod no_caller;
mod order;
mod parse;
mod path;
mod snippet;
mod version;

pub use eval::Subject;
pub use field::Field;

// For the other crates of this repository: hidden, and no part of what semver promises.
#[doc(hidden)]
pub use glob::glob;
#[doc(hidden)]
pub use limits::{MAX_DEPTH, MAX_PATTERNS, MAX_SOURCE, MAX_TERMS, MAX_VALUE};
#[doc(hidden)]
pub use nearest::{distance, nearest};
#[doc(hidden)]
pub use no_caller::NoCaller;
#[doc(hidden)]
pub use path::at_path;

use crate::error::{Error, ErrorKind};

/// A condition on a primitive and, in policies, its caller. The [module](self) describes the language.
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
    field: Field,
    op: Op,
    value: String,
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

    /// Returns whether the value is a pattern that can match more than one text.
    pub fn is_pattern(&self) -> bool {
        self.op == Op::Matches && self.value.contains(['*', '?'])
    }
}

/// The operator of a term. The table of the [module](self) defines each.
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
const OPS: [(&str, Op); 9] = [
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
const AN_OPERATOR: &str = "an operator (`:` `=` `!=` `<` `<=` `>` `>=` `contains` `starts`)";

impl Op {
    /// Returns the operator as it is written.
    pub fn sign(self) -> &'static str {
        OPS.iter().find(|(_, op)| *op == self).map_or("", |(sign, _)| sign)
    }

    fn is_word(self) -> bool {
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
