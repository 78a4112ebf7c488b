//! The Durable Object that counts the requests of one caller.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

use std::{
    cell::{Cell, RefCell},
    time::Duration,
};

use futures_util::future::try_join;
use mcp_sieve_gateway::{
    config::Limits,
    limits::{RateLimiter, Weight},
};
use serde::{Deserialize, Serialize};
use worker::{DurableObject, Env, Request, Response, Result, State, Storage, durable_object};

use crate::clock;

pub(super) const ENTER: &str = "/enter";
pub(super) const STAY: &str = "/stay";
pub(super) const LEAVE: &str = "/leave";
/// Milliseconds after its last request at which the platform removes an object from memory.
const IN_MEMORY_MS: u64 = 10_000;
/// The key of the stored time.
const DUE: &str = "due";

/// The counter of one caller. Counts that outlast the object in memory are stored.
#[durable_object(alarm)]
#[derive(Debug)]
pub struct LimitsObject {
    storage: Storage,
    meter: RefCell<RateLimiter>,
    /// The stored time at which all counted messages are due, in milliseconds since 1970; zero if none is stored,
    /// `None` until the storage was read. An alarm is set while a time is stored.
    stored: Cell<Option<u64>>,
}

/// A request to the counter.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub limits: Limits,
    pub weight: Weight,
}

/// The answer of the counter.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// The request may proceed. The number identifies it if it counts towards `limits.concurrent`.
    Pass(Option<u64>),
    /// Seconds after which the request may be sent again.
    Wait(u64),
}

impl DurableObject for LimitsObject {
    fn new(state: State, _: Env) -> Self {
        Self { storage: state.storage(), meter: RefCell::default(), stored: Cell::default() }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        match request.path().as_str() {
            ENTER => {
                let Entry { limits, weight } = request.json().await?;
                self.restore().await?;
                let now = clock::now();
                let entered = self.meter.borrow_mut().enter(&limits, weight, now);
                if entered.is_ok() {
                    self.store(now).await?;
                }
                Response::from_json(&entered.map_or_else(Verdict::Wait, Verdict::Pass))
            }
            STAY => {
                let number = request.json().await?;
                self.meter.borrow_mut().stay(number, clock::now());
                Response::empty()
            }
            _ => {
                let number = request.json().await?;
                self.meter.borrow_mut().leave(number);
                Response::empty()
            }
        }
    }

    async fn alarm(&self) -> Result<Response> {
        let (due, now) = (self.restore().await?, clock::now());
        if due > now {
            self.storage.set_alarm(Duration::from_millis(due - now)).await?;
        } else {
            self.stored.set(Some(0));
            self.storage.delete_all().await?;
        }
        Response::empty()
    }
}

impl LimitsObject {
    /// Continues from the stored time after the object was removed from memory, and returns that time.
    async fn restore(&self) -> Result<u64> {
        if self.stored.get().is_none() {
            let due = self.storage.get(DUE).await?.unwrap_or_default();
            // Another request may have read it meanwhile.
            if self.stored.get().is_none() {
                self.stored.set(Some(due));
                self.meter.borrow_mut().continue_from(due);
            }
        }
        Ok(self.stored.get().unwrap_or_default())
    }

    /// Stores when all counted messages are due, if the platform may remove the object from memory before. Each write
    /// moves the stored time by a second or more.
    async fn store(&self, now: u64) -> Result<()> {
        let (due, stored) = (self.meter.borrow().due(), self.stored.get().unwrap_or_default());
        let ahead = due.saturating_sub(now);
        if ahead <= IN_MEMORY_MS || due < stored.saturating_add(1000) {
            return Ok(());
        }
        self.stored.set(Some(due));
        let written = self.storage.put(DUE, due);
        if stored > 0 {
            return written.await;
        }
        // Both begin before anything else runs.
        try_join(written, self.storage.set_alarm(Duration::from_millis(ahead))).await.map(|_| ())
    }
}
