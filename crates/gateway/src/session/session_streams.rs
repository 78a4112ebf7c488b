//! The state of a running session: open streams, requests to the client that await a response, and requests that can
//! still be cancelled.
//!
//! All requests of a session are handled in one instance, so that one request can deliver the response that another
//! awaits.

use std::{
    any::Any,
    cell::{Cell, OnceCell, RefCell},
    collections::HashMap,
    fmt,
    rc::{Rc, Weak},
    task::{Poll, Waker},
};

use futures_util::future::{self, AbortHandle};
use mcp_sieve::json::{Object, Raw};

use crate::session::event_log::{EventLog, MAX_EVENT};
use crate::{
    protocol::{error::RpcError, response},
    session::{
        change::Change,
        connection::{Connection, End, UnreadEvent},
        outside::OutsideQueue,
        resume::answered,
    },
};

/// Maximum number of concurrent requests of one session.
const MAX_RUNNING: usize = 256;

/// The state of a session in memory. Everything that must survive a restart is in its [`EventLog`].
pub struct SessionStreams {
    pub(crate) event_log: Box<dyn EventLog>,
    /// The open streams by number, each with the connection on which its client reads it, if there is one.
    open_streams: RefCell<HashMap<u64, Weak<Connection>>>,
    pending_requests: RefCell<HashMap<String, PendingRequest>>,
    running: RefCell<HashMap<String, Running>>,
    /// The handle that aborts the stream opened with GET.
    feed: RefCell<Option<AbortHandle>>,
    /// The number of changes of subscriptions.
    subscribed: Cell<u64>,
    /// The number of news for the stream opened with GET, and the waker of the task that waits for the next.
    news: Cell<u64>,
    news_waker: RefCell<Option<Waker>>,
    /// Changes to report besides those of the catalog.
    announced: RefCell<Vec<Change>>,
    pub(super) outside: OutsideQueue,
    /// What the gateway keeps for the session.
    attached: OnceCell<Rc<dyn Any>>,
    epoch: Cell<Option<u64>>,
    /// The number of requests sent to the client.
    request_count: Cell<u64>,
}

/// A request to the client that awaits its response.
#[derive(Debug, Default)]
struct PendingRequest {
    answer: Option<Result<String, RpcError>>,
    waker: Option<Waker>,
}

/// A request that can be cancelled.
struct Running {
    handle: AbortHandle,
    /// A value that is dropped when the request has ended.
    held: Option<Rc<dyn Any>>,
}

impl fmt::Debug for SessionStreams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionStreams")
            .field("running", &self.running.borrow().len())
            .finish_non_exhaustive()
    }
}

impl SessionStreams {
    /// Creates the state of a session without streams and requests.
    pub fn new(event_log: impl EventLog + 'static) -> Rc<Self> {
        Rc::new(Self {
            event_log: Box::new(event_log),
            open_streams: RefCell::default(),
            pending_requests: RefCell::default(),
            running: RefCell::default(),
            feed: RefCell::default(),
            subscribed: Cell::default(),
            news: Cell::default(),
            news_waker: RefCell::default(),
            outside: OutsideQueue::default(),
            attached: OnceCell::new(),
            announced: RefCell::default(),
            epoch: Cell::default(),
            request_count: Cell::new(0),
        })
    }

    /// Opens a stream for the request with this id, as JSON, and returns the number of the stream.
    ///
    /// # Errors
    /// When the storage fails.
    pub(crate) fn open(&self, id: &str) -> Result<u64, RpcError> {
        let stream = self.event_log.append(None, id.as_bytes(), false)?;
        self.open_streams.borrow_mut().insert(stream, Weak::new());
        Ok(stream)
    }

    /// Sends a message on a stream, which it ends with `last`. An empty message is not sent.
    ///
    /// # Errors
    /// A stream that has ended.
    pub(crate) fn send(&self, stream: u64, message: Vec<u8>, last: bool) -> Result<(), RpcError> {
        let connection = self.connection(stream);
        // Events written after the end of a session would never be deleted.
        let connection = connection.ok_or_else(|| RpcError::internal("session", "the stream has ended"))?;
        // An event that the log cannot store reaches a client that is connected.
        let number = self.append(stream, &message, last).ok();
        if !message.is_empty()
            && let Some(connection) = connection.upgrade()
        {
            connection.push(UnreadEvent { number, message });
        }
        if last {
            self.open_streams.borrow_mut().remove(&stream);
            connection.upgrade().iter().for_each(|connection| connection.close(End::Finished));
        }
        Ok(())
    }

