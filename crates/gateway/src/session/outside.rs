//! What reaches the client of a session outside its calls: on the stream that the client has opened with GET.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeSet, VecDeque},
    rc::Rc,
};

use futures_util::{FutureExt, future::LocalBoxFuture};

use crate::{protocol::error::RpcError, session::session_streams::SessionStreams};

/// Maximum number of messages that wait until the client's stream has sent them. Further ones are dropped.
const MAX_WAITING: usize = 256;

/// The request for the roots of a client, which holds nothing that middleware treats.
const ROOTS: &str = "roots/list";

/// The stream that a client has opened with GET, and what waits for it.
#[derive(Debug, Default)]
pub(crate) struct OutsideQueue {
    /// The number of open streams: an earlier one may end after the next has begun.
    open: Cell<usize>,
    /// Whether middleware treats the calls of the client.
    is_treated: Cell<bool>,
    messages: RefCell<VecDeque<Vec<u8>>>,
    /// The URIs whose updates come in sessions at upstream servers that belong to the client.
    own_subscriptions: RefCell<BTreeSet<String>>,
}

/// The open stream of a client. It counts as closed when this is dropped.
pub(crate) struct OpenFeed(Rc<SessionStreams>);

impl Drop for OpenFeed {
    fn drop(&mut self) {
        let open = &self.0.outside.open;
        open.set(open.get().saturating_sub(1));
        if open.get() == 0 {
            self.0.outside.messages.take();
        }
    }
}

impl SessionStreams {
    /// Records that the client has opened its stream. `is_treated` states whether middleware treats the calls of the
    /// client: what is sent outside calls would bypass it, so only requests for roots are then sent.
    pub(crate) fn open_feed(self: &Rc<Self>, is_treated: bool) -> OpenFeed {
        self.outside.open.set(self.outside.open.get() + 1);
        self.outside.is_treated.set(is_treated);
        OpenFeed(Rc::clone(self))
    }

    /// Returns whether the client has an open stream.
    pub(crate) fn has_feed(&self) -> bool {
        self.outside.open.get() > 0
    }

    /// Sends a notification on the client's stream, if it is open.
    pub(crate) fn pass(&self, message: Vec<u8>) {
        if !self.outside.is_treated.get() {
            self.push(message);
        }
    }

    /// Sends a request on the client's stream. Returns the client's answer, or `None` without a stream.
    pub(crate) fn ask_outside(
        self: &Rc<Self>,
        method: &str,
        params: &str,
    ) -> Option<LocalBoxFuture<'static, Result<String, RpcError>>> {
        if !self.has_feed() || self.outside.is_treated.get() && method != ROOTS {
            return None;
        }
        let (message, answer) = self.create_request(method, params.as_bytes()).ok()?;
        self.push(message);
        Some(answer.boxed_local())
    }

    fn push(&self, message: Vec<u8>) {
        let mut messages = self.outside.messages.borrow_mut();
        if self.has_feed() && messages.len() < MAX_WAITING {
            messages.push_back(message);
            drop(messages);
            self.wake_feed();
        }
    }

    /// Removes and returns the messages that wait for the client's stream.
    pub(crate) fn take_passed(&self) -> VecDeque<Vec<u8>> {
        self.outside.messages.take()
    }

    /// Records whether updates of a resource come in an upstream session of the client.
    pub(crate) fn set_own_subscription(&self, uri: &str, is_own: bool) {
        let mut own = self.outside.own_subscriptions.borrow_mut();
        if is_own {
            own.insert(uri.to_owned());
        } else {
            own.remove(uri);
        }
    }

    /// Returns whether updates of a resource come in an upstream session of the client.
    pub(crate) fn has_own_subscription(&self, uri: &str) -> bool {
        self.outside.own_subscriptions.borrow().contains(uri)
    }

    /// Forgets which updates come in upstream sessions, because such a session has ended. They are subscribed again.
    pub(crate) fn forget_own_subscriptions(&self) {
        self.outside.own_subscriptions.take();
        self.resubscribed();
    }
}
