//! Calls the JavaScript handler, and reads the body of its response.

use std::rc::Rc;

use futures_util::{StreamExt, future::LocalBoxFuture, stream};
use gloo_timers::future::TimeoutFuture;
use http::{Request, request::Parts};
use js_sys::{Date, Math, Uint8Array};
use mcp_sieve_gateway::upstream::{Chunks, Fetch, FetchError, Lister};
use wasm_bindgen::{JsCast, JsError, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise, spawn_local};
use web_sys::{
    AbortController, ReadableStreamDefaultReader, ReadableStreamReadResult, RequestInit, Response,
};

use super::{handling::Handling, headers, thrown::Thrown};

/// A connection to the handler, on behalf of one request.
#[derive(Clone)]
pub(super) struct HandlerConnection {
    pub handling: Rc<Handling>,
    pub context: JsValue,
    /// Whether requests serve all callers, so that they carry no data of this one.
    pub shared: bool,
}

/// A call of the handler, which is aborted when the request or the body of its response is dropped.
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

impl HandlerConnection {
    async fn call(&self, request: Request<Vec<u8>>) -> Result<http::Response<Chunks>, JsValue> {
        let (Parts { method, headers, .. }, body) = request.into_parts();
        let mut exchange = Exchange { abort: AbortController::new()?, body: None };
        let init = RequestInit::new();
        init.set_method(method.as_str());
        init.set_headers_headers(&headers::write(&headers)?);
        init.set_signal(Some(&exchange.abort.signal()));
        if !body.is_empty() {
            init.set_body(&Uint8Array::from(body.as_slice()));
        }
        let response = self.handling.world.call(&self.context, self.shared, &init).await?;
        let response: Response = response.unchecked_into();
        let mut built = http::Response::builder().status(response.status());
        if let Some(all) = built.headers_mut() {
            *all = headers::read(&response.headers())?;
        }
        if let Some(body) = response.body() {
            if body.locked() {
                return Err(
                    JsError::new("the handler failed: the body of its response is read already").into()
                );
            }
            // Streams of Bun start only with `getReader`, not with the constructor of readers.
            exchange.body = Some(body.get_reader().unchecked_into());
        }
        let chunks = stream::unfold(exchange, async |exchange| Some((exchange.next().await?, exchange)));
        built
            .body(chunks.boxed_local())
            .map_err(|error| JsError::new(&format!("the handler failed: {error}")).into())
    }
}

impl Fetch for HandlerConnection {
    async fn fetch(&self, request: Request<Vec<u8>>) -> Result<http::Response<Chunks>, FetchError> {
        self.call(request).await.map_err(|error| {
            self.handling.world.note(&Thrown::read(&error).message);
            FetchError
        })
    }

    async fn sleep(&self, ms: u64) {
        sleep(ms).await;
    }

    fn shared(&self) -> Self {
        Self { shared: true, ..self.clone() }
    }

    fn now(&self) -> u64 {
        now()
    }

    fn chance(&self) -> f64 {
        Math::random()
    }

    fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
        let promise = future_to_promise(async move {
            work.await;
            Ok(JsValue::UNDEFINED)
        });
        self.handling.world.wait(&self.context, promise);
    }
}

impl Lister for HandlerConnection {}

/// Waits for `ms` milliseconds. The timer is cleared when the future is dropped.
pub(super) async fn sleep(ms: u64) {
    // JavaScript timers have a signed 32-bit delay; a longer one would fire at once.
    TimeoutFuture::new(ms.min(i32::MAX as u64) as u32).await;
}

/// Returns the time, in milliseconds since 1970.
pub(super) fn now() -> u64 {
    Date::now() as u64
}
