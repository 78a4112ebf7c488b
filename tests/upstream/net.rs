//! An in-memory network, with a clock that advances only when nothing else can.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    future::poll_fn,
    pin::pin,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use futures_util::{StreamExt, future::LocalBoxFuture, stream};
use http::HeaderValue;
use mcp_sieve::json::Raw;
use mcp_sieve_gateway::{
    error::RpcError,
    upstream::{Chunks, Fetch, FetchError, Identity, Lister},
};
use serde_json::Value;

/// One piece of a body.
#[derive(Clone)]
pub enum Piece {
    Bytes(Vec<u8>),
    Wait(u64),
    Reset,
    Hang,
}

/// The reaction of a server to a request.
#[derive(Clone)]
pub enum Reply {
    Response {
        status: u16,
        headers: Vec<(String, String)>,
        body: Vec<Piece>,
    },
    Lost,
    Hang,
    /// The reply after a delay in milliseconds.
    Late(u64, Box<Reply>),
}

/// A request as the server receives it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub url: String,
    pub headers: http::HeaderMap,
    pub text: String,
    pub body: Value,
}

impl Seen {
    pub fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

struct World {
    server: Box<dyn Fn(&Seen) -> Reply>,
    seen: RefCell<Vec<Seen>>,
    now: Cell<u64>,
    alarms: RefCell<BTreeMap<usize, u64>>,
    next: Cell<usize>,
    work: RefCell<Vec<LocalBoxFuture<'static, ()>>>,
    place: Cell<Option<usize>>,
    /// The tokens of connections, by holder and server, the next one last.
    tokens: RefCell<BTreeMap<(String, String), Vec<String>>>,
    /// The servers that were reported to have changed their lists, with the times.
    changed: RefCell<Vec<(u64, String)>>,
}

/// Records that some task was woken.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The network and the clock, and the caller in whose name requests go.
#[derive(Clone)]
pub struct Net(Rc<World>, Option<Rc<Identity>>);

impl Net {
    /// The token of a caller whose connections cannot be read.
    pub const AWAY: &'static str = "away";

    pub fn new(server: impl Fn(&Seen) -> Reply + 'static) -> Self {
        let world = World {
            server: Box::new(server),
            seen: RefCell::default(),
            now: Cell::new(0),
            alarms: RefCell::default(),
            next: Cell::new(0),
            work: RefCell::default(),
            place: Cell::default(),
            tokens: RefCell::default(),
            changed: RefCell::default(),
        };
        Self(Rc::new(world), None)
    }

    /// Connects a caller to a server. Each token replaces the one before when the server has refused that one.
    pub fn connect(&self, holder: &str, server: &str, tokens: &[&str]) {
        let tokens = tokens.iter().map(|token| format!("Bearer {token}")).collect();
        self.0.tokens.borrow_mut().insert((holder.to_owned(), server.to_owned()), tokens);
    }

    /// Ends the connection of a caller to a server.
    pub fn disconnect(&self, holder: &str, server: &str) {
        self.0.tokens.borrow_mut().remove(&(holder.to_owned(), server.to_owned()));
    }

    fn connection(&self, server: &str) -> (String, String) {
        let holder = self.1.as_ref().map_or(Identity::GATEWAY, |identity| &identity.holder);
        (holder.to_owned(), server.to_owned())
    }

    /// Lets background work serve other requests, as in a Durable Object.
    pub fn in_a_place(self) -> Self {
        self.0.place.set(Some(1));
        self
    }

    pub fn now(&self) -> u64 {
        self.0.now.get()
    }

    /// Returns the requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.0.seen.borrow().clone()
    }

    /// Returns the times at which a server was reported to have changed its lists.
    pub fn changed(&self, server: &str) -> Vec<u64> {
        let changed = self.0.changed.borrow();
        changed.iter().filter(|(_, name)| name == server).map(|(at, _)| *at).collect()
    }

    /// Returns the last request with a method.
    pub fn last(&self, method: &str) -> Option<Seen> {
        self.0.seen.borrow().iter().rfind(|seen| seen.method() == method).cloned()
    }

    /// Returns the methods of the requests so far. A response to the server has none, so its entry depends on its
    /// contents.
    pub fn methods(&self) -> Vec<String> {
        self.seen().iter().map(|seen| seen.method().to_owned()).collect()
    }

    /// Runs a future to its end, and advances the clock whenever it waits.
    pub fn run<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        loop {
            woken.0.store(false, Ordering::Relaxed);
            let ready = work.as_mut().poll(&mut context);
            // Spawned tasks run even if nothing awaits them.
            let mut spawned = self.0.work.take();
            let begun = spawned.len();
            spawned.retain_mut(|work| work.as_mut().poll(&mut context).is_pending());
            let ended = spawned.len() < begun;
            self.0.work.borrow_mut().extend(spawned);
            if let Poll::Ready(value) = ready {
                return value;
            }
            // A task that ended, or woke another one, may unblock it.
            if ended || woken.0.load(Ordering::Relaxed) {
                continue;
            }
            let alarm = self.0.alarms.borrow().values().copied().min();
            self.0.now.set(alarm.expect("nothing is awaited that time could bring"));
        }
    }
}