    /// Waits until the client of a stream has read most of the events that were sent to it, or cancels the request. The
    /// events of a client that is not connected are stored in the log.
    pub(crate) async fn room(&self, stream: u64, request: &AbortHandle) {
        future::poll_fn(|context| {
            match self.connection(stream).and_then(|connection| connection.upgrade()) {
                Some(connection) if !request.is_aborted() => connection.poll_room(context),
                _ => Poll::Ready(()),
            }
        })
        .await;
    }

    /// Opens a connection to a stream, which replaces an earlier one: each message is sent on one connection only.
    /// Returns nothing for a stream that is not open.
    pub(super) fn connect(&self, stream: u64) -> Option<Rc<Connection>> {
        let connection = Rc::new(Connection::default());
        let mut open_streams = self.open_streams.borrow_mut();
        let before = std::mem::replace(open_streams.get_mut(&stream)?, Rc::downgrade(&connection));
        drop(open_streams);
        before.upgrade().iter().for_each(|before| before.close(End::Replaced));
        Some(connection)
    }

    /// Closes the connection of a stream. Its client should reconnect after `retry_ms` milliseconds.
    pub(crate) fn pause(&self, stream: u64, retry_ms: u64) {
        let connection = self.open_streams.borrow_mut().get_mut(&stream).map(std::mem::take);
        let connection = connection.and_then(|connection| connection.upgrade());
        connection.iter().for_each(|connection| connection.close(End::Paused { retry_ms }));
    }

    /// Stores an event of a stream and returns its number. An event beyond [`MAX_EVENT`] is stored as an error if it is
    /// a response, and as an empty event otherwise.
    ///
    /// # Errors
    /// When the storage fails.
    pub(super) fn append(&self, stream: u64, message: &[u8], last: bool) -> Result<u64, RpcError> {
        if message.len() <= MAX_EVENT {
            return self.event_log.append(Some(stream), message, last);
        }
        let stored = answered(message).map(|id| {
            let length = message.len();
            let text = format!("the response of {length} bytes was not stored for a client that lost its connection (maximum {MAX_EVENT})");
            response::error(&RpcError::internal("event_limit", text), Some(id.get()))
        });
        self.event_log.append(Some(stream), &stored.unwrap_or_default(), last)
    }

    pub(super) fn is_open(&self, stream: u64) -> bool {
        self.open_streams.borrow().contains_key(&stream)
    }

    fn connection(&self, stream: u64) -> Option<Weak<Connection>> {
        self.open_streams.borrow().get(&stream).cloned()
    }

    /// Creates a request to the client. Returns its message, and a future of the client's response, as text.
    ///
    /// # Errors
    /// When the storage fails.
    pub(crate) fn create_request(
        self: &Rc<Self>,
        method: &str,
        params: &[u8],
    ) -> Result<(Vec<u8>, impl Future<Output = Result<String, RpcError>> + use<>), RpcError> {
        // Numbers restart with the process, so the id contains an epoch: a response to the previous process must not
        // match.
        let epoch = match self.epoch.get() {
            Some(epoch) => epoch,
            None => self.event_log.append(None, b"null", true)?,
        };
        self.epoch.set(Some(epoch));
        let number = self.request_count.replace(self.request_count.get() + 1);
        let id = format!("{epoch}-{number}");
        let mut message = Vec::with_capacity(params.len() + 100);
        let mut object = Object::open(&mut message);
        object.text("jsonrpc", "2.0");
        object.text("id", &id);
        object.text("method", method);
        object.raw("params", params);
        object.close();
        self.pending_requests.borrow_mut().insert(id.clone(), PendingRequest::default());
        let guard = PendingGuard { live: Rc::clone(self), id };
        let answer = async move {
            future::poll_fn(|context| {
                let mut pending_requests = guard.live.pending_requests.borrow_mut();
                let Some(slot) = pending_requests.get_mut(&guard.id) else {
                    return Poll::Ready(Err(RpcError::internal("session", "the session has ended")));
                };
                slot.waker = Some(context.waker().clone());
                slot.answer.take().map_or(Poll::Pending, Poll::Ready)
            })
            .await
        };
        Ok((message, answer))
    }

    /// Delivers the client's response to a request. A second response, and one that no task awaits, are ignored.
    pub(crate) fn answered(&self, id: &str, answer: Result<String, RpcError>) {
        if let Some(slot) = self.pending_requests.borrow_mut().get_mut(id) {
            slot.answer.get_or_insert(answer);
            slot.waker.take().into_iter().for_each(Waker::wake);
        }
    }

