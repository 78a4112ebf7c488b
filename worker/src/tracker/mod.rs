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
mod long;
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
        RpcError as Failure,
        local::{Continue, Input, LocalRequest, Progress, Reply},
    },
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use worker::{Env, Method, SqlStorage};

use crate::objects::send;

pub(crate) use catalog::lists;
pub(crate) use error::RpcError;
pub use object::TrackerObject;

use long::Turn;
use store::Store;

/// The configuration of the tracker: what its groups, tags and concerns mean.
pub(crate) const CONFIG: &str = include_str!("sieve.jsonc");

/// What the tracker is asked.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    method: String,
    #[serde(default)]
    params: Value,
    /// What the step before said to remember, if this is one of several.
    #[serde(default)]
    state: Option<Value>,
    /// The client's answers to what was asked before.
    #[serde(default)]
    answers: Map<String, Value>,
}

/// What the tracker says to one request: `{"result"}`, or of a tool that takes several steps `{"more"}` or
/// `{"ask"}`.
///
/// A tool that refuses its arguments or fails answers with a result of its own (`isError`), because that is
/// for the model to read; what the request itself got wrong is an error.
///
/// # Errors
/// `-32601` for a method that is not here; `-32602` for a tool, prompt, resource or completion that does not
/// exist and for parameters that are malformed; `-32603` when the storage fails outside a tool.
pub(crate) fn answer(sql: &SqlStorage, request: &Request, now_ms: u64) -> Result<Value, RpcError> {
    let store = Store::open(sql, now_ms)?;
    let Request { method, params, state, answers } = request;
    let result = match method.as_str() {
        "tools/call" => return tools::call(&store, params, Turn { state: state.as_ref(), answers }),
        "prompts/get" => prompts::get(&store, params),
        "resources/read" => resources::read(&store, params),
        "completion/complete" => completion::complete(&store, params),
        other => Err(RpcError::new(RpcError::METHOD_NOT_FOUND, format!("Method not found: {other}"))),
    };
    result.map(|result| json!({ "result": result }))
}

/// Asks the tracker where it lives.
///
/// # Errors
/// What [`answer`] refuses, and a Durable Object that cannot be reached.
pub(crate) async fn ask(env: &Env, ask: &LocalRequest) -> Result<Reply, Failure> {
    let request = Request {
        method: ask.method.clone(),
        params: ask.params.clone(),
        state: ask.state.as_deref().and_then(|state| serde_json::from_slice(state).ok()),
        answers: ask.answers.clone(),
    };
    let asked = async {
        let stub = env.durable_object("TRACKER")?.get_by_name("tracker")?;
        send(&stub, Method::Post, "/", Some(serde_json::to_string(&request)?)).await?.text().await
    };
    let text = asked
        .await
        .map_err(|error| Failure::internal("storage", format!("the tracker cannot be reached: {error}")))?;
    read_answer(&text).unwrap_or_else(|| Err(Failure::internal("storage", "the tracker gave no answer")))
}

/// What [`answer`] gives, or `{"error": {"code", "message", "data"?}}`.
fn read_answer(text: &str) -> Option<Result<Reply, Failure>> {
    let members = Members::parse(text)?;
    let read = |key: &str| serde_json::from_str::<Value>(members.get(key)?.get()).ok();
    let state = |of: &Value| of.get("state").map(|state| state.to_string().into_bytes());
    if let Some(result) = read("result") {
        return Some(Ok(Reply::Result(result)));
    }
    if let Some(more) = read("more") {
        let progress = more.get("progress").and_then(|progress| {
            Some(Progress {
                done: progress.get("done")?.as_f64()?,
                total: progress.get("total")?.as_f64(),
                message: progress.get("message")?.as_str()?.to_owned(),
            })
        });
        let wait_ms = more.get("waitMs").and_then(Value::as_u64).unwrap_or_default();
        return Some(Ok(Reply::Continue(Continue { state: state(&more)?, wait_ms, progress })));
    }
    if let Some(mut question) = read("ask") {
        let (state, params) = (state(&question)?, question.get_mut("params")?.take());
        let input = Input::default().ask(question.get("key")?.as_str()?, "elicitation/create", params);
        return Some(Ok(Reply::Input(input.state(state))));
    }
    let mut error = read("error")?;
    let data = error.get_mut("data").map(Value::take);
    Some(Err(Failure::relayed(error.get("code")?.as_i64()?, error.get("message")?.as_str()?, data)))
}
