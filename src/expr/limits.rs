//! What one expression may be at most, in either form. Bounds hold for the canonical text too, so that
//! whatever was read can be printed and read again.

use std::fmt::{self, Write};

use super::{Expr, Op, Term, display, order, snippet};
use crate::error::{Error, ErrorKind};

/// Longest source text and longest canonical text, in bytes.
pub const MAX_SOURCE: usize = 8 * 1024;
/// Deepest nesting of `not` and parentheses; the term inside is a level too.
pub const MAX_DEPTH: usize = 32;
/// Most terms in one expression.
pub const MAX_TERMS: usize = 256;
/// Most values with `*` or `?` in one expression (SEP-2564).
pub const MAX_PATTERNS: usize = 100;
/// Longest value, and longest name behind `concern.` and the like, in characters (SEP-2564).
pub const MAX_VALUE: usize = 256;

/// The terms and patterns met so far.
#[derive(Default)]
pub(super) struct Tally {
    terms: usize,
    patterns: usize,
}

impl Tally {
    /// Counts a term in; says what there are too many of now.
    pub fn add(&mut self, term: &Term) -> Option<String> {
        self.terms += 1;
        self.patterns += usize::from(term.is_pattern());
        let over = |count, most, what| (count > most).then(|| format!("at most {most} {what}"));
        over(self.terms, MAX_TERMS, "terms").or_else(|| over(self.patterns, MAX_PATTERNS, "patterns"))
    }
}

impl Term {
    /// What keeps it from ever comparing as it says.
    pub(super) fn flaw(&self) -> Option<String> {
        let long = |text: &str| text.len() > MAX_VALUE && text.chars().count() > MAX_VALUE;
        if long(&self.value) {
            return Some(format!("a value holds at most {MAX_VALUE} characters"));
        }
        if self.field.name().is_some_and(long) {
            return Some(format!("a name holds at most {MAX_VALUE} characters"));
        }
        if !matches!(self.op, Op::Less | Op::AtMost | Op::Greater | Op::AtLeast) {
            return None;
        }
        let measure = order::expected(&self.field, &self.value)?;
        let sign = self.op.sign();
        Some(format!(
            "expected {measure} after `{}{sign}`, found `{}`",
            self.field,
            snippet::head(&self.value)
        ))
    }
}

impl Term {
    /// The longest that its canonical text may be, with its part of what stands around terms: of every level a `-` and
    /// two parentheses, and ` or `.
    fn longest(&self) -> usize {
        // Every character behind a `\`, and each in quotes.
        let quoted = |text: &str| 2 * text.len() + 2;
        let field = self.field.word().len() + 1 + self.field.name().map_or(0, quoted);
        field + self.op.sign().len() + 2 + quoted(&self.value) + 3 * MAX_DEPTH + 4
    }
}

impl Expr {
    /// The tree, if it is within bounds.
    pub(super) fn bounded(self) -> Result<Self, Error> {
        let over = |message| Err(Error::new(ErrorKind::Expression, message));
        let (mut tally, terms) = (Tally::default(), self.terms());
        if let Some(most) = terms.iter().find_map(|term| tally.add(term)) {
            return over(format!("expected {most}"));
        }
        if self.deepest(0) >= MAX_DEPTH {
            return over(format!("expected at most {MAX_DEPTH} levels"));
        }
        // Hardly any text is near the bound: it is written only where it may be beyond.
        let long = terms.iter().map(|term| term.longest()).sum::<usize>() > MAX_SOURCE;
        if long && write!(Room(MAX_SOURCE), "{self}").is_err() {
            return over(format!("expected at most {MAX_SOURCE} bytes of text"));
        }
        Ok(self)
    }

    /// How many `not`s and parentheses of the canonical text the deepest term stands in.
    fn deepest(&self, depth: usize) -> usize {
        let inside = |part: &Self, depth| part.deepest(depth + usize::from(display::nests(self, part)));
        match self {
            Self::Term(_) => depth,
            Self::Not(inner) => inside(inner, depth + 1),
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().map(|part| inside(part, depth)).max().unwrap_or(depth)
            }
        }
    }
}

/// Takes so many bytes and no more.
struct Room(usize);

impl Write for Room {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}
