//! Context middleware over HTTP: `middleware/list` and `middleware/invoke`, at a mount of its own.
//!
//! The mount is part of an application, not of what users see. It takes one token, no page of a browser, and keeps
//! no session: a handshake says what there is and is forgotten. Nothing of a context is ever logged.

use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use serde_json::json;

use crate::{
    catalog::PREFIX,
    config::{CALLS_PER_MINUTE, Config, Rate},
    json::{self, Raw},
    mcp::{
        http::{
            headers,
            intake::{check_head, check_length},
            response::{self, Body, Cache, ResultShape},
        },
        middleware::{
            interceptors,
            runtime::{FunctionRun, MiddlewareRuntime},
        },
        protocol::{
            envelope,
            error::RpcError,
            message::{Incoming, Message, Post},
        },
    },
    middleware::{Content, Mode, Report},
    revision::{Era, Revision},
};

/// Where context middleware is served.
pub const MIDDLEWARE_PATH: &str = "/middleware";
/// Where the same functions are served as interceptors.
pub const INTERCEPTORS_PATH: &str = "/interceptors";
const ALLOW: &str = "POST";

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
        if *request.method() != Method::POST {
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
        agree(&message, given)?;
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

/// A header that names the function has to name the one that the body does; it may be left out.
fn agree(message: &Message<'_>, given: &http::HeaderMap) -> Result<(), RpcError> {
    let Some(body) = message.param("name").and_then(json::text) else { return Ok(()) };
    let Some(value) = headers::value(given, headers::NAME)? else { return Ok(()) };
    let decoded = headers::decode(headers::NAME, &value)?;
    if decoded == body { Ok(()) } else { Err(RpcError::header(headers::NAME, Some(&decoded), &body)) }
}

impl MountRequest<'_> {
    async fn answer(&self) -> Result<Response<Body>, RpcError> {
        let method = self.message.method.as_ref();
        let ours = method.strip_prefix(PREFIX).and_then(|name| name.strip_prefix('/')).unwrap_or(method);
        match (self.mount, ours) {
            (Mount::Middleware, "middleware/list") => Ok(self.list()),
            (Mount::Middleware, "middleware/invoke") => self.invoke().await,
            (Mount::Interceptors, "interceptors/list") => interceptors::list(self),
            (Mount::Interceptors, "interceptor/invoke" | "interceptors/invoke") => {
                interceptors::invoke(self).await
            }
            _ => match method {
                "server/discover" if self.shape.era == Era::Stateless => Ok(self.discover()),
                "initialize" if self.shape.era == Era::Session => Ok(self.initialize()),
                "ping" if self.shape.era == Era::Session => Ok(response::json(response::empty(self.id))),
                _ => {
                    let status =
                        if self.shape.era == Era::Stateless { StatusCode::NOT_FOUND } else { StatusCode::OK };
                    Err(RpcError::method(method, status))
                }
            },
        }
    }

    /// What the mount says of itself: the proposal's key, and the extension that carries the same.
    fn capabilities(&self) -> Vec<u8> {
        let capabilities = match self.mount {
            Mount::Middleware => {
                let settings = json!({"version": 1, "payloads": ["content", "toolCall", "toolResult"]});
                json!({
                    "contextMiddleware": {},
                    "extensions": {format!("{PREFIX}/context-middleware"): settings},
                })
            }
            Mount::Interceptors => {
                let settings = json!({"version": 1, "draft": interceptors::DRAFT});
                json!({"extensions": {format!("{PREFIX}/interceptors"): settings}})
            }
        };
        capabilities.to_string().into_bytes()
    }

    fn discover(&self) -> Response<Body> {
        self.written(true, |result| {
            result.raw("supportedVersions", json!(Revision::dates()).to_string().as_bytes());
            result.raw("capabilities", &self.capabilities());
        })
    }

    fn initialize(&self) -> Response<Body> {
        let requested = self.message.text_param("protocolVersion").unwrap_or_default();
        let version = Revision::from_date(&requested).filter(|version| !version.is_stateless());
        self.written(false, |result| {
            result.text("protocolVersion", version.unwrap_or(Revision::LATEST_WITH_SESSIONS).date());
            result.raw("capabilities", &self.capabilities());
            result.raw("serverInfo", self.shape.server);
        })
    }

    fn list(&self) -> Response<Body> {
        self.written(true, |result| self.workshop.registry.list(result.value("middleware")))
    }

    async fn invoke(&self) -> Result<Response<Body>, RpcError> {
        let name = self.message.text_param("name")?;
        let raw = self.message.param("context");
        let content = Content::read(raw.ok_or_else(|| missing("context"))?)?;
        let MiddlewareRuntime { registry, environment, .. } = self.workshop;
        let begun = environment.now();
        let arguments = self.message.param("arguments");
        let before = content.clone();
        // A name that is none could be anything, and is not for the trail.
        let known = registry.names().find(|known| *known == name).unwrap_or_default();
        let applied = registry.apply(&name, arguments, content, &**environment).await;
        let mut report = Report::before(known, Mode::Enforce, &before);
        match &applied {
            Ok(outcome) => report.after(&before, outcome),
            Err(error) => report.ended = Some(error.code()),
        }
        self.note(&report, begun);
        let outcome = applied?;
        Ok(self.written(false, |result| {
            outcome.content.write(result.value("content"));
            outcome.metadata.iter().for_each(|metadata| result.raw("metadata", metadata.as_bytes()));
        }))
    }

    /// Writes an operation to the audit trail.
    pub fn note(&self, report: &Report, begun: u64) {
        let ms = self.workshop.environment.now().saturating_sub(begun);
        let method = self.message.method.as_ref();
        self.workshop.trail.note(&FunctionRun {
            mount: self.mount.name(),
            method,
            principal: None,
            report,
            ms,
        });
    }

    /// A result. What is `kept` may be kept for no time, by its caller alone; the rest is no matter of caches.
    pub fn written(&self, kept: bool, body: impl FnOnce(&mut json::Object<'_>)) -> Response<Body> {
        let mut out = response::open(self.id);
        let cache = kept.then_some(Cache { ttl_ms: 0, private: true });
        self.shape.write(&mut out, cache, None, body);
        response::close(&mut out);
        response::json(out)
    }
}

/// A member that a request lacks.
pub(crate) fn missing(member: &str) -> RpcError {
    RpcError::handle("context_invalid", format!("{member}: expected an array of content items"))
}
