//! The Durable Objects of the Worker: one file or folder for each class, with the functions that call it.

use mcp_sieve::mcp::RpcError;
use serde_json::Value;
use worker::{Env, Method, Request, RequestInit, Response, Stub, wasm_bindgen::JsValue};

pub(crate) mod audit;
pub(crate) mod catalog;
pub(crate) mod documents;
pub(crate) mod event_log;
pub(crate) mod listeners;
mod ndjson;
pub(crate) mod rate_limit;
pub(crate) mod session;
mod sql;
pub(crate) mod suspended_calls;
pub(crate) mod tasks;

/// Host of the URLs that objects are called with. Objects read only the path.
const OBJECT: &str = "https://object";

/// Returns the object of one session, by its id.
pub(crate) fn session_object(env: &Env, id: &str) -> worker::Result<Stub> {
    env.durable_object("SESSIONS")?.get_by_name(id)
}

/// Sends a request to an object.
pub(crate) async fn send(
    stub: &Stub,
    method: Method,
    path: &str,
    body: Option<String>,
) -> worker::Result<Response> {
    let mut init = RequestInit::new();
    init.with_method(method).with_body(body.map(|body| JsValue::from_str(&body)));
    stub.fetch_with_request(request(path, &init)?).await
}

/// Builds a request to an object.
pub(crate) fn request(path: &str, init: &RequestInit) -> worker::Result<Request> {
    Request::new_with_init(&format!("{OBJECT}{path}"), init)
}

/// Returns the failure that a caller gets if an object does not answer.
pub(crate) fn lost(what: &str, error: &worker::Error) -> RpcError {
    RpcError::internal("storage", format!("{what} cannot be reached: {error}"))
}

/// Reads a failure that an object sent with [`Failure::to_json`].
fn failure_from_json(error: &Value) -> RpcError {
    let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    RpcError::relayed(code, message, error.get("data").cloned())
}
