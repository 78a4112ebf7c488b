//! Sealed tokens that callers send back: cursors, handles, request states and session ids. The tests change keys and
//! use the tokens of others.

use mcp_sieve::seal::Key;
use mcp_sieve_gateway::session::{HANDLE_MS, SUSPENDED_MS};
use serde_json::{Value, json};

use crate::{
    client::{json_of, modern, request, send_as},
    host::World,
};

const ALICE: Option<&str> = Some("alice-token");
const BOB: Option<&str> = Some("bob-token");
const OLD: &[u8] = b"the key of the corpus";

/// A kind of token: how it is issued, and the result of using it, which is `Ok` if it is valid and a reason if not.
struct Sealed {
    name: &'static str,
    world: &'static str,
    given: fn(&World) -> String,
    taken: fn(&World, Option<&str>, &str) -> Result<(), String>,
    /// Lifetime in milliseconds and the reason after that, if the token expires with time alone.
    lasts: Option<(u64, &'static str)>,
    /// The reason for a token that was not sealed here; `stolen` is that for a token of another caller.
    foreign: &'static str,
    stolen: &'static str,
}

/// The kinds of tokens.
const KINDS: [Sealed; 4] = [
    Sealed {
        name: "a cursor",
        world: "two-a-page",
        given: |world| text(&ask(world, ALICE, "tools/list", json!({}))["result"]["nextCursor"]),
        taken: |world, token, cursor| reason(&ask(world, token, "tools/list", json!({"cursor": cursor}))),
        lasts: None,
        foreign: "invalid_cursor",
        stolen: "cursor_filter_mismatch",
    },
    Sealed {
        name: "a handle",
        world: "encryption-of-two",
        given: |world| {
            let params = json!({"concerns": {"security": "high"}});
            text(&ask(world, ALICE, "updateConcerns", params)["result"]["concernsRef"])
        },
        taken: |world, token, handle| {
            reason(&ask(world, token, "tools/list", json!({"filter": {"concernsRef": handle}})))
        },
        lasts: Some((HANDLE_MS, "handle_expired")),
        foreign: "handle_invalid",
        stolen: "handle_invalid",
    },
    Sealed {
        name: "the state of a request",
        world: "asking",
        given: |world| {
            let input_required = ask(world, ALICE, "tools/call", json!({"name": "interview"}));
            text(&input_required["result"]["requestState"])
        },
        taken: |world, token, state| {
            let answers = json!({"question-1": {"action": "cancel"}});
            let params = json!({"name": "interview", "requestState": state, "inputResponses": answers});
            let answered = ask(world, token, "tools/call", params);
            match answered["result"]["answers"].is_array() {
                true => Ok(()),
                // A foreign state belongs to the upstream server, which asks again.
                false if answered["result"]["inputRequests"].is_object() => Err("asked anew".to_owned()),
                false => reason(&answered),
            }
        },
        lasts: Some((SUSPENDED_MS, "handle_expired")),
        foreign: "asked anew",
        stolen: "handle_invalid",
    },
    Sealed {
        name: "a session id",
        world: "two-a-page",
        given: |world| {
            let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
            let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
            let (head, _) = send_as(world, ALICE, &request(http::Method::POST, &[], &body));
            head.headers["mcp-session-id"].to_str().unwrap().to_owned()
        },
        taken: |world, token, session| {
            let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
            let request = request(http::Method::POST, &[("mcp-session-id", session)], &body);
            reason(&json_of(send_as(world, token, &request).1))
        },
        lasts: None,
        foreign: "session_unknown",
        stolen: "session_unknown",
    },
];

fn ask(world: &World, token: Option<&str>, method: &str, params: Value) -> Value {
    let capabilities = json!({"elicitation": {}, "sampling": {}});
    json_of(send_as(world, token, &modern(method, params, &capabilities)).1)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("expected a token, got {value}")).to_owned()
}

fn reason(answered: &Value) -> Result<(), String> {
    match answered.get("error") {
        None => Ok(()),
        Some(error) => Err(error["data"]["reason"].as_str().unwrap_or_default().to_owned()),
    }
}

fn keys(secrets: &[&[u8]]) -> Key {
    Key::rotated(secrets).unwrap()
}

#[test]
fn what_is_sealed_survives_a_change_of_keys_and_no_other_hands() {
    for Sealed { name, world, given, taken, lasts, foreign, stolen } in &KINDS {
        let world = World::named(world);
        let refused = |reason: &str| Err(reason.to_owned());
        let under = |secrets: &[&[u8]]| world.rekeyed(keys(secrets));
        let token = given(&world);
        let mut tampered = token.clone().into_bytes();
        let middle = tampered.len() / 2;
        tampered[middle] = if tampered[middle] == b'A' { b'B' } else { b'A' };
        let tampered = String::from_utf8(tampered).unwrap();

        assert_eq!(taken(&world, BOB, &token), refused(stolen), "{name}, stolen");
        assert_eq!(taken(&world, None, &token), refused(stolen), "{name}, without a token");
        assert_eq!(taken(&world, ALICE, &tampered), refused(foreign), "{name}, tampered");
        assert_eq!(taken(&under(&[b"new"]), ALICE, &token), refused(foreign), "{name}, its key retired");
        assert_eq!(taken(&under(&[b"new", OLD]), ALICE, &token), Ok(()), "{name}, its key second");
        let fresh = given(&under(&[b"new", OLD]));
        assert_eq!(taken(&under(&[OLD]), ALICE, &fresh), refused(foreign), "{name}, of the new key");

        let Some((ms, expired)) = lasts else { continue };
        let token = given(&world);
        world.start_timers();
        world.advance(*ms);
        assert_eq!(taken(&world, ALICE, &token), refused(expired), "{name}, expired");
    }
}

#[test]
fn keys_are_some_and_none_of_them_empty() {
    let many = [b"key".as_slice(); Key::MAX_KEYS + 1];
    assert!(Key::rotated(&[]).is_none() && Key::rotated(&[b"new", b""]).is_none());
    assert!(Key::rotated(&many).is_none() && Key::rotated(&many[1..]).is_some());
}
