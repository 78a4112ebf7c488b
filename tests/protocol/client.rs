//! A client that reads streams while they are open.

use futures_util::{FutureExt, StreamExt, stream::LocalBoxStream};
use http::{Method, Request};
use mcp_sieve_gateway::server::Body;
use serde_json::{Value, json};

use crate::host::World;

/// The frames of an event stream.
pub type Frames = LocalBoxStream<'static, Vec<u8>>;

/// A client with a session.
pub struct Client {
    pub world: World,
    session: String,
}

/// One event of a stream.
#[derive(Debug, PartialEq)]
pub struct Frame {
    pub id: Option<String>,
    pub data: Option<Value>,
}

/// Sends a request without a token.
pub fn send(world: &World, request: &Request<Vec<u8>>) -> (http::response::Parts, Body) {
    send_as(world, None, request)
}

/// Sends a request with one of the world's tokens.
pub fn send_as(
    world: &World,
    token: Option<&str>,
    request: &Request<Vec<u8>>,
) -> (http::response::Parts, Body) {
    let claims = token.map(|token| &world.tokens[token]);
    world.run(world.handle(Ok(claims), request)).into_parts()
}

/// Returns a request of the stateless revision. The `_meta` of `params` gets the required members.
pub fn modern(method: &str, mut params: Value, capabilities: &Value) -> Request<Vec<u8>> {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
    let name = params["name"].as_str().map(str::to_owned);
    let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    headers.extend(name.as_deref().map(|name| ("mcp-name", name)));
    request(Method::POST, &headers, &json!({"jsonrpc": "2.0", "id": 0, "method": method, "params": params}))
}

/// Returns the response to a request of the stateless revision without capabilities.
pub fn ask(world: &World, method: &str, params: Value) -> Value {
    json_of(send(world, &modern(method, params, &json!({}))).1)
}

/// Returns a request to the endpoint with these headers.
pub fn request(verb: Method, headers: &[(&'static str, &str)], body: &Value) -> Request<Vec<u8>> {
    let mut request = Request::new(body.to_string().into_bytes());
    *request.method_mut() = verb;
    *request.uri_mut() = "http://127.0.0.1/mcp".parse().unwrap();
    let common = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    for (name, value) in common.iter().chain(headers) {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    request
}

pub fn json_of(body: Body) -> Value {
    match body {
        Body::Json(json) => serde_json::from_slice(&json).unwrap(),
        _ => panic!("expected JSON"),
    }
}

pub fn frames_of(body: Body) -> Frames {
    match body {
        Body::Events(frames) => frames,
        Body::Json(json) => panic!("expected a stream, got {}", String::from_utf8_lossy(&json)),
        Body::Empty => panic!("expected a stream, got nothing"),
        Body::Passthrough(_) => panic!("expected a stream, got a response that passes through"),
    }
}

/// Parses a frame.
pub fn frame(bytes: &[u8]) -> Frame {
    let text = std::str::from_utf8(bytes).unwrap();
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
    let data = field("data: ").filter(|data| !data.is_empty());
    Frame { id: field("id: "), data: data.map(|data| serde_json::from_str(&data).unwrap()) }
}

impl Client {
    /// Opens a session in the world `asking`.
    pub fn open(version: &str, capabilities: &Value) -> Self {
        Self::of(World::named("asking"), version, capabilities)
    }

    /// Opens a session.
    pub fn of(world: World, version: &str, capabilities: &Value) -> Self {
        let params = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": {"name": "c", "version": "1"}});
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let (head, _) = send(&world, &request(Method::POST, &[], &body));
        let session = head.headers["mcp-session-id"].to_str().unwrap().to_owned();
        Self { world, session }
    }

    pub fn post(&self, body: &Value) -> (http::response::Parts, Body) {
        send(&self.world, &request(Method::POST, &[("mcp-session-id", &self.session)], body))
    }

    /// Sends a message as it is written.
    pub fn post_text(&self, text: String) {
        let mut request = request(Method::POST, &[("mcp-session-id", &self.session)], &Value::Null);
        *request.body_mut() = text.into_bytes();
        assert_eq!(send(&self.world, &request).0.status, 202);
    }

    /// Calls a tool and returns the response body.
    pub fn call(&self, id: u32, tool: &str) -> Body {
        let params = json!({"name": tool});
        self.post(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).1
    }

    /// Sends a request and returns its response message.
    pub fn ask(&self, method: &str, params: Value) -> Value {
        json_of(self.post(&json!({"jsonrpc": "2.0", "id": 9, "method": method, "params": params})).1)
    }

    /// Opens a stream, or resumes one after the event `last`.
    pub fn get(&self, last: Option<&str>) -> Frames {
        frames_of(self.try_get(last))
    }

    /// Returns the response to a GET, which may be a rejection.
    pub fn try_get(&self, last: Option<&str>) -> Body {
        let mut headers = vec![("mcp-session-id", self.session.as_str())];
        headers.extend(last.map(|last| ("last-event-id", last)));
        send(&self.world, &request(Method::GET, &headers, &Value::Null)).1
    }

    /// Waits for the next frame.
    pub fn next(&self, frames: &mut Frames) -> Option<Frame> {
        self.world.run(frames.next()).map(|bytes| frame(&bytes))
    }

    /// Returns the next frame if it is available.
    pub fn ready(&self, frames: &mut Frames) -> Option<Frame> {
        let polled = self.world.run(async { frames.next().now_or_never() });
        polled.flatten().map(|bytes| frame(&bytes))
    }

    /// Reads a stream to its end and returns its messages.
    pub fn rest(&self, frames: Frames) -> Vec<Value> {
        let frames: Vec<Vec<u8>> = self.world.run(frames.collect());
        frames.iter().filter_map(|bytes| frame(bytes).data).collect()
    }

    /// Answers the request that a frame contains.
    pub fn answer(&self, question: &Value, outcome: Value) {
        assert_eq!(question["method"], "elicitation/create");
        assert_eq!(question["params"], json!({"message": "Who?"}));
        let mut body = json!({"jsonrpc": "2.0", "id": question["id"]});
        body.as_object_mut().unwrap().extend(outcome.as_object().unwrap().clone());
        assert_eq!(self.post(&body).0.status, 202);
    }
}
