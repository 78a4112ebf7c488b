//! Headers of other MCP servers that narrow a connection. Their meaning is the same as there. They narrow like the
//! query of the URL.
//!
//! | header | keeps |
//! |---|---|
//! | `X-MCP-Toolsets: issues, pulls` | primitives in any of these groups; `all` stands for every group, `default` for the groups of the setting `toolsets` |
//! | `X-MCP-Tools: get_issue` | tools with these names, in addition to those of the groups |
//! | `X-MCP-Exclude-Tools: close_issue` | everything but tools with these names |
//! | `X-MCP-Readonly: true` | tools with `readOnlyHint: true`, and everything that is not a tool |
//! | `X-MCP-Tags-Include: crm, sales` | primitives with any of these tags |
//! | `X-MCP-Tags-Exclude: internal` | primitives with none of these tags |
//!
//! The first four are those of GitHub's server. monday.com's gateway reads the last two, whose source is not public;
//! include and exclude mean the same as in FastMCP.

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
const TAGS_INCLUDED: &str = "X-MCP-Tags-Include";
const TAGS_EXCLUDED: &str = "X-MCP-Tags-Exclude";
/// All these headers.
const HEADERS: [&str; 6] = [TOOLSETS, TOOLS, EXCLUDED, READONLY, TAGS_INCLUDED, TAGS_EXCLUDED];
/// Misspelt names of these headers, and the right ones.
const MISSPELT: [(&str, &str); 15] = [
    ("X-MCP-Toolset", TOOLSETS),
    ("X-MCP-Tool", TOOLS),
    ("X-MCP-Exclude-Tool", EXCLUDED),
    ("X-MCP-Excluded-Tools", EXCLUDED),
    ("X-MCP-Read-Only", READONLY),
    ("X-MCP-Tags", TAGS_INCLUDED),
    ("X-MCP-Tag-Include", TAGS_INCLUDED),
    ("X-MCP-Tags-Included", TAGS_INCLUDED),
    ("X-MCP-Tags-Includes", TAGS_INCLUDED),
    ("X-MCP-Include-Tags", TAGS_INCLUDED),
    ("X-MCP-Tag-Exclude", TAGS_EXCLUDED),
    ("X-MCP-Tags-Excluded", TAGS_EXCLUDED),
    ("X-MCP-Tags-Excludes", TAGS_EXCLUDED),
    ("X-MCP-Exclude-Tags", TAGS_EXCLUDED),
    ("X-MCP-Excluded-Tags", TAGS_EXCLUDED),
];

/// Returns whether a request has one of these headers, which are not part of cache keys.
pub(crate) fn are_present(headers: &HeaderMap) -> bool {
    any_family(headers) && HEADERS.into_iter().any(|name| headers.contains_key(name))
}

/// Returns whether a request has a header with the common prefix. Few have, and one pass is cheaper than many lookups.
fn any_family(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| name.as_str().starts_with(FAMILY))
}

/// Adds the conditions of the headers to `filter`. `toolsets` are those that the configuration defines.
///
/// # Errors
/// [`ErrorKind::FilterField`] for a misspelt header, [`ErrorKind::FilterLimit`] for too many or too long names,
/// [`ErrorKind::FilterType`] for a flag that is not a boolean.
pub(crate) fn narrow(
    filter: &mut Filter,
    headers: &HeaderMap,
    toolsets: &[(String, Vec<String>)],
) -> Result<(), Error> {
    if any_family(headers) { narrow_by(filter, headers, toolsets) } else { Ok(()) }
}

/// Does the work of [`narrow`] for a request with such a header. It is never inlined, so a new process does not compile
/// it for the many requests without one.
#[inline(never)]
fn narrow_by(
    filter: &mut Filter,
    headers: &HeaderMap,
    toolsets: &[(String, Vec<String>)],
) -> Result<(), Error> {
    if let Some((name, meant)) = MISSPELT.into_iter().find(|(name, _)| headers.contains_key(*name)) {
        let message = format!("unknown header (did you mean `{meant}`?)");
        return Err(Error::new(ErrorKind::FilterField, message).field(name));
    }
    if !are_present(headers) {
        return Ok(());
    }
    let (toolsets_named, tools) = (names(headers, TOOLSETS)?, names(headers, TOOLS)?);
    let groups = Filter::groups_of_toolsets(&toolsets_named, toolsets, TOOLSETS)?;
    let named = |filter: &mut Filter, tools: &[String], origin| {
        Ok::<_, Error>(Expr::All(vec![tool()?, any(filter, &Field::Name, tools, origin)?]))
    };
    match groups {
        // Some toolset stands for every group.
        None => {}
        Some(groups) if groups.is_empty() && tools.is_empty() => {}
        Some(groups) if groups.is_empty() => {
            let either = vec![not(tool()?), any(filter, &Field::Name, &tools, TOOLS)?];
            filter.require(Expr::Any(either))?;
        }
        Some(groups) => {
            let mut condition = filter.any_of(&Field::Group, &groups, TOOLSETS)?;
            if !tools.is_empty() {
                condition = Expr::Any(vec![condition, named(filter, &tools, TOOLS)?]);
            }
            filter.require(condition)?;
        }
    }
    let excluded = names(headers, EXCLUDED)?;
    if !excluded.is_empty() {
        let condition = not(named(filter, &excluded, EXCLUDED)?);
        filter.require(condition)?;
    }
    for (header, is_wanted) in [(TAGS_INCLUDED, true), (TAGS_EXCLUDED, false)] {
        let tags = names(headers, header)?;
        if !tags.is_empty() {
            let condition = any(filter, &Field::Tag, &tags, header)?;
            filter.require(if is_wanted { condition } else { not(condition) })?;
        }
    }
    if flag(headers, READONLY)? {
        let reads = Term::new(Field::Annotation("readOnlyHint".to_owned()), Op::Matches, "true")?;
        filter.require(Expr::Any(vec![not(tool()?), Expr::Term(reads)]))?;
    }
    Ok(())
}

fn tool() -> Result<Expr, Error> {
    Ok(Expr::Term(Term::new(Field::Kind, Op::Matches, Kind::Tool.name())?))
}

fn not(expr: Expr) -> Expr {
    Expr::Not(Box::new(expr))
}

/// Returns the condition that a field equals one of `names`, which must not be empty. Reports name the header `origin`.
fn any(filter: &mut Filter, field: &Field, names: &[String], origin: &str) -> Result<Expr, Error> {
    let names: Vec<_> = names.iter().map(String::as_str).enumerate().collect();
    filter.any_of(field, &names, origin)
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
