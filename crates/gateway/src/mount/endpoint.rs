//! Context middleware over HTTP: `middleware/list` and `middleware/invoke`, at an endpoint of its own.
//!
//! The endpoint is for applications, not for their users. It accepts one token and no requests from web pages, and
//! opens no session: `initialize` only returns capabilities. No content of a context is ever logged.

use http::{HeaderValue, Method as Verb, Request, Response, StatusCode, header};
use mcp_sieve::{catalog::Catalog, json, revision::Revision};
use serde_json::{Value, json};

use crate::{
    config::{CALLS_PER_MINUTE, Config, Rate},
    host::runtime::MiddlewareRuntime,
    http::intake::{check_head, check_length},
    methods::{discover, initialize},
    middleware::Content,
    mount::{
        interceptors,
        mount_request::{CACHE, Mount, MountRequest},
    },
    protocol::{
        envelope,
        error::RpcError,
        message::{Incoming, Post},
        method::Method,
        response::{self, Body, ResultShape},
    },
};

const ALLOW: &str = "POST";

/// Answers a request at an endpoint. `admitted` is an error unless the request has the operator's token.
pub async fn handle_middleware(
    config: &Config,
    runtime: &MiddlewareRuntime,
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
            runtime.calls.borrow_mut().take(Rate { requests, seconds: 60 }, 1, runtime.environment.now());
        if let Err(seconds) = taken {
            let message = format!("more than {requests} calls in a minute");
            let failure = RpcError::request(StatusCode::TOO_MANY_REQUESTS, "rate_limit", message);
            let mut response = response::refusal(&failure, None);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            return Ok(response);
        }
        post(config, runtime, mount, request).await
    };
    answered.await.unwrap_or_else(|failure| response::refusal(&failure, None))
}

async fn post(
    config: &Config,
    runtime: &MiddlewareRuntime,
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
        // The header `Mcp-Name` is optional, but must name the function in the body.
        if let Some(name) = message.param("name").and_then(json::Raw::text) {
            envelope::has_name(given, &name)?;
        }
        // The endpoint has its own `serverInfo`, because its capabilities differ from those of the server.
        let server = json!({
            "name": format!("{}-{}", config.server.name(), mount.name()),
            "version": config.server.version(),
        });
        let server = server.to_string().into_bytes();
        let request = MountRequest {
            runtime,
            mount,
            message: &message,
            id,
            shape: ResultShape { era, server: &server, stale: &[], first_revision: None },
        };
        request.answer().await
    };
    Ok(answered.await.unwrap_or_else(|failure| response::refusal(&failure, Some(id))))
}

impl MountRequest<'_> {
    async fn answer(&self) -> Result<Response<Body>, RpcError> {
        let method = self.message.method.as_ref();
        let ours =
            method.strip_prefix(Catalog::PREFIX).and_then(|name| name.strip_prefix('/')).unwrap_or(method);
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

    /// Returns the capabilities of the endpoint: the proposal's key, and an extension with the same content.
    fn capabilities(&self) -> Value {
        match self.mount {
            Mount::Middleware => {
                let settings = json!({"version": 1, "payloads": ["content", "toolCall", "toolResult"]});
                json!({
                    "contextMiddleware": {},
                    "extensions": {format!("{prefix}/context-middleware", prefix = Catalog::PREFIX): settings},
                })
            }
            Mount::Interceptors => {
                json!({"extensions": {interceptors::EXTENSION: interceptors::settings(&self.runtime.registry)}})
            }
        }
    }

    fn discover(&self) -> Response<Body> {
        response::json(discover::result(
            self.id,
            &self.shape,
            CACHE,
            (&Revision::dates(), &self.capabilities()),
            (None, None),
        ))
    }

    fn initialize(&self) -> Response<Body> {
        let requested = self.message.text_param("protocolVersion").unwrap_or_default();
        let version = Revision::for_session(&requested);
        response::json(initialize::result(self.id, &self.shape, version, &self.capabilities(), None))
    }

    fn list(&self) -> Response<Body> {
        self.written(true, |result| self.runtime.registry.list(result.value("middleware")))
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
}

fn missing() -> RpcError {
    RpcError::handle("context_invalid", "context: expected an array of content items")
}
