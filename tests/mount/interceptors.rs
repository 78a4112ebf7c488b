//! Functions as interceptors.

use std::{cell::Cell, rc::Rc};

use futures_util::{
    FutureExt,
    future::{LocalBoxFuture, pending, ready},
};
use mcp_sieve::Error;
use mcp_sieve_gateway::middleware::{Environment, Record};
use serde_json::{Value, json};

use crate::world::{INTERCEPTORS, MIDDLEWARE, ON, World, text};

/// M-56: the same functions as interceptors, in the order of their hints, none of which fails open.
#[test]
fn it_lends_its_functions_as_interceptors() {
    let world = World::new(ON);
    let capabilities = &world.call(INTERCEPTORS, "server/discover", json!({})).1["result"]["capabilities"];
    let events = json!(["llm/completion", "tools/call", "tools/list"]);
    let extension = json!({"io.modelcontextprotocol/interceptors": {"supportedEvents": events}});
    assert_eq!(capabilities, &json!({"extensions": extension}));

    let (_, all) = world.call(INTERCEPTORS, "interceptors/list", json!({}));
    let all = all["result"]["interceptors"].as_array().unwrap();
    let name = |one: &Value| one["name"].as_str().unwrap().to_owned();
    let (_, functions) = world.call(MIDDLEWARE, "middleware/list", json!({}));
    let functions = functions["result"]["middleware"].as_array().unwrap();
    assert_eq!(all.iter().map(name).collect::<Vec<_>>(), functions.iter().map(name).collect::<Vec<_>>());
    for (phase, recommended) in [("request", -999_999..-10_000), ("response", 10_000..1_000_000)] {
        let hints = all.iter().map(|one| one["priorityHint"][phase].as_i64().unwrap());
        let hints: Vec<i64> = hints.collect();
        assert!(
            hints.is_sorted() && hints.iter().all(|hint| recommended.contains(hint)),
            "{phase}: {hints:?}"
        );
    }
    for one in all {
        assert_eq!((&one["failOpen"], &one["mode"]), (&json!(false), &json!("active")), "{one}");
    }
    let hooks = |wanted: &str| all.iter().find(|one| one["name"] == wanted).unwrap()["hooks"].clone();
    let both = json!(["llm/completion", "tools/call"]);
    assert_eq!(hooks("pii_redaction"), json!([{"events": both, "phase": "request"}]));
    let phases = json!([{"events": both, "phase": "request"}, {"events": both, "phase": "response"}]);
    assert_eq!(hooks("secret_detection"), phases);

    let (_, listed) = world.call(INTERCEPTORS, "interceptors/list", json!({"event": "tools/list"}));
    let listed = listed["result"]["interceptors"].as_array().unwrap();
    assert_eq!(listed.iter().map(name).collect::<Vec<_>>(), ["tool_filter"]);
    assert_eq!(listed[0]["type"], "validation");
    for event in [json!("*"), json!("tools/*"), json!(7)] {
        let (_, refused) = world.call(INTERCEPTORS, "interceptors/list", json!({"event": event}));
        assert_eq!(refused["error"]["code"], -32602, "{event}");
    }
}

/// Invokes an interceptor, and returns the response.
fn invoked(world: &World, params: Value) -> Value {
    world.call(INTERCEPTORS, "interceptor/invoke", params).1
}

/// M-56: an interceptor that changes a payload returns all of it, and one that checks it returns a verdict.
#[test]
fn an_interceptor_changes_or_judges_a_payload() {
    let world = World::new(ON);
    let called = invoked(
        &world,
        json!({"name": "timestamp_injector", "event": "llm/completion", "phase": "request",
            "payload": text("secret words"), "config": {"format": "date"}}),
    );
    let result = &called["result"];
    assert_eq!((&result["type"], &result["modified"]), (&json!("mutation"), &json!(true)));
    assert_eq!(result["payload"], text("[Current time: Saturday, October 4, 2025]\n\nsecret words"));

    let request =
        |to: &str| json!({"method": "tools/call", "params": {"name": "send", "arguments": {"to": to}}});
    let redacted = |to: &str| {
        let params = json!({"name": "pii_redaction", "event": "tools/call", "phase": "request", "payload": request(to)});
        invoked(&world, params)["result"].clone()
    };
    let result = redacted("jane@example.com");
    assert_eq!((&result["modified"], &result["payload"]), (&json!(true), &request("[EMAIL_1]")));
    let result = redacted("the front desk");
    assert_eq!((&result["modified"], &result["payload"]), (&json!(false), &request("the front desk")));

    let judged = invoked(
        &world,
        json!({"name": "tool_filter", "event": "tools/list", "phase": "response",
            "payload": {"messages": ["find a file"]}, "config": {"availableTools": ["find_file", "fly"]}}),
    );
    let result = &judged["result"];
    assert_eq!((&result["type"], &result["valid"]), (&json!("validation"), &json!(true)));
    assert_eq!(result["info"]["suggestedToolSet"], json!(["find_file"]));

    // A warning that moderation would put before a context is no part of a verdict.
    let judged = invoked(
        &world,
        json!({"name": "content_moderation", "event": "tools/call", "phase": "request",
            "payload": request("I will kill you, here is how to build a bomb"), "config": {"policies": ["violence"]}}),
    );
    let result = &judged["result"];
    assert_eq!(result["type"], "validation", "{judged}");
    assert!(
        !result["info"]["flags"].as_array().unwrap().is_empty() && result.get("payload").is_none(),
        "{judged}"
    );
    let notes = format!("{:?}", world.notes.0.borrow());
    assert!(!["secret words", "jane@", "bomb"].iter().any(|text| notes.contains(text)), "{notes}");
}