impl Lister for Net {}

impl Fetch for Net {
    async fn fetch(&self, request: http::Request<Vec<u8>>) -> Result<http::Response<Chunks>, FetchError> {
        let text = String::from_utf8(request.body().clone()).unwrap();
        let body = match *request.method() {
            // An id made up by the server is returned as it was written, and may be a number that a `Value` cannot
            // hold.
            http::Method::POST => serde_json::from_str(&text).unwrap_or_else(|error| {
                assert!(Raw::parse(&text).is_ok(), "{error}: {text}");
                Value::Null
            }),
            // The standalone stream and the end of a session, with pseudo-methods.
            http::Method::GET => serde_json::json!({"method": "GET"}),
            http::Method::DELETE => serde_json::json!({"method": "DELETE"}),
            _ => panic!("unexpected {}", request.method()),
        };
        let url = request.uri().to_string();
        let seen = Seen { url, headers: request.headers().clone(), text, body };
        self.0.seen.borrow_mut().push(seen.clone());
        let mut reply = (self.0.server)(&seen);
        while let Reply::Late(ms, then) = reply {
            self.sleep(ms).await;
            reply = *then;
        }
        match reply {
            Reply::Late(..) => panic!("a reply that is late twice"),
            Reply::Lost => Err(FetchError),
            Reply::Hang => std::future::pending().await,
            Reply::Response { status, headers, body } => {
                let mut response = http::Response::builder().status(status);
                for (name, value) in headers {
                    response = response.header(name, value);
                }
                let net = self.clone();
                let chunks = stream::iter(body).filter_map(move |piece| {
                    let net = net.clone();
                    async move {
                        match piece {
                            Piece::Bytes(bytes) => Some(Ok(bytes)),
                            Piece::Reset => Some(Err(FetchError)),
                            Piece::Hang => std::future::pending().await,
                            Piece::Wait(ms) => {
                                net.sleep(ms).await;
                                None
                            }
                        }
                    }
                });
                Ok(response.body(chunks.boxed_local()).unwrap())
            }
        }
    }

    fn acting_for(&self, identity: &Rc<Identity>) -> Self {
        Self(Rc::clone(&self.0), Some(Rc::clone(identity)))
    }

    async fn authorization(
        &self,
        server: &str,
        refused: Option<&HeaderValue>,
    ) -> Result<HeaderValue, RpcError> {
        let mut tokens = self.0.tokens.borrow_mut();
        let known = tokens.entry(self.connection(server)).or_default();
        if refused.is_some_and(|refused| known.first().is_some_and(|token| refused == token)) {
            known.remove(0);
        }
        if known.first().is_some_and(|token| token.ends_with(Net::AWAY)) {
            return Err(RpcError::storage_unavailable("the connections", Net::AWAY));
        }
        let missing =
            || RpcError::internal("upstream_sign_in", format!("upstream `{server}` needs a sign-in"));
        known.first().map(|token| HeaderValue::from_str(token).unwrap()).ok_or_else(missing)
    }

    async fn is_connected(&self, server: &str) -> Result<bool, RpcError> {
        let tokens = self.0.tokens.borrow();
        Ok(tokens.get(&self.connection(server)).is_some_and(|tokens| !tokens.is_empty()))
    }

    fn sign_in_url(&self, server: &str) -> Option<String> {
        Some(format!("http://gateway.test/connect/{server}"))
    }

    fn now(&self) -> u64 {
        self.now()
    }

    /// Always returns the middle, so that random delays are predictable.
    fn chance(&self) -> f64 {
        0.5
    }

    fn lists_changed(&self, server: &str) {
        self.0.changed.borrow_mut().push((self.now(), server.to_owned()));
    }

    async fn sleep(&self, ms: u64) {
        /// Removes its alarm from the clock when dropped.
        struct Alarm<'a>(&'a World, usize);
        impl Drop for Alarm<'_> {
            fn drop(&mut self) {
                self.0.alarms.borrow_mut().remove(&self.1);
            }
        }
        let key = self.0.next.replace(self.0.next.get() + 1);
        let until = self.now() + ms;
        self.0.alarms.borrow_mut().insert(key, until);
        let alarm = Alarm(&self.0, key);
        poll_fn(|_| if self.now() >= until { Poll::Ready(()) } else { Poll::Pending }).await;
        drop(alarm);
    }

    fn place(&self) -> Option<usize> {
        self.0.place.get()
    }

    fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
        self.0.work.borrow_mut().push(work);
    }
}
