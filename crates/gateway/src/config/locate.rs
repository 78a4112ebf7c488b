//! Maps a member path, such as `rules[3].match`, to a byte range in the configuration source.

use std::ops::Range;

use mcp_sieve::json::{Members, Raw};

/// Returns the byte range in the source of a configuration for the member at `path`, such as `rules[3].match`. If that
/// member is missing, returns the range of the nearest enclosing value. Returns `None` for a source that is not JSON.
pub fn locate(source: &str, path: &str) -> Option<Range<usize>> {
    // Comments become spaces, so byte positions do not change.
    let text = Raw::strip_comments(source).ok()?;
    let value = below(Raw::parse(&text).ok()?, path).get();
    let start = (value.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    Some(start..start + value.len())
}

fn below<'a>(value: Raw<'a>, path: &str) -> Raw<'a> {
    let path = path.strip_prefix('.').unwrap_or(path);
    let inner = match path.strip_prefix('[').and_then(|path| path.split_once(']')) {
        Some((at, rest)) => {
            let at = at.parse::<usize>().ok();
            let element = at.and_then(|at| value.elements()?.into_iter().nth(at));
            element.map(|element| (element, rest))
        }
        None => member(value, path),
    };
    inner.filter(|_| !path.is_empty()).map_or(value, |(inner, rest)| below(inner, rest))
}

/// Returns the first member of a path and the rest of the path. A key may itself contain dots and brackets, so the
/// longest match wins.
fn member<'a, 'p>(value: Raw<'a>, path: &'p str) -> Option<(Raw<'a>, &'p str)> {
    let members = Members::read(value)?.0;
    let begins = |(key, inner): (std::borrow::Cow<'a, str>, Raw<'a>)| {
        let rest = path.strip_prefix(key.as_ref())?;
        (rest.is_empty() || rest.starts_with(['.', '['])).then_some((key.len(), inner, rest))
    };
    let found = members.into_iter().filter_map(begins).max_by_key(|(length, _, _)| *length);
    found.map(|(_, inner, rest)| (inner, rest))
}
