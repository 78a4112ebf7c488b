//! Context middleware over HTTP: `middleware/list` and `middleware/invoke`, at a mount of its own.
//!
//! The mount is part of an application, not of what users see. It takes one token, no page of a browser, and keeps
//! no session: a handshake says what there is and is forgotten. Nothing of a context is ever logged.

use http::{HeaderValue, Method as Verb, Request, Response, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    catalog::PREFIX,
    config::{CALLS_PER_MINUTE, Config, Rate},
    error::Error,
    json::{self, Raw},
    mcp::{
        http::{
            intake::{check_head, check_length},
            response::{self, Body, Cache, ResultShape},
        },
        methods::{discover, initialize},
        middleware::{
            interceptors,
            runtime::{FunctionRun, MiddlewareRuntime},
        },
        protocol::{
            envelope,
            error::RpcError,
            message::{Incoming, Message, Post},
            method::Method,
        },
    },
    middleware::{Content, Mode, Outcome, Report},
    revision::Revision,
};

/// Where context middleware is served.
pub const MIDDLEWARE_PATH: &str = "/middleware";
/// Where the same functions are served as interceptors.
pub const INTERCEPTORS_PATH: &str = "/interceptors";
const ALLOW: &str = "POST";
/// For how long, and for whom, a list or a description may be kept.
const CACHE: Cache = Cache { ttl_ms: 0, private: true };

/// Which of the two mounts a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mount {
    /// [`MIDDLEWARE_PATH`].
    Middleware,
    /// [`INTERCEPTORS_PATH`].
    Interceptors,
}

impl Mount {
    /// The mount at a path, if the file turns it on.
    pub fn at(config: &Config, path: &str) -> Option<Self> {
        let middleware = config.middleware.as_ref()?;
        match path {
            MIDDLEWARE_PATH => Some(Self::Middleware),
            INTERCEPTORS_PATH if middleware.interceptors => Some(Self::Interceptors),
            _ => None,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Middleware => "middleware",
            Self::Interceptors => "interceptors",
        }
    }
}

/// What the methods of a mount need.
pub(crate) struct MountRequest<'a> {
    pub workshop: &'a MiddlewareRuntime,
    pub mount: Mount,
    pub message: &'a Message<'a>,
    pub id: Raw<'a>,
    pub shape: ResultShape<'a>,
}

/// What a function did.
pub(crate) struct Run<'a> {
    pub outcome: Result<Outcome<'a>, Error>,
    pub changed: bool,
    /// Milliseconds that it took.
    pub ms: u64,
}

/// Answers one request at a mount. `admitted` is whether its token was the operator's.
pub async fn middleware(
    config: &Config,
    workshop: &MiddlewareRuntime,
    mount: Mount,
    admitted: Result<(), RpcError>,
    request: &Request<Vec<u8>>,
) -> Response<Body> {
    let answered = async {
        if request.headers().contains_key(header::ORIGIN) {
            let message =
                "pages of browsers do not call middleware: it belongs to an application's own servers";
            return Err(RpcError::request(StatusCode::FORBIDDEN, "origin", message));
        }
        admitted?;
        if *request.method() != Verb::POST {
            return Ok(response::not_allowed(ALLOW));
        }
        let requests =
            config.middleware.as_ref().map_or(CALLS_PER_MINUTE, |middleware| middleware.calls_per_minute);
        let taken =
            workshop.calls.borrow_mut().take(Rate { requests, seconds: 60 }, 1, workshop.environment.now());
        if let Err(seconds) = taken {
            let message = format!("more than {requests} calls in a minute");
            let failure = RpcError::request(StatusCode::TOO_MANY_REQUESTS, "rate_limit", message);
            let mut response = response::refusal(&failure, None);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            return Ok(response);
        }
        post(config, workshop, mount, request).await
    };
    answered.await.unwrap_or_else(|failure| response::refusal(&failure, None))
}

async fn post(
    config: &Config,
    workshop: &MiddlewareRuntime,
    mount: Mount,
    request: &Request<Vec<u8>>,
) -> Result<Response<Body>, RpcError> {
    let (given, body) = (request.headers(), request.body());
    check_head(given)?;
    check_length(body.len())?;
    let message = match Post::read(body)? {
        Post::One(Incoming::Message(message)) => message,
        _ => {
            let message = "expected one request or notification";
            return Err(RpcError::request(StatusCode::BAD_REQUEST, "message", message));
        }
    };
    let era = envelope::classify(&message, given);
    let Some(id) = message.id else { return era.map(|_| response::accepted()) };
    let answered = async {
        let era = era?.era();
        // A header that names the function has to name the one that the body does; it may be left out.
        if let Some(name) = message.param("name").and_then(json::text) {
            envelope::has_name(given, &name)?;
        }
        // An identity of its own: what it offers is not what the server offers.
        let server = json!({
            "name": format!("{}-{}", config.server.name, mount.name()),
            "version": config.server.version,
        });
        let server = server.to_string().into_bytes();
        let asked = MountRequest {
            workshop,
            mount,
            message: &message,
            id,
            shape: ResultShape { era, server: &server },
        };
        asked.answer().await
    };
    Ok(answered.await.unwrap_or_else(|failure| response::refusal(&failure, Some(id))))
}

