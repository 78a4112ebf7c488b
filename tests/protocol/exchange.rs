//! A conversation: requests with the boilerplate of their era, and the earlier replies.

use std::collections::BTreeMap;

use futures_util::StreamExt;
use http::{HeaderName, HeaderValue, Request};
use mcp_sieve_gateway::server::{Body, handle_plain_list};
use serde_json::{Map, Value, json};

use crate::{check, host::World, row::Step};

const MODERN: &str = "2026-07-28";
const SESSION: &str = "mcp-session-id";
const AUTHORITY: &str = "127.0.0.1:8787";

/// A complete HTTP response.
pub struct Reply {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }
}

/// A conversation with one world.
pub struct Talk<'a> {
    world: &'a World,
    /// Every request, including those of handshakes.
    pub sent: Vec<Request<Vec<u8>>>,
    replies: Vec<Reply>,
    session: Option<String>,
}

type Headers = Vec<(String, String)>;

impl<'a> Talk<'a> {
    pub fn new(world: &'a World) -> Self {
        Self { world, sent: Vec::new(), replies: Vec::new(), session: None }
    }

    /// Sends a step's request and checks the reply against the expectations of the step.
    pub fn step(&mut self, step: &Step) -> Result<(), String> {
        let legacy = step.era.as_deref().filter(|era| *era != MODERN);
        if let Some(version) = legacy
            && step.method != "initialize"
            && self.session.is_none()
            && !step.headers.contains_key(SESSION)
        {
            self.open_session(version, step);
        }
        let (headers, message) = self.compose(step);
        let body = match (&step.raw, &message) {
            (Some(raw), _) => raw.bytes(),
            (None, Some(message)) => message.to_string().into_bytes(),
            (None, None) => Vec::new(),
        };
        let reply = self.send(step, headers, body);
        if step.era.is_some() && step.method == "initialize" {
            self.session = reply.headers.get(SESSION).cloned();
        }
        self.replies.push(reply);
        let reply = self.replies.last().unwrap();
        let sent = if step.raw.is_some() { None } else { message.as_ref() };
        check::reply(step, sent, reply, &self.world.server_info, |value| self.resolved(value))
    }

    /// Opens a session, as a client of that revision does first.
    fn open_session(&mut self, version: &str, step: &Step) {
        let (token, path) = (&step.token, &step.path);
        let initialize = json!({"era": version, "method": "initialize", "token": token, "path": path,
            "expect": {"status": 200}});
        let initialized = json!({"era": version, "method": "notifications/initialized", "notification": true,
            "token": token, "path": path, "expect": {"status": 202}});
        let kept = std::mem::take(&mut self.replies);
        for step in [initialize, initialized] {
            self.step(&serde_json::from_value(step).unwrap()).expect("a session opens");
        }
        self.replies = kept;
    }

