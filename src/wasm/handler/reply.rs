use std::{cell::RefCell, rc::Rc};

use futures_util::{StreamExt, stream::LocalBoxStream};
use http::Response;
use js_sys::{Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::flat;
use crate::mcp::Body;

/// A response. Its stream ends when it is freed.
#[wasm_bindgen]
#[allow(missing_debug_implementations, reason = "it is held by JavaScript alone")]
pub struct Reply {
    status: u16,
    headers: Vec<String>,
    json: Option<Vec<u8>>,
    events: Option<Rc<RefCell<Option<Events>>>>,
}

type Events = LocalBoxStream<'static, Vec<u8>>;

#[wasm_bindgen]
impl Reply {
    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Names and values in turn.
    pub fn headers(&self) -> Vec<String> {
        self.headers.clone()
    }

    /// The body, where it is whole.
    pub fn json(&mut self) -> Option<Vec<u8>> {
        self.json.take()
    }

    /// Whether the body is a stream.
    pub fn streams(&self) -> bool {
        self.events.is_some()
    }

    /// Resolves with the next event of the stream, or nothing behind the last.
    pub fn next(&self) -> Promise {
        let events = self.events.clone();
        future_to_promise(async move {
            let Some(events) = events else { return Ok(JsValue::UNDEFINED) };
            // The cell is not borrowed while the stream is waited for: the reply may be freed meanwhile.
            let Some(mut stream) = events.borrow_mut().take() else { return Ok(JsValue::UNDEFINED) };
            let Some(event) = stream.next().await else { return Ok(JsValue::UNDEFINED) };
            if Rc::strong_count(&events) > 1 {
                events.replace(Some(stream));
            }
            Ok(Uint8Array::from(event.as_slice()).into())
        })
    }
}

impl Reply {
    pub(super) fn new(response: Response<Body>) -> Self {
        let (head, body) = response.into_parts();
        let (json, events) = match body {
            Body::Empty => (None, None),
            Body::Json(json) => (Some(json), None),
            Body::Events(events) => (None, Some(Rc::new(RefCell::new(Some(events))))),
        };
        Self { status: head.status.as_u16(), headers: flat(&head.headers), json, events }
    }
}
