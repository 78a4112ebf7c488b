//! The protocol before a `fetch` handler in JavaScript, which speaks MCP itself: it is the server behind, reached by
//! a call instead of the network. What needs the world goes through [`World`], which the package's `handler.js` has.

mod exchange;
mod host;
mod reply;
mod session;

use std::rc::Rc;

use http::{HeaderName, HeaderValue, Request, StatusCode};
use js_sys::Promise;
use serde_json::{Map, Value};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use self::host::{Handling, JsHost};
use super::value::refusal;
use crate::{
    config::{Config, Limits},
    error::{Error, ErrorKind},
    mcp::{Failure, Gateway, PLAIN_PATH, Parked, handle, plain, printable},
    seal::Key,
};

pub use reply::Reply;

#[wasm_bindgen]
extern "C" {
    /// What JavaScript does for the protocol. A `context` is that of the request on whose behalf it is done.
    #[derive(Clone)]
    pub type World;

    /// Calls the handler.
    #[wasm_bindgen(method, catch)]
    fn call(
        this: &World,
        context: &JsValue,
        method: &str,
        headers: Vec<String>,
        body: Vec<u8>,
    ) -> Result<Exchange, JsValue>;
    /// Resolves after so many milliseconds.
    #[wasm_bindgen(method)]
    async fn sleep(this: &World, ms: f64);
    /// Sixteen bytes that nobody can guess.
    #[wasm_bindgen(method, catch)]
    fn random(this: &World) -> Result<Vec<u8>, JsValue>;
    /// Keeps the request's world alive until the promise is settled.
    #[wasm_bindgen(method)]
    fn wait(this: &World, context: &JsValue, promise: Promise);
    /// Writes a line to the operator's log.
    #[wasm_bindgen(method, js_name = note)]
    fn write_note(this: &World, line: &str);
    /// Resolves with nothing for a caller who is to be served, and otherwise with what it is told.
    #[wasm_bindgen(method, catch)]
    async fn check(this: &World, context: &JsValue, caller: &str) -> Result<JsValue, JsValue>;
    /// The text of a session, or nothing.
    #[wasm_bindgen(method, catch)]
    async fn load(this: &World, context: &JsValue, id: &str) -> Result<JsValue, JsValue>;
    /// Keeps the text of a session.
    #[wasm_bindgen(method, catch)]
    async fn save(this: &World, context: &JsValue, id: &str, session: &str) -> Result<JsValue, JsValue>;
    /// Forgets a session.
    #[wasm_bindgen(method, catch)]
    async fn end(this: &World, context: &JsValue, id: &str) -> Result<JsValue, JsValue>;

    /// One call of the handler.
    pub type Exchange;

    /// Resolves when there is a response, from then on there are `status` and `headers`.
    #[wasm_bindgen(method, catch)]
    async fn begun(this: &Exchange) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn status(this: &Exchange) -> u16;
    #[wasm_bindgen(method, getter)]
    fn headers(this: &Exchange) -> Vec<String>;
    /// Resolves with the next bytes of the body, or nothing behind the last.
    #[wasm_bindgen(method, catch)]
    async fn next(this: &Exchange) -> Result<JsValue, JsValue>;
    /// Nobody wants the rest.
    #[wasm_bindgen(method)]
    fn cancel(this: &Exchange);
}

impl World {
    /// Notifies the operator. Text of the handler and of its tools is escaped.
    fn note(&self, line: &str) {
        self.write_note(&printable(line));
    }
}

/// The protocol before one handler.
#[wasm_bindgen]
#[allow(missing_debug_implementations, reason = "it is held by JavaScript alone")]
pub struct Handler(Rc<Handling>);

