//! The connection on which a client reads a stream while its events are sent.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    task::{Context, Poll, Waker},
};

/// Maximum length, in bytes, of the events that wait for a client that reads slowly. Beyond it the sender waits, so
/// that a client which is connected misses no event, whatever the log deletes meanwhile.
pub const MAX_UNREAD: usize = 256 * 1024;

/// The events that a connected client has not read yet. The response that the client reads owns it, so it ends with the
/// response.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    unread: RefCell<VecDeque<UnreadEvent>>,
    /// The length of the unread events in bytes.
    bytes: Cell<usize>,
    end: Cell<Option<End>>,
    reader: RefCell<Option<Waker>>,
    /// The wakers of the tasks that wait until the client has read more.
    writers: RefCell<Vec<Waker>>,
}

/// An event that a client has not read yet.
#[derive(Debug)]
pub(crate) struct UnreadEvent {
    /// The number of the event, unless the log could not store it. A client cannot resume after such an event.
    pub number: Option<u64>,
    pub message: Vec<u8>,
}

/// Why a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// All events of the stream were sent.
    Finished,
    /// The client should reconnect after so many milliseconds.
    Paused { retry_ms: u64 },
    /// The client reads the stream on another connection, which gets the unread events from the log.
    Replaced,
}

impl Connection {
    /// Adds an event for the client.
    pub fn push(&self, event: UnreadEvent) {
        self.bytes.set(self.bytes.get() + event.message.len());
        self.unread.borrow_mut().push_back(event);
        self.reader.take().into_iter().for_each(Waker::wake);
    }

    /// Ends the connection after the events that were added.
    pub fn close(&self, end: End) {
        if end == End::Replaced {
            self.unread.take();
        }
        self.end.set(Some(end));
        self.reader.take().into_iter().for_each(Waker::wake);
        self.wake_writers();
    }

    /// Returns the number of the first event that the client has not read yet.
    pub fn first_unread(&self) -> Option<u64> {
        self.unread.borrow().iter().find_map(|event| event.number)
    }

    /// Waits until the client has read enough for another event.
    pub fn poll_room(&self, context: &Context<'_>) -> Poll<()> {
        if self.end.get().is_some() || self.bytes.get() <= MAX_UNREAD {
            return Poll::Ready(());
        }
        self.writers.borrow_mut().push(context.waker().clone());
        Poll::Pending
    }

    /// Waits for the next event, or for the end of the connection.
    pub fn poll_next(&self, context: &Context<'_>) -> Poll<Result<UnreadEvent, End>> {
        let next = self.unread.borrow_mut().pop_front();
        if let Some(event) = next {
            self.bytes.set(self.bytes.get() - event.message.len());
            if self.bytes.get() <= MAX_UNREAD {
                self.wake_writers();
            }
            return Poll::Ready(Ok(event));
        }
        if let Some(end) = self.end.get() {
            return Poll::Ready(Err(end));
        }
        self.reader.replace(Some(context.waker().clone()));
        Poll::Pending
    }

    /// Wakes the tasks that wait until the client has read more, since what they wait for may have changed.
    pub fn wake_writers(&self) {
        self.writers.take().into_iter().for_each(Waker::wake);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.wake_writers();
    }
}
