//! Writes expressions as canonical text.

use std::fmt::{self, Display, Write};

use super::{Expr, Field, Op, Term};

impl Display for Expr {
    /// Writes the canonical text, which parses back to the same tree.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |f: &mut fmt::Formatter<'_>, inner| {
            if nests(self, inner) { write!(f, "({inner})") } else { inner.fmt(f) }
        };
        let (parts, joint) = match self {
            Self::Term(term) => return term.fmt(f),
            Self::Not(inner) => {
                f.write_char('-')?;
                return part(f, inner);
            }
            Self::All(parts) => (parts, " "),
            Self::Any(parts) => (parts, " or "),
        };
        for (index, inner) in parts.iter().enumerate() {
            if index > 0 {
                f.write_str(joint)?;
            }
            part(f, inner)?;
        }
        Ok(())
    }
}

/// Returns whether `inner` needs parentheses in `outer`. They are written only where the tree requires them, so the
/// canonical text never nests deeper than a text that was parsed to the tree.
pub(super) fn nests(outer: &Expr, inner: &Expr) -> bool {
    match outer {
        Expr::Any(_) => matches!(inner, Expr::Any(_)),
        _ => matches!(inner, Expr::All(_) | Expr::Any(_)),
    }
}

impl Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.field, self.op)?;
        quoted(f, &self.value, is_bare)
    }
}

impl Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        let Some(name) = self.name() else { return Ok(()) };
        f.write_char('.')?;
        quoted(f, name, is_field)
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_word() { write!(f, " {} ", self.sign()) } else { f.write_str(self.sign()) }
    }
}

/// Returns whether `c` may occur in a value without quotes.
pub(super) fn is_bare(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '(' | ')' | '"' | '\\')
}

/// Returns whether `c` may occur in a field without quotes.
pub(super) fn is_field(c: char) -> bool {
    is_bare(c) && !matches!(c, ':' | '=' | '!' | '<' | '>')
}

/// Writes a text, in quotes if it would not parse back without them.
fn quoted(f: &mut fmt::Formatter<'_>, text: &str, is_bare: fn(char) -> bool) -> fmt::Result {
    if !text.is_empty() && text.chars().all(is_bare) {
        return f.write_str(text);
    }
    f.write_char('"')?;
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            f.write_char('\\')?;
        }
        f.write_char(c)?;
    }
    f.write_char('"')
}
