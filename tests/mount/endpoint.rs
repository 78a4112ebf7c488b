//! The middleware endpoint: whether it is enabled, the functions that it lists, and rejected requests.

use http::StatusCode;
use mcp_sieve_gateway::{config::Config, mount::Mount};
use serde_json::{Value, json};

use crate::world::{INTERCEPTORS, MIDDLEWARE, ON, World, posted, text};

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

/// M-8: rejected calls and their errors, in both eras.
#[test]
fn it_refuses() {
    let world = World::new(ON);
    let refused = |params: Value| {
        let legacy = world.call_legacy("middleware/invoke", &params).1["error"].clone();
        let error = world.call(MIDDLEWARE, "middleware/invoke", params).1["error"].clone();
        assert_eq!(error, legacy, "in both eras");
        error
    };
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
