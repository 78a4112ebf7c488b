//! Whole conversations through chains of functions: what a model sees, what a person gets back, and history that is
//! sent again.

use std::env;

use futures_executor::block_on;
use mcp_sieve::json::{Entry, Raw};
use mcp_sieve_gateway::middleware::{Chain, Content, Environment, Redactions, Registry};
use mcp_sieve_redact::secrets::{Secret, Secrets};
use serde_json::{Value, json};

use crate::{generate, random::Random, secret_samples::token};

/// An environment in which nothing is asked.
pub struct Nowhere;

impl Environment for Nowhere {
    fn now(&self) -> u64 {
        0
    }
}

/// Sends items through a chain, as a host does: the handles are kept as JSON between two calls.
pub fn through(registry: &Registry, chain: &Value, items: &[Value], handles: &mut String) -> Vec<Value> {
    let (chain, context) = (chain.to_string(), Value::from(items).to_string());
    let chain = Chain::read(&Entry::root(Raw::parse(&chain).unwrap())).unwrap();
    chain.check(registry).unwrap();
    let (mut known, mut reports) = (Redactions::read(handles).unwrap(), Vec::new());
    let content = Content::read(Raw::parse(&context).unwrap()).unwrap();
    let ran = block_on(chain.run(registry, content, &mut known, &Nowhere, &mut reports)).unwrap();
    assert!(ran.refusal.is_none());
    *handles = known.to_json().to_owned();
    serde_json::from_str(&ran.content.to_json()).unwrap()
}

pub fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn shown(items: &[Value]) -> String {
    items.iter().map(|item| item["text"].as_str().unwrap()).collect::<Vec<_>>().join("\n---\n")
}

/// What the issue of two redacting steps asks for, in either order of them.
#[test]
fn two_redacting_steps_are_restored() {
    let registry = Registry::built_in();
    let said = [text("I am John Smith, jane@example.com; password=hunter2Xy!9")];
    for steps in [json!(["pii_redaction", "secret_detection"]), json!(["secret_detection", "pii_redaction"])]
    {
        let mut handles = "{}".to_owned();
        let seen = through(&registry, &steps, &said, &mut handles);
        assert_eq!(shown(&seen), "I am [PERSON_1], [EMAIL_1]; password=[SECRET_1]", "{steps}");
        let back = through(&registry, &json!(["pii_restoration"]), &seen, &mut handles);
        assert_eq!(back, said, "{steps}");
    }
}

/// A model writes handles next to words that a scanner takes for parts of names. A name beside a handle is found.
#[test]
fn a_handle_between_capitals_stays() {
    let registry = Registry::built_in();
    let chain = json!(["pii_redaction", "secret_detection"]);
    let mut handles = "{}".to_owned();
    let said = "I'm Jane Smith, jane@example.com, phone (212) 555-0187, my boss is Bob Stone, I live at \
        221B Baker Street, London NW1 6XE. Password: hunter2horse9.";
    through(&registry, &chain, &[text(said)], &mut handles);
    let known: Value = serde_json::from_str(&handles).unwrap();
    for (name, value) in
        [("PERSON_1", "Jane Smith"), ("PERSON_2", "Bob Stone"), ("EMAIL_1", "jane@example.com")]
    {
        assert_eq!(known[name], value, "{known}");
    }
    for written in [
        "Compare [PERSON_1] with [PERSON_2].",
        "Ask [PERSON_1] [PERSON_2].",
        "[PERSON_1] Jones",
        "Remind [PERSON_1] about it",
        "Hallo [PERSON_1]! Soll ich [PERSON_2] schreiben?",
        "1. Informiere [PERSON_2]. 2. Vergleiche [PERSON_1] mit [PERSON_2].",
        "Liebe [PERSON_1], wie geht es Ihnen?",
        "Schedule Meeting With [PERSON_1] Tomorrow",
        "Call: [PERSON_1], +1 [PHONE_1]",
        "x.[EMAIL_1] or [EMAIL_1].uk",
        "Apartment 5, [ADDRESS_1], United Kingdom",
        "password = [SECRET_1]!",
    ] {
        let seen = through(&registry, &chain, &[text(written)], &mut handles);
        assert_eq!((shown(&seen), handles.parse::<Value>().unwrap()), (written.to_owned(), known.clone()));
    }
    let seen = through(&registry, &chain, &[text("With [PERSON_2] Clara Weiss")], &mut handles);
    assert_eq!(shown(&seen), "With [PERSON_2] [PERSON_3]");
    let back = through(&registry, &json!(["pii_restoration"]), &seen, &mut handles);
    assert_eq!(shown(&back), "With Bob Stone Clara Weiss");
}

