//! Pseudonyms: placeholders in a server's results, and the callers and servers for which they open.

use std::collections::BTreeMap;

use mcp_sieve::{
    catalog::{Lists, Source},
    seal::Key,
};
use mcp_sieve_gateway::{
    config::Config,
    upstream::{Backend, Features},
};
use serde_json::{Map, Value, json};

use crate::{
    client::{Client, frames_of, json_of, modern, send_as},
    host::World,
};

const ADDRESS: &str = "jane@example.com";
const ALICE: Option<&str> = Some("alice");
const HOUR_MS: u64 = 60 * 60 * 1000;

fn configured(request: &Value, response: &Value) -> Map<String, Value> {
    let chain = json!({"on": ["tools/call", "prompts/get"], "request": request, "response": response});
    let config = json!({
        "upstreams": [{"name": "crm", "url": "http://127.0.0.1:1"}, {"name": "mail", "url": "http://127.0.0.1:2"}],
        "middleware": {"chains": [chain]},
    });
    config.as_object().unwrap().clone()
}

/// Returns a world with two servers that have similar tools, and two callers.
fn world(request: &Value, response: &Value) -> World {
    serving(configured(request, response))
}

fn serving(config: Map<String, Value>) -> World {
    let tokens = ["alice", "bob"].map(|name| (name.to_owned(), json!({"sub": name})));
    let tokens: BTreeMap<_, _> =
        tokens.into_iter().map(|(name, claims)| (name, claims.as_object().unwrap().clone())).collect();
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let crm = ["mirror", "find", "quiz", "interview"].map(tool);
    let [crm, mail] = [
        json!({"tools": crm, "prompts": [{"name": "letter"}]}).to_string(),
        json!({"tools": [tool("send")]}).to_string(),
    ];
    let world = World::with_tokens(json!({"tools": []}), config.clone(), tokens);
    let sources = [("crm", &crm), ("mail", &mail)]
        .map(|(server, lists)| Source { server, lists: Lists::read(lists).unwrap() });
    let config = Config::parse(&Value::Object(config).to_string()).unwrap();
    world.serve(Backend::compile(sources.into(), &config, Features::default()));
    world
}

/// Returns a world that replaces personal data in results by pseudonyms.
fn sealing() -> World {
    world(&json!([]), &json!([{"use": "pii_redaction", "arguments": {"actions": {"*": "pseudonym"}}}]))
}

/// Returns the same world with a policy on the arguments of a tool.
fn judging(condition: &str) -> World {
    let response = json!([{"use": "pii_redaction", "arguments": {"actions": {"*": "pseudonym"}}}]);
    let mut config = configured(&json!([]), &response);
    config.insert(
        "policies".into(),
        json!([{"name": "recipients", "match": "name:find", "arguments": condition}]),
    );
    serving(config)
}

fn ask(world: &World, caller: Option<&str>, method: &str, params: Value) -> Value {
    json_of(send_as(world, caller, &modern(method, params, &json!({"elicitation": {}}))).1)
}

fn call(world: &World, caller: Option<&str>, tool: &str, arguments: Value) -> Value {
    ask(world, caller, "tools/call", json!({"name": tool, "arguments": arguments}))
}

/// Returns the pseudonym that a caller sees instead of a value.
fn pseudonym(world: &World, caller: Option<&str>, value: &str) -> String {
    let answered =
        call(world, caller, "mirror", json!({"result": {"content": [{"type": "text", "text": value}]}}));
    let text = answered["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text: {answered}")).to_owned()
}

/// Returns the last parameters that the server received.
fn read(world: &World) -> Value {
    serde_json::from_str(world.forwarded.borrow().last().unwrap()).unwrap()
}

fn reason(answered: &Value) -> &str {
    answered["error"]["data"]["reason"].as_str().unwrap_or("none")
}

#[test]
fn a_value_of_a_result_is_usable_and_not_readable() {
    let world = sealing();
    let pseudonym = pseudonym(&world, ALICE, ADDRESS);
    assert!(pseudonym.starts_with("[EMAIL~") && pseudonym.ends_with(']'), "{pseudonym}");
    assert!(!pseudonym.contains("jane") && pseudonym.len() < 60, "{pseudonym}");

    let given =
        json!({"to": pseudonym, "text": format!("Mail {pseudonym}, or {pseudonym}!"), "in": [[pseudonym]]});
    let answered = call(&world, ALICE, "find", given);
    let opened = json!({"to": ADDRESS, "text": format!("Mail {ADDRESS}, or {ADDRESS}!"), "in": [[ADDRESS]]});
    assert_eq!(read(&world)["arguments"], opened);
    // The server repeats its arguments, and the caller sees only the same pseudonym.
    let text = answered["result"]["content"][0]["text"].as_str().unwrap();
    assert!(!answered.to_string().contains(ADDRESS) && text.matches(&pseudonym).count() == 4, "{answered}");

    let prompted =
        ask(&world, ALICE, "prompts/get", json!({"name": "letter", "arguments": {"to": pseudonym}}));
    assert_eq!(read(&world)["arguments"], json!({"to": ADDRESS}));
    assert!(!prompted.to_string().contains(ADDRESS), "{prompted}");
}

