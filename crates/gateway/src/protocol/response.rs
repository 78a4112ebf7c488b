//! HTTP response bodies, and JSON-RPC results in the form of either protocol era.

use std::borrow::Cow;

use futures_util::stream::LocalBoxStream;
use http::{HeaderValue, Response, StatusCode, header};
use mcp_sieve::{
    json::{self, Members, Object, Raw},
    revision::Era,
};

use crate::{
    drafts::hints::{STALE, merged},
    protocol::{error::RpcError, first_revision, method::Method, passthrough::Passthrough, sse},
};

/// The body of a response.
#[allow(missing_debug_implementations, reason = "a stream has nothing to show")]
pub enum Body {
    /// No body.
    Empty,
    /// JSON, or a stream of one server-sent event. The content type distinguishes them.
    Json(Vec<u8>),
    /// A stream of server-sent events. Each item is one complete event.
    Events(LocalBoxStream<'static, Vec<u8>>),
    /// The JSON of an upstream server's response, in pieces.
    Passthrough(Passthrough),
}

const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");
/// The key of `_meta` that names the server of a stateless result.
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The member of a tool's result that fits its output schema.
const STRUCTURED: &str = "structuredContent";

/// Reserved space, in bytes, for members that are added to a result of another server.
const ADDED: usize = 256;

/// The caching of a result: its lifetime, and whether it is private (revision 2026-07-28).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cache {
    pub ttl_ms: u64,
    pub private: bool,
}

/// The members that every result of one server has in one protocol era.
#[derive(Debug)]
pub(crate) struct ResultShape<'a> {
    pub era: Era,
    /// `serverInfo` as JSON.
    pub server: &'a [u8],
    /// The methods whose tags known to the client are outdated, as a JSON array; empty for none.
    pub stale: &'a [u8],
    /// The method of the request, if the client speaks the first revision, whose results have fewer members.
    pub first_revision: Option<Method>,
}

impl ResultShape<'_> {
    /// Appends a result of the gateway's own. `body` writes its members, `meta` is one entry of its `_meta`.
    pub fn write(
        &self,
        out: &mut Vec<u8>,
        cache: Option<Cache>,
        meta: Option<(&str, &[u8])>,
        body: impl FnOnce(&mut Object<'_>),
    ) {
        self.write_with_meta(out, cache, |result| {
            body(result);
            meta.map(|(key, json)| (key, Cow::Borrowed(json))).into_iter().collect()
        });
    }

    /// Like [`write`](Self::write), for `_meta` entries that depend on the members: `body` writes these and returns the
    /// entries.
    pub fn write_with_meta<'m>(
        &self,
        out: &mut Vec<u8>,
        cache: Option<Cache>,
        body: impl FnOnce(&mut Object<'_>) -> Vec<(&'m str, Cow<'m, [u8]>)>,
    ) {
        let start = out.len();
        let mut result = Object::open(out);
        if self.era == Era::Stateless {
            result.text("resultType", "complete");
        }
        let meta = body(&mut result);
        if let (Era::Stateless, Some(cache)) = (self.era, cache) {
            cache.write(&mut result);
        }
        if self.era == Era::Stateless || !meta.is_empty() {
            let mut inner = Object::open(result.value("_meta"));
            if self.era == Era::Stateless {
                inner.raw(SERVER_INFO, self.server);
                if !self.stale.is_empty() {
                    inner.raw(STALE, self.stale);
                }
            }
            meta.iter().for_each(|(key, json)| inner.raw(key, json));
            inner.close();
        }
        result.close();
        if let Some(method) = self.first_revision {
            let result = out.split_off(start);
            out.extend_from_slice(&first_revision::project(method, &result));
        }
    }

    /// Appends a result that another server produced, completed as the client's era requires. All members are kept,
    /// except those that only the stateless era defines when the client uses a session. `private` states that not every
    /// caller may get it, regardless of the server's own setting: the server does not know the gateway's policies.
    pub fn adopt(&self, out: &mut Vec<u8>, result: &[u8], cache: Option<Cache>, private: bool) {
        let projected = self.first_revision.map(|method| first_revision::project(method, result));
        let result = projected.as_deref().unwrap_or(result);
        out.reserve(result.len() + self.server.len() + self.stale.len() + ADDED);
        let read = std::str::from_utf8(result).ok().and_then(Members::parse);
        let Some(members) = read else { return out.extend_from_slice(result) };
        if self.era == Era::Session {
            // Only the stateless era allows a structured result that is no object.
            let structured = members.get(STRUCTURED).filter(|value| !value.is_object());
            let mut foreign = vec!["resultType", "ttlMs", "cacheScope"];
            foreign.extend(structured.map(|_| STRUCTURED));
            if foreign.iter().all(|key| members.get(key).is_none()) {
                return out.extend_from_slice(result);
            }
            // Servers repeat it as text. One that does not still has its result.
            let content = members.get("content").filter(|content| !matches!(content.get(), "[]" | "null"));
            let unsaid = structured.filter(|value| content.is_none() && !value.is_null());
            foreign.extend(unsaid.map(|_| "content"));
            let mut object = Object::open(out);
            object.keep(&members, &foreign);
            if let Some(value) = unsaid {
                Object::push_array(object.value("content"), [value], |out, value| {
                    let mut block = Object::open(out);
                    block.text("type", "text");
                    block.text("text", value.get());
                    block.close();
                });
            }
            return object.close();
        }
        let meta = members.get("_meta").and_then(Members::read).unwrap_or_default();
        let mut object = Object::open(out);
        if members.get("resultType").is_none() {
            object.text("resultType", "complete");
        }
        match members.get("cacheScope").filter(|_| private) {
            None => object.keep(&members, &["_meta"]),
            Some(_) => {
                object.keep(&members, &["_meta", "cacheScope"]);
                object.text("cacheScope", "private");
            }
        }
        // Only complete results may be cached.
        let complete = members
            .get("resultType")
            .and_then(json::Raw::text)
            .is_none_or(|kind| kind.as_ref() == "complete");
        if let Some(cache) = cache.filter(|_| complete && members.get("ttlMs").is_none()) {
            cache.write(&mut object);
        }
        let mut inner = Object::open(object.value("_meta"));
        match self.stale {
            [] => inner.keep(&meta, &[]),
            stale => {
                inner.keep(&meta, &[STALE]);
                inner.raw(STALE, &merged(stale, meta.get(STALE)));
            }
        }
        if meta.get(SERVER_INFO).is_none() {
            inner.raw(SERVER_INFO, self.server);
        }
        inner.close();
        object.close();
    }
}

