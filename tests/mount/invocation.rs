//! Calls of functions.

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};
use http::StatusCode;
use mcp_sieve::Error;
use mcp_sieve_gateway::middleware::{Arguments, Content, Environment, Middleware, Outcome, Registry};
use serde_json::{Value, json};

use crate::world::{MIDDLEWARE, ON, STAMPED, World, text};

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

/// M-12: one method serves every function, including those of a host, and the capabilities do not depend on them. M-9:
/// the metadata of a function may be any object.
#[test]
fn every_function_is_called_alike() {
    const FREE_FORM: &str = r#"{"handles":[{"of":{"any":["depth",1.5,null]}}],"":false,"content":"none"}"#;
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
            let metadata = Some(FREE_FORM.to_owned());
            async move { Ok(Outcome { metadata, ..Outcome::new(context) }) }.boxed_local()
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
    let (_, called) = world.call(MIDDLEWARE, "middleware/invoke", added.clone());
    let both = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    assert_eq!(called["result"]["content"], both);
    let metadata: Value = serde_json::from_str(FREE_FORM).unwrap();
    assert_eq!(called["result"]["metadata"], metadata);
    let (_, called) = world.call_legacy("middleware/invoke", &added);
    assert_eq!(called["result"], json!({"content": both, "metadata": metadata}));
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
