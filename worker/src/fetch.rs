use std::{rc::Rc, time::Duration};

use futures_util::{StreamExt, future::LocalBoxFuture, stream};
use http::{HeaderName, HeaderValue, Uri};
use mcp_sieve::mcp::{
    Lister, RpcError,
    upstream::{Chunks, Fetch, FetchError, Listing, Upstream},
};
use worker::{
    AbortController, Context, Delay, Env, Headers, Method, Request, RequestInit, RequestRedirect, Response,
    ResponseBody,
    js_sys::{Math, Uint8Array},
};

use crate::{clock, console, objects::catalog};

/// The network, as the platform's `fetch` gives it.
#[derive(Debug, Clone, Default)]
pub(crate) struct EdgeFetch {
    /// The request at the edge, which ends with its client; objects outlive theirs.
    pub context: Option<Rc<Context>>,
    /// Where each server is listed by an object of its own: the bindings.
    pub objects: Option<Env>,
}

impl EdgeFetch {
    /// The network of a request at the edge, or of an object.
    pub fn of(context: Option<Rc<Context>>) -> Self {
        Self { context, objects: None }
    }

    /// The network of the object that keeps the catalog.
    pub fn by_objects(env: &Env) -> Self {
        Self { context: None, objects: Some(env.clone()) }
    }
}

impl Fetch for EdgeFetch {
    async fn fetch(&self, request: http::Request<Vec<u8>>) -> Result<http::Response<Chunks>, FetchError> {
        let abandon = Abandon(Some(AbortController::default()));
        let place: Rc<str> = place(request.uri()).into();
        let sent = async {
            let request = worker::Fetch::Request(to_worker(&request)?);
            match abandon.0.as_ref().map(AbortController::signal) {
                Some(signal) => from_worker(request.send_with_signal(&signal).await?, abandon, &place),
                None => from_worker(request.send().await?, abandon, &place),
            }
        };
        sent.await.map_err(|error| lost(&place, &error))
    }

    async fn sleep(&self, ms: u64) {
        Delay::from(Duration::from_millis(ms)).await;
    }

    fn now(&self) -> u64 {
        clock::now()
    }

    fn chance(&self) -> f64 {
        Math::random()
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
        match &self.objects {
            Some(env) => catalog::list(env, upstream.name()).await,
            None => upstream.lists(self).await,
        }
    }
}

/// Closes the connection when the request or its body is dropped.
struct Abandon(Option<AbortController>);

impl Drop for Abandon {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(AbortController::abort);
    }
}

fn to_worker(request: &http::Request<Vec<u8>>) -> worker::Result<Request> {
    let headers = Headers::new();
    for (name, value) in request.headers() {
        headers.append(name.as_str(), value.to_str().unwrap_or_default())?;
    }
    let mut init = RequestInit::new();
    init.with_method(Method::from(request.method().as_str().to_owned())).with_headers(headers);
    // A redirect could lead to a host that the operator never named.
    init.with_redirect(RequestRedirect::Manual);
    if !request.body().is_empty() {
        init.with_body(Some(Uint8Array::from(request.body().as_slice()).into()));
    }
    Request::new_with_init(&request.uri().to_string(), &init)
}

fn from_worker(
    mut response: Response,
    abandon: Abandon,
    place: &Rc<str>,
) -> worker::Result<http::Response<Chunks>> {
    let place = Rc::clone(place);
    let mut built = http::Response::builder().status(response.status_code());
    if let Some(headers) = built.headers_mut() {
        for (name, value) in response.headers() {
            if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
                headers.append(name, value);
            }
        }
    }
    let chunks: Chunks = match response.body() {
        ResponseBody::Empty => stream::empty().boxed_local(),
        _ => response
            .stream()?
            .map(move |piece| {
                let _held = &abandon;
                piece.map_err(|error| lost(&place, &error))
            })
            .boxed_local(),
    };
    built.body(chunks).map_err(|error| worker::Error::RustError(error.to_string()))
}

/// The host and the port of an address. A user before them, a path and a query may hold credentials.
fn place(uri: &Uri) -> String {
    let port = uri.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}{port}", uri.host().unwrap_or_default())
}

/// Logs a failure of the connection to the server at `place`.
fn lost(place: &str, error: &worker::Error) -> FetchError {
    console::warn(&format!("upstream {place}: {error}"));
    FetchError
}