/// A value of one step may stand in a value of the other.
#[test]
fn a_value_inside_another_is_restored() {
    let registry = Registry::built_in();
    for said in [
        "https://bot:ghp_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA1b@git.example.com/a",
        "password=\"jane@firma.de!9\" and postgres://jane:s3cr3tPa55@10.0.0.7/app",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq1Zk0MIIEpAIBAAKCAQEA7bq1Zk0\n4111111111111111\n\
         MIIEpAIBAAKCAQEA7bq1Zk0MIIEpAIBAAKCAQEA7bq1Zk0\n-----END RSA PRIVATE KEY-----",
    ] {
        for steps in
            [json!(["pii_redaction", "secret_detection"]), json!(["secret_detection", "pii_redaction"])]
        {
            let mut handles = "{}".to_owned();
            let seen = through(&registry, &steps, &[text(said)], &mut handles);
            for part in ["ghp_", "jane", "s3cr3t", "10.0.0.7", "MIIE", "4111"] {
                assert!(!shown(&seen).contains(part), "{steps}: {seen:?}");
            }
            assert_eq!(through(&registry, &steps, &seen, &mut handles), seen, "{steps}");
            let back = through(&registry, &json!(["pii_restoration"]), &seen, &mut handles);
            assert_eq!(shown(&back), said, "{steps}");
        }
    }
}

