//! Converts responses to those of the platform, including event streams.

use std::{cell::RefCell, rc::Rc};

use futures_util::{
    StreamExt,
    future::{AbortHandle, Abortable},
};
use http::response::Parts;
use js_sys::{Promise, Uint8Array};
use mcp_sieve_bindings_fetch::headers;
use mcp_sieve_gateway::{error::RpcError, host::Pieces, server::Body};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::{
    AbortSignal, QueuingStrategy, ReadableStream, ReadableStreamDefaultController, Response, ResponseInit,
};

/// Converts a response to one of the platform. A streamed body ends when `signal` aborts.
///
/// # Errors
/// Errors that the platform throws, such as for a response that it rejects.
pub(super) fn response(
    response: http::Response<Body>,
    signal: Option<&AbortSignal>,
) -> Result<Response, JsValue> {
    let (Parts { status, headers, .. }, body) = response.into_parts();
    let init = ResponseInit::new();
    init.set_status(status.as_u16());
    init.set_headers_headers(&headers::write(&headers)?);
    let whole = match body {
        Body::Empty => None,
        // The body is copied: the platform may keep it, and the core's memory may move.
        Body::Json(json) => Some(Uint8Array::from(json.as_slice())),
        Body::Events(events) => {
            let body = StreamSource::open(events.map(Ok).boxed_local(), signal)?;
            return Response::new_with_opt_readable_stream_and_init(Some(&body), &init);
        }
        Body::Passthrough(response) => {
            let body = StreamSource::open(response.into_pieces(), signal)?;
            return Response::new_with_opt_readable_stream_and_init(Some(&body), &init);
        }
    };
    Response::new_with_opt_js_u8_array_and_init(whole.as_ref(), &init)
}

/// The source of the pieces of a streamed response: the `UnderlyingSource` of a `ReadableStream`.
#[wasm_bindgen]
#[allow(missing_debug_implementations, reason = "it is held by JavaScript alone")]
pub struct StreamSource(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    ended: bool,
    /// The pieces; `None` while the next one is awaited.
    pieces: Option<Pieces>,
    /// The handle that ends the wait for the next piece, and drops the pieces.
    waiting: Option<AbortHandle>,
    /// The listener that ends the stream when the request is aborted.
    abort: Option<AbortListener>,
}

#[wasm_bindgen]
impl StreamSource {
    /// Resolves when the next piece is in the stream, or when the stream is closed after the last.
    pub fn pull(&self, controller: ReadableStreamDefaultController) -> Promise {
        let state = Rc::clone(&self.0);
        future_to_promise(async move {
            match next(&state).await {
                Some(Ok(piece)) => controller.enqueue_with_chunk(&Uint8Array::from(piece.as_slice()))?,
                Some(Err(failure)) => {
                    end(&state);
                    controller.error_with_e(&JsError::new(&failure.message).into());
                }
                None => {
                    end(&state);
                    controller.close()?;
                }
            }
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Ends the stream when its reader cancels it.
    pub fn cancel(&self) {
        end(&self.0);
    }
}

impl StreamSource {
    fn open(pieces: Pieces, signal: Option<&AbortSignal>) -> Result<ReadableStream, JsValue> {
        let state = Rc::new(RefCell::new(State { pieces: Some(pieces), ..State::default() }));
        // A server that calls the handler in its own process may abort the request without cancelling the response.
        match signal {
            Some(signal) if signal.aborted() => end(&state),
            Some(signal) => {
                let weak = Rc::downgrade(&state);
                let end = move || {
                    if let Some(state) = weak.upgrade() {
                        end(&state);
                    }
                };
                state.borrow_mut().abort = Some(AbortListener::new(signal.clone(), end)?);
            }
            None => {}
        }
        let source = JsValue::from(Self(state));
        let strategy = QueuingStrategy::new();
        // Pieces are produced only on demand.
        strategy.set_high_water_mark(0.0);
        ReadableStream::new_with_underlying_source_and_strategy(source.unchecked_ref(), &strategy)
    }
}

/// A listener for the abortion of a signal. It is removed when it is dropped.
struct AbortListener {
    signal: AbortSignal,
    listener: Closure<dyn FnMut()>,
}

impl AbortListener {
    fn new(signal: AbortSignal, hear: impl FnOnce() + 'static) -> Result<Self, JsValue> {
        let listener = Closure::once(hear);
        signal.add_event_listener_with_callback("abort", listener.as_ref().unchecked_ref())?;
        Ok(Self { signal, listener })
    }
}

impl Drop for AbortListener {
    fn drop(&mut self) {
        // Removing an existing listener does not fail.
        let _ =
            self.signal.remove_event_listener_with_callback("abort", self.listener.as_ref().unchecked_ref());
    }
}

/// Returns the next piece; `None` at the end, or if the stream was ended in the meantime.
async fn next(state: &RefCell<State>) -> Option<Result<Vec<u8>, RpcError>> {
    let (handle, registration) = AbortHandle::new_pair();
    let mut pieces = {
        let mut state = state.borrow_mut();
        state.waiting = Some(handle);
        state.pieces.take()?
    };
    // If it were not aborted, a call whose client has disconnected would continue until its next event.
    let piece = Abortable::new(pieces.next(), registration).await.ok().flatten()?;
    let mut state = state.borrow_mut();
    if state.ended {
        return None;
    }
    state.pieces = Some(pieces);
    Some(piece)
}

fn end(state: &RefCell<State>) {
    // The old state is dropped after the borrow ends, because dropping the pieces may abort other requests.
    let ended = state.replace(State { ended: true, ..State::default() });
    ended.waiting.iter().for_each(AbortHandle::abort);
}
