//! The network of the command, and a record of what a server sent over it.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashSet},
    rc::Rc,
};

use futures_util::future::LocalBoxFuture;
use http::{Request, Response};
use js_sys::Math;
use mcp_sieve::{
    Kind,
    json::{self, Members},
};
use mcp_sieve_bindings_fetch::{exchange, now, sleep};
use mcp_sieve_gateway::upstream::{Chunks, Fetch, FetchError};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Headers, RequestInit};

/// The header in which a server names a session that it keeps.
const SESSION: &str = "mcp-session-id";

#[wasm_bindgen]
extern "C" {
    /// A server to list, and the network to it.
    #[derive(Clone)]
    pub type Place;

    /// Returns its name in the configuration, or an empty text for the only server.
    #[wasm_bindgen(method, getter)]
    pub(super) fn server(this: &Place) -> String;
    /// Returns its URL.
    #[wasm_bindgen(method, getter)]
    pub(super) fn url(this: &Place) -> String;
    /// Returns the headers of every request, with the values of variables.
    #[wasm_bindgen(method, getter)]
    pub(super) fn headers(this: &Place) -> Headers;
    /// Sends a request and resolves with its `Response`, without following redirects. Rejects if there is none.
    #[wasm_bindgen(method, catch)]
    async fn fetch(this: &Place, url: &str, init: &RequestInit) -> Result<JsValue, JsValue>;
    /// Shows that `more` primitives were listed.
    #[wasm_bindgen(method)]
    fn progress(this: &Place, more: usize);
}

/// The network to one server.
#[derive(Clone)]
pub(super) struct LiveFetch {
    place: Place,
    received: Rc<RefCell<Received>>,
}

/// What a server sent.
#[derive(Default)]
pub(super) struct Received {
    /// The results of `initialize` and `server/discover`, by the method.
    introductions: BTreeMap<String, Vec<String>>,
    /// Whether the server keeps sessions.
    keeps_sessions: bool,
    pages: Vec<String>,
    /// The primitives so far. A server of two revisions lists most of them in both.
    known: HashSet<(Kind, String)>,
}

impl LiveFetch {
    pub fn new(place: &Place) -> Self {
        Self { place: place.clone(), received: Rc::default() }
    }

    /// Returns what the server has sent.
    pub fn received(&self) -> Received {
        self.received.take()
    }
}

impl Received {
    /// Returns what the server says of itself, in each revision in which it was listed.
    pub fn about(&self) -> impl Iterator<Item = &str> {
        let of = |method: &str| self.introductions.get(method).map(Vec::as_slice).unwrap_or_default();
        let (stateless, session) = (of("server/discover"), of("initialize"));
        // A server of both revisions is listed in a session only if it keeps one.
        let has_session = self.keeps_sessions || stateless.is_empty();
        stateless.iter().chain(session.iter().filter(move |_| has_session)).map(String::as_str)
    }

    /// Returns the list results.
    pub fn pages(&self) -> impl Iterator<Item = &str> {
        self.pages.iter().map(String::as_str)
    }

    /// Adds a page of a list, if it has one. Returns the number of its primitives that were unknown.
    fn add_page(&mut self, kind: Kind, page: &str) -> usize {
        let before = self.known.len();
        let primitives = Members::parse(page).and_then(|result| result.get(kind.list_key())?.elements());
        let Some(primitives) = primitives else { return 0 };
        let id = |raw| Members::read(raw)?.get(kind.id_key()).and_then(json::Raw::text);
        self.known.extend(primitives.into_iter().filter_map(id).map(|id| (kind, id.into_owned())));
        self.pages.push(page.to_owned());
        self.known.len() - before
    }
}

impl Fetch for LiveFetch {
    async fn fetch(&self, request: Request<Vec<u8>>) -> Result<Response<Chunks>, FetchError> {
        let url = request.uri().to_string();
        let send = async |init| self.place.fetch(&url, &init).await;
        let response = exchange(request, send).await.map_err(|_| FetchError)?;
        self.received.borrow_mut().keeps_sessions |= response.headers().contains_key(SESSION);
        Ok(response)
    }

    async fn sleep(&self, ms: u64) {
        sleep(ms).await;
    }

    fn now(&self) -> u64 {
        now()
    }

    fn chance(&self) -> f64 {
        Math::random()
    }

    fn received(&self, method: &str, result: &[u8]) {
        let Ok(result) = std::str::from_utf8(result) else { return };
        let mut received = self.received.borrow_mut();
        match Kind::ALL.into_iter().find(|kind| kind.list_method() == method) {
            Some(kind) => self.place.progress(received.add_page(kind, result)),
            None => received.introductions.entry(method.to_owned()).or_default().push(result.to_owned()),
        }
    }

    fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
        spawn_local(work);
    }
}
