use futures_util::stream::{self, LocalBoxStream, StreamExt};
use http::{HeaderValue, Response, StatusCode, header};

use super::{Event, Failure};
use crate::json::{Members, Object, Raw};

/// The body of a response.
#[allow(missing_debug_implementations, reason = "a stream has nothing to show")]
pub enum Body {
    /// Nothing.
    Empty,
    /// JSON.
    Json(Vec<u8>),
    /// Server-sent events, each whole.
    Events(LocalBoxStream<'static, Vec<u8>>),
}

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// How long, and for whom, a result may be kept (revision 2026-07-28, caching).
#[derive(Debug, Clone, Copy)]
pub(super) struct Cache {
    pub ttl_ms: u64,
    pub private: bool,
}

/// What every result of one server in one era looks like.
#[derive(Debug)]
pub(super) struct Shape<'a> {
    pub modern: bool,
    /// `serverInfo` as JSON.
    pub server: &'a [u8],
}

impl Shape<'_> {
    /// Appends a result of our own making: `body` writes its members, `meta` is one key of its `_meta`.
    pub fn write(
        &self,
        out: &mut Vec<u8>,
        cache: Option<Cache>,
        meta: Option<(&str, &[u8])>,
        body: impl FnOnce(&mut Object<'_>),
    ) {
        let mut result = Object::open(out);
        if self.modern {
            result.text("resultType", "complete");
        }
        body(&mut result);
        if let (true, Some(cache)) = (self.modern, cache) {
            cache.write(&mut result);
        }
        if self.modern || meta.is_some() {
            let mut inner = Object::open(result.value("_meta"));
            if self.modern {
                inner.raw(SERVER_INFO, self.server);
            }
            if let Some((key, json)) = meta {
                inner.raw(key, json);
            }
            inner.close();
        }
        result.close();
    }

    /// Appends a result that another server made, with what this era requires of it: nothing it says is
    /// lost, and what only the other era knows is taken off for clients that never heard of it.
    pub fn adopt(&self, out: &mut Vec<u8>, result: &[u8], cache: Option<Cache>) {
        let read = std::str::from_utf8(result).ok().and_then(Members::parse);
        let Some(members) = read else { return out.extend_from_slice(result) };
        let foreign = ["resultType", "ttlMs", "cacheScope"];
        if !self.modern {
            if foreign.iter().all(|key| members.get(key).is_none()) {
                return out.extend_from_slice(result);
            }
            let mut object = Object::open(out);
            object.keep(&members, &foreign);
            return object.close();
        }
        let meta = members.get("_meta").and_then(Members::read).unwrap_or_default();
        let mut object = Object::open(out);
        if members.get("resultType").is_none() {
            object.text("resultType", "complete");
        }
        object.keep(&members, &["_meta"]);
        if let Some(cache) = cache.filter(|_| members.get("ttlMs").is_none()) {
            cache.write(&mut object);
        }
        let mut inner = Object::open(object.value("_meta"));
        inner.keep(&meta, &[]);
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

/// Starts a JSON-RPC response; the result goes behind it, and [`close`] ends it.
pub(super) fn open(id: Raw<'_>) -> Vec<u8> {
    start(id.get())
}

fn start(id: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(b",\"result\":");
    out
}

/// The response whose result says nothing.
pub(super) fn empty(id: Raw<'_>) -> Vec<u8> {
    let mut out = open(id);
    out.extend_from_slice(b"{}");
    close(&mut out);
    out
}

pub(super) fn close(out: &mut Vec<u8>) {
    out.push(b'}');
}

/// A JSON-RPC error; without an id where none could be read.
fn error(failure: &Failure, id: Option<&str>) -> Vec<u8> {
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

pub(super) fn json(body: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::Json(body));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

pub(super) fn refusal(failure: &Failure, id: Option<Raw<'_>>) -> Response<Body> {
    let mut response = json(error(failure, id.map(Raw::get)));
    *response.status_mut() = failure.status;
    if failure.status == StatusCode::UNAUTHORIZED {
        let scheme = HeaderValue::from_static("Bearer");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
    }
    response
}

pub(super) fn accepted() -> Response<Body> {
    let mut response = Response::new(Body::Empty);
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// A stream of the messages that precede the response, and the response. `finish` makes a result what
/// the caller's era asks for.
pub(super) fn events(
    events: LocalBoxStream<'static, Event>,
    id: Raw<'_>,
    finish: impl Fn(&mut Vec<u8>, &[u8]) + 'static,
) -> Response<Body> {
    let id = id.get().to_owned();
    let last = |event: &Event| !matches!(event, Event::Notification(_));
    let until_last = stream::unfold(Some(events), move |events| async move {
        let mut events = events?;
        let event = events.next().await?;
        let rest = if last(&event) { None } else { Some(events) };
        Some((event, rest))
    });
    let frames = until_last.map(move |event| frame(&framed(event, &id, &finish)));
    let mut response = Response::new(Body::Events(frames.boxed_local()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// The JSON-RPC message of an event.
pub(super) fn message(event: Event, id: Raw<'_>, finish: impl Fn(&mut Vec<u8>, &[u8])) -> Vec<u8> {
    framed(event, id.get(), finish)
}

fn framed(event: Event, id: &str, finish: impl Fn(&mut Vec<u8>, &[u8])) -> Vec<u8> {
    match event {
        Event::Notification(message) => message,
        Event::Error(failure) => error(&failure, Some(id)),
        Event::Result(result) => {
            let mut out = start(id);
            finish(&mut out, &result);
            close(&mut out);
            out
        }
    }
}

/// One event. JSON may hold line breaks between tokens; each line becomes a `data:` line of its own.
fn frame(message: &[u8]) -> Vec<u8> {
    let mut out = b"event: message\n".to_vec();
    for line in message.split(|byte| matches!(byte, b'\n' | b'\r')).filter(|line| !line.is_empty()) {
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out.push(b'\n');
    out
}
