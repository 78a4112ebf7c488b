//! Plans: requests to upstream servers that the entry sends. The call of the module that answers a client prepares the
//! request and returns it; the response wakes it again.

use std::{
    cell::{Cell, RefCell},
    future::poll_fn,
    task::Poll,
};

use mcp_sieve_gateway::upstream::outer_members::OuterMembers;
use worker::{js_sys::Promise, web_sys::AbortController};

use crate::clock;

/// The plan of one request of a client.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    stage: Cell<Stage>,
    request: RefCell<Option<http::Request<Vec<u8>>>>,
    members: RefCell<Option<Box<OuterMembers>>>,
    outcome: RefCell<Option<Outcome>>,
}

/// The stages of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    /// The request of the client is being read. A plan can be made.
    #[default]
    Open,
    /// The entry carries the plan out.
    Made,
    /// The request goes on without a plan.
    Closed,
}

/// What the entry did with the response.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It passes the response on.
    Passed,
    /// It hands over the promise of the answer. `unread` states whether it may still pass through.
    Instead { answer: Promise, controller: AbortController, unread: bool },
}

impl Plan {
    /// Returns whether a plan can be made.
    pub fn is_open(&self) -> bool {
        self.stage.get() == Stage::Open
    }

    /// Makes the plan, and returns what became of it.
    pub async fn carry_out(&self, request: http::Request<Vec<u8>>, members: Box<OuterMembers>) -> Outcome {
        self.stage.set(Stage::Made);
        self.request.replace(Some(request));
        self.members.replace(Some(members));
        poll_fn(|_| self.outcome.take().map_or(Poll::Pending, Poll::Ready)).await
    }

    /// Waits while the entry carries the plan out, which measures the time meanwhile. Returns what is left of `ms`
    /// milliseconds.
    pub async fn left_ms(&self, ms: u64) -> u64 {
        let begun = clock::now();
        poll_fn(|_| if self.stage.get() == Stage::Made { Poll::Pending } else { Poll::Ready(()) }).await;
        ms.saturating_sub(clock::now().saturating_sub(begun))
    }

    /// Returns the request of a plan that was made.
    pub fn take_request(&self) -> Option<http::Request<Vec<u8>>> {
        self.request.take()
    }

    /// Returns the reader of the outer members.
    pub fn take_members(&self) -> Option<Box<OuterMembers>> {
        self.members.take()
    }

    /// Goes on without a plan.
    pub fn close(&self) {
        self.stage.set(Stage::Closed);
    }

    /// Goes on with what the entry did.
    pub fn end(&self, outcome: Outcome) {
        self.close();
        self.outcome.replace(Some(outcome));
    }
}
