//! The client capabilities that a server is listed with: the requests that Sieve relays to clients, and those that the
//! operator configured.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::{
    call::client_requests::{EXTENSIONS, TASKS},
    config::Capabilities,
    small_collect::small_collect,
};

/// Maximum number of pages, of all lists together, in one listing with the capabilities that no file names. It bounds
/// the requests for servers to which they make no difference.
pub const MAX_OFFERED_PAGES: usize = 10;

/// The capabilities to list a server with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OfferedCapabilities {
    /// All of them, in one `ClientCapabilities` object.
    pub all: String,
    /// Objects with few of them each, the most likely first, that may suffice for a primitive.
    pub parts: Vec<String>,
}

impl OfferedCapabilities {
    /// Returns the capabilities for a server; `None` if there are none. `questions` is whether the server may send
    /// requests to clients, `tasks` whether it may do so with tasks, and `left_out` names those that make it fail.
    pub fn new(
        configured: &Capabilities,
        questions: bool,
        tasks: bool,
        left_out: &BTreeSet<String>,
    ) -> Option<Self> {
        let relays = configured.relayed && questions;
        let mut all = if relays { relayed(tasks) } else { Map::new() };
        merge(&mut all, object(&configured.all));
        let mut parts: Vec<Value> = if relays { relayed_parts(tasks) } else { Vec::new() };
        for part in configured.parts.iter().filter_map(|part| serde_json::from_str(part).ok()) {
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        let is_offered = |name: &String| !left_out.contains(name);
        all.retain(|name, _| is_offered(name));
        parts.retain(|part| part.as_object().is_some_and(|part| part.keys().all(is_offered)));
        let parts = parts.iter().map(Value::to_string).collect();
        (!all.is_empty()).then(|| Self { all: Value::Object(all).to_string(), parts })
    }

    /// Returns the names of the capabilities. Tasks are last, because they come with the requests that they are for.
    pub fn names(&self) -> Vec<String> {
        let (tasks, mut names): (Vec<_>, Vec<_>) =
            object(&self.all).into_iter().map(|(name, _)| name).partition(|name| name == TASKS);
        names.extend(tasks);
        names
    }

    /// Returns an object with one of the capabilities; for tasks, with the requests that they are for, except those named
    /// in `without`.
    pub fn single(&self, name: &str, without: &BTreeSet<String>) -> Option<String> {
        let mut all = object(&self.all);
        all.retain(|other, _| {
            other == name || name == TASKS && other != EXTENSIONS && !without.contains(other)
        });
        (!all.is_empty()).then(|| Value::Object(all).to_string())
    }
}

/// Returns the capabilities for all requests that Sieve relays. A client's list of tasks may name tasks of other servers,
/// so it is not among them.
fn relayed(tasks: bool) -> Map<String, Value> {
    let requests = json!({"sampling": {"createMessage": {}}, "elicitation": {"create": {}}});
    let all = [
        ("elicitation", json!({"form": {}, "url": {}})),
        ("sampling", json!({"tools": {}, "context": {}})),
        ("roots", json!({"listChanged": true})),
        (TASKS, json!({"cancel": {}, "requests": requests})),
    ];
    let offered = all.into_iter().filter(|(name, _)| tasks || *name != TASKS);
    small_collect(offered.map(|(name, settings)| (name.to_owned(), settings)))
}

fn relayed_parts(tasks: bool) -> Vec<Value> {
    let mut parts = vec![
        json!({"elicitation": {}}),
        json!({"sampling": {}}),
        json!({"roots": {}}),
        json!({"elicitation": {"url": {}}}),
    ];
    if tasks {
        parts.push(json!({"sampling": {}, TASKS: {"requests": {"sampling": {"createMessage": {}}}}}));
        parts.push(json!({"elicitation": {}, TASKS: {"requests": {"elicitation": {"create": {}}}}}));
    }
    parts.extend([
        json!({"elicitation": {"form": {}}}),
        json!({"sampling": {"tools": {}}}),
        json!({"sampling": {"context": {}}}),
        json!({"roots": {"listChanged": true}}),
    ]);
    parts
}

fn object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

/// Adds the members of an object to another, at every level.
fn merge(into: &mut Map<String, Value>, more: Map<String, Value>) {
    for (name, value) in more {
        match (into.get_mut(&name), value) {
            (Some(Value::Object(into)), Value::Object(more)) => merge(into, more),
            (_, value) => _ = into.insert(name, value),
        }
    }
}
