//! Callers with and without a session.

use std::rc::Rc;

use http::Method;
use serde_json::{Value, json};

use crate::{
    client::{json_of, modern, request, send_as},
    host::World,
    store::Store,
};

pub const EXTENSION: &str = "io.modelcontextprotocol/tasks";
pub const RELATED: &str = "io.modelcontextprotocol/related-task";

/// Returns a fixture world with an empty task store.
pub fn world(name: &str) -> (World, Rc<Store>) {
    let (world, store) = (World::named(name), Rc::<Store>::default());
    world.store.replace(Some(Rc::clone(&store)));
    (world, store)
}

/// A caller with or without a session.
pub struct Caller<'a> {
    pub world: &'a World,
    pub token: Option<&'static str>,
    pub session: Option<String>,
    pub member: bool,
}

impl<'a> Caller<'a> {
    /// Opens a session.
    pub fn legacy(world: &'a World, version: &str, token: Option<&'static str>) -> Self {
        let mut caller = Self { world, token, session: None, member: false };
        let params = json!({"protocolVersion": version, "capabilities": {"elicitation": {}}, "clientInfo": {"name": "c", "version": "1"}});
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let (head, _) = send_as(world, token, &request(Method::POST, &[], &body));
        caller.session = Some(head.headers["mcp-session-id"].to_str().unwrap().to_owned());
        caller
    }

    /// Returns a caller without a session.
    pub fn modern(world: &'a World, token: Option<&'static str>) -> Self {
        Self { world, token, session: None, member: false }
    }

    pub fn open(&self, method: &str, params: Value) -> mcp_sieve_gateway::server::Body {
        let mut sent = match &self.session {
            Some(session) => {
                let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
                request(Method::POST, &[("mcp-session-id", session)], &body)
            }
            None => {
                let id = params["taskId"].as_str().map(str::to_owned);
                let capabilities = json!({"elicitation": {}, "extensions": {EXTENSION: {}}});
                let mut sent = modern(method, params, &capabilities);
                id.iter().for_each(|id| _ = sent.headers_mut().insert("mcp-name", id.parse().unwrap()));
                sent
            }
        };
        if self.member {
            sent.headers_mut().insert("x-member", "yes".parse().unwrap());
        }
        send_as(self.world, self.token, &sent).1
    }

    pub fn ask(&self, method: &str, params: Value) -> Value {
        json_of(self.open(method, params))
    }

    /// Starts a task and returns its id.
    pub fn begin(&self, tool: &str) -> String {
        let params = match self.session {
            Some(_) => json!({"name": tool, "task": {"ttl": 60_000}}),
            None => json!({"name": tool}),
        };
        let begun = self.ask("tools/call", params);
        let result = &begun["result"];
        let task = if self.session.is_some() { &result["task"] } else { result };
        task["taskId"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned()
    }

    pub fn listed(&self, params: Value) -> Vec<String> {
        ids(&self.list(params))
    }

    pub fn list(&self, params: Value) -> Value {
        let method = if self.session.is_some() { "tasks/list" } else { "dev.mcpsieve/tasks/query" };
        self.ask(method, params)
    }
}

pub fn ids(reply: &Value) -> Vec<String> {
    let tasks = reply["result"]["tasks"].as_array().unwrap_or_else(|| panic!("{reply}"));
    tasks.iter().map(|task| task["taskId"].as_str().unwrap().to_owned()).collect()
}
