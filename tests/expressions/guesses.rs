//! Suggestions for misspelled words, and the resolution of paths.

use mcp_sieve::{
    catalog::{Catalog, Lists, Source},
    expr::{Expr, Field},
};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn nearest_word() {
    const KNOWN: [&str; 6] = ["issues", "pull_requests", "Mail", "calendar", "mails", "né🧀"];
    for (word, meant) in [
        ("isues", Some("issues")),
        ("isseus", Some("issues")),
        ("ISSUES", Some("issues")),
        ("issue", Some("issues")),
        ("pull-request", Some("pull_requests")),
        ("pull", Some("pull_requests")),
        ("mail", Some("Mail")),
        ("mailx", Some("Mail")),
        ("cal", Some("calendar")),
        ("ca", None),
        ("nè🧀", Some("né🧀")),
        ("accounting", None),
        ("x", None),
        ("", None),
    ] {
        assert_eq!(Expr::nearest(word, &mut KNOWN.into_iter()), meant, "{word}");
    }
    assert_eq!(Expr::nearest("a", &mut ["b"].into_iter()), None, "one letter for another is another word");
    assert_eq!(Expr::nearest(&"x".repeat(1 << 20), &mut KNOWN.into_iter()), None);
    assert_eq!(Expr::nearest("mail", &mut [].into_iter()), None);
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn nearest_name_of_a_catalog() {
    let lists = r#"{"tools":[{"name":"create_issue","inputSchema":{},"groups":["issues"],"tags":["stable"],
        "_meta":{"concerns":{"security":["low","high"]}}}],"prompts":[{"name":"plan_day"}],
        "resources":[{"uri":"file:///a","name":"readme"}]}"#;
    let source = Source { server: "s", lists: Lists::read(lists).unwrap() };
    let catalog = Catalog::compile(&[source], &Default::default());
    for (term, meant) in [
        ("group:isues", Some("issues")),
        ("group!=Issues", Some("issues")),
        ("group:issues", None),
        ("group:isues*", None),
        ("group:calendar", None),
        ("tag=stabel", Some("stable")),
        ("concern.securty:low", Some("security")),
        ("concern.securty<3", Some("security")),
        ("concern.security:hihg", Some("high")),
        ("concern.security<3", None),
        ("kind:tools", Some("tool")),
        ("name:create_issues", Some("create_issue")),
        ("name:plan-day", Some("plan_day")),
        ("name:readm", None),
        ("title:Create", None),
    ] {
        let Ok(Expr::Term(read)) = term.parse() else { panic!("{term}") };
        assert_eq!(catalog.suggest_name(&read), meant, "{term}");
    }
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn fields_read_back() {
    for field in [
        Field::LastModified,
        Field::ClientVersion,
        Field::Preset,
        Field::Scope,
        Field::Header("x-team".to_owned()),
        Field::Concern("cost (€)".to_owned()),
        Field::Claim("https://example.com/roles".to_owned()),
        Field::Meta("com.example/a.b".to_owned()),
        Field::Annotation("\"\\".to_owned()),
    ] {
        assert_eq!(field.to_string().parse(), Ok(field));
    }
    assert_eq!("header.\"X-Team\"".parse(), Ok(Field::Header("x-team".to_owned())));
    for (text, message) in [
        ("", "expected a term such as `name:create_*`, found the end at byte 0"),
        ("name:", "expected nothing more, found `:` after `name` at byte 4"),
        ("claim", "expected a name after `claim.`, as in `claim.NAME` at byte 0"),
        ("client", "unknown term `client` (did you mean `client.name`?) at byte 0"),
    ] {
        assert_eq!(text.parse::<Field>().unwrap_err().to_string(), message);
    }
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn paths() {
    let root = json!({
        "a": {"b": {"c": 1}, "b.c": 2, "x": null},
        "a.b": {"d": 3},
        "com.example/k": {"e.f": {"g": 4}},
        "": {"": 5},
    });
    let find =
        |path| Field::at_path(root.clone(), path, |object: &Value, key| object.get(key).cloned(), Some);
    for (path, value) in [
        ("a.b.d", Some(json!(3))),
        ("a.x", Some(json!(null))),
        ("com.example/k.e.f.g", Some(json!(4))),
        (".", Some(json!(5))),
        // The longest existing key wins: `a.b` has no `c`, and `a` is not tried.
        ("a.b.c", None),
        ("a.b.d.e", None),
        ("b", None),
        ("a.", None),
    ] {
        assert_eq!(find(path), value, "{path}");
    }
    // If every split of the path is a key, only one is followed.
    let looked = std::cell::Cell::new(0);
    let step = |depth: &usize, key: &str| {
        looked.set(looked.get() + 1);
        (key == "a" || key == "a.a").then_some(depth + 1)
    };
    assert_eq!(Field::at_path(0, &["a"; 128].join("."), step, Some), Some(64));
    assert!(looked.get() < 128 * 128, "{} look-ups", looked.get());
}
