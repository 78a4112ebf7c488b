//! Environments for functions.

use std::cell::RefCell;

use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve::Error;
use mcp_sieve_gateway::middleware::{Document, Documents, Environment, Library, Outcome, Record, Zone};
use serde_json::{Value, json};

/// The environment that a fixture row describes.
pub struct World<'a> {
    row: &'a Value,
    library: Option<Library>,
    pub kept: RefCell<Vec<Value>>,
}

impl<'a> World<'a> {
    pub fn from_row(row: &'a Value) -> Self {
        let text = |document: &Value, key: &str| document[key].as_str().unwrap().to_owned();
        let library = row["documents"].as_array().map(|documents| {
            let mut library = Library::new();
            for document in documents {
                let [id, source, title, body] =
                    ["id", "source", "title", "text"].map(|key| text(document, key));
                library.put(Document { id, source, title, text: body }).unwrap();
            }
            library
        });
        Self { row, library, kept: RefCell::default() }
    }
}

impl Environment for World<'_> {
    fn now(&self) -> u64 {
        self.row["now"].as_u64().unwrap_or_default()
    }

    fn zone(&self, name: &str, _: u64) -> Option<Zone> {
        (name == "Europe/Paris").then(|| Zone { ahead: 7200, name: "GMT+2".to_owned() })
    }

    fn tool(&self, name: &str) -> Option<String> {
        self.row["tools"].get(name).map(ToString::to_string)
    }

    fn documents(&self) -> Option<&dyn Documents> {
        self.library.as_ref().map(|library| library as _)
    }

    fn reaches<'a>(&'a self, url: &'a str) -> LocalBoxFuture<'a, Option<bool>> {
        async move { self.row["reaches"].get(url)?.as_bool() }.boxed_local()
    }

    fn record<'a>(&'a self, record: Record<'a>) -> LocalBoxFuture<'a, Result<String, Error>> {
        async move {
            if self.row["keeps"] != true {
                return NoStore.record(record).await;
            }
            let context: Value = serde_json::from_str(record.context).unwrap();
            self.kept.borrow_mut().push(json!({
                "at": record.at, "reason": record.reason, "label": record.label, "context": context,
            }));
            Ok(self.kept.borrow().len().to_string())
        }
        .boxed_local()
    }
}

/// An environment without documents.
pub struct NoStore;

impl Environment for NoStore {
    fn now(&self) -> u64 {
        0
    }
}

pub fn value(outcome: &Outcome<'_>) -> Value {
    let mut value = json!({"content": serde_json::from_str::<Value>(&outcome.content.to_json()).unwrap()});
    if let Some(metadata) = &outcome.metadata {
        value["metadata"] = serde_json::from_str(metadata).unwrap();
    }
    value
}