    /// Registers a request that the client may cancel.
    ///
    /// # Errors
    /// An id that is already in use, and too many concurrent requests.
    pub(crate) fn run(self: &Rc<Self>, id: Raw<'_>, handle: AbortHandle) -> Result<RunningRequest, RpcError> {
        let mut running = self.running.borrow_mut();
        if running.len() >= MAX_RUNNING {
            let message = format!("more than {MAX_RUNNING} requests of this session are under way");
            return Err(RpcError::internal("session_busy", message));
        }
        let id = id.get().to_owned();
        if running.contains_key(&id) {
            return Err(RpcError::params(format!("a request with the id {id} is under way")));
        }
        running.insert(id.clone(), Running { handle, held: None });
        Ok(RunningRequest { live: Rc::clone(self), id })
    }

    /// Keeps a value until the last of the requests with these ids, as JSON, has ended. In a session, requests continue
    /// when their connection closes.
    pub fn hold(&self, ids: &[&str], held: Rc<dyn Any>) {
        let mut running = self.running.borrow_mut();
        for id in ids {
            if let Some(running) = running.get_mut(*id) {
                running.held = Some(Rc::clone(&held));
            }
        }
    }

    /// Cancels a request. A request that has ended is ignored.
    pub(crate) fn cancel(&self, id: Raw<'_>) {
        let running = self.running.borrow_mut().remove(id.get());
        running.iter().for_each(|running| running.handle.abort());
        let open_streams = self.open_streams.borrow();
        let connections: Vec<_> = open_streams.values().filter_map(Weak::upgrade).collect();
        drop(open_streams);
        connections.iter().for_each(|connection| connection.wake_writers());
    }

    /// Replaces the stream that the client opened earlier with GET, because each message is sent on one stream only.
    pub(crate) fn feed(&self, handle: AbortHandle) {
        if let Some(before) = self.feed.replace(Some(handle)) {
            before.abort();
        }
    }

    /// Reports that the session's subscriptions have changed.
    pub(crate) fn resubscribed(&self) {
        self.subscribed.set(self.subscribed.get() + 1);
        self.wake_feed();
    }

    /// Returns what the gateway keeps for the session, which `make` creates.
    pub(crate) fn attached(&self, make: impl FnOnce() -> Rc<dyn Any>) -> Rc<dyn Any> {
        Rc::clone(self.attached.get_or_init(make))
    }

    /// Wakes the stream opened with GET, for which there is news.
    pub(crate) fn wake_feed(&self) {
        self.news.set(self.news.get() + 1);
        self.news_waker.take().into_iter().for_each(Waker::wake);
    }

    /// Queues changes for the session's own stream, besides those of the catalog.
    pub(crate) fn announce(&self, changes: impl IntoIterator<Item = Change>) {
        let mut announced = self.announced.borrow_mut();
        for change in changes {
            if !announced.contains(&change) {
                announced.push(change);
            }
        }
        drop(announced);
        self.wake_feed();
    }

    /// Removes and returns the queued changes.
    pub(crate) fn announced(&self) -> Vec<Change> {
        self.announced.take()
    }

    /// Returns how often the subscriptions have changed.
    pub(crate) fn subscribed(&self) -> u64 {
        self.subscribed.get()
    }

    /// Returns the number of news for the stream opened with GET, changed subscriptions included.
    pub(crate) fn news(&self) -> u64 {
        self.news.get()
    }

    /// Waits until that number differs from `known`, and returns it.
    pub(crate) async fn next_news(&self, known: u64) -> u64 {
        future::poll_fn(|context| {
            self.news_waker.replace(Some(context.waker().clone()));
            let now = self.news.get();
            if now == known { Poll::Pending } else { Poll::Ready(now) }
        })
        .await
    }

    /// Ends all streams and requests.
    pub fn end(&self) {
        let running = self.running.take().into_values().map(|running| running.handle);
        running.chain(self.feed.take()).for_each(|handle| handle.abort());
        self.pending_requests.take().into_values().filter_map(|slot| slot.waker).for_each(Waker::wake);
        let connections =
            self.open_streams.take().into_values().filter_map(|connection| connection.upgrade());
        connections.for_each(|connection| connection.close(End::Finished));
    }
}

/// Removes a request to the client when it is dropped.
struct PendingGuard {
    live: Rc<SessionStreams>,
    id: String,
}

impl Drop for PendingGuard {
    fn drop(&mut self) {
        self.live.pending_requests.borrow_mut().remove(&self.id);
    }
}

/// Removes a running request when it is dropped.
#[derive(Debug)]
pub(crate) struct RunningRequest {
    live: Rc<SessionStreams>,
    id: String,
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        // What it holds may do anything when it is dropped, so that happens when the map is free again.
        let ended = self.live.running.borrow_mut().remove(&self.id);
        drop(ended);
    }
}