#[test]
fn escapes_of_json_hide_no_pseudonym() {
    let world = sealing();
    let pseudonym = pseudonym(&world, ALICE, ADDRESS);
    let body = modern("tools/call", json!({"name": "find", "arguments": {"to": pseudonym}}), &json!({}));
    let (parts, body) = body.into_parts();
    let body = String::from_utf8(body).unwrap().replace('~', r"\u007e").into_bytes();
    json_of(send_as(&world, ALICE, &http::Request::from_parts(parts, body)).1);
    assert_eq!(read(&world)["arguments"], json!({"to": ADDRESS}));
}

#[test]
fn equal_values_have_equal_pseudonyms_for_one_caller_alone() {
    let world = sealing();
    let alice = pseudonym(&world, ALICE, ADDRESS);
    assert_eq!(pseudonym(&world, ALICE, ADDRESS), alice);
    assert_ne!(pseudonym(&world, ALICE, "jim@example.com"), alice);
    assert_ne!(pseudonym(&world, Some("bob"), ADDRESS), alice);
    assert_ne!(pseudonym(&world, None, ADDRESS), alice);
}

/// A pseudonym of one server must not open in calls to another.
#[test]
fn a_pseudonym_opens_for_its_server_its_caller_and_its_kind() {
    let world = sealing();
    let pseudonym = pseudonym(&world, ALICE, ADDRESS);
    let other_kind = pseudonym.replace("EMAIL", "PERSON");
    let mut tampered = pseudonym.clone();
    let at = tampered.len() / 2;
    tampered.replace_range(at..=at, if &tampered[at..=at] == "A" { "B" } else { "A" });
    for (caller, tool, text) in [
        (ALICE, "send", &pseudonym),
        (Some("bob"), "find", &pseudonym),
        (None, "find", &pseudonym),
        (ALICE, "find", &other_kind),
        (ALICE, "find", &tampered),
    ] {
        let before = world.forwarded.borrow().len();
        assert_eq!(reason(&call(&world, caller, tool, json!({"to": text}))), "pseudonym_invalid", "{text}");
        assert_eq!(world.forwarded.borrow().len(), before, "nothing is sent");
        // Inside a longer text, a pseudonym stays text.
        let given = json!({"text": format!("for {text}")});
        call(&world, caller, tool, given.clone());
        assert_eq!(read(&world)["arguments"], given);
    }
}

#[test]
fn a_pseudonym_expires_between_one_and_two_periods() {
    let world = sealing();
    let sealed = pseudonym(&world, ALICE, ADDRESS);
    world.advance(24 * HOUR_MS);
    assert!(call(&world, ALICE, "find", json!({"to": sealed})).get("result").is_some());
    world.advance(24 * HOUR_MS);
    assert_eq!(reason(&call(&world, ALICE, "find", json!({"to": sealed}))), "pseudonym_invalid");
    assert_ne!(pseudonym(&world, ALICE, ADDRESS), sealed);
}

#[test]
fn a_pseudonym_of_a_gateway_whose_clock_is_ahead_opens() {
    let [behind, ahead] = [sealing(), sealing()];
    // The clock is in a new period. The other gateway is still in the one before.
    ahead.advance(24 * HOUR_MS);
    let sealed = pseudonym(&ahead, ALICE, ADDRESS);
    assert_ne!(sealed, pseudonym(&behind, ALICE, ADDRESS));
    assert!(call(&behind, ALICE, "find", json!({"to": sealed})).get("result").is_some());
    ahead.advance(24 * HOUR_MS);
    let later = pseudonym(&ahead, ALICE, ADDRESS);
    assert_eq!(reason(&call(&behind, ALICE, "find", json!({"to": later}))), "pseudonym_invalid");
}

#[test]
fn a_pseudonym_survives_a_change_of_keys() {
    const OLD: &[u8] = b"the key of the corpus";
    let world = sealing();
    let backend = |other: World| {
        let config = Config::parse(&Value::Object(configured(&json!([]), &json!([]))).to_string()).unwrap();
        let listed = json!({"tools": [{"name": "find", "inputSchema": {"type": "object"}}]}).to_string();
        let source = Source { server: "crm", lists: Lists::read(&listed).unwrap() };
        other.serve(Backend::compile(vec![source], &config, Features::default()));
        other
    };
    let sealed = pseudonym(&world, ALICE, ADDRESS);
    let rotated = backend(world.rekeyed(Key::rotated(&[b"new", OLD]).unwrap()));
    assert!(call(&rotated, ALICE, "find", json!({"to": sealed})).get("result").is_some());
    let retired = backend(world.rekeyed(Key::rotated(&[b"new"]).unwrap()));
    assert_eq!(reason(&call(&retired, ALICE, "find", json!({"to": sealed}))), "pseudonym_invalid");
}

