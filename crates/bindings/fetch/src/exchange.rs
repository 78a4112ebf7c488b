//! One request, and the body of its response in pieces.

use futures_util::{StreamExt, stream};
use http::{Request, request::Parts};
use js_sys::Uint8Array;
use mcp_sieve_gateway::upstream::{Chunks, FetchError};
use wasm_bindgen::{JsCast, JsError, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    AbortController, ReadableStreamDefaultReader, ReadableStreamReadResult, RequestInit, Response,
};

use crate::headers;

/// A request that is aborted when it, or the body of its response, is dropped.
struct Exchange {
    abort: AbortController,
    body: Option<ReadableStreamDefaultReader>,
}

impl Exchange {
    /// Returns the next bytes of the body, or `None` at its end.
    async fn next(&self) -> Option<Result<Vec<u8>, FetchError>> {
        let read = JsFuture::from(self.body.as_ref()?.read()).await;
        let Ok(read) = read else { return Some(Err(FetchError)) };
        let bytes = read.unchecked_into::<ReadableStreamReadResult>().get_value();
        Some(Ok(bytes.dyn_into::<Uint8Array>().ok()?.to_vec()))
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.abort.abort();
        if let Some(body) = &self.body {
            let cancelled = JsFuture::from(body.cancel());
            // The error of a failed cancellation is useless, but an unhandled rejection would end a Node process.
            spawn_local(async move { drop(cancelled.await) });
        }
    }
}

/// Sends a request by `send`, which resolves with a `Response` whose body is not read yet. Returns the response, with
/// its body in pieces as they arrive. Dropping the future, or later the body, aborts the request.
///
/// # Errors
/// The error of `send`, or an error that the platform throws.
pub async fn exchange(
    request: Request<Vec<u8>>,
    send: impl AsyncFnOnce(RequestInit) -> Result<JsValue, JsValue>,
) -> Result<http::Response<Chunks>, JsValue> {
    let (Parts { method, headers, .. }, body) = request.into_parts();
    let mut exchange = Exchange { abort: AbortController::new()?, body: None };
    let init = RequestInit::new();
    init.set_method(method.as_str());
    init.set_headers_headers(&headers::write(&headers)?);
    init.set_signal(Some(&exchange.abort.signal()));
    if !body.is_empty() {
        init.set_body(&Uint8Array::from(body.as_slice()));
    }
    let response: Response = send(init).await?.unchecked_into();
    let mut built = http::Response::builder().status(response.status());
    if let Some(all) = built.headers_mut() {
        *all = headers::read(&response.headers())?;
    }
    // Streams of Bun start only with `getReader`, not with the constructor of readers.
    exchange.body = response.body().map(|body| body.get_reader().unchecked_into());
    let chunks = stream::unfold(exchange, async |exchange| Some((exchange.next().await?, exchange)));
    built.body(chunks.boxed_local()).map_err(|error| JsError::new(&error.to_string()).into())
}
