//! The built-in backend: a small project tracker that the Worker serves when it stands in front of nothing.
//!
//! It is a real application, not a fixture: issues, pull requests, notes, a calendar and places in the
//! SQLite of one Durable Object. It gives every feature of the gateway something to work on, and a new
//! user something to call.
//!
//! Nothing here knows of eras, sessions or filters. The protocol core asks [`lists`] for what there is
//! and [`answer`] for the result of one request; everything the wire needs besides is its business.
//!
//! `catalog` holds the lists, `check` and `args` stand between a caller and a tool, `store` is the only
//! file that talks to SQLite, and each kind of thing has a file of its own with its tools.

mod args;
mod calendar;
mod catalog;
mod check;
mod comments;
mod completion;
mod error;
mod free_time;
mod geo;
mod instant;
mod issues;
mod labels;
mod limits;
mod markdown;
mod notes;
mod object;
mod places;
mod prompts;
mod pulls;
mod resources;
mod schema;
mod search;
mod status;
mod store;
mod tools;

use mcp_sieve::{
    json::Members,
    mcp::{
        Failure,
        own::{Ask, Reply},
    },
};
use serde_json::{Value, json};
use worker::{Env, Method, SqlStorage};

use crate::objects::send;

pub(crate) use catalog::lists;
pub(crate) use error::RpcError;
pub use object::TrackerObject;

use store::Store;

/// The JSON-RPC result of one request to the tracker.
///
/// A tool that refuses its arguments or fails answers with a result of its own (`isError`), because that is
/// for the model to read; what the request itself got wrong is an error.
///
/// # Errors
/// `-32601` for a method that is not here; `-32602` for a tool, prompt, resource or completion that does not
/// exist and for parameters that are malformed; `-32603` when the storage fails outside a tool.
pub(crate) fn answer(sql: &SqlStorage, method: &str, params: &Value, now_ms: u64) -> Result<Value, RpcError> {
    let store = Store::open(sql, now_ms)?;
    match method {
        "tools/call" => tools::call(&store, params),
        "prompts/get" => prompts::get(&store, params),
        "resources/read" => resources::read(&store, params),
        "completion/complete" => completion::complete(&store, params),
        other => Err(RpcError::new(RpcError::METHOD_NOT_FOUND, format!("Method not found: {other}"))),
    }
}

/// Asks the tracker where it lives.
///
/// # Errors
/// What [`answer`] refuses, and a Durable Object that cannot be reached.
pub(crate) async fn ask(env: &Env, ask: &Ask) -> Result<Reply, Failure> {
    let question = json!({"method": ask.method, "params": ask.params}).to_string();
    let asked = async {
        let stub = env.durable_object("TRACKER")?.get_by_name("tracker")?;
        send(&stub, Method::Post, "/", Some(question)).await?.text().await
    };
    let text = asked
        .await
        .map_err(|error| Failure::internal("storage", format!("the tracker cannot be reached: {error}")))?;
    read_answer(&text).unwrap_or_else(|| Err(Failure::internal("storage", "the tracker gave no answer")))
}

/// `{"result": …}` or `{"error": {"code", "message", "data"?}}`.
fn read_answer(text: &str) -> Option<Result<Reply, Failure>> {
    let members = Members::parse(text)?;
    if let Some(result) = members.get("result") {
        return Some(Ok(Reply::Result(serde_json::from_str(result.get()).ok()?)));
    }
    let mut error: Value = serde_json::from_str(members.get("error")?.get()).ok()?;
    let data = error.get_mut("data").map(Value::take);
    Some(Err(Failure::relayed(error.get("code")?.as_i64()?, error.get("message")?.as_str()?, data)))
}
