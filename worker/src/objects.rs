//! Durable Objects, as the Worker addresses them.

use mcp_sieve::mcp::RpcError;
use worker::{Env, Method, Request, RequestInit, Response, Stub, wasm_bindgen::JsValue};

/// Only the path says anything.
const OBJECT: &str = "https://object";

/// The object of one session.
pub(crate) fn session(env: &Env, id: &str) -> worker::Result<Stub> {
    env.durable_object("SESSIONS")?.get_by_name(id)
}

/// Asks an object.
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

/// A request to an object.
pub(crate) fn request(path: &str, init: &RequestInit) -> worker::Result<Request> {
    Request::new_with_init(&format!("{OBJECT}{path}"), init)
}

/// What a caller is told when an object does not answer.
pub(crate) fn lost(what: &str, error: &worker::Error) -> RpcError {
    RpcError::internal("storage", format!("{what} cannot be reached: {error}"))
}
