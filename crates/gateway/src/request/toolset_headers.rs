//! Headers of other MCP servers that narrow a connection. Their meaning is the same as there. They narrow like the
//! query of the URL.
//!
//! | header | keeps |
//! |---|---|
//! | `X-MCP-Toolsets: issues, pulls` | primitives in any of these groups; `all` stands for every group |
//! | `X-MCP-Tools: get_issue` | tools with these names, in addition to those of the groups |
//! | `X-MCP-Exclude-Tools: close_issue` | everything but tools with these names |
//! | `X-MCP-Readonly: true` | tools with `readOnlyHint: true`, and everything that is not a tool |

use http::HeaderMap;
use mcp_sieve::{
    Error, ErrorKind, Filter, Kind,
    concern::Configuration,
    expr::{Expr, Field, Op, Term},
};

use crate::protocol::headers;

/// The common prefix of the header names, in lower case.
const FAMILY: &str = "x-mcp-";
const TOOLSETS: &str = "X-MCP-Toolsets";
const TOOLS: &str = "X-MCP-Tools";
const EXCLUDED: &str = "X-MCP-Exclude-Tools";
const READONLY: &str = "X-MCP-Readonly";
/// Misspelt names of these headers, and the right ones.
const MISSPELT: [(&str, &str); 5] = [
    ("X-MCP-Toolset", TOOLSETS),
    ("X-MCP-Tool", TOOLS),
    ("X-MCP-Exclude-Tool", EXCLUDED),
    ("X-MCP-Excluded-Tools", EXCLUDED),
    ("X-MCP-Read-Only", READONLY),
];
/// The toolset that stands for all groups.
const ALL: &str = "all";

/// Returns whether a request has one of these headers, which are not part of cache keys.
pub(crate) fn are_present(headers: &HeaderMap) -> bool {
    any_family(headers)
        && [TOOLSETS, TOOLS, EXCLUDED, READONLY].into_iter().any(|name| headers.contains_key(name))
}

/// Returns whether a request has a header with the common prefix. Few have, and one pass is cheaper than nine lookups.
fn any_family(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| name.as_str().starts_with(FAMILY))
}

/// Adds the conditions of the headers to `filter`.
///
/// # Errors
/// [`ErrorKind::FilterField`] for a misspelt header, [`ErrorKind::FilterLimit`] for too many or too long names,
/// [`ErrorKind::FilterType`] for a flag that is not a boolean.
pub(crate) fn narrow(filter: &mut Filter, headers: &HeaderMap) -> Result<(), Error> {
    if any_family(headers) { narrow_by(filter, headers) } else { Ok(()) }
}

/// Does the work of [`narrow`] for a request with such a header. It is never inlined, so a new process does not compile
/// it for the many requests without one.
#[inline(never)]
fn narrow_by(filter: &mut Filter, headers: &HeaderMap) -> Result<(), Error> {
    if let Some((name, meant)) = MISSPELT.into_iter().find(|(name, _)| headers.contains_key(*name)) {
        let message = format!("unknown header (did you mean `{meant}`?)");
        return Err(Error::new(ErrorKind::FilterField, message).field(name));
    }
    if !are_present(headers) {
        return Ok(());
    }
    let mut parts = Vec::new();
    let (groups, tools) = (names(headers, TOOLSETS)?, names(headers, TOOLS)?);
    let every = groups.iter().any(|group| group == ALL);
    let named = |tools: &[String]| Ok(Expr::All(vec![tool()?, any(&Field::Name, tools)?]));
    match (groups.is_empty(), tools.is_empty()) {
        _ if every => {}
        (true, true) => {}
        (true, false) => parts.push(Expr::Any(vec![not(tool()?), any(&Field::Name, &tools)?])),
        (false, true) => parts.push(any(&Field::Group, &groups)?),
        (false, false) => parts.push(Expr::Any(vec![any(&Field::Group, &groups)?, named(&tools)?])),
    }
    let excluded = names(headers, EXCLUDED)?;
    if !excluded.is_empty() {
        parts.push(not(named(&excluded)?));
    }
    if flag(headers, READONLY)? {
        let reads = Term::new(Field::Annotation("readOnlyHint".to_owned()), Op::Matches, "true")?;
        parts.push(Expr::Any(vec![not(tool()?), Expr::Term(reads)]));
    }
    for part in parts {
        filter.r#where = Some(match filter.r#where.take() {
            Some(known) => known.both(part)?,
            None => part,
        });
    }
    Ok(())
}

fn tool() -> Result<Expr, Error> {
    Ok(Expr::Term(Term::new(Field::Kind, Op::Matches, Kind::Tool.name())?))
}

fn not(expr: Expr) -> Expr {
    Expr::Not(Box::new(expr))
}

/// Returns the condition that a field equals one of `names`, which must not be empty.
fn any(field: &Field, names: &[String]) -> Result<Expr, Error> {
    let term = |name: &String| Term::new(field.clone(), Op::Equals, name.as_str()).map(Expr::Term);
    match names {
        [only] => term(only),
        several => several.iter().map(term).collect::<Result<_, _>>().map(Expr::Any),
    }
}

/// Returns the names that a header lists, without duplicates.
fn names(headers: &HeaderMap, name: &str) -> Result<Vec<String>, Error> {
    let mut names: Vec<String> = Vec::new();
    let listed = text(headers, name)?;
    for value in listed.split(',').map(str::trim).filter(|value| !value.is_empty()) {
        Configuration::check_length(value, name)?;
        if !names.iter().any(|known| known == value) {
            names.push(value.to_owned());
        }
    }
    if names.len() > Configuration::MAX_VALUES {
        return Err(Error::filter_limit(
            name,
            format!("at most {max} values", max = Configuration::MAX_VALUES),
        ));
    }
    Ok(names)
}

fn flag(headers: &HeaderMap, name: &str) -> Result<bool, Error> {
    match text(headers, name)?.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" | "" => Ok(false),
        _ => Err(Error::filter_type(name, "`true` or `false`")),
    }
}

fn text(headers: &HeaderMap, name: &str) -> Result<String, Error> {
    let text = headers::value(headers, name).map_err(|_| Error::filter_type(name, "visible ASCII"))?;
    Ok(text.unwrap_or_default().into_owned())
}
