//! State of middleware servers that the gateway keeps: their functions and their failures.

use mcp_sieve_gateway::{
    middleware::Registry,
    remote::{DEFINITIONS_MS, RemoteServers},
    upstream::{Fetch, MAX_FAILURES},
};
use serde_json::{Value, json};

use crate::{
    net::{Net, Reply, Seen},
    remote::{Warnings, net, settings},
    server::{error, modern, result},
};

/// Returns the functions of a row's first server, before any request to it.
fn registry(row: &Value, net: &Net) -> Registry {
    let servers = RemoteServers::new(&settings(row), &|_| None, net).unwrap();
    let mut registry = Registry::new();
    servers
        .add_named(["first/redact", "first/other", "second/", "third/redact", "redact"], &mut registry)
        .unwrap();
    registry
}

/// Calls a function; returns the text of its result, or the message of its error.
async fn call(registry: &Registry, name: &str) -> String {
    let invoked = registry.invoke(name, None, "[]", &Warnings::default()).await;
    invoked.map_or_else(|error| error.to_string(), |outcome| outcome.content.to_json())
}

fn count(net: &Net, method: &str) -> usize {
    net.methods().iter().filter(|seen| *seen == method).count()
}

#[test]
fn only_functions_of_known_servers_are_added_by_name() {
    let row = json!({"servers": [{"name": "first"}, {"name": "second"}]});
    let registry = registry(&row, &net(&row));
    assert_eq!(registry.names().collect::<Vec<_>>(), ["first/redact", "first/other"]);
}

#[test]
fn functions_are_listed_once_in_five_minutes() {
    let row = json!({"servers": [{"name": "first", "invoke": {"text": "x"}}]});
    let net = net(&row);
    net.run(async {
        let registry = registry(&row, &net);
        for _ in 0..3 {
            assert!(call(&registry, "first/redact").await.contains("\"x\""));
        }
        assert_eq!((count(&net, "middleware/list"), count(&net, "server/discover")), (1, 1));
        net.sleep(DEFINITIONS_MS).await;
        call(&registry, "first/redact").await;
        assert_eq!(count(&net, "middleware/list"), 2);
        // A function that is missing from the list may have been added to the server since.
        assert!(call(&registry, "first/other").await.ends_with("lists no function `other`"));
        assert_eq!(count(&net, "middleware/list"), 3);
    });
}

#[test]
fn functions_are_listed_again_after_an_error_about_parameters() {
    let row = json!({"servers": [{"name": "first", "invoke": {"error": {"code": -32602, "message": "no"}}}]});
    let net = net(&row);
    net.run(async {
        let registry = registry(&row, &net);
        for lists in 1..=3 {
            assert!(call(&registry, "first/redact").await.ends_with("with the error -32602"));
            assert_eq!(count(&net, "middleware/list"), lists);
        }
    });
}

#[test]
fn a_server_may_ask_for_its_list_to_be_kept_for_up_to_an_hour() {
    const HOUR: u64 = 60 * 60 * 1000;
    for (ttl_ms, kept) in [(2 * DEFINITIONS_MS, 2 * DEFINITIONS_MS), (HOUR + 1, HOUR), (0, DEFINITIONS_MS)] {
        let own = move |seen: &Seen| match seen.method() {
            "middleware/list" => result(seen, json!({"middleware": [{"name": "redact"}], "ttlMs": ttl_ms})),
            _ => result(seen, json!({"content": []})),
        };
        let net = Net::new(modern(json!({}), own));
        net.run(async {
            let registry = registry(&json!({"servers": [{"name": "first"}]}), &net);
            call(&registry, "first/redact").await;
            net.sleep(kept - 1).await;
            call(&registry, "first/redact").await;
            assert_eq!(count(&net, "middleware/list"), 1, "{ttl_ms}");
            net.sleep(1).await;
            call(&registry, "first/redact").await;
            assert_eq!(count(&net, "middleware/list"), 2, "{ttl_ms}");
        });
    }
}

#[test]
fn a_server_that_fails_again_and_again_is_left_alone_and_its_fallback_called_at_once() {
    let servers = json!([
        {"name": "second", "invoke": {"text": "by the second"}},
        {"name": "first", "fallback": "second", "timeoutMs": 300, "invoke": {"hang": true}},
    ]);
    let row = json!({"servers": servers});
    let net = net(&row);
    net.run(async {
        let registry = registry(&row, &net);
        for _ in 0..MAX_FAILURES {
            assert!(call(&registry, "first/redact").await.contains("by the second"));
        }
        let begun = net.now();
        let request_count = count(&net, "middleware/invoke");
        assert!(call(&registry, "first/redact").await.contains("by the second"));
        assert_eq!((net.now(), count(&net, "middleware/invoke")), (begun, request_count + 1));
    });
}

