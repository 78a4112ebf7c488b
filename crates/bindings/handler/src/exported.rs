//! The class `Handler`: the gateway in front of one JavaScript handler.

use std::rc::Rc;

use http::{HeaderMap, Method, StatusCode, header::CONTENT_LENGTH};
use js_sys::{Promise, Uint8Array};
use mcp_sieve::{Error, ErrorKind, seal::Key};
use mcp_sieve_bindings_fetch::headers;
use mcp_sieve_bindings_value::refusal;
use mcp_sieve_gateway::{
    config::{Audit, Config, Limits},
    error::RpcError,
    server::{AcceptedHead, Body, Inbound, PLAIN_PATH, handle_plain_list},
    session::SuspendedCalls,
    upstream::Gateway,
};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use web_sys::Request;

use super::{
    body, caller,
    handling::{Handling, JsHost},
    predicates,
    response::response,
    world::World,
};

/// The gateway in front of one handler.
#[wasm_bindgen]
#[allow(missing_debug_implementations, reason = "it is held by JavaScript alone")]
pub struct Handler(Rc<Handling>);

#[wasm_bindgen]
impl Handler {
    /// Parses the configuration (JSONC). The first of the keys seals the tokens that callers send back, and all of them
    /// open such tokens.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &str, keys: Vec<Uint8Array>, world: World) -> Result<Handler, JsValue> {
        let keys: Vec<_> = keys.iter().map(Uint8Array::to_vec).collect();
        Self::behind(config, &keys, world).map_err(|error| refusal(&error))
    }

    /// Answers a request, with `url` as its URL, and resolves with a `Response`, also for failures. A streamed response
    /// ends when the request is aborted.
    pub fn answer(&self, context: JsValue, request: Request, url: &str) -> Promise {
        let host = JsHost::new(Rc::clone(&self.0), context);
        let read = headers::read(&request.headers()).map(|headers| head(&request.method(), url, headers));
        future_to_promise(async move {
            let answer = match read? {
                Ok(head) => respond(&host, head).await,
                Err(failure) => failure.into_response(),
            };
            // Not every platform has signals.
            let signal = Some(request.signal()).filter(|signal| signal.is_truthy());
            Ok(response(answer, signal.as_ref())?.into())
        })
    }
}

/// Answers a request whose body has not been read.
async fn respond(host: &JsHost, head: http::Request<()>) -> http::Response<Body> {
    let config = &host.handling.config;
    let claims = caller::claims(host).await;
    let known = claims.as_ref().map(Option::as_ref).map_err(Clone::clone);
    if head.uri().path().starts_with(PLAIN_PATH) {
        return handle_plain_list(config, host, known, &head.map(|()| Vec::new())).await;
    }
    // The declared length is not checked: if a body stays unread, Node closes the connection before the client receives
    // the error.
    let mut judged = head.clone();
    judged.headers_mut().remove(CONTENT_LENGTH);
    let accepted = match AcceptedHead::read(config, host, known, &judged) {
        Ok(accepted) => accepted,
        Err(response) => return *response,
    };
    // A body has no meaning with other methods.
    let mut request = head.map(|()| Vec::new());
    if request.method() == Method::POST {
        match body::read(host).await {
            Ok(body) => *request.body_mut() = body,
            Err(failure) => return accepted.refuse(host, request.method(), failure),
        }
    }
    accepted.answer(config, host, &Inbound::read(&request)).await
}

impl Handler {
    fn behind(config: &str, keys: &[Vec<u8>], world: World) -> Result<Self, Error> {
        let mut config = Config::parse(config)?;
        let refuse = |message: String| Error::new(ErrorKind::Config, message);
        if !config.upstreams.is_empty() || config.upstream.is_named() {
            let message = "upstream: the handler is the upstream server, expected no other address";
            return Err(refuse(message.to_owned()));
        }
        // Settings that have no effect here are rejected, not ignored.
        if config.auth.is_some() {
            return Err(refuse(
                "auth: the option `identify` identifies callers, expected no `auth`".to_owned(),
            ));
        }
        if config.limits != Limits::default() {
            return Err(refuse(
                "limits: requests to a handler are not counted, expected no `limits`".to_owned(),
            ));
        }
        if config.audit != Audit::default() {
            return Err(refuse("audit: calls of a handler are not recorded, expected no `audit`".to_owned()));
        }
        if config.middleware.is_some() {
            return Err(refuse(
                "middleware: a handler has no middleware functions, expected no `middleware`".to_owned(),
            ));
        }
        // The URL is only a placeholder, because the handler is called directly.
        config.upstream.url = "http://handler/mcp".to_owned();
        let gateway = Gateway::in_process(&config.upstream)
            .map_err(|failure| Error::new(ErrorKind::Config, failure.message))?;
        let keys: Vec<_> = keys.iter().map(Vec::as_slice).collect();
        let key = Key::rotated(&keys)
            .ok_or_else(|| refuse(format!("key: expected 1 to {max} keys", max = Key::MAX_KEYS)))?;
        let predicates = predicates::register(&mut config, &world)?;
        let suspended_calls = Rc::new(SuspendedCalls::new("handler"));
        let (ranker, live, changes) = Default::default();
        Ok(Self(Rc::new(Handling {
            config,
            key,
            gateway,
            world,
            ranker,
            suspended_calls,
            live,
            changes,
            _predicates: predicates,
        })))
    }
}

fn head(method: &str, url: &str, headers: HeaderMap) -> Result<http::Request<()>, RpcError> {
    let mut built = http::Request::builder().method(method).uri(url);
    if let Some(all) = built.headers_mut() {
        *all = headers;
    }
    built.body(()).map_err(|error| {
        RpcError::request(StatusCode::BAD_REQUEST, "request", format!("the request cannot be read: {error}"))
    })
}
