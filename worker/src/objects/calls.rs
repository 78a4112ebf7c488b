//! Requests to Durable Objects, and their responses.

use futures_util::StreamExt;
use mcp_sieve_gateway::error::RpcError;
use serde_json::Value;
use worker::{
    Env, Method, Request, RequestInit, Response, Stub,
    js_sys::Uint8Array,
    wasm_bindgen::{JsValue, prelude::wasm_bindgen},
    wasm_bindgen_futures::JsFuture,
    web_sys,
};

use crate::pieces;

#[wasm_bindgen(module = "/object.js")]
extern "C" {
    /// Builds a request to an object.
    #[wasm_bindgen(js_name = request)]
    fn build(url: &str, method: &str, body: Option<String>) -> web_sys::Request;

    /// Builds the response of an object, with one copy of the bytes.
    pub(crate) fn respond(bytes: &[u8]) -> web_sys::Response;

    /// Builds the response of an object from `head` and the blobs that a query finds under a name. Returns nothing if
    /// there are none.
    #[wasm_bindgen(catch, js_name = respondStored)]
    pub(super) fn respond_stored(
        sql: &JsValue,
        query: &str,
        name: &str,
        head: &[u8],
    ) -> std::result::Result<Option<web_sys::Response>, JsValue>;
}

/// The header with the length of the bodies of [`respond`] and `respond_stored`.
const LENGTH: &str = "x-length";
/// Length, in bytes, of the pieces in which a long response is read. All are read into the same buffer, and each costs
/// a turn.
const PIECE: usize = 256 * 1024;

/// Host of the URLs that objects are called with. Objects read only the path.
const OBJECT: &str = "https://object";

/// Returns an object of sessions, suspended calls or the key, by its name.
pub(crate) fn session_object(env: &Env, name: &str) -> worker::Result<Stub> {
    env.durable_object("SESSIONS")?.get_by_name(name)
}

/// Sends a request to an object.
pub(crate) async fn send(
    stub: &Stub,
    method: Method,
    path: &str,
    body: Option<String>,
) -> worker::Result<Response> {
    let request = build(&[OBJECT, path].concat(), method.as_ref(), body);
    stub.fetch_with_request(request.into()).await
}

/// Sends a request to an object and returns the body of its response, or `None` if the object does not know what is
/// asked for.
///
/// # Errors
/// When the object does not answer or fails, as it does if its storage cannot be opened.
pub(crate) async fn ask(
    stub: &Stub,
    method: Method,
    path: &str,
    body: Option<String>,
) -> worker::Result<Option<Vec<u8>>> {
    let mut response = send(stub, method, path, body).await?;
    match response.status_code() {
        200 => read_body(response).await.map(Some),
        404 => Ok(None),
        status => {
            let text = response.text().await.unwrap_or_default();
            Err(worker::Error::RustError(format!("its object failed with status {status}: {text}")))
        }
    }
}

/// Reads the body of a response whole. The crate `worker` reads it through a stream, in small pieces.
pub(crate) async fn read_body(response: Response) -> worker::Result<Vec<u8>> {
    let buffer = JsFuture::from(web_sys::Response::from(response).array_buffer()?).await?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

/// Reads a response of [`respond`], which can be long, in pieces, so that the platform has no copy of the whole.
pub(crate) async fn read_long(response: Response) -> worker::Result<Vec<u8>> {
    let body = web_sys::Response::from(response);
    let length = body.headers().get(LENGTH).ok().flatten().and_then(|length| length.parse().ok());
    let (Some(length), Some(stream)) = (length, body.body()) else { return read_body(body.into()).await };
    let mut bytes = Vec::with_capacity(length);
    let mut pieces = pieces::read(&stream, length.clamp(1, PIECE))?;
    while let Some(piece) = pieces.next().await {
        bytes.extend_from_slice(&piece?);
    }
    Ok(bytes)
}

/// Builds a request to an object.
pub(crate) fn request(path: &str, init: &RequestInit) -> worker::Result<Request> {
    Request::new_with_init(&format!("{OBJECT}{path}"), init)
}

/// Returns the failure that a caller gets if an object does not answer. Objects that exist answer, unless their process
/// lacks a resource or restarts, so the caller may try again.
pub(crate) fn lost(what: &str, error: &worker::Error) -> RpcError {
    RpcError::storage_unavailable(what, error)
}

/// Parses an error that an object wrote with [`RpcError::to_json`].
pub(super) fn failure_from_json(error: &Value) -> RpcError {
    let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    RpcError::relayed(code, message, error.get("data").cloned())
}
