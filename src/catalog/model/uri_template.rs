//! Matches URIs against resource templates (RFC 6570).

use crate::catalog::ResourceUri;

impl ResourceUri<'_> {
    /// Returns whether `uri` may come from `template` (RFC 6570). A simple expression matches at least one character,
    /// but no `/`. One with an operator (`+`, `#`, `/`, `?`, `&`, …) matches any text, even empty text.
    ///
    /// Compares characters as written. For access decisions, callers first convert the URI to the forms in which
    /// servers may interpret it. Variables are not extracted, so it errs towards a match.
    pub fn matches_template(template: &str, uri: &str) -> bool {
        // Most templates already differ in their literal beginning or end.
        let (literal, template) = template.split_at(template.find('{').unwrap_or(template.len()));
        let Some(uri) = uri.strip_prefix(literal) else { return false };
        let closed = template.rsplit_once('}').filter(|(_, end)| !end.contains('{'));
        let Some((expression, end)) = closed else {
            return matches_expressions(template, uri);
        };
        match uri.strip_suffix(end) {
            None => false,
            Some(uri) if expression.contains('}') => {
                matches_expressions(template.strip_suffix(end).unwrap_or_default(), uri)
            }
            // One variable, as in most templates.
            Some(uri) => {
                !is_simple(expression.get(1..).unwrap_or_default()) || !uri.is_empty() && !uri.contains('/')
            }
        }
    }
}

/// Returns whether an expression has no operator.
fn is_simple(expression: &str) -> bool {
    expression.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Returns whether a text may come from expressions with literals between them.
fn matches_expressions(template: &str, uri: &str) -> bool {
    // The positions in `uri` that the template can have reached, as one flag for each character boundary.
    let chars: Vec<char> = uri.chars().collect();
    let mut reached = vec![false; chars.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    let mut rest = template.chars();
    while let Some(c) = rest.next() {
        if c == '{' {
            let expression: String = rest.by_ref().take_while(|c| *c != '}').collect();
            spread(&mut reached, &chars, is_simple(&expression));
        } else {
            step(&mut reached, &chars, c);
        }
    }
    reached.last().copied().unwrap_or_default()
}

/// Advances every position by one character, if it is `wanted`.
fn step(reached: &mut [bool], chars: &[char], wanted: char) {
    let mut before = false;
    let mut came = std::iter::once(None).chain(chars.iter().map(Some));
    for place in reached {
        let by = came.next().flatten();
        let now = *place;
        *place = before && by == Some(&wanted);
        before = now;
    }
}

/// Advances every position by the text that an expression can match.
fn spread(reached: &mut [bool], chars: &[char], simple: bool) {
    let mut inside = false;
    let mut came = std::iter::once(None).chain(chars.iter().map(Some));
    let mut before = false;
    for place in reached {
        let by = came.next().flatten();
        let now = *place;
        let crossed = by.is_some_and(|c| !simple || *c != '/');
        inside = (inside || before) && crossed;
        *place = inside || (!simple && now);
        before = now;
    }
}
