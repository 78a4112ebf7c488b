//! Answers requests for `worker/entry.js` in one call from JavaScript to WebAssembly.

use std::{
    future::poll_fn,
    pin::Pin,
    rc::Rc,
    sync::Arc,
    task::{Context as TaskContext, Poll, Wake, Waker},
};

use futures_util::task::AtomicWaker;
use http::StatusCode;
use mcp_sieve_gateway::server::{Body, Endpoint};
use worker::{
    Context, Env, Result,
    js_sys::Promise,
    wasm_bindgen::{JsValue, prelude::wasm_bindgen},
    wasm_bindgen_futures::future_to_promise,
    web_sys, worker_sys,
};

use super::{
    body::Source,
    convert::{head_text, parse_head},
    mcp::{self, Reply},
};
use crate::{
    console,
    plan::{Outcome, Plan},
};

#[wasm_bindgen(module = "/response.js")]
extern "C" {
    /// Builds the platform's response of a status, the headers as [`head_text`] writes them, and a copy of a body.
    fn respond(status: u16, head: &str, body: Option<&[u8]>) -> JsValue;
}

#[wasm_bindgen(module = "/plan.js")]
extern "C" {
    /// Builds the plan of a POST: its address, the headers as [`head_text`] writes them, a copy of the body, and the work that
    /// waits for the response.
    #[wasm_bindgen(js_name = plan)]
    fn planned(url: &str, head: &str, body: &[u8], work: PlannedWork) -> JsValue;
}

/// The waker of an answer: it wakes nothing at first, and then the promise. `worker::Delay` keeps the waker of its
/// first poll, so every poll uses this one.
#[derive(Default)]
struct Relay(AtomicWaker);

impl Wake for Relay {
    fn wake(self: Arc<Self>) {
        self.0.wake();
    }
}

/// Answers a request without a session, at the MCP endpoint or for a list as a resource. `head` is the request as
/// `parse_head` reads it. `body` is its body, empty if the method has none. `arriving` is the promise of a body that is
/// late, and `stream` a body that is long or of unknown length.
///
/// Returns a `Response`; a plan, if the answer is that of an upstream server and nothing has to be awaited before; or the
/// promise of a response.
#[wasm_bindgen]
pub fn answer(
    head: &str,
    body: Option<Vec<u8>>,
    arriving: Option<Promise>,
    unread: Option<web_sys::Request>,
    env: Env,
    context: worker_sys::Context,
) -> JsValue {
    if let Some(body) = &body
        && let Some(response) =
            mcp::kept(head, body, |answer| respond(StatusCode::OK.as_u16(), &answer.head, Some(&answer.body)))
    {
        return response;
    }
    let (text, head) = (head.to_owned(), parse_head(head));
    let source = match (arriving, unread) {
        (Some(promise), _) => Source::Arriving(promise),
        (_, Some(request)) => Source::Unread(request),
        _ => Source::Bytes(body.unwrap_or_default()),
    };
    let plan = Rc::new(Plan::default());
    let of_request = Rc::clone(&plan);
    let mut work = Box::pin(async move {
        let context = Context::new(context);
        match head {
            Ok(head) if Endpoint::from_path(head.uri().path()).is_some() => {
                mcp::answer_read(head, &text, source, &env, context, of_request).await
            }
            head => Ok(Reply::Core(mcp::list(head, &env, context).await)),
        }
    });
    let relay = Arc::new(Relay::default());
    let waker = Waker::from(Arc::clone(&relay));
    let mut poll = move || Pin::new(&mut work).poll(&mut TaskContext::from_waker(&waker));
    if let Poll::Ready(reply) = poll() {
        return write(reply);
    }
    if let Some(request) = plan.take_request() {
        let (head, body) = request.into_parts();
        let (url, headers) = (head.uri.to_string(), head_text(&head.headers));
        return planned(&url, &headers, &body, PlannedWork { poll: Box::new(poll), relay, plan });
    }
    plan.close();
    rest(poll, relay)
}

/// Returns the promise of the response to a request that is under way.
fn rest(mut poll: impl FnMut() -> Poll<Result<Reply>> + 'static, relay: Arc<Relay>) -> JsValue {
    let rest = poll_fn(move |task| {
        relay.0.register(task.waker());
        poll()
    });
    future_to_promise(async move { Ok(write(rest.await)) }).into()
}

/// The work on a request whose plan the entry carries out.
#[wasm_bindgen]
#[allow(missing_debug_implementations, reason = "a future has nothing to show")]
pub struct PlannedWork {
    poll: Box<dyn FnMut() -> Poll<Result<Reply>>>,
    relay: Arc<Relay>,
    plan: Rc<Plan>,
}

#[wasm_bindgen]
impl PlannedWork {
    /// Looks at the outer members of a whole response. Returns the headers for the client, as [`head_text`] writes them, if
    /// the response passes on as it is; nothing if it has to be handed over.
    pub fn read(&mut self, response: &[u8]) -> JsValue {
        let Some(mut members) = self.plan.take_members() else { return JsValue::UNDEFINED };
        if members.push(response).is_err() || members.finish().is_err() || !members.is_complete() {
            return JsValue::UNDEFINED;
        }
        self.plan.end(Outcome::Passed);
        match (self.poll)() {
            Poll::Ready(Ok(Reply::Core(reply))) if passes(&reply) => {
                let (head, body) = reply.into_parts();
                if let Body::Passthrough(passed) = body {
                    passed.count(response.len() as u64);
                }
                head_text(&head.headers).into()
            }
            Poll::Ready(reply) => write(reply),
            Poll::Pending => write(Err("an answer that passes on has to wait".into())),
        }
    }

    /// Goes on with the promise of an answer, as `worker/fetch.js` defines it. `unread` states whether the response may still
    /// pass through. Returns the promise of the response.
    pub fn instead(self, answer: Promise, controller: web_sys::AbortController, unread: bool) -> JsValue {
        self.plan.end(Outcome::Instead { answer, controller, unread });
        rest(self.poll, self.relay)
    }
}

/// Returns whether the platform passes the body on.
fn passes(reply: &http::Response<Body>) -> bool {
    matches!(reply.body(), Body::Passthrough(passed) if passed.is_of_platform())
}

/// Returns the platform's response. Bytes are passed in one call, and events as they arrive.
fn write(reply: Result<Reply>) -> JsValue {
    let reply = reply.and_then(|reply| match reply {
        Reply::Core(response) => {
            let (head, body) = response.into_parts();
            let whole = match body {
                Body::Empty => None,
                Body::Json(json) => Some(json),
                body => return platform(Reply::Core(http::Response::from_parts(head, body))),
            };
            Ok(respond(head.status.as_u16(), &head_text(&head.headers), whole.as_deref()))
        }
        reply => platform(reply),
    });
    reply.unwrap_or_else(|error| {
        console::error(&format!("response: {error}"));
        respond(StatusCode::INTERNAL_SERVER_ERROR.as_u16(), "", Some(b"INTERNAL SERVER ERROR"))
    })
}

fn platform(reply: Reply) -> Result<JsValue> {
    reply.write().map(|response| web_sys::Response::from(response).into())
}
