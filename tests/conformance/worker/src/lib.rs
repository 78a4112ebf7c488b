//! The server that the official conformance suite expects, so that the suite can test Sieve's Worker: the same crate
//! with its own tools.

mod calls;
mod content;
mod input;
mod prompts;
mod resources;
mod tasks;

use std::{
    rc::Rc,
    sync::atomic::{AtomicBool, Ordering},
};

use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve_gateway::{
    error::RpcError,
    local::{LocalRequest, LocalServer, Reply},
    streams::Change,
};
use serde_json::{Value, json};
use worker::{Env, event};

/// Whether the tool that `toggle` adds and removes is listed.
static TOOL: AtomicBool = AtomicBool::new(false);
/// Whether the prompt that `toggle` adds and removes is listed.
static PROMPT: AtomicBool = AtomicBool::new(false);

#[event(start)]
fn start() {
    sieve_worker::local::serve(|env| Rc::new(Fixtures(env.clone())));
}

struct Fixtures(Env);

impl LocalServer for Fixtures {
    fn lists(&self) -> String {
        let mut lists: Value = serde_json::from_str(include_str!("lists.json")).unwrap_or_default();
        for (key, there, item) in [
            (
                "tools",
                &TOOL,
                json!({"name": "test_changing_tool", "description": "Comes and goes", "inputSchema": {"type": "object"}}),
            ),
            ("prompts", &PROMPT, json!({"name": "test_changing_prompt", "description": "Comes and goes"})),
        ] {
            if there.load(Ordering::Relaxed)
                && let Some(list) = lists.get_mut(key).and_then(Value::as_array_mut)
            {
                list.push(item);
            }
        }
        if let Some(tools) = lists.get_mut("tools").and_then(Value::as_array_mut) {
            tools.extend(tasks::lists());
        }
        lists.to_string()
    }

    /// Returns a minute. Changes before that are announced.
    fn ttl_ms(&self) -> u64 {
        60_000
    }

    fn config(&self) -> &str {
        r#"{"server": {"name": "sieve-conformance", "version": "1.0.0"}}"#
    }

    fn answer(&self, ask: LocalRequest) -> LocalBoxFuture<'static, Result<Reply, RpcError>> {
        let env = self.0.clone();
        async move {
            match ask.method.as_str() {
                "tools/call" => calls::call(&env, &ask).await,
                "prompts/get" => prompts::get(&ask),
                "resources/read" => resources::read(&ask).map(Reply::Result),
                _ => Ok(Reply::Result(json!({"completion": {"values": [], "total": 0, "hasMore": false}}))),
            }
        }
        .boxed_local()
    }
}

/// Adds or removes the changing tool or prompt, and notifies the listeners.
async fn toggle(env: &Env, change: Change) -> Result<Value, RpcError> {
    let there = if change == Change::Tools { &TOOL } else { &PROMPT };
    there.fetch_xor(true, Ordering::Relaxed);
    sieve_worker::announce(env, &[change])
        .await
        .map_err(|error| RpcError::internal("storage", format!("the changes: {error}")))?;
    Ok(content::text("changed"))
}

/// Returns a required string parameter.
fn text(value: &Value, pointer: &str) -> Result<String, RpcError> {
    let found = value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    found.ok_or_else(|| RpcError::params(format!("`{pointer}` is required, a string")))
}