/// History as the model saw it keeps its handles, turn after turn.
#[test]
fn history_that_is_sent_again_keeps_its_handles() {
    let registry = Registry::built_in();
    let (steps, mut handles) = (json!(["pii_redaction"]), "{}".to_owned());
    let mut history = through(&registry, &steps, &[text("I am John Smith.")], &mut handles);
    for turn in 2..5 {
        history.push(text("And jane@example.com, [Person 1]?"));
        history = through(&registry, &steps, &history, &mut handles);
        assert_eq!(shown(&history[..1]), "I am [PERSON_1].", "turn {turn}");
        assert_eq!(shown(&history[turn - 1..]), "And [EMAIL_1], [Person 1]?", "turn {turn}");
    }
    assert_eq!(handles, r#"{"PERSON_1":"John Smith","EMAIL_1":"jane@example.com"}"#);
}

/// What a user writes like a handle, before the conversation has that handle, is text.
#[test]
fn what_a_user_writes_like_a_handle_comes_back() {
    let registry = Registry::built_in();
    let (steps, mut handles) = (json!(["pii_redaction", "secret_detection"]), "{}".to_owned());
    let said = [text("What is [PERSON_1] or [SECRET_1]? I am John Smith.")];
    let seen = through(&registry, &steps, &said, &mut handles);
    assert_eq!(shown(&seen), "What is [HANDLE_1] or [HANDLE_2]? I am [PERSON_1].");
    assert_eq!(through(&registry, &steps, &seen, &mut handles), seen);
    assert_eq!(through(&registry, &json!(["pii_restoration"]), &seen, &mut handles), said);
}

/// A token of a kind that is claimed, in a sentence, and the token itself. It is found in that sentence: a few tokens
/// look like placeholders or words and are let pass, which is counted by kind, not here.
pub fn claimed(random: &mut Random) -> (String, String) {
    let secrets = Secrets::default();
    loop {
        let token = token(random);
        let sentence = format!("{}{token}", random.pick(&["use ", "key=", "(", "\"", "X: "]));
        let whole = |found: &Secret| sentence.get(found.start..found.end) == Some(token.as_str());
        if token.len() < 200 && secrets.secrets(&sentence).any(|found| whole(&found)) {
            return (sentence, token);
        }
    }
}

/// A value that is found wherever it stands, in a sentence.
fn planted(random: &mut Random) -> (String, String) {
    let maker = random.pick(generate::MAKERS);
    let (value, sentence) = match random.below(8) {
        0 | 1 => {
            let (sentence, value) = claimed(random);
            (value, sentence)
        }
        2 => {
            let name = *random.pick(&["John Smith", "Maria Garcia", "Olga Petrov", "Hans Müller"]);
            (name.to_owned(), format!("Dear {name}"))
        }
        3 => {
            let (_, token) = claimed(random);
            (token.clone(), format!("see https://bot:{token}@git.example.com/{}", random.below(9)))
        }
        _ => {
            let value = (maker.make)(random);
            // Names and addresses are best effort, and some of them are not found. No telephone number goes on with
            // `411`.
            let name =
                matches!(maker.kind.name(), "PERSON" | "ORGANIZATION" | "ADDRESS") || value.contains("411");
            let sentence = format!("{}{value}", random.pick(maker.before));
            (if name { String::new() } else { value }, sentence)
        }
    };
    (value, sentence)
}

/// What a person writes in one turn, and the values that no model may see.
fn said(random: &mut Random, handles: &str) -> (String, Vec<String>) {
    let (mut out, mut values) = (String::new(), Vec::new());
    for _ in 0..random.below(6) {
        match random.below(6) {
            0..=2 => {
                let (value, sentence) = planted(random);
                out.push_str(&sentence);
                values.extend(Some(value).filter(|value| value.len() > 6));
            }
            3 => {
                let kind = *random.pick(&["PERSON", "EMAIL", "HANDLE", "SECRET", "note", "person"]);
                let sign = *random.pick(&["_", " "]);
                let name = format!("{kind}{sign}{}", 1 + random.below(4));
                // Text that equals a handle of the conversation is that handle, also where the user typed it.
                let known = handles.contains(&format!("\"{}\"", name.to_uppercase().replace(' ', "_")));
                out.push_str(&if known { "no handle".to_owned() } else { format!("[{name}]") });
            }
            4 => out.push_str(&generate::decoy(random)),
            _ => out.push_str(random.pick::<&str>(&[
                "Hello",
                "Is that so?",
                "é日本 \u{200b}",
                "[",
                "]]",
                "Best",
            ])),
        }
        out.push_str(random.pick::<&str>(&[". ", ",\n", "; ", ".\n\n", " – "]));
    }
    (out, values)
}

/// The steps of a chain: two that redact, in either order, and up to two more.
fn outbound(random: &mut Random) -> Value {
    let strict = json!({"use": "pii_redaction", "arguments": {"aggressiveness": "strict"}});
    let pii = if random.one_in(3) { strict.clone() } else { json!("pii_redaction") };
    let mut steps = vec![pii, json!("secret_detection")];
    let more = [
        json!("pii_redaction"),
        strict,
        json!({"use": "pii_redaction", "arguments": {"types": ["EMAIL", "IP_ADDRESS", "PERSON"]}}),
        json!("secret_detection"),
        json!({"use": "tool_filter", "arguments": {"availableTools": ["send_mail"]}}),
        json!({"use": "pii_redaction", "mode": "audit"}),
    ];
    for step in random.some(&more, 2) {
        steps.insert(random.below(steps.len() + 1), step);
    }
    if random.one_in(2) {
        steps.reverse();
    }
    Value::from(steps)
}

/// One conversation: (a) no value in what the model sees, (b) what the person gets back is what was written, (c)
/// history that is sent again is what the model saw, byte for byte.
fn conversation(registry: &Registry, seed: u64) {
    let mut random = Random::new(seed);
    let (out, resends) = (outbound(&mut random), random.one_in(2));
    let mut back = vec![json!({"use": "pii_restoration", "arguments": {"tolerant": random.one_in(4)}})];
    if random.one_in(3) {
        back.insert(0, json!({"use": "tool_filter", "arguments": {"availableTools": ["send_mail"]}}));
    }
    let (back, mut handles) = (Value::from(back), "{}".to_owned());
    let (mut history, mut originals, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for turn in 0..1 + random.below(12) {
        let (message, planted) = said(&mut random, &handles);
        values.extend(planted);
        let (mut items, mut whole) = (Vec::new(), Vec::new());
        if resends {
            items.clone_from(&history);
            whole.clone_from(&originals);
        }
        let before = items.len();
        items.push(text(&message));
        whole.push(text(&message));
        let seen = through(registry, &out, &items, &mut handles);
        let place = || format!("seed {seed}, turn {turn}, {out}, handles {handles}");
        for value in &values {
            assert!(!shown(&seen).contains(value), "{value:?} in {:?}: {}", shown(&seen), place());
        }
        assert_eq!(seen[..before], items[..before], "{}", place());
        // The model repeats what it saw.
        let answer = random.pick(&seen).clone();
        let restored = through(registry, &back, &seen, &mut handles.clone());
        assert_eq!(restored, whole, "{}", place());
        let told = through(registry, &back, std::slice::from_ref(&answer), &mut handles);
        history = seen;
        originals = restored;
        if random.one_in(2) {
            history.push(answer);
            originals.extend(told);
        }
    }
}

/// How many conversations go on at a time.
const THREADS: u64 = 4;

#[test]
fn conversations_hide_restore_and_keep_their_history() {
    let number = |name, usual| env::var(name).map_or(usual, |number: String| number.parse().unwrap());
    let (from, cases) = (number("SEED", 0), number("CASES", 10_000));
    // A registry belongs to one thread.
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                let registry = Registry::built_in();
                (from..from + cases)
                    .filter(|seed| seed % THREADS == thread)
                    .for_each(|seed| conversation(&registry, seed));
            });
        }
    });
}
