//! Our JSON parser compared with `serde_json`.

use mcp_sieve::json::{Members, Object, Raw};
use serde_json::Value;

use super::text;
use crate::{corpus, reference::agree, refusal, target::Target};

pub const TARGET: Target = Target { mutations: 20_000, seeds, words: WORDS, holds };

const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\\ud800",
    "null",
    "true",
    "false",
    "-",
    "0",
    "1e5",
    "0.5",
    "E+",
    "\u{1}",
    "\u{7f}",
    "é",
    "𝄞",
    "\n",
    "\t",
    "// c",
    "/*",
    "*/",
];

fn seeds() -> Vec<Vec<u8>> {
    ["filter", "params", "error"]
        .map(corpus::under)
        .concat()
        .iter()
        .map(|value| value.to_string().into_bytes())
        .collect()
}

fn holds(bytes: &[u8]) -> String {
    let source = text(bytes);
    agree(&source);
    if let Ok(plain) = Raw::strip_comments(&source) {
        assert_eq!(plain.len(), source.len());
    }
    // Only the depth is another matter for text of servers.
    match (Raw::parse(&source), Raw::parse_deep(&source)) {
        (Err(error), Ok(deep)) => assert!(deep.is_deeper(Raw::MAX_DEPTH), "{error}"),
        // Text that is too deep may be no JSON further on.
        (Err(strict), Err(deep)) if strict.at() < deep.at() => {
            assert!(strict.to_string().contains("nests deeper"), "{strict}, {deep}");
        }
        (strict, deep) => assert_eq!(strict, deep),
    }
    let raw = match Raw::parse(&source) {
        Ok(raw) => raw,
        Err(error) => return refusal::of(&source, &error),
    };
    assert_eq!(Raw::parse(raw.get()), Ok(raw));
    let value: Option<Value> = serde_json::from_str(raw.get()).ok();
    // Text without lone surrogates has the same length, and changes nothing else.
    let formed = raw.well_formed();
    assert_eq!(formed.len(), raw.get().len());
    let read: Option<Value> = serde_json::from_str(&formed).ok();
    assert!(value.is_none() || read == value && formed == raw.get());
    assert_eq!(Raw::parse(&formed).unwrap().well_formed(), formed);
    if let Some(elements) = raw.elements() {
        let again = elements.iter().all(|element| Raw::parse(element.get()) == Ok(*element));
        assert!(
            again
                && value.is_none_or(|value| value
                    .as_array()
                    .is_some_and(|values| values.len() == elements.len()))
        );
        return "an array".to_owned();
    }
    if let Some(members) = Members::read(raw) {
        for (key, member) in &members.0 {
            let known = value.as_ref().map(|value| &value[key.as_ref()]);
            let last: Option<Value> = members.get(key).and_then(|raw| serde_json::from_str(raw.get()).ok());
            assert!(known.is_none_or(|known| Some(known) == last.as_ref()), "`{key}` is {}", member.get());
        }
        return format!("an object of {}", members.0.len().min(3));
    }
    if let Some(string) = raw.text() {
        assert_eq!(value.as_ref().and_then(Value::as_str), Some(string.as_ref()));
        let mut written = Vec::new();
        Object::push_text(&mut written, &string);
        assert_eq!(written, serde_json::to_vec(string.as_ref()).unwrap());
        return "a text".to_owned();
    }
    assert!(value.is_none_or(|value| !value.is_string() && !value.is_array() && !value.is_object()));
    "something small".to_owned()
}
