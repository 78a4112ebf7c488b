//! The limits of one expression, in either form. They also hold for the canonical text, so any parsed expression can be
//! printed and parsed again.

use std::fmt::{self, Write};

use super::{Expr, Op, Term, display, order, snippet, under};
use crate::error::{Error, ErrorKind};

impl Expr {
    /// Maximum length, in bytes, of the source text and of the canonical text.
    pub const MAX_SOURCE: usize = 8 * 1024;

    /// Maximum nesting depth of `not` and parentheses. The innermost term counts as a level.
    pub const MAX_DEPTH: usize = 32;

    /// Maximum number of terms in one expression.
    pub const MAX_TERMS: usize = 256;

    /// Maximum number of values with `*` or `?` in one expression (SEP-2564).
    pub const MAX_PATTERNS: usize = 100;

    /// Maximum length, in characters, of a value and of a name after `concern.` and the like (SEP-2564).
    pub const MAX_VALUE: usize = 256;
}

/// The number of terms and patterns so far.
#[derive(Default)]
pub(super) struct Tally {
    terms: usize,
    patterns: usize,
}

impl Tally {
    /// Counts a term. Returns a description of the limit that it exceeds, if any.
    pub fn add(&mut self, term: &Term) -> Option<String> {
        self.terms += 1;
        self.patterns += usize::from(term.is_pattern());
        let over = |count, most, what| (count > most).then(|| format!("at most {most} {what}"));
        over(self.terms, Expr::MAX_TERMS, "terms")
            .or_else(|| over(self.patterns, Expr::MAX_PATTERNS, "patterns"))
    }
}

impl Term {
    /// Returns why the term can never match as written, if so.
    pub(super) fn flaw(&self) -> Option<String> {
        let long = |text: &str| text.len() > Expr::MAX_VALUE && text.chars().count() > Expr::MAX_VALUE;
        if long(&self.value) {
            return Some(format!("a value holds at most {max} characters", max = Expr::MAX_VALUE));
        }
        if self.field.name().is_some_and(long) {
            return Some(format!("a name holds at most {max_value} characters", max_value = Expr::MAX_VALUE));
        }
        if self.op == Op::Under && !under::is_under(&self.value, &self.value) {
            return Some(format!(
                "expected a path or URL without `..`, escapes and control characters after `{} under`, found `{}`",
                self.field,
                snippet::head(&self.value)
            ));
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
    /// Returns an upper bound for the length of its canonical text, including its share of the surrounding syntax: a
    /// `-` and two parentheses for every level, and ` or `.
    fn longest(&self) -> usize {
        // In the worst case, every character is escaped by a `\`, and each text is in quotes.
        let quoted = |text: &str| 2 * text.len() + 2;
        let field = self.field.word().len() + 1 + self.field.name().map_or(0, quoted);
        field + self.op.sign().len() + 2 + quoted(&self.value) + 3 * Expr::MAX_DEPTH + 4
    }
}

impl Expr {
    /// Returns the expression, if it is within the limits.
    pub(super) fn bounded(self) -> Result<Self, Error> {
        let over = |message| Err(Error::new(ErrorKind::Expression, message));
        let (mut tally, terms) = (Tally::default(), self.terms());
        if let Some(most) = terms.iter().find_map(|term| tally.add(term)) {
            return over(format!("expected {most}"));
        }
        if self.deepest(0) >= Expr::MAX_DEPTH {
            return over(format!("expected at most {max} levels", max = Expr::MAX_DEPTH));
        }
        // Few expressions are near this limit. The text is written only if it may exceed the limit.
        let long = terms.iter().map(|term| term.longest()).sum::<usize>() > Expr::MAX_SOURCE;
        if long && write!(Room(Expr::MAX_SOURCE), "{self}").is_err() {
            return over(format!("expected at most {max} bytes of text", max = Expr::MAX_SOURCE));
        }
        Ok(self)
    }

    /// Returns the maximum number of `not`s and parentheses around a term in the canonical text.
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

/// A writer that fails after this number of bytes.
struct Room(usize);

impl Write for Room {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}
