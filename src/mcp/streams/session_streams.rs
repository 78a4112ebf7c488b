//! The state of a running session: open streams, requests to the client that await a response, and requests that can
//! still be cancelled.
//!
//! All requests of a session are handled in one instance, so that one request can deliver the response that another
//! awaits.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    fmt,
    rc::Rc,
    task::{Poll, Waker},
};

use futures_util::future::{self, AbortHandle};
use serde_json::{Value, json};

pub use crate::mcp::streams::event_log::{
    EventId, EventIdError, EventLog, LoggedEvent, MAX_EVENT, MAX_EVENTS, MAX_READ,
};

use crate::{
    json::Raw,
    mcp::{protocol::error::RpcError, streams::change::Change},
};

/// Maximum number of concurrent requests of one session.
const MAX_RUNNING: usize = 256;

/// The state of a session in memory. Everything that must survive a restart is in its [`EventLog`].
pub struct SessionStreams {
    pub(crate) event_log: Box<dyn EventLog>,
    /// The open streams, by number.
    pub(crate) open_streams: RefCell<HashMap<u64, OpenStream>>,
    pending_requests: RefCell<HashMap<String, PendingRequest>>,
    running: RefCell<HashMap<String, AbortHandle>>,
    /// The handle that aborts the stream opened with GET.
    feed: RefCell<Option<AbortHandle>>,
    /// The number of changes of subscriptions, and the waker of the task that waits for the next one.
    subscribed: Cell<u64>,
    subscriber: RefCell<Option<Waker>>,
    /// Changes to report besides those of the catalog.
    announced: RefCell<Vec<Change>>,
    epoch: Cell<Option<u64>>,
    /// The number of requests sent to the client.
    request_count: Cell<u64>,
}

/// An open stream.
#[derive(Debug, Default)]
pub(crate) struct OpenStream {
    /// The wakers of tasks that wait for further events.
    pub waiting: Vec<Waker>,
    /// The number of times that its connections were closed so that the client reconnects.
    pub pauses: u64,
    /// Delay, in milliseconds, after which the client should reconnect.
    pub retry_ms: u64,
}

/// A request to the client that awaits its response.
#[derive(Debug, Default)]
struct PendingRequest {
    answer: Option<Result<Value, RpcError>>,
    waker: Option<Waker>,
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
            subscriber: RefCell::default(),
            announced: RefCell::default(),
            epoch: Cell::default(),
            request_count: Cell::new(0),
        })
    }

    /// Opens a stream for the request with this id.
    pub(crate) fn open(&self, id: &str) -> Result<u64, RpcError> {
        let stream = self.event_log.append(None, id.as_bytes(), false)?;
        self.open_streams.borrow_mut().insert(stream, OpenStream::default());
        Ok(stream)
    }

    /// Sends a message on a stream and returns the number of its event. An empty message with `last` only ends the
    /// stream.
    ///
    /// # Errors
    /// A stream that has ended, and an event log that fails.
    pub(crate) fn send(&self, stream: u64, message: &[u8], last: bool) -> Result<u64, RpcError> {
        // Events written after the end of a session would never be deleted.
        if !self.open_streams.borrow().contains_key(&stream) {
            return Err(RpcError::internal("session", "the stream has ended"));
        }
        let event = self.event_log.append(Some(stream), message, last)?;
        let mut open_streams = self.open_streams.borrow_mut();
        let waiting = match last {
            true => open_streams.remove(&stream).map(|open_stream| open_stream.waiting),
            false => {
                open_streams.get_mut(&stream).map(|open_stream| std::mem::take(&mut open_stream.waiting))
            }
        };
        drop(open_streams);
        waiting.into_iter().flatten().for_each(Waker::wake);
        Ok(event)
    }

    /// Closes the connections of a stream. Its client should reconnect after `retry_ms` milliseconds.
    pub(crate) fn pause(&self, stream: u64, retry_ms: u64) {
        let mut open_streams = self.open_streams.borrow_mut();
        let Some(open_stream) = open_streams.get_mut(&stream) else { return };
        open_stream.pauses += 1;
        open_stream.retry_ms = retry_ms;
        let waiting = std::mem::take(&mut open_stream.waiting);
        drop(open_streams);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Returns how often the connections of a stream were closed so that its client reconnects.
    pub(crate) fn pauses(&self, stream: u64) -> u64 {
        self.open_streams.borrow().get(&stream).map_or(0, |open_stream| open_stream.pauses)
    }

    /// Stores a message that another task sends, and returns its number.
    pub(crate) fn record(&self, stream: u64, message: &[u8]) -> Result<u64, RpcError> {
        self.event_log.append(Some(stream), message, false)
    }

    /// Creates a request to the client. Returns its message, and a future of the client's response.
    pub(crate) fn create_request(
        self: &Rc<Self>,
        method: &str,
        params: &Value,
    ) -> Result<(Vec<u8>, impl Future<Output = Result<Value, RpcError>> + use<>), RpcError> {
        // Numbers restart with the process, so the id contains an epoch: a response to the previous process must not
        // match.
        let epoch = match self.epoch.get() {
            Some(epoch) => epoch,
            None => self.event_log.append(None, b"null", true)?,
        };
        self.epoch.set(Some(epoch));
        let number = self.request_count.replace(self.request_count.get() + 1);
        let id = format!("{epoch}-{number}");
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
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
        Ok((message.to_string().into_bytes(), answer))
    }

    /// Delivers the client's response to a request. A response that no task awaits is ignored.
    pub(crate) fn answered(&self, id: &str, answer: Result<Value, RpcError>) {
        if let Some(slot) = self.pending_requests.borrow_mut().get_mut(id) {
            slot.answer = Some(answer);
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
        running.insert(id.clone(), handle);
        Ok(RunningRequest { live: Rc::clone(self), id })
    }

    /// Cancels a request. A request that has ended is ignored.
    pub(crate) fn cancel(&self, id: Raw<'_>) {
        if let Some(handle) = self.running.borrow_mut().remove(id.get()) {
            handle.abort();
        }
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
        self.subscriber.take().into_iter().for_each(Waker::wake);
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
        self.resubscribed();
    }

    /// Removes and returns the queued changes.
    pub(crate) fn announced(&self) -> Vec<Change> {
        self.announced.take()
    }

    /// Returns how often the subscriptions have changed.
    pub(crate) fn subscribed(&self) -> u64 {
        self.subscribed.get()
    }

    /// Waits until that number differs from `known`, and returns it.
    pub(crate) async fn subscriptions(&self, known: u64) -> u64 {
        future::poll_fn(|context| {
            self.subscriber.replace(Some(context.waker().clone()));
            let now = self.subscribed.get();
            if now == known { Poll::Pending } else { Poll::Ready(now) }
        })
        .await
    }

    /// Ends all streams and requests.
    pub fn end(&self) {
        self.running.take().into_values().chain(self.feed.take()).for_each(|handle| handle.abort());
        self.pending_requests.take().into_values().filter_map(|slot| slot.waker).for_each(Waker::wake);
        self.open_streams
            .take()
            .into_values()
            .flat_map(|open_stream| open_stream.waiting)
            .for_each(Waker::wake);
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
        self.live.running.borrow_mut().remove(&self.id);
    }
}
