/// Whether `uri` may come from `template` (RFC 6570). A simple expression stands for at least one
/// character and no `/`; one with an operator (`+`, `#`, `/`, `?`, `&`, …) for anything, nothing included.
///
/// Compares characters as they are written: a URI that decides who may read what is first put into the forms in
/// which servers may understand it. Values of variables are not extracted, so it errs towards a match.
pub fn template_matches(template: &str, uri: &str) -> bool {
    // Most templates differ in their literal beginning.
    let (literal, template) = template.split_at(template.find('{').unwrap_or(template.len()));
    let Some(uri) = uri.strip_prefix(literal) else { return false };
    if template.is_empty() {
        return uri.is_empty();
    }
    // The set of places in `uri` that the template can have come to, as one flag a character boundary.
    let chars: Vec<char> = uri.chars().collect();
    let mut reached = vec![false; chars.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    let mut rest = template.chars();
    while let Some(c) = rest.next() {
        if c == '{' {
            let expression: String = rest.by_ref().take_while(|c| *c != '}').collect();
            let simple = expression.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            spread(&mut reached, &chars, simple);
        } else {
            step(&mut reached, &chars, c);
        }
    }
    reached.last().copied().unwrap_or_default()
}

/// Moves every place on by one character, where that is `wanted`.
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

/// Moves every place on by what an expression can stand for.
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
