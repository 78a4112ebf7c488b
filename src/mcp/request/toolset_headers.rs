//! Headers by which clients of other servers narrow: here they mean what they mean there, a part of the narrowing
//! that comes with the connection, like the query of the URL.
//!
//! | header | leaves |
//! |---|---|
//! | `X-MCP-Toolsets: issues, pulls` | what is in any of these groups; `all` stands for every one |
//! | `X-MCP-Tools: get_issue` | tools of these names, beside those of the groups |
//! | `X-MCP-Exclude-Tools: close_issue` | no tool of these names |
//! | `X-MCP-Readonly: true` | tools that say of themselves that they only read |

use http::HeaderMap;

use crate::{
    catalog::Kind,
    concern::{MAX_VALUES, check_length, kind_error, limit_error},
    error::{Error, ErrorKind},
    expr::{Expr, Field, Op, Term},
    filter::Filter,
    mcp::http::headers,
};

/// The start of the names of these headers, in lower case.
const FAMILY: &str = "x-mcp-";
const TOOLSETS: &str = "X-MCP-Toolsets";
const TOOLS: &str = "X-MCP-Tools";
const EXCLUDED: &str = "X-MCP-Exclude-Tools";
const READONLY: &str = "X-MCP-Readonly";
/// Misspelt names of these headers.
const MISSPELT: [(&str, &str); 5] = [
    ("X-MCP-Toolset", TOOLSETS),
    ("X-MCP-Tool", TOOLS),
    ("X-MCP-Exclude-Tool", EXCLUDED),
    ("X-MCP-Excluded-Tools", EXCLUDED),
    ("X-MCP-Read-Only", READONLY),
];
/// The toolset of everything.
const ALL: &str = "all";

/// Whether a request narrows by one of these headers, for which no cache looks.
pub(crate) fn given(headers: &HeaderMap) -> bool {
    any_family(headers)
        && [TOOLSETS, TOOLS, EXCLUDED, READONLY].into_iter().any(|name| headers.contains_key(name))
}

/// Whether a request has a header whose name starts as these do. Few have, and one look costs less than nine.
fn any_family(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| name.as_str().starts_with(FAMILY))
}

/// Narrows `filter` by what the headers say too.
///
/// # Errors
/// [`ErrorKind::FilterField`] for a misspelt header, [`ErrorKind::FilterLimit`] for too many or too long names,
/// [`ErrorKind::FilterType`] for a flag that is none.
pub(crate) fn narrow(filter: &mut Filter, headers: &HeaderMap) -> Result<(), Error> {
    if any_family(headers) { narrow_by(filter, headers) } else { Ok(()) }
}

/// The same for a request with a header of this family. Most have none, and a process that starts does without it.
#[inline(never)]
fn narrow_by(filter: &mut Filter, headers: &HeaderMap) -> Result<(), Error> {
    if let Some((name, meant)) = MISSPELT.into_iter().find(|(name, _)| headers.contains_key(*name)) {
        let message = format!("unknown header (did you mean `{meant}`?)");
        return Err(Error::new(ErrorKind::FilterField, message).field(name));
    }
    if !given(headers) {
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

/// That a field is one of these names, of which there is at least one.
fn any(field: &Field, names: &[String]) -> Result<Expr, Error> {
    let term = |name: &String| Term::new(field.clone(), Op::Equals, name.as_str()).map(Expr::Term);
    match names {
        [only] => term(only),
        several => several.iter().map(term).collect::<Result<_, _>>().map(Expr::Any),
    }
}

/// The names that a header lists, each once.
fn names(headers: &HeaderMap, name: &str) -> Result<Vec<String>, Error> {
    let mut names: Vec<String> = Vec::new();
    let listed = text(headers, name)?;
    for value in listed.split(',').map(str::trim).filter(|value| !value.is_empty()) {
        check_length(value, name)?;
        if !names.iter().any(|known| known == value) {
            names.push(value.to_owned());
        }
    }
    if names.len() > MAX_VALUES {
        return Err(limit_error(name, format!("at most {MAX_VALUES} values")));
    }
    Ok(names)
}

fn flag(headers: &HeaderMap, name: &str) -> Result<bool, Error> {
    match text(headers, name)?.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" | "" => Ok(false),
        _ => Err(kind_error(name, "`true` or `false`")),
    }
}

fn text(headers: &HeaderMap, name: &str) -> Result<String, Error> {
    let text = headers::value(headers, name).map_err(|_| kind_error(name, "visible ASCII"))?;
    Ok(text.unwrap_or_default().into_owned())
}
