//! The registry of functions: the functions that it rejects, and the list that it returns.

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve::Error;
use mcp_sieve_gateway::middleware::{Arguments, Content, Environment, Middleware, Outcome, Registry};
use serde_json::{Value, json};

use super::shout::{Shout, shouting};

/// M-4: names are unique. A schema that cannot be enforced is rejected.
#[test]
fn a_registry_is_told_what_it_cannot_hold() {
    #[derive(Debug)]
    struct Odd(&'static str);
    impl Middleware for Odd {
        fn name(&self) -> &str {
            self.0
        }
        fn description(&self) -> &str {
            ""
        }
        fn input_schema(&self) -> &str {
            r#"{"type":"object","minProperties":1}"#
        }
        fn apply<'a>(
            &'a self,
            context: Content<'a>,
            _: &'a Arguments<'a>,
            _: &'a dyn Environment,
        ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>> {
            async move { Ok(Outcome::new(context)) }.boxed_local()
        }
    }
    let mut registry = shouting();
    let mut refusal = |function: Rc<dyn Middleware>| registry.add(function).unwrap_err().to_string();
    assert_eq!(refusal(Rc::new(Shout("shout"))), "there is a function `shout` already");
    assert_eq!(refusal(Rc::new(Shout(""))), "the name of a function is empty");
    assert_eq!(refusal(Rc::new(Odd("odd"))), "inputSchema.minProperties: an unknown keyword");
    let mut names: Vec<&str> = registry.names().collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// M-3: the contents of `middleware/list`; M-5: `inputSchema` has the type `object`, and enums and defaults.
#[test]
fn every_function_is_listed_with_its_schema() {
    let mut out = Vec::new();
    Registry::built_in().list(&mut out);
    let listed: Vec<Value> = serde_json::from_slice(&out).unwrap();
    let names: Vec<&str> = listed.iter().map(|function| function["name"].as_str().unwrap()).collect();
    for name in
        ["timestamp_injector", "tool_filter", "document_retrieval", "hallucination_check", "context_logger"]
    {
        assert!(names.contains(&name), "{name}");
    }
    for function in &listed {
        assert_eq!(function["inputSchema"]["type"], "object");
        assert!(!function["description"].as_str().unwrap().is_empty());
    }
    let redaction = listed.iter().find(|function| function["name"] == "pii_redaction").unwrap();
    let aggressiveness = &redaction["inputSchema"]["properties"]["aggressiveness"];
    assert_eq!(
        [&aggressiveness["type"], &aggressiveness["enum"], &aggressiveness["default"]],
        [&json!("string"), &json!(["standard", "strict"]), &json!("standard")]
    );
}
