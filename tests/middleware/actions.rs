//! Masks and hashes that replace a value are not found again by any scanner.

use mcp_sieve_gateway::middleware::Registry;
use serde_json::{Value, json};

use crate::{
    conversations::{claimed, text, through},
    generate,
    random::Random,
};

/// How many texts are drawn.
const TEXTS: u64 = 4_000;

fn step(name: &str, arguments: Value) -> Value {
    json!([{"use": name, "arguments": arguments}])
}

/// One value a text: a number beside it may be announced by a word that stood for the value before.
#[test]
fn masks_and_hashes_are_not_found_again() {
    let registry = Registry::built_in();
    let mut random = Random::new(20);
    for _ in 0..TEXTS {
        let said = [text(&generate::text(&mut random, 1).text)];
        for action in ["mask", "hash"] {
            let actions = json!({"actions": {"*": action}, "key": "the key of the test"});
            let seen = through(&registry, &step("pii_redaction", actions), &said, &mut "{}".to_owned());
            let again = through(&registry, &json!(["pii_redaction"]), &seen, &mut "{}".to_owned());
            assert_eq!(again, seen, "{action} of {said:?}");
        }
    }
}

#[test]
fn masks_and_hashes_of_secrets_are_not_found_again() {
    let registry = Registry::built_in();
    let mut random = Random::new(21);
    for _ in 0..TEXTS {
        let said = [text(&claimed(&mut random).0)];
        for action in ["mask", "hash"] {
            let arguments = json!({"replacement": action, "key": "the key of the test"});
            let seen = through(&registry, &step("secret_detection", arguments), &said, &mut "{}".to_owned());
            let again = through(&registry, &json!(["secret_detection"]), &seen, &mut "{}".to_owned());
            assert_eq!(again, seen, "{action} of {said:?}");
        }
    }
}
