//! Calls the JavaScript handler.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use http::Request;
use js_sys::Math;
use mcp_sieve_bindings_fetch::{exchange, now, sleep};
use mcp_sieve_gateway::upstream::{Chunks, Fetch, FetchError, Lister};
use wasm_bindgen::{JsCast, JsError, JsValue};
use wasm_bindgen_futures::future_to_promise;
use web_sys::{RequestInit, Response};

use super::{handling::Handling, thrown::Thrown};

/// A connection to the handler, on behalf of one request.
#[derive(Clone)]
pub(super) struct HandlerConnection {
    pub handling: Rc<Handling>,
    pub context: JsValue,
    /// Whether requests serve all callers, so that they carry no data of this one.
    pub shared: bool,
}

impl HandlerConnection {
    /// Calls the handler. A body that it has read already is an error, since nothing can be read from it.
    async fn call(&self, init: RequestInit) -> Result<JsValue, JsValue> {
        let response = self.handling.world.call(&self.context, self.shared, &init).await?;
        match response.unchecked_ref::<Response>().body() {
            Some(body) if body.locked() => {
                Err(JsError::new("the handler failed: the body of its response is read already").into())
            }
            _ => Ok(response),
        }
    }
}

impl Fetch for HandlerConnection {
    async fn fetch(&self, request: Request<Vec<u8>>) -> Result<http::Response<Chunks>, FetchError> {
        exchange(request, async |init| self.call(init).await).await.map_err(|error| {
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

    fn lists_changed(&self, _server: &str) {
        let changes = &self.handling.changes;
        changes.set(changes.get() + 1);
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