impl Cache {
    fn write(self, result: &mut Object<'_>) {
        result.raw("ttlMs", self.ttl_ms.to_string().as_bytes());
        result.text("cacheScope", if self.private { "private" } else { "public" });
    }
}

/// Starts a JSON-RPC response. The caller appends the result and then calls [`close`].
pub(crate) fn open(id: Raw<'_>) -> Vec<u8> {
    start(id.get())
}

/// Like [`open`], for an id that is no longer borrowed from its request.
pub(crate) fn start(id: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(b",\"result\":");
    out
}

/// Returns a response with an empty result.
pub(crate) fn empty(id: Raw<'_>) -> Vec<u8> {
    let mut out = open(id);
    out.extend_from_slice(b"{}");
    close(&mut out);
    out
}

/// Ends a response that [`open`] started.
pub(crate) fn close(out: &mut Vec<u8>) {
    out.push(b'}');
}

/// Returns a response with a result of the gateway's own. `body` writes its members.
pub(crate) fn write(
    id: Raw<'_>,
    shape: &ResultShape<'_>,
    cache: Option<Cache>,
    body: impl FnOnce(&mut Object<'_>),
) -> Vec<u8> {
    let mut out = open(id);
    shape.write(&mut out, cache, None, body);
    close(&mut out);
    out
}

/// Returns a JSON-RPC error response, without an id if none could be read.
pub(crate) fn error(failure: &RpcError, id: Option<&str>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.text("jsonrpc", "2.0");
    if let Some(id) = id {
        object.raw("id", id.as_bytes());
    }
    object.raw("error", failure.to_json().to_string().as_bytes());
    object.close();
    out
}

/// Returns a response with this JSON, which no cache stores.
pub(crate) fn json(body: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::Json(body));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Returns a response that passes through.
pub(crate) fn passthrough(response: Passthrough) -> Response<Body> {
    json(Vec::new()).map(|_| Body::Passthrough(response))
}

/// Returns a response whose body is no longer in pieces if it has arrived.
pub(crate) fn settled(response: Response<Body>) -> Response<Body> {
    response.map(|body| match body {
        Body::Passthrough(response) => match response.into_whole() {
            Ok(json) => Body::Json(json),
            Err(response) => Body::Passthrough(response),
        },
        body => body,
    })
}

impl RpcError {
    /// Returns the response that refuses a request whose id could not be read.
    pub fn into_response(self) -> Response<Body> {
        refusal(&self, None)
    }
}

/// Returns the error response with the status and headers of `failure`.
pub(crate) fn refusal(failure: &RpcError, id: Option<Raw<'_>>) -> Response<Body> {
    let mut response = json(error(failure, id.map(Raw::get)));
    *response.status_mut() = failure.status;
    if let Some(seconds) = failure.asked_again_after() {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    let bearer = (failure.status == StatusCode::UNAUTHORIZED).then_some("Bearer");
    let challenge = failure
        .denial
        .as_ref()
        .and_then(|denial| denial.challenge.as_deref())
        .or(bearer)
        .map(HeaderValue::from_str);
    if let Some(Ok(challenge)) = challenge {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response
}

/// Refuses an HTTP method. `allow` lists the methods that are served.
pub(crate) fn not_allowed(allow: &'static str) -> Response<Body> {
    let message = format!("expected one of {allow}");
    let failure = RpcError::request(StatusCode::METHOD_NOT_ALLOWED, "verb", message);
    let mut response = refusal(&failure, None);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
    response
}

/// Returns 202 without a body, as for a notification.
pub(crate) fn accepted() -> Response<Body> {
    let mut response = Response::new(Body::Empty);
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// Converts a successful JSON response to a stream of one event. Other responses are unchanged.
pub(crate) fn as_event(response: Response<Body>) -> Response<Body> {
    let (mut head, body) = response.into_parts();
    let body = match body {
        Body::Json(json) if head.status == StatusCode::OK => {
            head.headers.insert(header::CONTENT_TYPE, EVENT_STREAM);
            Body::Json(sse::frame(None, &json))
        }
        body => body,
    };
    Response::from_parts(head, body)
}

/// Returns a response with a stream of server-sent events. Each item is one complete event.
pub(crate) fn events(frames: LocalBoxStream<'static, Vec<u8>>) -> Response<Body> {
    let mut response = Response::new(Body::Events(frames));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, EVENT_STREAM);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}
