//! How much one caller asks: how often, and how much at the same time. Whoever has the counter lends the clock.

use std::collections::BTreeMap;

use http::{Method as Verb, Request};
use serde::{Deserialize, Serialize};

use crate::{
    config::{Limits, Rate},
    mcp::{
        http::headers,
        protocol::{error::RpcError, method::Method},
    },
};

/// How long a request counts as under way of which nothing more is heard, in milliseconds. A client that goes away
/// takes its request with it, and nobody is left to say so.
pub const LEASE_MS: u64 = 15 * 1000;
/// Seconds after which it is worth trying again, while too many requests are under way.
const CROWDED_S: u64 = 1;

/// What a request counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weight {
    /// How many messages it holds.
    pub messages: u32,
    /// Whether it is under way until it is answered. Who only listens keeps nobody busy.
    pub busy: bool,
}

/// The counter of one caller. It holds two numbers for the rate and one for each request under way, of which
/// there are no more than may be.
#[derive(Debug, Clone, Default)]
pub struct RateLimiter {
    /// When all that was asked would be due at an even pace, in microseconds since 1970 (GCRA).
    due: u64,
    /// The requests under way, and until when each counts.
    busy: BTreeMap<u64, u64>,
    last: u64,
}

impl Weight {
    /// Returns what a request counts for before its body is read: one message, under way unless the headers announce
    /// that it only listens.
    pub fn of_head<B>(request: &Request<B>) -> Self {
        let listens =
            request.headers().get(headers::METHOD).is_some_and(|method| method == Method::Listen.name());
        Self { messages: 1, busy: request.method() == Verb::POST && !listens }
    }

    /// Returns what is still to be counted of this request after its `head` was; none where that was all. A batch
    /// larger than the rate counts as the rate.
    #[must_use]
    pub fn rest(self, head: Self, limits: &Limits) -> Option<Self> {
        let most = limits.rate.map_or(u32::MAX, |rate| rate.requests);
        let messages = self.messages.min(most).saturating_sub(head.messages);
        let busy = self.busy && !head.busy;
        (messages > 0 || busy).then_some(Self { messages, busy })
    }
}

impl RateLimiter {
    /// Lets a request pass, and gives the number to [leave](RateLimiter::leave) by where it is under way from now on.
    ///
    /// # Errors
    /// The seconds after which it is worth trying again.
    pub fn enter(&mut self, limits: &Limits, weight: Weight, now: u64) -> Result<Option<u64>, u64> {
        // A clock that went back would keep requests that have long ended.
        self.busy.retain(|_, until| (now..=now.saturating_add(LEASE_MS)).contains(until) && *until != now);
        let concurrent = limits.concurrent.filter(|_| weight.busy);
        if concurrent.is_some_and(|most| self.busy.len() >= most as usize) {
            return Err(CROWDED_S);
        }
        if let Some(rate) = limits.rate {
            self.take(rate, weight.messages, now)?;
        }
        Ok(concurrent.map(|_| {
            self.last = self.last.wrapping_add(1);
            self.busy.insert(self.last, now.saturating_add(LEASE_MS));
            self.last
        }))
    }

    /// A request is still under way.
    pub fn stay(&mut self, number: u64, now: u64) {
        if let Some(until) = self.busy.get_mut(&number) {
            *until = now.saturating_add(LEASE_MS);
        }
    }

    /// A request has been answered.
    pub fn leave(&mut self, number: u64) {
        self.busy.remove(&number);
    }

    /// Counts so many messages at `now`, in milliseconds since 1970, towards a rate.
    ///
    /// # Errors
    /// The seconds after which it is worth trying again.
    pub(crate) fn take(
        &mut self,
        Rate { requests, seconds }: Rate,
        messages: u32,
        now: u64,
    ) -> Result<(), u64> {
        let (now, period) = (now.saturating_mul(1000), u64::from(seconds) * 1_000_000);
        let each = period / u64::from(requests.max(1));
        // What was asked before a clock went back cannot be due later than all that may be asked at once.
        self.due = self.due.clamp(now, now.saturating_add(period));
        // A batch larger than all that may be asked at once takes all of it.
        let after = self.due.saturating_add(each * u64::from(messages.min(requests)));
        match after.checked_sub(now.saturating_add(period)).filter(|over| *over > 0) {
            None => {
                self.due = after;
                Ok(())
            }
            Some(over) => Err(over.div_ceil(1_000_000)),
        }
    }
}

/// The refusal of a caller that asks too much: a status and when to ask again, which is all there is to say.
pub fn too_much(seconds: u64) -> RpcError {
    let message = format!("too many requests, ask again in {seconds} s");
    let failure = RpcError::internal("rate_limited", message).retry_after(seconds);
    failure.under(http::StatusCode::TOO_MANY_REQUESTS)
}

/// What an address is counted by: an IPv6 network, since one household has more addresses than any counter; else
/// the address.
pub fn network(address: &str) -> String {
    match address.parse::<std::net::Ipv6Addr>() {
        Ok(address) if address.to_ipv4_mapped().is_none() => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
        _ => address.to_owned(),
    }
}
