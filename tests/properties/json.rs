//! JSON is accepted exactly if `serde_json` accepts it, and comments in a configuration change nothing.

use mcp_sieve::{ErrorKind, Filter, catalog::Lists};
use mcp_sieve_gateway::config::Config;
use proptest::prelude::*;
use serde::de::IgnoredAny;

use crate::cases;

/// Generates a JSON text, and the same with comments and trailing commas, as a configuration may have them.
fn written() -> impl Strategy<Value = (String, String)> {
    let leaf = prop::sample::select(vec![
        "0",
        "-0.5e-7",
        "12E+3",
        "true",
        "false",
        "null",
        "\"\"",
        "\"a // b\"",
        "\"/* \\\" */\"",
        "\"\\u00e9\\n\"",
        "\"ß\"",
    ]);
    let leaf = leaf.prop_map(|text| (text.to_owned(), text.to_owned()));
    leaf.prop_recursive(5, 30, 5, |inner| {
        let gap = prop::sample::select(vec!["", " ", "// [ \" \n", "/* ] \" */", "\n\t", "/**/", "//\n"]);
        let comma = prop::sample::select(vec!["", ",", " , "]);
        let parts = prop::collection::vec((inner, "[a-z\"]{0,2}"), 0..4);
        (parts, gap, comma, any::<bool>()).prop_map(|(parts, gap, comma, object)| {
            let key = |key: &str| if object { format!("{}:", serde_json::json!(key)) } else { String::new() };
            let (open, close) = if object { ("{", "}") } else { ("[", "]") };
            let strict: Vec<String> = parts.iter().map(|((text, _), name)| key(name) + text).collect();
            let loose: Vec<String> =
                parts.iter().map(|((_, text), name)| format!("{gap}{}{gap}{text}{gap}", key(name))).collect();
            let comma = if parts.is_empty() { "" } else { comma };
            (
                format!("{open}{}{close}", strict.join(",")),
                format!("{gap}{open}{gap}{}{comma}{gap}{close}{gap}", loose.join(",")),
            )
        })
    })
}

/// Generates a text close to JSON, with a piece removed, inserted or repeated.
fn near() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "", ",", ":", "\"", "\\", "[", "}", "0", "-", "e", ".", "+", "tru", "\u{1}", "\u{a0}", "\u{feff}",
        "\\u12", "\\ud800", "//\n", "'", "01", "1.", ".5", "é", "\\x",
    ]);
    (written(), any::<prop::sample::Index>(), 0usize..3, piece).prop_map(|((text, _), at, cut, piece)| {
        let chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len() + 1);
        let head: String = chars[..at].iter().collect();
        let tail: String = chars[(at + cut).min(chars.len())..].iter().collect();
        head + piece + &tail
    })
}

fn is_json(source: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(source).is_ok()
}

fn refused_as_json<T>(read: Result<T, mcp_sieve::Error>) -> bool {
    read.is_err_and(|error| error.kind() == ErrorKind::Json)
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn near_json_is_judged_as_others_judge_it(source in near()) {
        prop_assert_eq!(refused_as_json(Filter::parse(&source)), !is_json(&source), "{}", source);
        prop_assert_eq!(refused_as_json(Lists::read(&source)), !is_json(&source), "{}", source);
    }

    #[test]
    fn json_is_a_configuration_of_some_kind((strict, loose) in written()) {
        prop_assert!(is_json(&strict), "{}", strict);
        // The contents are accepted or rejected for the same reason with comments as without.
        let (strict, loose) = (Config::parse(&strict), Config::parse(&loose));
        prop_assert!(!refused_as_json(strict.clone()), "{:?}", strict);
        let words = |read: Result<Config, mcp_sieve::Error>| read.map_err(|error| error.to_string());
        prop_assert_eq!(words(strict), words(loose));
    }
}
