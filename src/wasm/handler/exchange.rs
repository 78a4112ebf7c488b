use std::rc::Rc;

use futures_util::{StreamExt, future::LocalBoxFuture, stream};
use gloo_timers::future::TimeoutFuture;
use http::{Request, Response};
use js_sys::{Date, Math, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::future_to_promise;

use super::{Exchange, host::Handling, pairs, thrown::Thrown};
use crate::mcp::upstream::{Chunks, Fetch, FetchError};

/// The handler, called on behalf of one request.
#[derive(Clone)]
pub(super) struct Inward {
    pub handling: Rc<Handling>,
    pub context: JsValue,
    /// Whether what is sent serves all callers, so that it carries nothing of this one.
    pub shared: bool,
}

/// Tells the handler when the request or its body is dropped.
struct Held(Exchange);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Fetch for Inward {
    async fn fetch(&self, request: Request<Vec<u8>>) -> Result<Response<Chunks>, FetchError> {
        let world = &self.handling.world;
        let lost = |error: JsValue| {
            world.note(&Thrown::read(&error).message);
            FetchError
        };
        let (head, body) = request.into_parts();
        let exchange =
            world.call(&self.context, self.shared, head.method.as_str(), super::flat(&head.headers), body);
        let held = Held(exchange.map_err(lost)?);
        held.0.begun().await.map_err(lost)?;
        let mut built = Response::builder().status(held.0.status());
        if let Some(headers) = built.headers_mut() {
            headers.extend(pairs(&held.0.headers()));
        }
        let chunks = stream::unfold(held, async |held| {
            let piece = held.0.next().await;
            match piece {
                Ok(piece) => piece.dyn_into::<Uint8Array>().ok().map(|bytes| (Ok(bytes.to_vec()), held)),
                Err(_) => Some((Err(FetchError), held)),
            }
        });
        built.body(chunks.boxed_local()).map_err(|_| FetchError)
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

/// Returns after so many milliseconds. The timer is cleared when it is no longer waited for.
pub(super) async fn sleep(ms: u64) {
    // Timers of JavaScript count in 32 bits with a sign; a longer one would end at once.
    TimeoutFuture::new(ms.min(i32::MAX as u64) as u32).await;
}

/// Milliseconds since 1970.
pub(super) fn now() -> u64 {
    Date::now() as u64
}
