//! Outgoing HTTP requests through the platform's `fetch`, with streamed bodies and cancellation.

use std::{rc::Rc, task::Poll, time::Duration};

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture, stream};
use http::{HeaderValue, StatusCode, Uri};
use mcp_sieve_gateway::{
    error::RpcError,
    upstream::{
        Chunks, Fetch, FetchError, Identity, Lister, Listing, Sent, Upstream, outer_members::OuterMembers,
    },
};
use worker::{
    Context, Delay, Env,
    js_sys::{Math, Promise},
    wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen},
    wasm_bindgen_futures::JsFuture,
    web_sys::{AbortController, AbortSignal, ReadableStream},
};

use crate::{
    clock, console,
    deployment::{Deployment, variable},
    http::{
        convert::{append_lines, head_text},
        percent,
    },
    objects::{catalog, connections},
    pieces::{LONG_PIECE, PIECE, read},
    plan::{Outcome, Plan},
};

/// The variable with the address at which the only person signs in to a server, without the name of the server, where no
/// browser can reach this gateway.
const SIGN_IN_URL: &str = "SIEVE_SIGN_IN_URL";

#[wasm_bindgen(module = "/fetch.js")]
extern "C" {
    /// A response: its body was read whole, or is a stream, or is empty.
    type Answer;
    #[wasm_bindgen(method, getter)]
    fn status(this: &Answer) -> u16;
    #[wasm_bindgen(method, getter)]
    fn head(this: &Answer) -> String;
    #[wasm_bindgen(method, getter)]
    fn whole(this: &Answer) -> Option<Vec<u8>>;
    #[wasm_bindgen(method, getter)]
    fn rest(this: &Answer) -> Option<ReadableStream>;

    /// Sends a request with the headers as [`head_text`] writes them, and a copy of the body. Resolves with an
    /// [`Answer`].
    fn send(method: &str, url: &str, head: &str, body: Option<&[u8]>, signal: AbortSignal) -> Promise;
}

/// The network, as the platform's `fetch` gives it.
#[derive(Debug, Clone, Default)]
pub(crate) struct EdgeFetch {
    /// The request at the edge, which ends when its client disconnects. Durable Objects have none, since they outlive
    /// requests.
    pub context: Option<Rc<Context>>,
    /// The bindings, if each upstream server is listed by a Durable Object of its own.
    pub objects: Option<Env>,
    /// The Durable Object whose work this is, if it has requests that follow each other.
    pub place: Option<usize>,
    /// The bindings, if listeners are notified when a server announces changed lists during a call.
    pub listeners: Option<Env>,
    /// The plan that the entry carries out, if it answers a request that can have one.
    pub plan: Option<Rc<Plan>>,
    /// The bindings, by which the tokens of callers for upstream servers are found.
    pub connections: Option<Env>,
    /// The caller in whose name requests go.
    pub identity: Option<Rc<Identity>>,
    /// The origin of the requested URL, at which callers sign in.
    pub origin: Option<Rc<str>>,
}

impl EdgeFetch {
    /// Returns the network of a request at the edge, or of a Durable Object.
    pub fn new(context: Option<Rc<Context>>) -> Self {
        Self { context, ..Self::default() }
    }

    /// Returns the network of the Durable Object that keeps the catalog.
    pub fn by_objects(env: &Env) -> Self {
        Self { objects: Some(env.clone()), ..Self::with_connections(env) }
    }

    /// Returns the network of a Durable Object that requests lists in the name of the gateway.
    pub fn with_connections(env: &Env) -> Self {
        let connections = Deployment::built().and_then(|deployment| deployment.connections(env));
        Self { connections, ..Self::default() }
    }
}

impl Fetch for EdgeFetch {
    async fn fetch(&self, request: http::Request<Vec<u8>>) -> Result<http::Response<Chunks>, FetchError> {
        let place: Rc<str> = place(request.uri()).into();
        let failed = |error: JsValue| lost(&place, &error.into());
        let controller = AbortController::new().map_err(failed)?;
        let (signal, abandon) = (controller.signal(), Abandon(Some(controller)));
        let (head, body) = request.into_parts();
        let body = Some(body).filter(|body| !body.is_empty());
        let (url, headers) = (head.uri.to_string(), head_text(&head.headers));
        let sent = send(head.method.as_str(), &url, &headers, body.as_deref(), signal);
        received(sent, place, abandon).await
    }

    async fn fetch_through(
        &self,
        request: http::Request<Vec<u8>>,
        members: Box<OuterMembers>,
    ) -> Result<Sent, FetchError> {
        let Some(plan) = self.plan.as_ref().filter(|plan| plan.is_open()) else {
            return Ok(Sent::Response(self.fetch(request).await?, Some(members)));
        };
        let place: Rc<str> = place(request.uri()).into();
        match plan.carry_out(request, members).await {
            Outcome::Passed => Ok(Sent::Passed),
            Outcome::Instead { answer, controller, unread } => {
                let members = plan.take_members().filter(|_| unread);
                Ok(Sent::Response(received(answer, place, Abandon(Some(controller))).await?, members))
            }
        }
    }

