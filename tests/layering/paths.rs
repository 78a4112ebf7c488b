//! The paths in Rust source, with `use` groups expanded. Comments and literals are skipped.

/// Returns every path of `source`, in order: `use a::{b, c::d};` has `a::b` and `a::c::d`.
pub fn paths(source: &str) -> Vec<Vec<String>> {
    paths_of(&tokens(source))
}

/// Returns every path in a sequence of [`tokens`], in order.
pub fn paths_of(tokens: &[String]) -> Vec<Vec<String>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        at = if is_name(&tokens[at]) { path(tokens, at, &[], &mut found) } else { at + 1 };
    }
    found
}

/// Parses the path at `at`, relative to `prefix`; returns the position after it.
fn path(tokens: &[String], mut at: usize, prefix: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut segments = prefix.to_vec();
    loop {
        segments.push(tokens[at].clone());
        at += 1;
        if tokens.get(at).is_none_or(|token| token != "::") {
            found.push(segments);
            return at;
        }
        match tokens.get(at + 1) {
            Some(next) if is_name(next) || next == "*" => at += 1,
            Some(next) if next == "{" => return group(tokens, at + 2, &segments, found),
            // A turbofish: the path continues after it, but has no further names of interest.
            _ => {
                found.push(segments);
                return at + 1;
            }
        }
    }
}

/// Parses the paths of a `use` group; returns the position after its closing brace.
fn group(tokens: &[String], mut at: usize, prefix: &[String], found: &mut Vec<Vec<String>>) -> usize {
    while let Some(token) = tokens.get(at) {
        match token.as_str() {
            "}" => return at + 1,
            "as" => at += 2,
            _ if is_name(token) || token == "*" => at = path(tokens, at, prefix, found),
            _ => at += 1,
        }
    }
    at
}

/// Returns whether a token is a name.
pub fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Splits source into names, `::` and single characters. White space, comments, literals and lifetimes are skipped.
pub fn tokens(source: &str) -> Vec<String> {
    let chars: Vec<char> = source.chars().collect();
    let at_text =
        |at: usize, text: &str| text.chars().enumerate().all(|(i, c)| chars.get(at + i) == Some(&c));
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < chars.len() {
        let c = chars[at];
        if at_text(at, "//") {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
        } else if at_text(at, "/*") {
            let mut depth = 0;
            loop {
                if at_text(at, "/*") {
                    depth += 1;
                    at += 2;
                } else if at_text(at, "*/") {
                    depth -= 1;
                    at += 2;
                } else {
                    at += 1;
                }
                if depth == 0 || at >= chars.len() {
                    break;
                }
            }
        } else if c == '"' {
            at = behind(&chars, at + 1, '"');
        } else if c == '\'' {
            // `'a'` and `'\n'` are literals, `'a` is a lifetime.
            let literal = chars.get(at + 1) == Some(&'\\') || chars.get(at + 2) == Some(&'\'');
            at = if literal { behind(&chars, at + 1, '\'') } else { at + 2 };
        } else if c.is_alphabetic() || c == '_' {
            let start = at;
            while at < chars.len() && (chars[at].is_alphanumeric() || chars[at] == '_') {
                at += 1;
            }
            let name: String = chars[start..at].iter().collect();
            let hashes = chars[at..].iter().take_while(|c| **c == '#').count();
            if matches!(name.as_str(), "r" | "br") && chars.get(at + hashes) == Some(&'"') {
                let end = format!("\"{}", "#".repeat(hashes));
                at += hashes + 1;
                while at < chars.len() && !at_text(at, &end) {
                    at += 1;
                }
                at += end.len();
            } else {
                tokens.push(name);
            }
        } else if at_text(at, "::") {
            tokens.push("::".to_owned());
            at += 2;
        } else {
            if !c.is_whitespace() {
                tokens.push(c.to_string());
            }
            at += 1;
        }
    }
    tokens
}

/// Returns the position after a literal that ends with `quote`.
fn behind(chars: &[char], mut at: usize, quote: char) -> usize {
    while at < chars.len() && chars[at] != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}
