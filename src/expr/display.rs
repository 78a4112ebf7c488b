use std::fmt::{self, Display};

use super::{Expr, Op, Term, parse};

impl Display for Expr {
    /// The canonical text: parses back to the same tree.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Term(term) => term.fmt(f),
            Self::Not(inner) => write!(f, "-{inner}"),
            Self::All(parts) => list(f, parts, " "),
            Self::Any(parts) => list(f, parts, " or "),
        }
    }
}

/// Every list stands in parentheses, so that it reads back as one part wherever it stands.
fn list(f: &mut fmt::Formatter<'_>, parts: &[Expr], joint: &str) -> fmt::Result {
    f.write_str("(")?;
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(joint)?;
        }
        part.fmt(f)?;
    }
    f.write_str(")")
}

impl Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.field, self.op)?;
        if !self.value.is_empty() && self.value.chars().all(parse::is_bare) {
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
