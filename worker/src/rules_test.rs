#![allow(clippy::unwrap_used)]

use super::*;

const EMPTY: &str = "// nothing yet\n{ \"$schema\": \"s.json\" }";
const WRITTEN: &str =
    r#"{"server": {"name": "written"}, "policies": [{"name": "p", "show": "-name:secret"}]}"#;
const OWN: &str = r#"{"server": {"name": "own"}}"#;
const TRACKER: &str = r#"{"server": {"name": "tracker"}, "groups": [{"name": "issues"}]}"#;

fn rules(file: &'static str, own: &'static str, upstream: bool) -> Rules<'static> {
    Rules { variable: None, file: Some(file), own, tracker: TRACKER, upstream }
}

fn name(rules: Rules<'_>) -> Result<String, String> {
    rules.read().map(|config| config.server.name).map_err(|failure| failure.message)
}

#[test]
fn the_operators_file_applies_to_whatever_is_served() {
    for own in [TRACKER, OWN] {
        for upstream in [false, true] {
            let config = rules(WRITTEN, own, upstream).read().unwrap();
            assert_eq!((config.server.name.as_str(), config.policies.len()), ("written", 1));
        }
    }
}

#[test]
fn the_variable_replaces_every_file() {
    for upstream in [false, true] {
        let variable = Some(r#"{"server": {"name": "variable"}}"#);
        assert_eq!(name(Rules { variable, ..rules(WRITTEN, OWN, upstream) }), Ok("variable".to_owned()));
    }
    // Also one that says nothing: so does the package, whose file is another.
    assert_eq!(Rules { variable: Some("{}"), ..rules(WRITTEN, OWN, true) }.read(), Ok(Config::default()));
}

#[test]
fn the_trackers_rules_are_no_rules_of_another_server() {
    assert_eq!(name(rules(EMPTY, TRACKER, false)), Ok("tracker".to_owned()));
    assert_eq!(rules(EMPTY, TRACKER, true).read(), Ok(Config::default()));
}

#[test]
fn rules_that_would_not_apply_are_an_error() {
    assert_eq!(name(rules(EMPTY, OWN, false)), Ok("own".to_owned()));
    let refused = name(rules(EMPTY, OWN, true)).unwrap_err();
    assert!(refused.starts_with("UPSTREAM_URL: ") && refused.contains("sieve.jsonc"), "{refused}");
    assert_eq!(rules(EMPTY, "{}", true).read(), Ok(Config::default()));
}

#[test]
fn an_error_names_its_place() {
    let broken = r#"{"policies": 1}"#;
    assert!(name(rules(broken, OWN, true)).unwrap_err().starts_with("sieve.jsonc: "));
    assert!(
        name(rules(EMPTY, broken, true)).unwrap_err().starts_with("the configuration of the Worker's own")
    );
    let variable = Some(broken);
    assert!(name(Rules { variable, ..rules(EMPTY, OWN, true) }).unwrap_err().starts_with("SIEVE_CONFIG: "));
}

#[test]
fn an_entry_module_without_a_file_is_one_with_an_empty_file() {
    for upstream in [false, true] {
        let without = Rules { file: None, ..rules(EMPTY, TRACKER, upstream) };
        assert_eq!(without.read(), rules(EMPTY, TRACKER, upstream).read());
    }
}