/// Answers to elicitations are the client's own words, so no pseudonym opens in them.
#[test]
fn nothing_opens_in_elicitation() {
    let world = sealing();
    let sealed = pseudonym(&world, ALICE, ADDRESS);
    let input_required =
        ask(&world, ALICE, "tools/call", json!({"name": "quiz", "arguments": {"to": sealed}}));
    let state = &input_required["result"]["requestState"];
    let answers = json!({"who": {"action": "accept", "content": {"mail": sealed}}});
    let params = json!({"name": "quiz", "arguments": {"to": sealed}, "requestState": state, "inputResponses": answers});
    ask(&world, ALICE, "tools/call", params);
    assert_eq!(read(&world)["arguments"], json!({"to": ADDRESS}));
    assert_eq!(read(&world)["inputResponses"], answers);

    let client = Client::of(sealing(), "2025-06-18", &json!({"elicitation": {}}));
    let mut frames = frames_of(client.call(1, "interview"));
    let question = client.next(&mut frames).unwrap().data.unwrap();
    client.answer(&question, json!({"result": {"action": "accept", "content": {"mail": sealed}}}));
    let ended = client.rest(frames)[0].to_string();
    assert!(ended.contains(&sealed) && !ended.contains(ADDRESS), "{ended}");
}

/// Requests of a server to the user contain pseudonyms as well.
#[test]
fn questions_show_pseudonyms() {
    let world = sealing();
    let given = json!({"resultType": "input_required", "requestState": "s", "inputRequests":
        {"who": {"method": "elicitation/create", "params": {"message": ADDRESS}}}});
    let input_required = call(&world, ALICE, "mirror", json!({"result": given}));
    let question = input_required["result"]["inputRequests"]["who"]["params"]["message"].as_str().unwrap();
    assert!(question.starts_with("[EMAIL~"), "{input_required}");
}

/// Functions before the server see the pseudonym, and none takes it for a secret or for personal data.
#[test]
fn pseudonyms_pass_the_functions_before_they_open() {
    let secrets = json!([{"use": "secret_detection", "arguments": {"replacement": "pseudonym"}}]);
    for request in [
        json!([{"use": "secret_detection", "arguments": {"action": "refuse"}}, "pii_redaction"]),
        json!(["pii_redaction", "secret_detection"]),
    ] {
        let secret = "password: hunter2Tr0ub4dor";
        let sealed = pseudonym(&world(&json!([]), &secrets), ALICE, secret);
        let world = world(&request, &secrets);
        assert!(sealed.starts_with("password: [SECRET~") && !sealed.contains("hunter2"), "{sealed}");
        call(&world, ALICE, "find", json!({"text": sealed}));
        assert_eq!(read(&world)["arguments"], json!({"text": secret}), "{request}");
    }
}

/// If results are not sealed, no pseudonym opens: a server could send the value back.
#[test]
fn nothing_opens_where_results_are_not_sealed() {
    let sealed = pseudonym(&sealing(), ALICE, ADDRESS);
    for response in [
        json!(["pii_redaction"]),
        json!([{"use": "pii_redaction", "mode": "audit", "arguments": {"actions": {"*": "pseudonym"}}}]),
    ] {
        let world = world(&json!([]), &response);
        call(&world, ALICE, "find", json!({"to": sealed}));
        assert_eq!(read(&world)["arguments"], json!({"to": sealed}), "{response}");
    }
}

#[test]
fn arguments_hold_so_many_pseudonyms() {
    let world = sealing();
    let sealed = pseudonym(&world, ALICE, ADDRESS);
    let texts = |count: usize| json!({"to": vec![&sealed; count]});
    assert!(call(&world, ALICE, "find", texts(1024)).get("result").is_some());
    assert_eq!(reason(&call(&world, ALICE, "find", texts(1025))), "pseudonym_limit");
}

/// A condition on arguments reads the value that the server gets.
#[test]
fn conditions_judge_what_pseudonyms_stand_for() {
    for (condition, accepted) in [
        ("arguments.to:*@example.com", true),
        ("-arguments.to:*@example.com", false),
        ("arguments.to starts \"[EMAIL~\"", false),
        ("-arguments.to starts \"jane\"", false),
    ] {
        let world = judging(condition);
        let sealed = pseudonym(&world, ALICE, ADDRESS);
        let before = world.forwarded.borrow().len();
        let answered = call(&world, ALICE, "find", json!({"to": sealed}));
        assert_eq!(world.forwarded.borrow().len() > before, accepted, "{condition}: {answered}");
        assert_eq!(answered["result"]["isError"] != json!(true), accepted, "{condition}: {answered}");
        assert!(!answered.to_string().contains(ADDRESS), "{answered}");
        // The next round of a call is judged again.
        let params = json!({"name": "find", "arguments": {"to": sealed}, "inputResponses": {}});
        ask(&world, ALICE, "tools/call", params);
        assert_eq!(world.forwarded.borrow().len() > before + 1, accepted, "{condition}");
    }
}