#[wasm_bindgen]
impl Handler {
    /// Reads the configuration (JSONC) and takes the key that seals what callers carry back.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &str, key: &[u8], world: World) -> Result<Handler, JsValue> {
        Self::behind(config, key, world).map_err(|error| refusal(&error))
    }

    /// Answers one request; resolves with a [`Reply`], whatever goes wrong. `headers` are names and values in turn,
    /// `claims` the JSON of those of a verified token, `refused` why a token was not taken.
    #[expect(clippy::too_many_arguments, reason = "JavaScript hands each over as it has it")]
    pub fn answer(
        &self,
        context: JsValue,
        method: &str,
        url: &str,
        headers: Vec<String>,
        body: Vec<u8>,
        claims: Option<String>,
        refused: Option<String>,
    ) -> Promise {
        let host = JsHost::new(Rc::clone(&self.0), context);
        let request = read(method, url, headers, body);
        future_to_promise(async move {
            let response = match request {
                Ok(request) => {
                    let claims: Option<Map<String, Value>> =
                        claims.and_then(|claims| serde_json::from_str(&claims).ok());
                    let known = match refused {
                        Some(why) => Err(Failure::request(StatusCode::UNAUTHORIZED, "unauthorized", why)),
                        None => Ok(claims.as_ref()),
                    };
                    let config = &host.handling.config;
                    if request.uri().path().starts_with(PLAIN_PATH) {
                        plain(config, &host, known, &request).await
                    } else {
                        handle(config, &host, known, &request).await
                    }
                }
                Err(failure) => failure.into_response(),
            };
            Ok(Reply::new(response).into())
        })
    }
}

impl Handler {
    fn behind(config: &str, key: &[u8], world: World) -> Result<Self, Error> {
        let mut config = Config::parse(config)?;
        let refuse = |message: &str| Error::new(ErrorKind::Config, message.to_owned());
        if !config.upstreams.is_empty() || !config.upstream.url.is_empty() {
            return Err(refuse("upstream: the server behind is the handler, expected no address of another"));
        }
        // What is not done here is refused, and never passed over.
        if config.auth.is_some() {
            return Err(refuse("auth: who calls is for `identify` to say, expected no issuers of tokens"));
        }
        if config.limits != Limits::default() {
            return Err(refuse("limits: nothing counts calls before a handler"));
        }
        if config.middleware.is_some() {
            return Err(refuse("middleware: no functions are here that a context could go through"));
        }
        // Where it is does not matter: it is called.
        config.upstream.url = "http://handler/mcp".to_owned();
        let gateway = Gateway::new(std::slice::from_ref(&config.upstream), &|_| None)
            .map_err(|failure| Error::new(ErrorKind::Config, failure.message))?;
        let key = Key::new(key).ok_or_else(|| refuse("the key cannot be used"))?;
        let parked = Rc::new(Parked::new("handler"));
        let live = Default::default();
        Ok(Self(Rc::new(Handling { config, key, gateway, world, parked, live })))
    }
}

fn read(method: &str, url: &str, headers: Vec<String>, body: Vec<u8>) -> Result<Request<Vec<u8>>, Failure> {
    let mut built = Request::builder().method(method).uri(url);
    if let Some(all) = built.headers_mut() {
        for (name, value) in pairs(&headers) {
            all.append(name, value);
        }
    }
    built.body(body).map_err(|error| {
        Failure::request(StatusCode::BAD_REQUEST, "request", format!("the request cannot be read: {error}"))
    })
}

/// Names and values in turn, one character of a value a byte, as `Headers` has them. What is no header is left out.
fn pairs(headers: &[String]) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    headers.chunks_exact(2).filter_map(|pair| {
        let [name, value] = pair else { return None };
        let value: Vec<u8> = value.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
        Some((HeaderName::try_from(name.as_str()).ok()?, HeaderValue::from_bytes(&value).ok()?))
    })
}

/// The other way round.
fn flat(headers: &http::HeaderMap) -> Vec<String> {
    let text = |value: &HeaderValue| value.as_bytes().iter().copied().map(char::from).collect();
    headers.iter().flat_map(|(name, value)| [name.as_str().to_owned(), text(value)]).collect()
}