impl MountRequest<'_> {
    async fn answer(&self) -> Result<Response<Body>, RpcError> {
        let method = self.message.method.as_ref();
        let ours = method.strip_prefix(PREFIX).and_then(|name| name.strip_prefix('/')).unwrap_or(method);
        let served = match (self.mount, ours) {
            (Mount::Middleware, "middleware/list") => Some(Ok(self.list())),
            (Mount::Middleware, "middleware/invoke") => Some(self.invoke().await),
            (Mount::Middleware, _) => None,
            (Mount::Interceptors, _) => interceptors::answer(self, ours).await,
        };
        if let Some(response) = served {
            return response;
        }
        let ResultShape { era, .. } = self.shape;
        match self.message.known.filter(|method| method.is_in(era)) {
            Some(Method::Discover) => Ok(self.discover()),
            Some(Method::Initialize) => Ok(self.initialize()),
            Some(Method::Ping) => Ok(response::json(response::empty(self.id))),
            _ => Err(RpcError::method(method, era)),
        }
    }

    /// What the mount says of itself: the proposal's key, and the extension that carries the same.
    fn capabilities(&self) -> Value {
        match self.mount {
            Mount::Middleware => {
                let settings = json!({"version": 1, "payloads": ["content", "toolCall", "toolResult"]});
                json!({
                    "contextMiddleware": {},
                    "extensions": {format!("{PREFIX}/context-middleware"): settings},
                })
            }
            Mount::Interceptors => {
                json!({"extensions": {format!("{PREFIX}/interceptors"): interceptors::settings()}})
            }
        }
    }

    fn discover(&self) -> Response<Body> {
        response::json(discover::result(self.id, &self.shape, CACHE, &self.capabilities(), None))
    }

    fn initialize(&self) -> Response<Body> {
        let requested = self.message.text_param("protocolVersion").unwrap_or_default();
        let version = Revision::for_session(&requested);
        response::json(initialize::result(self.id, &self.shape, version, &self.capabilities(), None))
    }

    fn list(&self) -> Response<Body> {
        self.written(true, |result| self.workshop.registry.list(result.value("middleware")))
    }

    async fn invoke(&self) -> Result<Response<Body>, RpcError> {
        let name = self.message.text_param("name")?;
        let raw = self.message.param("context");
        let content = Content::read(raw.ok_or_else(missing)?)?;
        let run = self.run(&name, self.message.param("arguments"), content).await;
        let outcome = run.outcome?;
        Ok(self.written(false, |result| {
            outcome.content.write(result.value("content"));
            outcome.metadata.iter().for_each(|metadata| result.raw("metadata", metadata.as_bytes()));
        }))
    }

    /// Runs a function, and writes to the audit trail what it did.
    pub async fn run<'c>(&'c self, name: &str, arguments: Option<Raw<'c>>, content: Content<'c>) -> Run<'c> {
        let MiddlewareRuntime { registry, environment, trail, .. } = self.workshop;
        let begun = environment.now();
        let before = content.clone();
        // A name that is none could be anything, and is not for the trail.
        let known = registry.names().find(|known| *known == name).unwrap_or_default();
        let outcome = registry.apply(name, arguments, content, &**environment).await;
        let mut report = Report::before(known, Mode::Enforce, &before);
        match &outcome {
            Ok(outcome) => report.after(&before, outcome),
            Err(error) => report.ended = Some(error.code()),
        }
        let ms = environment.now().saturating_sub(begun);
        let (mount, method) = (self.mount.name(), self.message.method.as_ref());
        trail.note(&FunctionRun { mount, method, principal: None, report: &report, ms });
        Run { outcome, changed: report.changed, ms }
    }

    /// A result. What is `kept` may be kept for no time, by its caller alone; the rest is no matter of caches.
    pub fn written(&self, kept: bool, body: impl FnOnce(&mut json::Object<'_>)) -> Response<Body> {
        response::json(response::write(self.id, &self.shape, kept.then_some(CACHE), body))
    }
}

fn missing() -> RpcError {
    RpcError::handle("context_invalid", "context: expected an array of content items")
}
