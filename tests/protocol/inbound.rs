//! A request whose body is parsed once, and the checks that use the result.

use http::{Method, Request};
use mcp_sieve::seal::Key;
use mcp_sieve_gateway::{
    limits::Weight,
    server::{Inbound, MAX_BODY},
};
use serde_json::{Value, json};

use crate::{client::json_of, host::World};

const QUIET: Weight = Weight { messages: 1, busy: 0 };
const BUSY: Weight = Weight { messages: 1, busy: 1 };

fn post(body: impl Into<Vec<u8>>) -> Request<Vec<u8>> {
    let post = Request::post("http://127.0.0.1/mcp").header("content-type", "application/json");
    post.body(body.into()).unwrap()
}

/// A malformed body is detected before any other check, but rejected in its usual place: after the checks of the
/// request head.
#[test]
fn a_body_that_cannot_be_read_counts_as_one_message_and_is_refused_in_its_turn() {
    let world = World::named("asking");
    let long = [b"[1, 2, ".to_vec(), vec![b' '; MAX_BODY], b"3]".to_vec()].concat();
    for (body, status, reason) in [
        (b"{".to_vec(), 400, Value::Null),
        (b"\xff".to_vec(), 400, Value::Null),
        (b"{}".to_vec(), 400, json!("message")),
        (long, 413, json!("body_too_large")),
    ] {
        let request = post(body);
        let inbound = Inbound::read(&request);
        assert_eq!(inbound.weight(), Weight { busy: 0, ..BUSY });
        assert_eq!(inbound.suspended_call(&Key::new(b"a key").unwrap()), None);
        let response = world.run(world.handle(Ok(None), &request));
        assert_eq!(response.status(), status);
        let error = json_of(response.into_body())["error"].clone();
        assert_eq!(error["data"]["reason"], reason, "{error}");
        let mut page = request;
        page.headers_mut().insert("origin", "https://elsewhere.example".parse().unwrap());
        assert_eq!(world.run(world.handle(Ok(None), &page)).status(), 403, "who asks comes first");
    }
}

#[test]
fn a_body_has_no_meaning_with_another_verb() {
    let calls = json!([{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {}]).to_string();
    for verb in [Method::GET, Method::DELETE, Method::OPTIONS] {
        let mut request = post(calls.as_str());
        *request.method_mut() = verb;
        assert_eq!(Inbound::read(&request).weight(), QUIET);
    }
    assert_eq!(Inbound::read(&post(calls)).weight(), Weight { messages: 2, busy: 1 });
}

#[test]
fn the_id_is_found_where_the_body_holds_it() {
    for (body, id) in [
        (r#"{"jsonrpc":"2.0","id":17,"method":"ping"}"#, Some("17")),
        (r#"{"method":"ping", "id" : "a b" ,"jsonrpc":"2.0"}"#, Some(r#""a b""#)),
        (r#"{"jsonrpc":"2.0","method":"ping","params":{"id":17}}"#, None),
        (r#"[{"jsonrpc":"2.0","id":17,"method":"ping"}]"#, None),
        ("{", None),
    ] {
        let request = post(body);
        let range = Inbound::read(&request).id_range();
        assert_eq!(range.map(|range| &body[range]), id, "{body}");
    }
}
