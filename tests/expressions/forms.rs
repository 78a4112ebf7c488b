//! The text form and the JSON form of an expression parse to the same tree, both are printed so that they parse again,
//! and no input makes the parser fail badly.

use mcp_sieve::{Error, Filter, expr::Expr, json::Raw};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::trees::{text, tree};

fn json_of(tree: &Expr) -> String {
    String::from_utf8(tree.json()).expect("UTF-8")
}

fn read(json: &str) -> Result<Expr, Error> {
    Raw::parse(json).and_then(Expr::from_json)
}

/// Generates JSON of every shape, mostly similar to that of an expression.
fn near_json() -> impl Strategy<Value = Value> {
    let words = [
        "all",
        "any",
        "not",
        "tag",
        "priority",
        "concern",
        "meta.x",
        "client.version",
        "<",
        "=",
        "contains",
        ":",
    ];
    let leaf = prop_oneof![
        text().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(8, 32, 3, move |inner| {
        let key = prop_oneof![9 => prop::sample::select(words.to_vec()).prop_map(str::to_owned), 1 => text()];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            (key.clone(), inner.clone()).prop_map(|(key, value)| json!({key: value})),
            (key.clone(), inner.clone(), key, inner).prop_map(|(a, b, c, d)| json!({a: b, c: d})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_reads_back(tree in tree()) {
        let text = tree.to_string();
        let again: Expr = text.parse().map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(&again, &tree, "{}", text);
        prop_assert_eq!(again.to_string(), text);
    }

    #[test]
    fn json_reads_back(tree in tree()) {
        let json = json_of(&tree);
        let again = read(&json).map_err(|error| TestCaseError::fail(format!("{json}: {error}")))?;
        prop_assert_eq!(&again, &tree, "{}", json);
        prop_assert_eq!(again.json(), tree.json());
        // Another JSON library parses and prints the JSON form with the same result.
        let value: Value = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(read(&value.to_string()).ok(), Some(tree));
    }

    #[test]
    fn text_and_json_are_one_tree(tree in tree()) {
        let (text, json) = (tree.to_string(), json_of(&tree));
        let by_text: Expr = text.parse().unwrap();
        let by_json = read(&json).unwrap();
        prop_assert_eq!(by_text.json(), tree.json());
        prop_assert_eq!(by_json.to_string(), text.as_str());
        prop_assert_eq!(read(&Value::from(text).to_string()).unwrap(), tree);
    }

    #[test]
    fn any_text_is_read_or_refused_within_itself(text in prop_oneof![any::<String>(), "[a-z\"\\\\:=<>*()é -]{0,40}", text()]) {
        match text.parse::<Expr>() {
            Ok(tree) => prop_assert_eq!(tree.to_string().parse::<Expr>().unwrap(), tree),
            Err(error) => {
                let at = error.at().unwrap();
                prop_assert!(at <= text.len().min(Expr::MAX_SOURCE) && text.is_char_boundary(at), "{error}");
                prop_assert!(!error.to_string().contains('\n'), "{error}");
            }
        }
    }

    /// A truncated text parses, or is rejected with an error of the expression language.
    #[test]
    fn a_cut_text_is_read_or_refused(tree in tree(), cut in 0.0..1.0) {
        let text = tree.to_string();
        let mut at = (cut * text.len() as f64) as usize;
        while !text.is_char_boundary(at) {
            at += 1;
        }
        for part in <[&str; 2]>::from(text.split_at(at)) {
            if let Err(error) = part.parse::<Expr>() {
                prop_assert!(error.at().is_some_and(|at| at <= part.len()), "{error}");
            }
        }
    }

    #[test]
    fn any_json_is_read_or_refused(json in near_json()) {
        match read(&json.to_string()) {
            Ok(tree) => {
                prop_assert_eq!(&read(&json_of(&tree)).unwrap(), &tree);
                prop_assert_eq!(tree.to_string().parse::<Expr>().unwrap(), tree);
            }
            Err(error) => prop_assert_eq!(error.code(), "expression"),
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        if let Ok(text) = std::str::from_utf8(&bytes) {
            _ = text.parse::<Expr>();
            _ = read(text);
        }
        let filter = [br#"{"where":"#, bytes.as_slice(), b"}"].concat();
        _ = std::str::from_utf8(&filter).map(Filter::parse);
    }
}
