//! The messages that a server sends in a session outside the answers of calls, and the calls that take them.
//!
//! A server may send a message on the standalone stream of the session although it belongs to a call. One reader per
//! session passes the messages on: to the calls in progress, or to the [`OutsideCalls`] of the session's client.

use std::sync::{Arc, Mutex};

use futures_channel::mpsc::{Receiver, Sender, channel};
use futures_util::{StreamExt, future, future::LocalBoxFuture};

use crate::{
    call::notifications::Notification,
    protocol::error::RpcError,
    upstream::{connection::Connection, lock, message::Message},
};

/// Milliseconds between two signs of life of a reader.
pub(crate) const PULSE_MS: u64 = 5_000;
/// Milliseconds without a sign of life after which a reader counts as stopped. A platform may stop work without running
/// destructors.
const STOPPED_MS: u64 = 4 * PULSE_MS;
/// Milliseconds for which the stream of a session is read after its last use: a call, or an open stream of its client.
pub(crate) const LINGER_MS: u64 = 30_000;
/// Milliseconds for which a call that reads the stream itself counts as its reader without a sign of life.
const OWN_MS: u64 = 120_000;
/// Maximum number of messages that wait for a call. A call that waits for its client reads none; further notifications
/// are dropped, and further requests are refused.
const MAX_WAITING: usize = 256;

/// The answer of a client to a request of the server.
pub(crate) type ClientAnswer = LocalBoxFuture<'static, Result<String, RpcError>>;

/// The client of a session, as far as messages reach it outside calls.
pub(crate) trait OutsideCalls {
    /// Returns whether the client has an open stream of its own.
    fn is_listening(&self) -> bool;

    /// Sends a request to the client. Returns its answer, or `None` if the client cannot be reached now.
    fn ask(&self, method: &str, params: &str) -> Option<ClientAnswer>;

    /// Takes a notification of the server.
    fn notify(&self, message: Vec<u8>);

    /// Takes note that the server has announced changed lists in the session.
    fn lists_changed(&self);

    /// Takes note that the server has ended the session.
    fn ended(&self);
}

/// The reader of a session's standalone stream, and the calls that take its messages.
#[derive(Debug, Default)]
pub(crate) struct SessionInbox(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    reader: Option<Reader>,
    calls: Vec<Taker>,
    /// The number of the last call or reader.
    last: u64,
    /// Whether the server has refused to open a standalone stream.
    is_refused: bool,
    /// The number of requests of the server that are being answered outside calls.
    unanswered: usize,
}

#[derive(Debug)]
struct Reader {
    number: u64,
    /// The place of the reader; `None` if it is a single call.
    place: Option<usize>,
    /// The time of the last sign of life, in milliseconds since 1970.
    alive: u64,
    /// The time of the last use, in milliseconds since 1970.
    used: u64,
}

/// A call that takes messages.
#[derive(Debug)]
struct Taker {
    number: u64,
    /// Whether its client can be sent requests.
    can_be_asked: bool,
    messages: Sender<Message>,
}

/// The messages for one call.
pub(crate) struct CallInbox {
    connection: Arc<Connection>,
    number: u64,
    messages: Receiver<Message>,
}

impl SessionInbox {
    /// Registers a reader, unless there is one, or the server has no standalone stream. Returns its number.
    pub fn begin(&self, place: Option<usize>, now: u64) -> Option<u64> {
        let mut state = lock(&self.0);
        let is_alive = |reader: &Reader| now < reader.alive.saturating_add(STOPPED_MS);
        if state.is_refused || state.reader.as_ref().is_some_and(is_alive) {
            return None;
        }
        let number = state.next();
        let alive = if place.is_some() { now } else { now.saturating_add(OWN_MS) };
        state.reader = Some(Reader { number, place, alive, used: now });
        Some(number)
    }

    /// Records a sign of life of a reader. `is_listening` states whether the client has an open stream. Returns whether
    /// the reader has to go on.
    pub fn pulse(&self, number: u64, is_listening: bool, now: u64) -> bool {
        let mut state = lock(&self.0);
        let in_use = is_listening || !state.calls.is_empty() || state.unanswered > 0;
        let Some(reader) = state.reader.as_mut().filter(|reader| reader.number == number) else {
            return false;
        };
        reader.alive = now;
        if in_use {
            reader.used = now;
        }
        now.saturating_sub(reader.used) < LINGER_MS
    }

    /// Records that a reader has ended.
    pub fn end(&self, number: u64) {
        let mut state = lock(&self.0);
        if state.reader.as_ref().is_some_and(|reader| reader.number == number) {
            state.reader = None;
        }
    }

    /// Records that the server opens no standalone stream.
    pub fn refuse(&self) {
        lock(&self.0).is_refused = true;
    }

    /// Takes the messages for a call, if the session has a reader in the same place.
    pub fn take(connection: &Arc<Connection>, place: Option<usize>, can_be_asked: bool) -> Option<CallInbox> {
        let mut state = lock(&connection.inbox.0);
        let reader = state.reader.as_ref()?;
        if place.is_none() || reader.place != place {
            return None;
        }
        let (sender, messages) = channel(MAX_WAITING);
        let number = state.next();
        state.calls.push(Taker { number, can_be_asked, messages: sender });
        drop(state);
        Some(CallInbox { connection: Arc::clone(connection), number, messages })
    }

    /// Passes a message to the calls in progress. Returns it if it is for the client outside calls.
    pub fn route(&self, message: Message, is_listening: bool) -> Option<Message> {
        let calls = &mut lock(&self.0).calls;
        let taker = match &message {
            Message::Request(_) => {
                let able = calls.iter().rposition(|call| call.can_be_asked);
                // A request that no client can answer is refused by the call.
                able.or(calls.len().checked_sub(1).filter(|_| !is_listening))
            }
            Message::Response(_) => return None,
            Message::Notification(notification) => match Notification::read(notification) {
                // Each call recognizes its own.
                Notification::Progress(_) | Notification::Elicited(_) => {
                    for call in calls {
                        let _ = call.messages.try_send(Message::Notification(notification.clone()));
                    }
                    return None;
                }
                Notification::ListChanged => None,
                Notification::Updated(_) => calls.len().checked_sub(1).filter(|_| !is_listening),
                Notification::Message(_) | Notification::Other(_) => calls.len().checked_sub(1),
            },
        };
        match taker.and_then(|at| calls.get_mut(at)) {
            Some(call) => call.messages.try_send(message).err().map(|unsent| unsent.into_inner()),
            None => Some(message),
        }
    }

    /// Counts a request of the server that is being answered outside calls.
    pub fn begin_answer(&self) {
        lock(&self.0).unanswered += 1;
    }

    /// Records that such a request was answered.
    pub fn end_answer(&self) {
        let mut state = lock(&self.0);
        state.unanswered = state.unanswered.saturating_sub(1);
    }

    /// Returns whether a request of the server is being answered outside calls.
    pub fn is_answering(&self) -> bool {
        lock(&self.0).unanswered > 0
    }
}

impl State {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

impl CallInbox {
    /// Returns the next message for the call. Never completes once the reader has ended.
    pub async fn next(&mut self) -> Message {
        match self.messages.next().await {
            Some(message) => message,
            None => future::pending().await,
        }
    }
}

impl Drop for CallInbox {
    fn drop(&mut self) {
        lock(&self.connection.inbox.0).calls.retain(|call| call.number != self.number);
    }
}
