//! Requests and background work.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    task::{Context, Poll, Wake, Waker},
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use http::{Request, Response};
use mcp_sieve_gateway::{
    error::RpcError,
    server::{self, Body, Inbound},
};
use serde_json::{Map, Value};

use super::world::World;

impl World {
    /// Answers a request at the MCP endpoint.
    pub async fn handle(
        &self,
        claims: Result<Option<&Map<String, Value>>, RpcError>,
        request: &Request<Vec<u8>>,
    ) -> Response<Body> {
        server::handle(&self.config, self, claims, &Inbound::read(request)).await
    }

    /// Runs a future to its end, together with spawned work.
    #[track_caller]
    pub fn run<T>(&self, wanted: impl Future<Output = T>) -> T {
        self.settle(wanted).expect("waits for something that never arrives")
    }

    /// Runs a future and spawned work until neither can continue; returns the result if there is one.
    pub fn settle<T>(&self, wanted: impl Future<Output = T>) -> Option<T> {
        let mut wanted = pin!(wanted);
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        let mut work: FuturesUnordered<_> = self.work.take().into_iter().collect();
        let settled = loop {
            woken.0.store(false, Relaxed);
            if let Poll::Ready(value) = wanted.as_mut().poll(&mut context) {
                break Some(value);
            }
            let done = matches!(work.poll_next_unpin(&mut context), Poll::Ready(Some(())));
            let begun = self.work.take();
            if !done && begun.is_empty() && !woken.0.load(Relaxed) {
                break None;
            }
            work.extend(begun);
        };
        // Unfinished work continues with the next wait.
        self.work.borrow_mut().extend(work);
        settled
    }
}

/// Whether anything has asked to be polled again.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Relaxed);
    }
}
