//! Limits for data from clients that a server stores: each member of a session, a handle, and a listener's
//! subscriptions.

use http::Method;
use mcp_sieve_gateway::session::{MAX_CLIENT, MAX_CONFIGURED, MAX_SUBSCRIBED, MAX_SUBSCRIPTIONS};
use serde_json::{Value, json};

use crate::{
    client::{Client, frames_of, json_of, modern, request, send},
    host::World,
};

/// Returns a string of this many bytes in JSON, including its quotes.
fn text(bytes: usize) -> String {
    "x".repeat(bytes - 2)
}

/// Returns URIs whose total length is the maximum.
fn longest() -> Vec<String> {
    let uri = |scheme: char| format!("{scheme}:{}", "x".repeat(MAX_SUBSCRIBED / 8 - 2));
    ('a'..='h').map(uri).collect()
}

fn reason(answer: &Value) -> (&Value, &str) {
    (&answer["error"]["code"], answer["error"]["data"]["reason"].as_str().unwrap_or_default())
}

fn params(info: &Value, capabilities: &Value) -> Value {
    json!({"protocolVersion": "2025-11-25", "clientInfo": info, "capabilities": capabilities})
}

#[test]
fn client_information_is_limited() {
    let world = World::named("asking");
    let initialize = |info: Value, capabilities: Value| {
        let params = params(&info, &capabilities);
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let (head, body) = send(&world, &request(Method::POST, &[], &body));
        (head.headers.contains_key("mcp-session-id"), json_of(body))
    };
    // `{"name":…}` and `{"c":…}`, with the maximum number of bytes together, and one more.
    let info = json!({"name": text(MAX_CLIENT / 2 - 9)});
    let capabilities = |more: usize| json!({"c": text(MAX_CLIENT / 2 - 6 + more)});
    let (opened, answer) = initialize(info.clone(), capabilities(0));
    assert!(opened, "{answer}");
    let (opened, answer) = initialize(info.clone(), capabilities(1));
    assert_eq!((opened, reason(&answer)), (false, (&json!(-32602), "client_limit")));
    let (opened, answer) = initialize(json!({"name": text(MAX_CLIENT)}), json!({}));
    assert_eq!((opened, reason(&answer)), (false, (&json!(-32602), "client_limit")));

    // The same limit applies to a request that contains everything.
    let stateless = |more: usize| {
        let mut request = modern("tools/list", json!({}), &capabilities(more));
        let mut body: Value = serde_json::from_slice(request.body()).unwrap();
        body["params"]["_meta"]["io.modelcontextprotocol/clientInfo"] = info.clone();
        *request.body_mut() = body.to_string().into_bytes();
        let (head, body) = send(&world, &request);
        (head.status.as_u16(), json_of(body))
    };
    assert_eq!(stateless(0).0, 200);
    let (status, answer) = stateless(1);
    assert_eq!((status, reason(&answer)), (400, (&json!(-32602), "client_limit")));
}

#[test]
fn subscriptions_of_a_session_are_limited() {
    let client = Client::open("2025-11-25", &json!({}));
    let subscribe = |uri: &str| client.ask("resources/subscribe", json!({"uri": uri}));
    for uri in longest() {
        assert_eq!(subscribe(&uri)["result"], json!({}));
    }
    assert_eq!(subscribe(&longest()[0])["result"], json!({}), "it is subscribed to already");
    assert_eq!(reason(&subscribe("c:")), (&json!(-32602), "subscription_limit"));
    longest().iter().for_each(|uri| _ = client.ask("resources/unsubscribe", json!({"uri": uri})));
    for number in 0..MAX_SUBSCRIPTIONS {
        assert_eq!(subscribe(&format!("s://{number}"))["result"], json!({}), "{number}");
    }
    assert_eq!(reason(&subscribe("s://more")), (&json!(-32602), "subscription_limit"));
}

#[test]
fn subscriptions_of_a_listener_are_limited() {
    let world = World::named("asking");
    let listen = |uris: Vec<String>| {
        let params = json!({"notifications": {"resourceSubscriptions": uris}});
        send(&world, &modern("subscriptions/listen", params, &json!({}))).1
    };
    let uris = |count: usize| (0..count).map(|number| format!("s://{number}")).collect();
    drop(frames_of(listen(uris(MAX_SUBSCRIPTIONS))));
    drop(frames_of(listen(longest())));
    for wanted in [uris(MAX_SUBSCRIPTIONS + 1), [longest(), vec!["v:".to_owned()]].concat()] {
        assert_eq!(reason(&json_of(listen(wanted))), (&json!(-32602), "subscription_limit"));
    }
}

#[test]
fn stored_concerns_are_limited() {
    let world = World::named("asking");
    // A hundred values of an undeclared concern are stored as they were sent.
    let values = |concerns: usize| {
        let values: Vec<_> = (0..100).map(|at| format!("{at:03}{}", "v".repeat(200))).collect();
        let named = (0..concerns).map(|at| (format!("c{at}"), json!(values)));
        Value::Object(named.collect())
    };
    let (few, many) = (values(0), values(1));
    assert!(many.to_string().len() > MAX_CONFIGURED);
    let initialize = |concerns: &Value| {
        let mut params = params(&json!({"name": "c"}), &json!({}));
        params["concerns"] = concerns.clone();
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        json_of(send(&world, &request(Method::POST, &[], &body)).1)
    };
    assert!(initialize(&few)["result"].is_object());
    assert_eq!(reason(&initialize(&many)), (&json!(-32602), "filter_limit"));
    let concerns = World::configured(json!({"concerns": [{"name": "c0", "values": ["a"]}]}));
    let session = Client::of(concerns, "2025-11-25", &json!({}));
    let update = |concerns: &Value| session.ask("updateConcerns", json!({"concerns": concerns}));
    assert_eq!(reason(&update(&many)), (&json!(-32602), "filter_limit"));
    let handle = |concerns: &Value| {
        json_of(send(&session.world, &modern("updateConcerns", json!({"concerns": concerns}), &json!({}))).1)
    };
    assert!(handle(&few)["result"]["concernsRef"].is_string());
    assert_eq!(reason(&handle(&many)), (&json!(-32602), "filter_limit"));
}
