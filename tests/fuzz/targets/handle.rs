//! The whole protocol with an in-memory host: every response is JSON-RPC under the right id, and none stays away.

use futures_util::{StreamExt, stream::LocalBoxStream};
use http::{HeaderValue, Method, Request, header, response::Parts};
use mcp_sieve_gateway::server::{Body, CARD_CATALOG_PATHS, PLAIN_PATH, handle_plain_list};
use serde_json::Value;

use super::{conversation, rpc};
use crate::{host::World, target::Target};

pub const TARGET: Target = Target { mutations: 10_000, seeds: conversation::of_rows, words: WORDS, holds };

const WORDS: &[&str] = &[
    "\n=====\n",
    "POST /mcp\n",
    "GET /mcp\n",
    "GET /catalog/tools?",
    "GET /mcp/server-card\n",
    "GET /.well-known/ai-catalog.json\n",
    "GET /.well-known/mcp/catalog.json\n",
    "\"names\"",
    "\"tools/manifest\"",
    "\"tools/describe\"",
    "\"io.modelcontextprotocol/knownTags\"",
    "\"io.modelcontextprotocol/expectedDigest\"",
    "HEAD /catalog/prompts\n",
    "if-none-match: *\n",
    "DELETE /mcp\n",
    "mcp-session-id: {session}\n",
    "last-event-id: 1-1\n",
    "accept: application/json\n",
    "mcp-method: tools/call\n",
    "mcp-name: =?base64?ZWNobw==?=\n",
    "origin: null\n",
    "mcp-protocol-version: 2026-07-28\n",
    "mcp-protocol-version: 2025-03-26\n",
    "authorization: Bearer alice-token\n",
    "\"tools/list\"",
    "\"tools/call\"",
    "\"resources/read\"",
    "\"prompts/get\"",
    "\"completion/complete\"",
    "\"resources/subscribe\"",
    "\"subscriptions/listen\"",
    "\"groups/list\"",
    "\"tags/list\"",
    "\"server/discover\"",
    "\"initialize\"",
    "\"ping\"",
    "\"logging/setLevel\"",
    "\"notifications/cancelled\"",
    "\"params\"",
    "\"_meta\"",
    "\"cursor\"",
    "\"filter\"",
    "\"id\"",
    "\"progressToken\"",
    "\"inputResponses\"",
    "\"requestState\"",
    "\"quiz\"",
    "\"endless\"",
    "\"chatter\"",
    "\"narrate\"",
    "\"io.modelcontextprotocol/logLevel\"",
    "\"2.0\"",
    "null",
];

const STATUSES: [u16; 13] = [200, 202, 204, 304, 400, 401, 403, 404, 405, 406, 409, 413, 415];
const CARD: &[u8] = b"application/mcp-server-card+json";
/// The media type of an AI catalog.
const CATALOG: &[u8] = b"application/ai-catalog+json";

fn holds(bytes: &[u8]) -> String {
    let (name, requests) = conversation::read(bytes);
    let world = conversation::world(&name);
    let (mut session, mut streams, mut outcome) = (None, Vec::new(), String::new());
    for mut request in requests {
        conversation::in_session(&mut request, session.as_ref());
        let Some((head, body)) = answered(&world, &request) else {
            outcome = "waits".to_owned();
            continue;
        };
        session = head.headers.get("mcp-session-id").cloned().or(session);
        assert!(statuses(&request).any(|status| head.status == status), "{}", head.status);
        match whole(&head, body) {
            Whole::Message(message) if is_plain(&request) => outcome = resource(&head, &message),
            Whole::Message(message) if head.status == 200 && is_card(&request) => outcome = card(&message),
            Whole::Message(message) => outcome = rpc::response(&request, &message),
            Whole::Nothing => outcome = head.status.to_string(),
            Whole::Stream(frames) => {
                streams.push(OpenStream { request, frames, messages: Vec::new(), ended: false })
            }
        }
        // This request may produce an event that another stream waits for.
        streams.iter_mut().for_each(|stream| stream.follow(&world));
    }
    for stream in streams {
        outcome = stream.holds();
    }
    outcome
}

/// Returns the response, or `None` for a call without a stream to a tool that never ends.
fn answered(world: &World, request: &Request<Vec<u8>>) -> Option<(Parts, Body)> {
    let token = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let claims = token.and_then(|token| world.tokens.get(token.strip_prefix("Bearer ")?));
    let response = match is_plain(request) {
        true => world.settle(handle_plain_list(&world.config, world, Ok(claims), request)),
        false => world.settle(world.handle(Ok(claims), request)),
    };
    assert!(response.is_some() || is_endless(request), "nobody answers");
    response.map(http::Response::into_parts)
}

fn listens(request: &Request<Vec<u8>>) -> bool {
    String::from_utf8_lossy(request.body()).contains("subscriptions/listen")
}

/// Returns the permitted status codes. An internal failure is a JSON-RPC error; a plain HTTP resource reports it as a
/// status.
fn statuses(request: &Request<Vec<u8>>) -> impl Iterator<Item = u16> {
    let failed: &[u16] = if is_plain(request) { &[500, 502] } else { &[] };
    STATUSES.iter().chain(failed).copied()
}

fn is_plain(request: &Request<Vec<u8>>) -> bool {
    request.uri().path().starts_with(PLAIN_PATH)
}

