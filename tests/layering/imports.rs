//! The imports and names of a source file, without those of its tests.

use crate::paths::{is_name, paths_of, tokens};

/// The imports and the paths of one file.
#[derive(Debug, Default)]
pub struct Names {
    /// Every name that a `use` imports.
    pub imports: Vec<Import>,
    /// The paths outside of `use`.
    pub paths: Vec<Vec<String>>,
    /// The names of the types, functions, constants and traits that the file declares.
    pub declared: Vec<String>,
    /// The child modules that only tests compile.
    pub test_modules: Vec<String>,
}

/// One name that a `use` imports.
#[derive(Debug, PartialEq)]
pub struct Import {
    /// The name in this file; `*` for all names of a module.
    pub name: String,
    /// The imported path.
    pub path: Vec<String>,
    /// Whether the import is re-exported.
    pub is_public: bool,
}

/// Parses one source file.
pub fn names(source: &str) -> Names {
    let mut names = Names::default();
    let tokens = without_tests(&tokens(source), &mut names.test_modules);
    let (mut rest, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        // `use<'a>` in a type captures lifetimes and imports nothing.
        if tokens[at] == "use" && tokens.get(at + 1).is_some_and(|next| is_name(next)) {
            let is_public = at > 0 && matches!(tokens[at - 1].as_str(), "pub" | ")");
            at = tree(&tokens, at + 1, &[], is_public, &mut names.imports);
            continue;
        }
        let declares = ["struct", "enum", "fn", "const", "static", "trait", "type", "union"];
        if declares.contains(&tokens[at].as_str()) {
            names.declared.extend(tokens.get(at + 1).cloned());
        }
        rest.push(tokens[at].clone());
        at += 1;
    }
    names.paths = paths_of(&rest);
    names
}

/// Parses one branch of a `use`; returns the position after it.
fn tree(
    tokens: &[String],
    mut at: usize,
    prefix: &[String],
    is_public: bool,
    found: &mut Vec<Import>,
) -> usize {
    let mut path = prefix.to_vec();
    while let Some(token) = tokens.get(at) {
        match token.as_str() {
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|token| token != "}") {
                    at = if tokens[at] == "," { at + 1 } else { tree(tokens, at, &path, is_public, found) };
                }
                return at + 1;
            }
            "::" => at += 1,
            _ if is_name(token) || token == "*" => {
                // `a::{self}` is `a`.
                if token != "self" || path.is_empty() {
                    path.push(token.clone());
                }
                at += 1;
                if tokens.get(at).is_some_and(|next| next == "::") {
                    continue;
                }
                let mut name = path.last().cloned().unwrap_or_default();
                if tokens.get(at).is_some_and(|next| next == "as") {
                    name.clone_from(&tokens[at + 1]);
                    at += 2;
                }
                found.push(Import { name, path, is_public });
                return at;
            }
            _ => return at + 1,
        }
    }
    at
}

/// Removes the items under `#[cfg(test)]`.
fn without_tests(tokens: &[String], modules: &mut Vec<String>) -> Vec<String> {
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let end = if tokens[at] == "#" { balanced(tokens, at + 1, "[", "]") } else { at };
        let attribute = &tokens[at..end];
        let is_test = attribute.get(2).is_some_and(|token| token == "cfg")
            && attribute.iter().any(|token| token == "test")
            && !attribute.windows(3).any(|window| window == ["not", "(", "test"]);
        if !is_test {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        at = end;
        while tokens.get(at).is_some_and(|token| token == "#") {
            at = balanced(tokens, at + 1, "[", "]");
        }
        while let Some(token) = tokens.get(at) {
            match token.as_str() {
                ";" => break,
                "{" => {
                    at = balanced(tokens, at, "{", "}") - 1;
                    break;
                }
                "mod" => modules.extend(tokens.get(at + 1).cloned()),
                _ => {}
            }
            at += 1;
        }
        at += 1;
    }
    kept
}

/// Returns the position after the bracket that closes the one at `at`.
fn balanced(tokens: &[String], mut at: usize, open: &str, close: &str) -> usize {
    let mut depth = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        if token == open {
            depth += 1;
        } else if token == close {
            depth -= 1;
        }
        if depth == 0 {
            break;
        }
    }
    at
}