    async fn sleep(&self, ms: u64) {
        let ms = match &self.plan {
            Some(plan) => plan.left_ms(ms).await,
            None => ms,
        };
        Delay::from(Duration::from_millis(ms)).await;
    }

    fn now(&self) -> u64 {
        clock::now()
    }

    fn chance(&self) -> f64 {
        Math::random()
    }

    fn acting_for(&self, identity: &Rc<Identity>) -> Self {
        Self { identity: Some(Rc::clone(identity)), ..self.clone() }
    }

    async fn authorization(
        &self,
        server: &str,
        refused: Option<&HeaderValue>,
    ) -> Result<HeaderValue, RpcError> {
        let Some(env) = &self.connections else { return Err(no_bindings()) };
        connections::authorization(env, self.identity.as_deref(), server, refused).boxed_local().await
    }

    async fn is_connected(&self, server: &str) -> Result<bool, RpcError> {
        let (Some(env), Some(identity)) = (&self.connections, &self.identity) else { return Ok(false) };
        connections::is_connected(env, identity, server).boxed_local().await
    }

    fn sign_in_url(&self, server: &str) -> Option<String> {
        let (deployment, identity) = (Deployment::built()?, self.identity.as_ref()?);
        let begun_elsewhere = || variable(self.connections.as_ref()?, SIGN_IN_URL);
        if let Some(url) = begun_elsewhere().filter(|_| identity.holder == Identity::LOCAL) {
            return Some([url, percent::encode(server)].concat());
        }
        let origin = self.origin.as_deref()?;
        Some(connections::sign_in_url(&deployment, origin, &identity.holder, server))
    }

    fn place(&self) -> Option<usize> {
        self.place
    }

    fn lists_changed(&self, server: &str) {
        let Some(env) = &self.listeners else { return };
        if let (Some(identity), Some(deployment)) = (&self.identity, Deployment::built())
            && deployment.lists_callers(server)
        {
            let (env, identity, server) = (env.clone(), Rc::clone(identity), server.to_owned());
            let report =
                async move { connections::lists_changed(&env, &deployment, &identity, &server).await };
            return self.spawn(report.boxed_local());
        }
        self.spawn(catalog::refresh(env.clone(), self.context.clone()).boxed_local());
    }

    fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
        match &self.context {
            Some(context) => context.wait_until(work),
            None => worker::wasm_bindgen_futures::spawn_local(work),
        }
    }
}

impl Lister for EdgeFetch {
    async fn listing(&self, upstream: &Upstream) -> Result<Listing, RpcError> {
        match (&self.objects, &self.connections, &self.identity) {
            (None, Some(env), Some(identity)) if upstream.has_connections() => {
                connections::lists(env, identity, upstream).boxed_local().await
            }
            (Some(env), ..) => catalog::list(env, upstream).await,
            (None, ..) => upstream.lists(self).await,
        }
    }

    async fn kept_listing(&self, upstream: &Upstream) -> Result<Listing, RpcError> {
        match &self.listeners {
            Some(env) if env.durable_object(catalog::BINDING).is_ok() => catalog::kept(env, upstream).await,
            _ => self.listing(upstream).await,
        }
    }
}

fn no_bindings() -> RpcError {
    RpcError::internal("upstream_sign_in", "no token can be requested for a request of this kind")
}

/// Waits for the promise of an answer, and returns it as a response.
async fn received(
    sent: Promise,
    place: Rc<str>,
    abandon: Abandon,
) -> Result<http::Response<Chunks>, FetchError> {
    let answer = JsFuture::from(sent).await.map_err(|error| lost(&place, &error.into()))?;
    let answer: Answer = answer.unchecked_into();
    let whole = answer.whole().map(Ok);
    let mut response = http::Response::new(match answer.rest() {
        Some(rest) => {
            let mut abandon = Some(abandon);
            let rest = read(&rest, if whole.is_some() { LONG_PIECE } else { PIECE })
                .map_err(|error| lost(&place, &error))?;
            let rest = rest.map(move |piece| piece.map_err(|error| lost(&place, &error)));
            let end = stream::poll_fn(move |_| {
                abandon.take().into_iter().for_each(Abandon::end);
                Poll::Ready(None)
            });
            stream::iter(whole).chain(rest).chain(end).boxed_local()
        }
        None => {
            abandon.end();
            stream::iter(whole).boxed_local()
        }
    });
    *response.status_mut() = StatusCode::from_u16(answer.status()).map_err(|_| FetchError)?;
    append_lines(answer.head().split('\n'), response.headers_mut());
    Ok(response)
}

/// Closes the connection when the request or its body is dropped before its end.
struct Abandon(Option<AbortController>);

impl Abandon {
    /// Marks the body as complete, so that dropping this does not abort: the platform would create an error with a
    /// stack.
    fn end(mut self) {
        self.0 = None;
    }
}

impl Drop for Abandon {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(|controller| controller.abort());
    }
}

/// Returns the host and port of a URL, for the log. User information, path and query may hold credentials.
fn place(uri: &Uri) -> String {
    let port = uri.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}{port}", uri.host().unwrap_or_default())
}

/// Logs a failure of the connection to the server at `place`.
fn lost(place: &str, error: &worker::Error) -> FetchError {
    console::warn(&format!("upstream {place}: {error}"));
    FetchError
}