#[test]
fn one_call_has_one_time_from_the_handshake_to_the_answer() {
    let slow = |seen: &Seen| {
        let reply = match seen.method() {
            "server/discover" => {
                result(seen, json!({"supportedVersions": ["2026-07-28"], "capabilities": {}}))
            }
            "middleware/list" => result(seen, json!({"middleware": [{"name": "redact"}]})),
            _ => result(seen, json!({"content": []})),
        };
        let Reply::Response { status, headers, mut body } = reply else { return reply };
        body.insert(0, crate::net::Piece::Wait(120));
        Reply::Response { status, headers, body }
    };
    let net = Net::new(slow);
    net.run(async {
        let registry = registry(&json!({"servers": [{"name": "first", "timeoutMs": 300}]}), &net);
        assert!(call(&registry, "first/redact").await.ends_with("within 300 ms"));
        assert_eq!(net.now(), 300);
        // The handshake and the list are known now.
        assert_eq!(call(&registry, "first/redact").await, "[]");
    });
}

#[test]
fn a_server_that_lost_its_session_is_asked_in_a_new_one() {
    let lost = std::cell::Cell::new(true);
    let own = move |seen: &Seen| match seen.method() {
        "middleware/list" => result(seen, json!({"middleware": [{"name": "redact"}]})),
        _ if lost.replace(false) => error(seen, 404, json!({"code": -32001, "message": "no such session"})),
        _ => result(seen, json!({"content": []})),
    };
    let net = Net::new(crate::server::legacy(json!({}), own));
    net.run(async {
        let registry = registry(&json!({"servers": [{"name": "first"}]}), &net);
        assert_eq!(call(&registry, "first/redact").await, "[]");
        assert_eq!(count(&net, "initialize"), 2);
    });
}

#[test]
fn a_server_that_hides_the_loss_of_its_session_is_asked_in_a_new_one_the_next_time() {
    // The session is known after the second handshake.
    let handshakes = std::rc::Rc::new(std::cell::Cell::new(0));
    let begun = std::rc::Rc::clone(&handshakes);
    let own = move |seen: &Seen| match seen.method() {
        "middleware/list" => result(seen, json!({"middleware": [{"name": "redact"}]})),
        _ if begun.get() < 2 => error(seen, 200, json!({"code": -32001, "message": "no such session"})),
        _ => result(seen, json!({"content": []})),
    };
    let known = crate::server::legacy(json!({}), own);
    let net = Net::new(move |seen| {
        handshakes.set(handshakes.get() + i32::from(seen.method() == "initialize"));
        known(seen)
    });
    net.run(async {
        let registry = registry(&json!({"servers": [{"name": "first"}]}), &net);
        assert_ne!(call(&registry, "first/redact").await, "[]");
        assert_eq!(call(&registry, "first/redact").await, "[]");
        assert_eq!((count(&net, "initialize"), count(&net, "middleware/invoke")), (2, 2));
    });
}

#[test]
fn addresses_and_headers_that_cannot_be_used_are_refused() {
    let refused = |url: &str, header: (&str, &str), fallback: &str| {
        let mut servers = settings(&json!({"servers": [{"name": "first"}]}));
        servers[0].url = url.to_owned();
        servers[0].headers = vec![(header.0.to_owned(), header.1.to_owned())];
        servers[0].fallback = vec![fallback.to_owned()];
        let net = Net::new(|_| Reply::Lost);
        let error = RemoteServers::new(&servers, &|_| None, &net).unwrap_err();
        assert_eq!(error.code(), "config");
        error.to_string()
    };
    for name in ["", "a/b", "a\nb"] {
        let mut servers = settings(&json!({"servers": [{"name": "first"}]}));
        servers[0].name = name.to_owned();
        let refused = RemoteServers::new(&servers, &|_| None, &Net::new(|_| Reply::Lost)).unwrap_err();
        assert_eq!((refused.code(), refused.path()), ("config", Some("name")), "{name:?}");
    }
    let url = "https://first.test/mcp";
    assert_eq!(
        refused("/mcp", ("x", "y"), "first"),
        "the address of middleware server `first` is not an absolute http or https URL"
    );
    assert_eq!(
        refused(url, ("authorization", "Bearer ${NONE}"), "first"),
        "middleware server `first`: header `authorization`: `${NONE}` is no variable or secret here"
    );
    assert_eq!(
        refused(url, ("mcp-session-id", "1"), "first"),
        "middleware server `first`: header `mcp-session-id`: it is one of those that the gateway itself writes"
    );
    assert_eq!(refused(url, ("x", "y"), "second"), "fallback: there is no middleware server `second`");
}
