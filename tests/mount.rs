//! The HTTP endpoints of context middleware, natively: requests go to `mcp::middleware` with an in-memory runtime.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

#[path = "mount/printed.rs"]
mod printed;
mod proposals;

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use futures_executor::block_on;
use futures_util::{
    FutureExt,
    future::{LocalBoxFuture, pending, ready},
};
use http::{Request, Response, StatusCode};
use mcp_sieve::{
    config::Config,
    error::Error,
    mcp::{AuditSink, Body, FunctionRun, MiddlewareRuntime, Mount, RpcError, middleware},
    middleware::{Arguments, Content, Environment, Middleware, Outcome, Record, Registry},
};
use serde_json::{Value, json};

/// An environment with a fixed time.
struct Clock;

impl Environment for Clock {
    fn now(&self) -> u64 {
        1_759_592_520_000
    }
}

/// An environment whose time a test sets.
struct Hands(Cell<u64>);

impl Environment for Hands {
    fn now(&self) -> u64 {
        self.0.get()
    }
}

/// Collects the audit entries.
#[derive(Default)]
struct Notes(RefCell<Vec<Value>>);

impl AuditSink for Notes {
    fn note(&self, treatment: &FunctionRun<'_>) {
        self.0.borrow_mut().push(treatment.to_json());
    }
}

/// A deployment with the endpoints for middleware.
struct World {
    config: Config,
    runtime: MiddlewareRuntime,
    notes: Rc<Notes>,
}

impl World {
    fn new(config: &str) -> Self {
        Self::with(config, Rc::new(Clock))
    }

    fn with(config: &str, environment: Rc<dyn Environment>) -> Self {
        let config = Config::parse(config).unwrap();
        let notes = Rc::new(Notes::default());
        let offered = config.middleware.as_ref().and_then(|middleware| middleware.functions.as_ref());
        let registry = Registry::built_in();
        let registry = offered.map_or_else(|| registry.clone(), |names| registry.clone().only(names));
        let runtime = MiddlewareRuntime {
            registry: Rc::new(registry),
            environment,
            trail: Rc::clone(&notes) as _,
            calls: Rc::default(),
        };
        Self { config, runtime, notes }
    }

    /// Sends a request to the endpoint at a path; a request without a token is unauthorized.
    fn send(&self, path: &str, request: &Request<Vec<u8>>) -> (StatusCode, Value) {
        let response = self.respond(path, request);
        let status = response.status();
        match response.into_body() {
            Body::Json(json) => (status, serde_json::from_slice(&json).unwrap()),
            _ => (status, Value::Null),
        }
    }

    fn respond(&self, path: &str, request: &Request<Vec<u8>>) -> Response<Body> {
        let mount = Mount::at(&self.config, path).expect("a mount");
        let admitted = match request.headers().contains_key("authorization") {
            true => Ok(()),
            false => Err(RpcError::request(StatusCode::UNAUTHORIZED, "unauthorized", "no token")),
        };
        block_on(middleware(&self.config, &self.runtime, mount, admitted, request))
    }

    /// Calls a method in the stateless revision.
    fn call(&self, path: &str, method: &str, mut params: Value) -> (StatusCode, Value) {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let request = posted(&body).header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
        self.send(path, &request.body(body.to_string().into_bytes()).unwrap())
    }

    /// Calls a method in a revision with a handshake.
    fn call_legacy(&self, method: &str, params: &Value) -> (StatusCode, Value) {
        self.send_legacy(&json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}))
    }

    /// Sends a message in a revision with a handshake.
    fn send_legacy(&self, message: &Value) -> (StatusCode, Value) {
        let request = posted(message).header("mcp-protocol-version", "2025-11-25");
        self.send(MIDDLEWARE, &request.body(message.to_string().into_bytes()).unwrap())
    }
}

fn posted(_: &Value) -> http::request::Builder {
    Request::post("https://sieve.example/middleware")
        .header("content-type", "application/json")
        .header("authorization", "Bearer secret")
}

const MIDDLEWARE: &str = "/middleware";
const INTERCEPTORS: &str = "/interceptors";
/// A configuration with both endpoints.
const ON: &str = r#"{"middleware":{"interceptors":true}}"#;

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

/// The text `secret words` after `timestamp_injector`.
const STAMPED: &str = "[Current time: Saturday, October 4, 2025, 3:42 PM UTC]\n\nsecret words";