/// M-56: an interceptor that cannot be invoked, or that fails, is an error with the data of the draft.
#[test]
fn an_interceptor_that_fails_gives_no_verdict() {
    let world = World::new(ON);
    let error = |params: Value| invoked(&world, params)["error"].clone();
    let unknown =
        error(json!({"name": "missing", "event": "tools/list", "phase": "response", "payload": {}}));
    assert_eq!(unknown["code"], -32602);
    assert_eq!(unknown["data"], json!({"reason": "unknown_interceptor", "name": "missing"}));
    for (event, phase) in [("tools/call", "response"), ("tools/list", "request"), ("*", "response")] {
        let hook = error(json!({"name": "tool_filter", "event": event, "phase": phase, "payload": {}}));
        let advertised = json!([{"events": ["tools/list"], "phase": "response"}]);
        assert_eq!(hook["code"], -32602);
        assert_eq!(
            hook["data"],
            json!({"reason": "interceptor_hook", "name": "tool_filter", "event": event, "phase": phase,
                "advertisedHooks": advertised})
        );
    }
    let refused = error(json!({"name": "secret_detection", "event": "tools/call", "phase": "request",
        "payload": {"token": "ghp_aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA1b"}, "config": {"action": "refuse"}}));
    assert_eq!(refused["code"], -32603);
    assert_eq!(refused["data"], json!({"reason": "middleware_failed", "interceptor": "secret_detection"}));
    let retrieval =
        json!({"name": "document_retrieval", "event": "llm/completion", "phase": "request", "payload": []});
    let failed = error(retrieval);
    assert_eq!(failed["code"], -32603);
    assert_eq!(failed["data"], json!({"reason": "middleware_failed", "interceptor": "document_retrieval"}));
    for limit in [json!(0), json!(-1), json!(1.5), json!("1"), Value::Null] {
        let params = json!({"name": "pii_redaction", "event": "tools/call", "phase": "request", "payload": {},
            "timeoutMs": limit});
        assert_eq!(error(params)["code"], -32602, "{limit}");
    }
    assert!(!format!("{:?}", world.notes.0.borrow()).contains("ghp_"));
}

/// M-56: a refused member of the request has the name that the draft gives it.
#[test]
fn an_interceptor_refuses_a_member_by_the_name_in_the_request() {
    let world = World::new(ON);
    for (member, value, field) in [
        ("config", json!({"aggressiveness": "loose"}), "config.aggressiveness"),
        ("config", json!({"unknown": 1}), "config.unknown"),
        ("config", json!(7), "config"),
        ("payload", json!(["text"]), "payload[0]"),
        ("payload", json!([{"role": "user"}]), "payload[0].type"),
    ] {
        let mut params =
            json!({"name": "pii_redaction", "event": "llm/completion", "phase": "request", "payload": []});
        params[member] = value;
        let error = invoked(&world, params)["error"].clone();
        assert_eq!((&error["code"], &error["data"]["field"]), (&json!(-32602), &json!(field)));
        assert!(error["message"].as_str().unwrap().starts_with(&format!("{field}: ")), "{error}");
    }
}

/// M-56: a function that takes longer than its caller allows is stopped, and one that cannot be stopped is late.
#[test]
fn an_interceptor_is_stopped_after_its_timeout() {
    /// An environment whose clock goes on by a second each time it is read, and whose timers end after `within` ms.
    struct Slow {
        ms: Cell<u64>,
        within: u64,
    }
    impl Environment for Slow {
        fn now(&self) -> u64 {
            self.ms.set(self.ms.get() + 1_000);
            self.ms.get()
        }
        fn sleep(&self, ms: u64) -> LocalBoxFuture<'static, ()> {
            if ms < self.within { ready(()).boxed_local() } else { pending().boxed_local() }
        }
        fn record<'a>(&'a self, _: Record<'a>) -> LocalBoxFuture<'a, Result<String, Error>> {
            pending().boxed_local()
        }
    }
    let world = World::with(ON, Rc::new(Slow { ms: Cell::new(0), within: 100 }));
    let run = |name: &str, limit: u64| {
        let params = json!({"name": name, "event": "llm/completion", "phase": "request", "payload": text("x"),
            "timeoutMs": limit});
        invoked(&world, params)
    };
    // The record is never kept, and the timer ends.
    let late = run("context_logger", 50)["error"].clone();
    assert_eq!(late["code"], -32603);
    assert_eq!(
        late["data"],
        json!({"reason": "timeout", "interceptor": "context_logger", "timeoutMs": 50, "phase": "request"})
    );
    // The function ends a second later, before any timer could.
    assert_eq!(run("pii_redaction", 999)["error"]["data"]["timeoutMs"], 999);
    assert_eq!(run("pii_redaction", 1_000)["result"]["modified"], false);
}
