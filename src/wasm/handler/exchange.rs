use std::rc::Rc;

use futures_util::{StreamExt, future::LocalBoxFuture, stream};
use gloo_timers::future::TimeoutFuture;
use http::{Request, request::Parts};
use js_sys::{Date, Math, Uint8Array};
use wasm_bindgen::{JsCast, JsError, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise, spawn_local};
use web_sys::{
    AbortController, ReadableStreamDefaultReader, ReadableStreamReadResult, RequestInit, Response,
};

use super::{handling::Handling, headers, thrown::Thrown};
use crate::mcp::{
    Lister,
    upstream::{Chunks, Fetch, FetchError},
};

/// The handler, called on behalf of one request.
#[derive(Clone)]
pub(super) struct Inward {
    pub handling: Rc<Handling>,
    pub context: JsValue,
    /// Whether what is sent serves all callers, so that it carries nothing of this one.
    pub shared: bool,
}

/// One call of the handler, which ends when the request or the body of its response is dropped.
struct Exchange {
    abort: AbortController,
    body: Option<ReadableStreamDefaultReader>,
}

impl Exchange {
    /// The next bytes of the body, or nothing behind the last.
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
            // Why a body cannot be cancelled is of no use any more, and a rejection that nothing handles ends a process.
            spawn_local(async move { drop(cancelled.await) });
        }
    }
}

impl Inward {
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
            // Not by the constructor of readers: streams of Bun begin when they are asked for one.
            exchange.body = Some(body.get_reader().unchecked_into());
        }
        let chunks = stream::unfold(exchange, async |exchange| Some((exchange.next().await?, exchange)));
        built
            .body(chunks.boxed_local())
            .map_err(|error| JsError::new(&format!("the handler failed: {error}")).into())
    }
}

impl Fetch for Inward {
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

impl Lister for Inward {}

/// Returns after so many milliseconds. The timer is cleared when it is no longer waited for.
pub(super) async fn sleep(ms: u64) {
    // Timers of JavaScript count in 32 bits with a sign; a longer one would end at once.
    TimeoutFuture::new(ms.min(i32::MAX as u64) as u32).await;
}

/// Milliseconds since 1970.
pub(super) fn now() -> u64 {
    Date::now() as u64
}
