//! Predicates in Rust: the request that each evaluation reads.

use std::sync::{Arc, Mutex};

use mcp_sieve::{
    catalog::Primitive,
    expr::Field,
    policy::{CallerContext, Predicate, PredicateError, Reads},
};
use serde_json::{Value, json};

use crate::{
    client::{Client, json_of, modern, send},
    host::World,
};

/// The parts of a request that a predicate has read: the id, the method, the client's name and `_meta.tier`, as text.
type Request = [Option<String>; 4];

/// Logs the request of each evaluation, and shows every primitive.
struct Recorder(Arc<Mutex<Vec<Request>>>);

impl Predicate for Recorder {
    fn name(&self) -> &str {
        "recorder"
    }

    fn reads(&self) -> Reads<'_> {
        Reads::Request
    }

    fn holds(&self, _: &Primitive<'_>, asking: &dyn CallerContext) -> Result<bool, PredicateError> {
        let value = |field: Field| {
            let mut found = None;
            asking.values(&field, &mut |value| found = Some(value.to_owned()));
            found
        };
        let id = asking.id().map(str::to_owned);
        let described: Value = serde_json::from_str(&asking.describe().unwrap()).unwrap();
        assert_eq!(Some(described["id"].to_string()), id, "predicates in other languages read the same");
        let tier = asking.meta("tier").map(|tier| tier.get().to_owned());
        self.0.lock().unwrap().push([id, value(Field::Method), value(Field::ClientName), tier]);
        Ok(true)
    }
}

/// Q-11: the client of the connection; Q-12: `_meta`, also of a request that has none; Q-13: the method; Q-14: the id of
/// the request.
#[test]
fn a_predicate_reads_each_request() {
    let log = Arc::default();
    let world = World::judged("plain", Recorder(Arc::clone(&log)));
    let read = || {
        let mut requests = std::mem::take(&mut *log.lock().unwrap());
        requests.dedup();
        requests
    };
    let request = |parts: [Option<&str>; 4]| vec![parts.map(|part| part.map(str::to_owned))];

    let mut listing = modern("tools/list", json!({}), &json!({}));
    let mut body: Value = serde_json::from_slice(listing.body()).unwrap();
    body["id"] = json!("one");
    body["params"]["_meta"]["tier"] = json!("gold");
    *listing.body_mut() = body.to_string().into_bytes();
    assert!(json_of(send(&world, &listing).1)["result"].is_object());
    assert_eq!(read(), request([Some(r#""one""#), Some("tools/list"), None, Some(r#""gold""#)]));

    // In a session, the client is that of the handshake.
    let client = Client::of(world, "2025-11-25", &json!({}));
    read();
    let list = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"});
    assert!(json_of(client.post(&list).1)["result"].is_object());
    assert_eq!(read(), request([Some("7"), Some("tools/list"), Some("c"), None]));
    let call = json!({"jsonrpc": "2.0", "id": 8, "method": "tools/call",
        "params": {"name": "echo", "_meta": {"tier": 2}}});
    assert!(json_of(client.post(&call).1)["result"].is_object());
    assert_eq!(read(), request([Some("8"), Some("tools/call"), Some("c"), Some("2")]));
}
