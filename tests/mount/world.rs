//! A deployment in memory with the endpoints for middleware.

use std::{cell::RefCell, rc::Rc};

use futures_executor::block_on;
use http::{Request, Response, StatusCode};
use mcp_sieve_gateway::{
    audit::{AuditSink, FunctionRun},
    config::Config,
    error::RpcError,
    host::MiddlewareRuntime,
    middleware::{Environment, Registry},
    mount::{Mount, handle_middleware},
    server::Body,
};
use serde_json::{Value, json};

/// An environment with a fixed time.
struct Clock;

impl Environment for Clock {
    fn now(&self) -> u64 {
        1_759_592_520_000
    }
}

/// Collects the audit entries.
#[derive(Default)]
pub struct Notes(pub RefCell<Vec<Value>>);

impl AuditSink for Notes {
    fn note(&self, treatment: &FunctionRun<'_>) {
        self.0.borrow_mut().push(treatment.to_json());
    }
}

/// A deployment with the endpoints for middleware.
pub struct World {
    pub config: Config,
    pub runtime: MiddlewareRuntime,
    pub notes: Rc<Notes>,
}

impl World {
    pub fn new(config: &str) -> Self {
        Self::with(config, Rc::new(Clock))
    }

    pub fn with(config: &str, environment: Rc<dyn Environment>) -> Self {
        let config = Config::parse(config).unwrap();
        let notes = Rc::new(Notes::default());
        let offered = config.middleware.as_ref().and_then(|middleware| middleware.functions.as_ref());
        let registry = Registry::built_in();
        let registry = offered.map_or_else(|| registry.clone(), |names| registry.clone().only(names));
        let runtime = MiddlewareRuntime {
            registry: Rc::new(registry),
            environment,
            trail: Rc::clone(&notes) as _,
            calls: Rc::default(),
        };
        Self { config, runtime, notes }
    }

    /// Sends a request to the endpoint at a path; a request without a token is unauthorized.
    pub fn send(&self, path: &str, request: &Request<Vec<u8>>) -> (StatusCode, Value) {
        let response = self.respond(path, request);
        let status = response.status();
        match response.into_body() {
            Body::Json(json) => (status, serde_json::from_slice(&json).unwrap()),
            _ => (status, Value::Null),
        }
    }

    pub fn respond(&self, path: &str, request: &Request<Vec<u8>>) -> Response<Body> {
        let mount = Mount::at(&self.config, path).expect("a mount");
        let admitted = match request.headers().contains_key("authorization") {
            true => Ok(()),
            false => Err(RpcError::request(StatusCode::UNAUTHORIZED, "unauthorized", "no token")),
        };
        block_on(handle_middleware(&self.config, &self.runtime, mount, admitted, request))
    }

    /// Calls a method in the stateless revision.
    pub fn call(&self, path: &str, method: &str, mut params: Value) -> (StatusCode, Value) {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let request = posted(&body).header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
        self.send(path, &request.body(body.to_string().into_bytes()).unwrap())
    }

    /// Calls a method in a revision with a handshake.
    pub fn call_legacy(&self, method: &str, params: &Value) -> (StatusCode, Value) {
        self.send_legacy(&json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}))
    }

    /// Sends a message in a revision with a handshake.
    pub fn send_legacy(&self, message: &Value) -> (StatusCode, Value) {
        let request = posted(message).header("mcp-protocol-version", "2025-11-25");
        self.send(MIDDLEWARE, &request.body(message.to_string().into_bytes()).unwrap())
    }
}

pub fn posted(_: &Value) -> http::request::Builder {
    Request::post("https://sieve.example/middleware")
        .header("content-type", "application/json")
        .header("authorization", "Bearer secret")
}

pub const MIDDLEWARE: &str = "/middleware";

pub const INTERCEPTORS: &str = "/interceptors";

/// A configuration with both endpoints.
pub const ON: &str = r#"{"middleware":{"interceptors":true}}"#;

pub fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

/// The text `secret words` after `timestamp_injector`.
pub const STAMPED: &str = "[Current time: Saturday, October 4, 2025, 3:42 PM UTC]\n\nsecret words";