    /// Returns the headers and the message of a step.
    fn compose(&self, step: &Step) -> (Headers, Option<Value>) {
        let mut params = step.params.as_ref().map(|params| self.resolved(params));
        let mut meta: Map<String, Value> = Map::new();
        let mut headers: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut set = |name: &str, value: &str| _ = headers.insert(name.to_owned(), vec![value.to_owned()]);
        set("host", AUTHORITY);
        set("accept", "application/json, text/event-stream");
        if step.verb == "POST" {
            set("content-type", "application/json");
        }
        if let Some(token) = &step.token {
            set("authorization", &format!("Bearer {token}"));
        }
        match step.era.as_deref() {
            None => {}
            Some(MODERN) => {
                set("mcp-protocol-version", MODERN);
                set("mcp-method", &step.method);
                let key = match step.method.as_str() {
                    "tools/call" | "prompts/get" => "name",
                    "resources/read" => "uri",
                    _ => "",
                };
                if let Some(name) = params.as_ref().and_then(|params| params.get(key)).and_then(Value::as_str)
                {
                    set("mcp-name", name);
                }
                meta.insert("io.modelcontextprotocol/protocolVersion".to_owned(), MODERN.into());
                meta.insert("io.modelcontextprotocol/clientCapabilities".to_owned(), json!({}));
            }
            Some(version) if step.method == "initialize" => {
                params.get_or_insert_with(|| {
                    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "row", "version": "1"}})
                });
            }
            Some(version) => {
                set("mcp-protocol-version", version);
                self.session.iter().for_each(|session| set(SESSION, session));
            }
        }
        for (name, given) in &step.headers {
            headers.remove(name);
            if let Some(given) = given {
                let resolved =
                    given.values().iter().map(|value| self.resolve(value).as_str().unwrap().to_owned());
                headers.insert(name.clone(), resolved.collect());
            }
        }
        for (key, value) in &step.meta {
            if value.is_null() {
                meta.remove(key)
            } else {
                meta.insert(key.clone(), self.resolved(value))
            };
        }
        let headers = headers
            .into_iter()
            .flat_map(|(name, values)| values.into_iter().map(move |value| (name.clone(), value)));
        (headers.collect(), (step.verb == "POST").then(|| self.message(step, params, meta)))
    }

    fn message(&self, step: &Step, mut params: Option<Value>, meta: Map<String, Value>) -> Value {
        if !meta.is_empty()
            && let Some(params) = params.get_or_insert_with(|| json!({})).as_object_mut()
        {
            params.insert("_meta".to_owned(), Value::Object(meta));
        }
        let mut message = json!({"jsonrpc": "2.0", "method": step.method});
        if !step.notification {
            message["id"] = step.id.clone().unwrap_or_else(|| (self.replies.len() + 1).into());
        }
        if let Some(params) = params {
            message["params"] = params;
        }
        message
    }

    fn send(&mut self, step: &Step, headers: Headers, body: Vec<u8>) -> Reply {
        let query = step.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
        let path = step.path.as_deref().unwrap_or("/mcp");
        let mut request = Request::new(body);
        *request.method_mut() = step.verb.parse().unwrap();
        *request.uri_mut() = format!("http://{AUTHORITY}{path}{query}").parse().unwrap();
        for (name, value) in headers {
            // One byte per character, as in HTTP.
            let value: Vec<u8> = value.chars().map(|c| u8::try_from(c).expect("a header is bytes")).collect();
            request
                .headers_mut()
                .append(HeaderName::try_from(name).unwrap(), HeaderValue::from_bytes(&value).unwrap());
        }
        let claims = step.token.as_ref().map(|token| &self.world.tokens[token]);
        let (world, config) = (self.world, &self.world.config);
        let response = match step.is_plain() {
            false => world.run(world.handle(Ok(claims), &request)),
            true => world.run(handle_plain_list(config, world, Ok(claims), &request)),
        };
        self.sent.push(request);
        let (head, body) = response.into_parts();
        let headers = head
            .headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), value.to_str().unwrap().to_owned()));
        let body = match body {
            Body::Empty => Vec::new(),
            Body::Json(json) => json,
            Body::Events(events) => self.world.run(events.collect::<Vec<_>>()).concat(),
            Body::Passthrough(response) => {
                let pieces = self.world.run(response.into_pieces().collect::<Vec<_>>());
                pieces.into_iter().map(Result::unwrap).collect::<Vec<_>>().concat()
            }
        };
        Reply { status: head.status.as_u16(), headers: headers.collect(), body }
    }

    /// Resolves references. `$0:/pointer` stands for a part of an earlier reply and `$0:@name` for one of its headers.
    /// `!7` after either replaces the character at 7, counted from the end if negative. In other texts `{host}` and
    /// `{version}` are the server's, and `{etag}` and `{length}` belong to the last body.
    fn resolve(&self, text: &str) -> Value {
        let parsed = text.strip_prefix('$').and_then(|rest| rest.split_once(':'));
        let Some((step, place)) = parsed.and_then(|(step, place)| Some((step.parse::<usize>().ok()?, place)))
        else {
            let text = text.replace("{host}", AUTHORITY).replace("{version}", env!("CARGO_PKG_VERSION"));
            let Some(whole) =
                self.replies.iter().rfind(|reply| reply.status == 200 && !reply.body.is_empty())
            else {
                return text.into();
            };
            let tag = whole.headers.get("etag").map_or("", String::as_str);
            return text.replace("{etag}", tag).replace("{length}", &whole.body.len().to_string()).into();
        };
        let reply = &self.replies[step];
        let (place, flip) = match place.split_once('!') {
            Some((place, at)) => (place, Some(at.parse::<isize>().unwrap())),
            None => (place, None),
        };
        let found = match place.strip_prefix('@') {
            Some(header) => reply.headers.get(header).map(|value| value.as_str().into()),
            None => reply.json().and_then(|body| body.pointer(place).cloned()),
        };
        let found = found.unwrap_or_else(|| panic!("{text} is not there"));
        let Some(at) = flip else { return found };
        let mut chars: Vec<char> = found.as_str().unwrap().chars().collect();
        let at = if at < 0 { chars.len() - at.unsigned_abs() } else { at.unsigned_abs() };
        chars[at] = if chars[at] == 'A' { 'B' } else { 'A' };
        chars.into_iter().collect::<String>().into()
    }

    fn resolved(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.resolve(text),
            Value::Array(values) => values.iter().map(|value| self.resolved(value)).collect(),
            Value::Object(members) => {
                members.iter().map(|(key, value)| (key.clone(), self.resolved(value))).collect()
            }
            other => other.clone(),
        }
    }
}
