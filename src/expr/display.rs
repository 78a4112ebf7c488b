use std::fmt::{self, Display};

use super::{Expr, Op, Term, parse};

impl Display for Expr {
    /// The canonical text: parses back to the same tree.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Term(term) => term.fmt(f),
            Self::Not(inner) => {
                f.write_str("-")?;
                part(f, inner, matches!(**inner, Self::All(_) | Self::Any(_)))
            }
            Self::All(parts) => list(f, parts, " ", |part| matches!(part, Self::All(_) | Self::Any(_))),
            Self::Any(parts) => list(f, parts, " or ", |part| matches!(part, Self::Any(_))),
        }
    }
}

/// Parentheses stand only where the tree needs them: the canonical text never nests deeper than a text
/// that parsed to the tree, so it parses too.
fn list(f: &mut fmt::Formatter<'_>, parts: &[Expr], joint: &str, nests: fn(&Expr) -> bool) -> fmt::Result {
    for (index, inner) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(joint)?;
        }
        part(f, inner, nests(inner))?;
    }
    Ok(())
}

fn part(f: &mut fmt::Formatter<'_>, inner: &Expr, nests: bool) -> fmt::Result {
    if nests { write!(f, "({inner})") } else { inner.fmt(f) }
}

impl Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.field, self.op)?;
        // `<` with `=x` behind it would read as `<=` with `x`.
        let merges = matches!(self.op, Op::Less | Op::Greater) && self.value.starts_with('=');
        if !self.value.is_empty() && !merges && self.value.chars().all(parse::is_bare) {
            return f.write_str(&self.value);
        }
        write!(f, "\"{}\"", self.value.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Matches => ":",
            Self::Equals => "=",
            Self::Differs => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
            Self::Contains => " contains ",
            Self::Starts => " starts ",
        })
    }
}
