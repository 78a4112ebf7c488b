//! A project tracker with its own tools, served by Sieve's Worker: an example of a Worker written in Rust.
//!
//! It is a real application, not a fixture: issues, pull requests, notes, a calendar and places in the SQLite database
//! of one Durable Object. It exercises every feature of the gateway and gives a new user tools to call.
//!
//! `Tracker` is all that Sieve needs: the lists, the configuration, and a function that answers one request. The
//! gateway handles protocol revisions, sessions, filters, tasks and authentication, so this code does not.
//!
//! `catalog` holds the lists. `check` and `args` validate the arguments of a call. `store` is the only file that
//! accesses SQLite. Each kind of data has a file of its own with its tools.

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

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve_gateway::{
    error::RpcError,
    local::{Continue, Input, LocalRequest, LocalServer, Progress, Reply},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use worker::{Env, Method, RequestInit, SqlStorage, event};

pub use object::TrackerObject;

use error::TrackerError;
use long::Turn;
use store::Store;

/// The configuration of the tracker: its groups, tags and concerns.
const CONFIG: &str = include_str!("sieve.jsonc");
/// The name of the Durable Object binding in `wrangler.jsonc`. All callers share the one tracker in it.
const BINDING: &str = "TRACKER";

/// Registers the tracker. Runs in each isolate of the Worker before its first request.
#[event(start)]
fn start() {
    sieve_worker::local::serve(|env| Rc::new(Tracker(env.clone())));
}

/// The local server that Sieve's Worker runs.
struct Tracker(Env);

impl LocalServer for Tracker {
    fn lists(&self) -> String {
        format!("[{}]", catalog::lists().join(","))
    }

    fn config(&self) -> &str {
        CONFIG
    }

    fn answer(&self, ask: LocalRequest) -> LocalBoxFuture<'static, Result<Reply, RpcError>> {
        let env = self.0.clone();
        async move { self::ask(&env, &ask).await }.boxed_local()
    }
}

/// A request to the Durable Object.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    method: String,
    #[serde(default)]
    params: Value,
    /// The state returned by the previous step, if the tool runs in steps.
    #[serde(default)]
    state: Option<Value>,
    /// The client's answers to earlier questions, by question key.
    #[serde(default)]
    answers: Map<String, Value>,
}

/// Returns the tracker's reply to one request: `{"result"}`, or `{"more"}` or `{"ask"}` from a tool that runs in steps.
///
/// A tool that rejects its arguments or fails returns a result with `isError`, because the model should read the
/// message. A mistake in the request itself is an error.
///
/// # Errors
/// `-32601` for an unknown method. `-32602` for a tool, prompt, resource or completion that does not exist, and for
/// malformed parameters. `-32603` when the storage fails outside a tool.
pub(crate) fn answer(sql: &SqlStorage, request: &Request, now_ms: u64) -> Result<Value, TrackerError> {
    let store = Store::open(sql, now_ms)?;
    let Request { method, params, state, answers } = request;
    let result = match method.as_str() {
        "tools/call" => return tools::call(&store, params, Turn { state: state.as_ref(), answers }),
        "prompts/get" => prompts::get(&store, params),
        "resources/read" => resources::read(&store, params),
        "completion/complete" => completion::complete(&store, params),
        other => Err(TrackerError::new(TrackerError::METHOD_NOT_FOUND, format!("Method not found: {other}"))),
    };
    result.map(|result| json!({ "result": result }))
}

/// Sends a request to the Durable Object and parses its reply.
///
/// # Errors
/// Errors that [`answer`] returns, and a Durable Object that cannot be reached or sends a malformed reply.
async fn ask(env: &Env, ask: &LocalRequest) -> Result<Reply, RpcError> {
    let request = Request {
        method: ask.method.clone(),
        params: ask.params.clone(),
        state: ask.state.as_deref().and_then(|state| serde_json::from_slice(state).ok()),
        answers: ask.answers.clone(),
    };
    let reply = async {
        let mut init = RequestInit::new();
        init.with_method(Method::Post).with_body(Some(serde_json::to_string(&request)?.into()));
        // The binding alone addresses the object; the URL is not used.
        let request = worker::Request::new_with_init("https://tracker", &init)?;
        let stub = env.durable_object(BINDING)?.get_by_name("tracker")?;
        stub.fetch_with_request(request).await?.text().await
    };
    let text = reply
        .await
        .map_err(|error| RpcError::internal("storage", format!("the tracker cannot be reached: {error}")))?;
    read_answer(&text).unwrap_or_else(|| Err(RpcError::internal("storage", "the tracker gave no answer")))
}

/// Parses the return value of [`answer`], or `{"error": {"code", "message", "data"?}}`. Returns `None` if malformed.
fn read_answer(text: &str) -> Option<Result<Reply, RpcError>> {
    let mut members: Map<String, Value> = serde_json::from_str(text).ok()?;
    let mut read = |key: &str| members.remove(key);
    let state = |of: &Value| of.get("state").map(|state| state.to_string().into_bytes());
    if let Some(result) = read("result") {
        return Some(Ok(Reply::Result(result)));
    }
    if let Some(more) = read("more") {
        let progress = more.get("progress").and_then(|progress| {
            let done = Progress::new(progress.get("done")?.as_f64()?, progress.get("message")?.as_str()?);
            Some(progress.get("total")?.as_f64().map_or(done.clone(), |total| done.of(total)))
        });
        let wait_ms = more.get("waitMs").and_then(Value::as_u64).unwrap_or_default();
        let next = Continue::new(state(&more)?).after(wait_ms);
        return Some(Ok(Reply::Continue(match progress {
            Some(progress) => next.with_progress(progress),
            None => next,
        })));
    }
    if let Some(mut question) = read("ask") {
        let (state, params) = (state(&question)?, question.get_mut("params")?.take());
        let input = Input::default().ask(question.get("key")?.as_str()?, "elicitation/create", params);
        return Some(Ok(Reply::Input(input.state(state))));
    }
    let mut error = read("error")?;
    let data = error.get_mut("data").map(Value::take);
    Some(Err(RpcError::relayed(error.get("code")?.as_i64()?, error.get("message")?.as_str()?, data)))
}
