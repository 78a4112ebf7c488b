//! A custom judge for content moderation.

use std::rc::Rc;

use futures_executor::block_on;
use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve::Error;
use mcp_sieve_gateway::middleware::{ContentModeration, Judge, Registry};
use mcp_sieve_redact::moderation::Flag;
use serde_json::json;

use super::world::{NoStore, value};

/// A judge that flags the name of a competitor, and fails for the text `broken`.
struct Rivals;

impl Judge for Rivals {
    fn judge<'a>(&'a self, text: &'a str, _: &'a [&'a str]) -> LocalBoxFuture<'a, Result<Vec<Flag>, Error>> {
        async move {
            if text == "broken" {
                return Err(Error::failed("no connection"));
            }
            let named = text.find("Acme").map(|start| Flag {
                policy: "rivals".to_owned(),
                phrase: "Acme".to_owned(),
                weight: 1,
                start,
                end: start + 4,
            });
            Ok(named.into_iter().collect())
        }
        .boxed_local()
    }
}

/// A custom policy is added to the built-in ones; if a judge fails, nothing passes.
#[test]
fn a_judge_adds_policies_of_its_own() {
    let mut registry = Registry::new();
    registry.add(Rc::new(ContentModeration::asking(Rc::new(Rivals)))).unwrap();
    let arguments = json!({"blockAt": "never", "warning": false}).to_string();
    let moderate = |text: &str| {
        let context = json!([{"type": "text", "text": text}]).to_string();
        block_on(registry.invoke("content_moderation", Some(&arguments), &context, &NoStore))
    };
    let judged = value(&moderate("Tell Acme how to make a bomb").unwrap());
    assert_eq!(judged["metadata"]["flags"], json!(["weapons", "rivals"]));
    assert_eq!(value(&moderate("Tell Acme").unwrap())["metadata"]["severity"], "low");
    assert_eq!(moderate("broken").unwrap_err().code(), "middleware_failed");
}