/// Returns whether the response may be a server card. Cards are read by GET; a preset of the same name by POST.
fn is_card(request: &Request<Vec<u8>>) -> bool {
    let path = request.uri().path();
    request.method() == Method::GET && (CARD_CATALOG_PATHS.contains(&path) || path.ends_with("/server-card"))
}

fn is_endless(request: &Request<Vec<u8>>) -> bool {
    String::from_utf8_lossy(request.body()).contains("endless")
}

enum Whole {
    Message(Value),
    Nothing,
    Stream(LocalBoxStream<'static, Vec<u8>>),
}

/// Asserts that the body is what the response head declares.
fn whole(head: &Parts, body: Body) -> Whole {
    let media = head.headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    match body {
        Body::Json(json) => {
            // A single event, for a client that prefers event streams.
            let event =
                json.strip_prefix(b"event: message\ndata: ").and_then(|json| json.strip_suffix(b"\n\n"));
            let expected = if event.is_some() { &b"text/event-stream"[..] } else { b"application/json" };
            let document = media.is_some_and(|media| [CARD, CATALOG].contains(&media));
            assert!(media == Some(expected) || document && event.is_none(), "{media:?}");
            let json = event.unwrap_or(&json);
            Whole::Message(
                serde_json::from_slice(json)
                    .unwrap_or_else(|error| panic!("{error}: {}", json.escape_ascii())),
            )
        }
        Body::Events(frames) => {
            assert_eq!((media, head.status.as_u16()), (Some(&b"text/event-stream"[..]), 200));
            Whole::Stream(frames)
        }
        Body::Passthrough(response) => panic!("{response:?} of a server that passes none"),
        Body::Empty => {
            // The response to a HEAD request declares the length of the omitted body.
            assert!(media.is_none() || head.headers.contains_key(header::CONTENT_LENGTH), "{}", head.status);
            Whole::Nothing
        }
    }
}

/// Checks a plain HTTP resource: a list, with a report of ignored parts of the URL, or a JSON-RPC error.
fn resource(head: &Parts, message: &Value) -> String {
    if head.status != 200 {
        return rpc::outcome(message);
    }
    let members: Vec<_> =
        message.as_object().into_iter().flatten().filter(|(key, _)| *key != "_meta").collect();
    let ignored = &message["_meta"]["dev.mcpsieve/filter"]["ignored"];
    let reports = ignored.as_array().is_some_and(|parts| !parts.is_empty());
    assert!(message.get("_meta").is_none() || reports, "a report of nothing: {message}");
    assert!(matches!(members[..], [(_, Value::Array(_))]), "no list: {message}");
    format!("a list of {}", members[0].0)
}

/// Checks a card, which names an endpoint, or the catalog of cards, which names cards.
fn card(message: &Value) -> String {
    match message.get("specVersion") {
        Some(version) => {
            assert!(["draft", "1.0"].iter().any(|known| version == known), "{message}");
            assert!(message["entries"].is_array(), "no catalog: {message}");
            "the catalog of cards".to_owned()
        }
        None => {
            assert!(message["remotes"][0]["url"].is_string(), "no card: {message}");
            "a card".to_owned()
        }
    }
}

struct OpenStream {
    request: Request<Vec<u8>>,
    frames: LocalBoxStream<'static, Vec<u8>>,
    messages: Vec<Value>,
    ended: bool,
}

impl OpenStream {
    /// Reads the frames that are available now.
    fn follow(&mut self, world: &World) {
        while !self.ended
            && let Some(frame) = world.settle(self.frames.next())
        {
            match frame {
                Some(frame) => self.messages.extend(message(&frame)),
                None => self.ended = true,
            }
        }
    }

    /// Asserts that the stream has messages of the server and at most one response, which is the last.
    fn holds(&self) -> String {
        let responses = self.messages.iter().filter(|message| message.get("method").is_none());
        let responses: Vec<&Value> = responses.collect();
        for message in self.messages.iter().filter(|message| message.get("method").is_some()) {
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            assert!(message.get("params").is_none_or(Value::is_object), "{message}");
        }
        let questions = self
            .messages
            .iter()
            .any(|message| message.get("method").is_some() && message.get("id").is_some());
        let feed = self.request.method() == Method::GET;
        if feed {
            return format!("a feed of {}", self.messages.len().min(5));
        }
        let (batch, ids) = rpc::asked(&self.request);
        if batch {
            return rpc::several(&responses, &ids);
        }
        assert!(responses.len() <= 1, "{} responses", responses.len());
        if let Some(response) = responses.first() {
            assert!(self.ended, "a response ends its stream");
            assert_eq!(self.messages.last(), Some(*response));
            assert_eq!(response.get("id"), ids.first(), "{response}");
            return rpc::outcome(response);
        }
        // The stream was cancelled, or it waits for the client, for a change, or for a tool that never ends.
        assert!(
            self.ended || questions || listens(&self.request) || is_endless(&self.request),
            "a stream waits for something that never arrives"
        );
        format!("a stream of {}, ended: {}", self.messages.len().min(5), self.ended)
    }
}

/// Returns the message of a frame; comments and the opening of a stream have none.
fn message(frame: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(frame).expect("a stream of events is UTF-8");
    // An empty frame makes the server send the response head.
    assert!(
        text.is_empty() || text.ends_with("\n\n") && !text.trim_end().contains("\n\n"),
        "not one whole event: {text:?}"
    );
    let lines: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("data:")).collect();
    let data = lines.join("\n");
    (!data.trim().is_empty())
        .then(|| serde_json::from_str(&data).unwrap_or_else(|error| panic!("{error}: {text}")))
}