/// M-2, M-38: without a configuration there is no endpoint.
#[test]
fn it_is_off_unless_configured() {
    for config in ["{}", r#"{"middleware":null}"#] {
        assert_eq!(Mount::at(&Config::parse(config).unwrap(), MIDDLEWARE), None);
    }
    let config = Config::parse(r#"{"middleware":{}}"#).unwrap();
    assert_eq!(Mount::at(&config, MIDDLEWARE), Some(Mount::Middleware));
    assert_eq!(Mount::at(&config, INTERCEPTORS), None);
}

/// M-1, M-3: the self-description of the endpoint.
#[test]
fn it_says_what_it_has() {
    let world = World::new(ON);
    let (_, discovered) = world.call(MIDDLEWARE, "server/discover", json!({}));
    let result = &discovered["result"];
    assert_eq!(result["capabilities"]["contextMiddleware"], json!({}));
    assert_eq!(
        result["capabilities"]["extensions"]["dev.mcpsieve/context-middleware"],
        json!({"version": 1, "payloads": ["content", "toolCall", "toolResult"]})
    );
    assert_eq!(result["capabilities"].as_object().unwrap().len(), 2);
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mcp-sieve-middleware");

    for method in ["middleware/list", "dev.mcpsieve/middleware/list"] {
        let (status, listed) = world.call(MIDDLEWARE, method, json!({"cursor": "x"}));
        let result = &listed["result"];
        assert_eq!(
            (status, &result["ttlMs"], &result["cacheScope"]),
            (StatusCode::OK, &json!(0), &json!("private"))
        );
        assert!(result["middleware"].as_array().unwrap().iter().any(|one| one["name"] == "tool_filter"));
        assert_eq!(result.get("nextCursor"), None);
    }

    let (_, opened) = world.call_legacy(
        "initialize",
        &json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}),
    );
    assert_eq!(opened["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(opened["result"]["capabilities"]["contextMiddleware"], json!({}));
    let (_, listed) = world.call_legacy("middleware/list", &json!({}));
    assert_eq!(listed["result"].as_object().unwrap().keys().collect::<Vec<_>>(), ["middleware"]);
    assert_eq!(world.call_legacy("ping", &json!({})).1["result"], json!({}));
}

/// M-6, M-9: a call in both eras; M-40: its audit entry has sizes and counts; M-46: it has nothing of the context.
#[test]
fn it_invokes() {
    let world = World::new(ON);
    let params = json!({"name": "timestamp_injector", "context": text("secret words")});
    let (status, called) = world.call(MIDDLEWARE, "middleware/invoke", params.clone());
    assert_eq!(status, StatusCode::OK);
    let result = &called["result"];
    assert_eq!(result["content"], text(STAMPED));
    assert_eq!(
        (&result["resultType"], result.get("metadata"), result.get("ttlMs")),
        (&json!("complete"), None, None)
    );
    let (_, called) = world.call_legacy("middleware/invoke", &params);
    assert_eq!(called["result"], json!({"content": text(STAMPED)}));
    let mut dated = params.clone();
    dated["arguments"] = json!({"format": "date"});
    let (_, called) = world.call(MIDDLEWARE, "middleware/invoke", dated);
    assert_eq!(
        called["result"]["content"],
        text("[Current time: Saturday, October 4, 2025]\n\nsecret words")
    );
    let redacted = json!({"name": "pii_redaction", "context": text("secret jane@example.com")});
    let (_, called) = world.call(MIDDLEWARE, "middleware/invoke", redacted);
    assert_eq!(called["result"]["metadata"], json!({"redactions": [{"handle": "EMAIL_1", "type": "email"}]}));

    let notes = world.notes.0.borrow();
    assert_eq!(
        notes[0],
        json!({
            "mount": "middleware", "method": "middleware/invoke", "principal": null,
            "function": "timestamp_injector", "mode": "enforce", "bytes": [37, 95], "items": [1, 1],
            "changed": true, "ended": null, "ms": 0,
        })
    );
    assert_eq!(notes.len(), 4);
    assert!(!format!("{notes:?}").contains("secret"));
    assert!(!format!("{notes:?}").contains("jane"));
}

/// M-8: rejected calls and their errors.
#[test]
fn it_refuses() {
    let world = World::new(ON);
    let refused = |params: Value| world.call(MIDDLEWARE, "middleware/invoke", params).1["error"].clone();
    let error = refused(json!({"name": "x-secret", "context": []}));
    assert_eq!((&error["code"], &error["data"]["reason"]), (&json!(-32602), &json!("unknown_middleware")));
    let error = refused(json!({"name": "timestamp_injector", "arguments": {"format": 1}, "context": []}));
    assert_eq!(
        (&error["code"], &error["data"]),
        (&json!(-32602), &json!({"reason": "arguments_invalid", "field": "arguments.format"}))
    );
    for params in [
        json!({"name": "timestamp_injector"}),
        json!({"name": "timestamp_injector", "context": "x"}),
        json!({"name": "timestamp_injector", "context": [1]}),
    ] {
        let error = refused(params);
        assert_eq!((&error["code"], &error["data"]["reason"]), (&json!(-32602), &json!("context_invalid")));
    }
    let error = refused(json!({"name": "context_logger", "context": []}));
    assert_eq!((&error["code"], &error["data"]["reason"]), (&json!(-32603), &json!("middleware_failed")));
    assert_eq!(refused(json!({"context": []}))["code"], -32602);

    // This endpoint has no tools.
    let (status, error) = world.call(MIDDLEWARE, "tools/list", json!({}));
    assert_eq!((status, &error["error"]["code"]), (StatusCode::NOT_FOUND, &json!(-32601)));
    // An unknown name may contain anything, so it is not logged.
    assert!(!format!("{:?}", world.notes.0.borrow()).contains("x-secret"));
}

/// M-12: one method serves every function, including those of a host, and the capabilities do not depend on them.
#[test]
fn every_function_is_called_alike() {
    /// A function that is not built in: it appends the argument `text`.
    #[derive(Debug)]
    struct Append;
    impl Middleware for Append {
        fn name(&self) -> &str {
            "append"
        }
        fn description(&self) -> &str {
            "Appends a text."
        }
        fn input_schema(&self) -> &str {
            r#"{"type":"object","properties":{"text":{"type":"string"}}}"#
        }
        fn apply<'a>(
            &'a self,
            mut context: Content<'a>,
            arguments: &'a Arguments<'a>,
            _: &'a dyn Environment,
        ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>> {
            context.append(&arguments.text("text").unwrap_or_default());
            async move { Ok(Outcome::new(context)) }.boxed_local()
        }
    }
    let mut world = World::new(ON);
    let capabilities = |world: &World| {
        world.call(MIDDLEWARE, "server/discover", json!({})).1["result"]["capabilities"].clone()
    };
    let all = capabilities(&world);
    assert_eq!(all.as_object().unwrap().keys().collect::<Vec<_>>(), ["contextMiddleware", "extensions"]);
    for functions in [json!(["pii_redaction"]), json!(["document_retrieval", "tool_filter"])] {
        let config = json!({"middleware": {"interceptors": true, "functions": functions}});
        assert_eq!(capabilities(&World::new(&config.to_string())), all, "{functions}");
    }

    let mut registry = Registry::built_in();
    registry.add(Rc::new(Append)).unwrap();
    world.runtime.registry = Rc::new(registry);
    assert_eq!(capabilities(&world), all);
    let added = json!({"name": "append", "arguments": {"text": "b"}, "context": text("a")});
    let (_, called) = world.call(MIDDLEWARE, "middleware/invoke", added);
    let both = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    assert_eq!(called["result"]["content"], both);
}

/// M-55: the protocol has no chains: a request names one function, and an application calls one after another.
#[test]
fn a_request_names_one_function() {
    let world = World::new(ON);
    let invoke = |name: Value, context: &Value| {
        world.call(MIDDLEWARE, "middleware/invoke", json!({"name": name, "context": context})).1
    };
    let context = text("Mail jane@example.com");
    for names in [json!(["pii_redaction", "timestamp_injector"]), json!("pii_redaction,timestamp_injector")] {
        assert_eq!(invoke(names, &context)["error"]["code"], -32602);
    }
    for method in ["middleware/chain", "middleware/invokeChain", "middleware/executeChain"] {
        let (_, refused) =
            world.call(MIDDLEWARE, method, json!({"name": "pii_redaction", "context": context}));
        assert_eq!(refused["error"]["code"], -32601, "{method}");
    }
    let redacted = invoke(json!("pii_redaction"), &context);
    let stamped = invoke(json!("timestamp_injector"), &redacted["result"]["content"]);
    let expected = text("[Current time: Saturday, October 4, 2025, 3:42 PM UTC]\n\nMail [EMAIL_1]");
    assert_eq!(stamped["result"]["content"], expected);
}

/// M-13: an application can invoke functions at any time and any number of times: without a handshake or a list
/// request, in any order. Calls do not affect each other.
#[test]
fn it_is_invoked_at_any_time_and_any_number_of_times() {
    let world = World::new(ON);
    let invoke = |name: &str, said: &str| {
        let params = json!({"name": name, "context": text(said)});
        let modern = world.call(MIDDLEWARE, "middleware/invoke", params.clone()).1;
        let legacy = world.call_legacy("middleware/invoke", &params).1;
        assert_eq!(modern["result"]["content"], legacy["result"]["content"]);
        modern["result"]["content"][0]["text"].clone()
    };
    let redacted = "Mail [EMAIL_1]";
    for (name, said, expected) in [
        ("pii_redaction", "Mail jane@example.com", redacted),
        ("pii_redaction", "Mail peter@example.com", redacted),
        ("timestamp_injector", "secret words", STAMPED),
        ("pii_redaction", "Mail jane@example.com", redacted),
    ] {
        assert_eq!(invoke(name, said), expected);
    }
}

/// M-34: the time is added to the context in one request and one response. No tool is listed or called for it, and the
/// response requires nothing of a model.
#[test]
fn the_time_takes_no_call_of_a_tool() {
    let world = World::new(ON);
    let params = json!({"name": "timestamp_injector", "context": text("secret words")});
    let (status, called) = world.call(MIDDLEWARE, "middleware/invoke", params);
    assert_eq!((status, &called["result"]["resultType"]), (StatusCode::OK, &json!("complete")));
    assert_eq!(called["result"]["content"], text(STAMPED));
    let (_, discovered) = world.call(MIDDLEWARE, "server/discover", json!({}));
    let capabilities = &discovered["result"]["capabilities"];
    assert_eq!((capabilities.get("tools"), capabilities.get("sampling")), (None, None));
}

/// M-53: results are not paginated. The largest context is returned whole, and a cursor has no effect.
#[test]
fn a_result_has_no_pages() {
    const MAX_ITEMS: usize = 4096;
    let world = World::new(ON);
    let items: Vec<Value> =
        (0..MAX_ITEMS).map(|at| json!({"type": "text", "text": format!("item {at}")})).collect();
    for cursor in [json!(null), json!("x")] {
        let mut params = json!({"name": "pii_redaction", "context": items});
        if !cursor.is_null() {
            params["cursor"] = cursor;
        }
        let (_, called) = world.call(MIDDLEWARE, "middleware/invoke", params);
        let result = &called["result"];
        assert_eq!(result["content"], json!(items), "{}", called["error"]);
        assert_eq!(result.get("nextCursor"), None);
    }
}

/// M-44: the operator's token is required, and requests from browsers are rejected. More calls than are allowed are too.
#[test]
fn it_takes_few_callers() {
    let world = World::new(r#"{"middleware":{"callsPerMinute":2}}"#);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string().into_bytes();
    let plain =
        || Request::post("https://sieve.example/middleware").header("content-type", "application/json");
    let status = |request: http::request::Builder, body: &[u8]| {
        world.send(MIDDLEWARE, &request.body(body.to_vec()).unwrap()).0.as_u16()
    };
    assert_eq!(status(plain(), &body), 401);
    let with = || plain().header("authorization", "Bearer secret");
    assert_eq!(status(with().header("origin", "https://sieve.example"), &body), 403);
    assert_eq!(status(with().method("GET"), &[]), 405);
    assert_eq!(status(with(), &body), 200);
    let refused = |body: &[u8]| {
        let (status, answer) = world.send(MIDDLEWARE, &with().body(body.to_vec()).unwrap());
        (status.as_u16(), answer["error"]["message"].clone(), answer["error"]["data"]["reason"].clone())
    };
    assert_eq!(
        refused(&vec![b' '; 4 * 1024 * 1024 + 1]),
        (413, json!("the body is larger than 4194304 bytes"), json!("body_too_large"))
    );
    assert_eq!(refused(&body), (429, json!("more than 2 calls in a minute"), json!("rate_limit")));
}

/// M-48: a rejected call gets the time after which it may be repeated, and is answered then.
#[test]
fn calls_are_limited_by_the_minute() {
    let clock = Rc::new(Hands(Cell::new(1_759_592_520_000)));
    let world = World::with(r#"{"middleware":{"callsPerMinute":2}}"#, Rc::clone(&clock) as _);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let request = posted(&ping).body(ping.to_string().into_bytes()).unwrap();
    let called = |ahead: u64| {
        clock.0.set(clock.0.get() + ahead);
        let response = world.respond(MIDDLEWARE, &request);
        let wait = response.headers().get("retry-after").map(|wait| wait.to_str().unwrap().to_owned());
        (response.status().as_u16(), wait)
    };
    assert_eq!([called(0), called(0)], [(200, None), (200, None)]);
    assert_eq!(called(10_000), (429, Some("20".to_owned())));
    assert_eq!(called(19_000), (429, Some("1".to_owned())));
    assert_eq!([called(1_000), called(0)].map(|(status, _)| status), [200, 429]);
    assert_eq!([called(60_000), called(0), called(0)].map(|(status, _)| status), [200, 200, 429]);
}

/// A header that names the function must agree with the body; it may be absent.
#[test]
fn its_headers_agree() {
    let world = World::new(ON);
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": "middleware/invoke",
        "params": {"name": "timestamp_injector", "context": []}});
    let named = |name: &str| {
        let request = posted(&body).header("mcp-protocol-version", "2025-11-25").header("mcp-name", name);
        world.send(MIDDLEWARE, &request.body(body.to_string().into_bytes()).unwrap()).1
    };
    assert_eq!(named("timestamp_injector").get("error"), None);
    assert_eq!(named("=?base64?dGltZXN0YW1wX2luamVjdG9y?=").get("error"), None);
    assert_eq!(named("tool_filter")["error"]["code"], -32020);
}

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
