//! Expands `${NAME}` references to environment variables and secrets in header values.

use std::fmt;

/// An invalid reference to a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VariableError {
    /// A reference without a closing `}`.
    Unclosed,
    /// A variable or secret that the deployment lacks, or that is blank.
    Missing(String),
    /// A dollar sign that begins no reference.
    Dollar,
}

impl fmt::Display for VariableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unclosed => f.write_str("expected `}` after `${`"),
            Self::Missing(name) => write!(f, "`${{{name}}}` is no variable or secret here"),
            Self::Dollar => f.write_str("expected `${NAME}`, or `$$` for a dollar sign"),
        }
    }
}

impl std::error::Error for VariableError {}

/// Returns the value of a header, with each `${NAME}` replaced by the value of the variable and each `$$` by a dollar
/// sign. `variable` returns the variables and secrets of the deployment. A blank one counts as missing.
///
/// # Errors
/// [`VariableError`] for the first dollar sign that cannot be replaced.
pub fn expand(template: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, VariableError> {
    let (mut out, mut rest) = (String::with_capacity(template.len()), template);
    while let Some((before, behind)) = rest.split_once('$') {
        out.push_str(before);
        rest = match (behind.strip_prefix('$'), behind.strip_prefix('{')) {
            (Some(behind), _) => {
                out.push('$');
                behind
            }
            (_, Some(reference)) => {
                let (name, behind) = reference.split_once('}').ok_or(VariableError::Unclosed)?;
                let value = variable(name).filter(|value| !value.trim().is_empty());
                out.push_str(&value.ok_or_else(|| VariableError::Missing(name.to_owned()))?);
                behind
            }
            _ => return Err(VariableError::Dollar),
        };
    }
    out.push_str(rest);
    Ok(out)
}
