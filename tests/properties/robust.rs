//! No text makes the engine panic: it is accepted or rejected, and an error has a position in the text.

use mcp_sieve::{
    Error, Filter, Kind,
    catalog::{Catalog, Lists, Source},
    expr::Expr,
    seal::Key,
};
use mcp_sieve_gateway::config::Config;
use mcp_sieve_gateway::server::Cursor;
use proptest::prelude::*;

use crate::cases;

/// Generates text from the tokens of a language, so that much of it parses.
fn soup(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        12 => prop::sample::select(pieces).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

const EXPRESSION: &[&str] = &[
    "name", "tag", "concern.", "header.X", ":", "=", "!=", "<", "<=", "contains", "starts", " ", "\u{a0}",
    "(", ")", "-", "not ", " or ", " and ", "\"", "\\", "a", "*", "ß", "1e3",
];
const JSON: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "-1.5e3",
    "\"a\"",
    "\\",
    "\\u00e9",
    "\\ud800",
    "\n",
    " ",
    "// c\n",
    "/*",
    "*/",
    "\"groups\":",
    "\"tags\":",
    "\"concerns\":",
    "\"tools\":",
    "\"name\":",
    "\"_meta\":",
    "\"rules\":",
    "\"match\":",
    "\"values\":",
    "\"inputSchema\":{}",
    "\"result\":",
    "\u{feff}",
];
const QUERY: &[&str] =
    &["groups", "tags", "concern.", "=", "&", ",", "%", "%2", "%C3%A9", "%ff", "+", "a", "ß", ";"];

/// Asserts that an error's position is within the text and between characters, and that it has a message.
fn placed(source: &str, error: &Error) -> Result<(), TestCaseError> {
    if let Some(at) = error.at() {
        prop_assert!(source.is_char_boundary(at), "{} in {:?}", at, source);
    }
    prop_assert!(!error.to_string().is_empty());
    Ok(())
}

/// Passes a text to every parser of the engine.
fn every_reader(source: &str) -> Result<(), TestCaseError> {
    let expression = source.parse::<Expr>();
    if let Err(error) = &expression {
        placed(source, error)?;
        prop_assert!(error.at().is_some());
    }
    for error in
        [Filter::parse(source).err(), Config::parse(source).err(), Lists::read(source).err()].iter().flatten()
    {
        placed(source, error)?;
    }
    if let Ok(lists) = Lists::read(source) {
        let catalog = Catalog::compile(&[Source { server: "s", lists }], &Default::default());
        for kind in Kind::ALL {
            for index in 0..catalog.kind_index(kind).len() {
                let bytes = catalog.kind_index(kind).bytes(index).unwrap();
                prop_assert!(serde_json::from_slice::<&serde_json::value::RawValue>(bytes).is_ok());
            }
        }
    }
    if let Err(error) = Filter::from_query(source) {
        placed(source, &error)?;
    }
    let cursor = Cursor { kind: Kind::Tool, filter: 0, principal: 0 };
    let key = Key::new(b"key").unwrap();
    prop_assert!(cursor.open(&key, source).is_err());
    Ok(())
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn any_text(source in any::<String>()) {
        every_reader(&source)?;
    }

    #[test]
    fn any_soup_of_expressions(source in soup(EXPRESSION)) {
        every_reader(&source)?;
    }

    #[test]
    fn any_soup_of_json(source in soup(JSON)) {
        every_reader(&source)?;
    }

    #[test]
    fn any_soup_of_queries(source in soup(QUERY)) {
        every_reader(&source)?;
    }

    #[test]
    fn any_cursor_that_was_tampered_with(at in any::<prop::sample::Index>(), with in any::<char>(), next in 0usize..4) {
        let source = r#"{"prompts":[{"name":"a"},{"name":"b"},{"name":"c"}]}"#;
        let lists = Lists::read(source).unwrap();
        let catalog = Catalog::compile(&[Source { server: "s", lists }], &Default::default());
        let kind_index = catalog.kind_index(Kind::Prompt);
        let cursor = Cursor { kind: Kind::Prompt, filter: 7, principal: 9 };
        let key = Key::new(b"key").unwrap();
        let token = cursor.seal(&key, next.checked_sub(1).and_then(|at| kind_index.id(at)).unwrap_or_default(), next);
        prop_assert_eq!(cursor.open(&key, &token).unwrap().locate(|id| kind_index.find(id)), next);

        let mut chars: Vec<char> = token.chars().collect();
        let at = at.index(chars.len());
        prop_assume!(chars[at] != with);
        chars[at] = with;
        let tampered: String = chars.into_iter().collect();
        prop_assert_eq!(cursor.open(&key, &tampered).unwrap_err().code(), "invalid_cursor");
        prop_assert_eq!(cursor.open(&Key::new(b"other").unwrap(), &token).unwrap_err().code(), "invalid_cursor");
        prop_assert_eq!(cursor.open(&key, &key.seal("handle", b"content")).unwrap_err().code(), "invalid_cursor");
    }
}
