//! Tests of the choice between the operator's configuration and that of the Worker's own server.

#![allow(clippy::unwrap_used)]

use super::*;

const EMPTY: &str = "// nothing yet\n{ \"$schema\": \"s.json\" }";
const WRITTEN: &str =
    r#"{"server": {"name": "written"}, "policies": [{"name": "p", "show": "-name:secret"}]}"#;
const OWN: &str = r#"{"server": {"name": "own"}}"#;

fn sources(
    file: &'static str,
    local: impl Into<Option<&'static str>>,
    upstream: bool,
) -> ConfigSources<'static> {
    ConfigSources { variable: None, file: Some(file), local: local.into(), upstream }
}

fn name(sources: ConfigSources<'_>) -> Result<String, String> {
    sources.read().map(|config| config.server.name().to_owned()).map_err(|failure| failure.message)
}

#[test]
fn the_operators_file_applies_to_whatever_is_served() {
    for own in [None, Some(OWN)] {
        for upstream in [false, true] {
            let config = sources(WRITTEN, own, upstream).read().unwrap();
            assert_eq!((config.server.name(), config.engine.policies.len()), ("written", 1));
        }
    }
}

#[test]
fn the_variable_takes_the_place_of_an_empty_file_and_of_the_workers_own_rules() {
    let variable = Some(r#"{"server": {"name": "variable"}}"#);
    for upstream in [false, true] {
        for file in [None, Some(EMPTY), Some("{}")] {
            let sources = ConfigSources { variable, file, ..sources(EMPTY, OWN, upstream) };
            assert_eq!(name(sources), Ok("variable".to_owned()), "{file:?}");
        }
    }
    assert_eq!(
        ConfigSources { variable: Some("{}"), ..sources(EMPTY, OWN, true) }.read(),
        Ok(Config::default())
    );
}

/// The policies of a file that the variable replaced would show what they hide.
#[test]
fn a_variable_beside_a_file_is_an_error() {
    let listed = r#"{"upstream": {"url": "https://a.example/mcp"}}"#;
    for variable in ["{}", WRITTEN, listed] {
        for file in [WRITTEN, listed, r#"{"log": true}"#] {
            let refused = name(ConfigSources { variable: Some(variable), ..sources(file, OWN, false) });
            let message = refused.unwrap_err();
            assert!(message.contains("SIEVE_CONFIG") && message.contains("sieve.jsonc"), "{message}");
        }
    }
    // So is a file that cannot be read.
    let broken = ConfigSources { variable: Some("{}"), ..sources(r#"{"policies": 1}"#, OWN, false) };
    assert!(name(broken).unwrap_err().starts_with("sieve.jsonc: "));
}

#[test]
fn without_a_server_of_the_workers_own_the_configuration_is_empty() {
    for upstream in [false, true] {
        assert_eq!(sources(EMPTY, None, upstream).read(), Ok(Config::default()));
    }
}

#[test]
fn rules_that_would_not_apply_are_an_error() {
    assert_eq!(name(sources(EMPTY, OWN, false)), Ok("own".to_owned()));
    let refused = name(sources(EMPTY, OWN, true)).unwrap_err();
    assert!(refused.starts_with("UPSTREAM_URL: ") && refused.contains("sieve.jsonc"), "{refused}");
    assert_eq!(sources(EMPTY, "{}", true).read(), Ok(Config::default()));
}

#[test]
fn an_error_names_its_place() {
    let broken = r#"{"policies": 1}"#;
    assert!(name(sources(broken, OWN, true)).unwrap_err().starts_with("sieve.jsonc: "));
    assert!(
        name(sources(EMPTY, broken, true)).unwrap_err().starts_with("the configuration of the Worker's own")
    );
    let variable = Some(broken);
    assert!(
        name(ConfigSources { variable, ..sources(EMPTY, OWN, true) })
            .unwrap_err()
            .starts_with("SIEVE_CONFIG: ")
    );
}

#[test]
fn an_entry_module_without_a_file_is_one_with_an_empty_file() {
    for upstream in [false, true] {
        let without = ConfigSources { file: None, ..sources(EMPTY, OWN, upstream) };
        assert_eq!(without.read(), sources(EMPTY, OWN, upstream).read());
    }
}
