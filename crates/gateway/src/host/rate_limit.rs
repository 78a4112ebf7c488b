//! Rate limits for one caller: messages per time, and concurrent requests. The caller of this module provides the
//! clock.

use std::collections::BTreeMap;

use http::{Method as Verb, Request};
use serde::{Deserialize, Serialize};

use crate::{
    config::{Limits, Rate},
    protocol::{headers, method::Method},
};

/// Milliseconds for which a request counts as active unless [`stay`](RateLimiter::stay) extends it. If a client
/// disconnects, its request may end without a call of [`leave`](RateLimiter::leave).
pub const LEASE_MS: u64 = 15 * 1000;
/// Seconds after which a client should retry when too many requests are active, or their bodies leave no memory.
pub const CROWDED_S: u64 = 1;

/// The amount that a request counts towards the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weight {
    /// The number of messages in the request.
    pub messages: u32,
    /// The number of messages that count towards `limits.concurrent`. Long-lived event streams do not, nor do
    /// notifications, responses and `ping`: a call that is under way may wait for them.
    pub busy: u32,
}

/// The counter of one caller. It holds two numbers for the rate and one entry for each active request, up to the limit.
#[derive(Debug, Clone, Default)]
pub struct RateLimiter {
    /// The time at which all messages so far would be due at an even pace (GCRA), in microseconds since 1970.
    due: u64,
    /// The active requests by number.
    busy: BTreeMap<u64, ActiveRequest>,
    last: u64,
}

/// A request that counts towards `limits.concurrent`.
#[derive(Debug, Clone, Copy)]
struct ActiveRequest {
    /// The number of its messages that count.
    messages: u32,
    /// The time until which it counts, in milliseconds since 1970.
    until: u64,
}

impl Weight {
    /// Returns the weight of a request before its body is read: one message, active if the headers name a method that
    /// is.
    pub fn of_head<B>(request: &Request<B>) -> Self {
        let method = request.headers().get(headers::METHOD).and_then(|method| method.to_str().ok());
        Self { messages: 1, busy: u32::from(request.method() == Verb::POST && method.is_some_and(is_busy)) }
    }

    /// Returns the weight that remains to be counted after that of the `head`; `None` if nothing remains. A batch
    /// larger than a limit counts as much as the limit.
    #[must_use]
    pub fn rest(self, head: Self, limits: &Limits) -> Option<Self> {
        let most = limits.rate.map_or(u32::MAX, |rate| rate.requests);
        let messages = self.messages.min(most).saturating_sub(head.messages);
        let busy = self.busy.min(limits.concurrent.unwrap_or(u32::MAX)).saturating_sub(head.busy);
        (messages > 0 || busy > 0).then_some(Self { messages, busy })
    }
}

/// Returns whether a message of this method counts towards `limits.concurrent`.
pub(crate) fn is_busy(method: &str) -> bool {
    ![Method::Listen, Method::Ping].iter().any(|quiet| quiet.name() == method)
        && !method.starts_with("notifications/")
}

impl RateLimiter {
    /// Admits a request. If it counts as active, returns the number to pass to [leave](RateLimiter::leave).
    ///
    /// # Errors
    /// Returns the seconds after which the client may retry.
    pub fn enter(&mut self, limits: &Limits, weight: Weight, now: u64) -> Result<Option<u64>, u64> {
        // Without the upper bound, a clock that was set back would keep requests that ended long ago.
        let latest = now.saturating_add(LEASE_MS);
        self.busy.retain(|_, active| now < active.until && active.until <= latest);
        let concurrent = limits.concurrent.filter(|_| weight.busy > 0);
        let active = self.busy.values().fold(0u32, |sum, active| sum.saturating_add(active.messages));
        if concurrent.is_some_and(|most| active.saturating_add(weight.busy) > most) {
            return Err(CROWDED_S);
        }
        if let Some(rate) = limits.rate {
            self.take(rate, weight.messages, now)?;
        }
        Ok(concurrent.map(|_| {
            self.last = self.last.wrapping_add(1);
            self.busy.insert(self.last, ActiveRequest { messages: weight.busy, until: latest });
            self.last
        }))
    }

    /// Extends the time for which an active request counts.
    pub fn stay(&mut self, number: u64, now: u64) {
        if let Some(active) = self.busy.get_mut(&number) {
            active.until = now.saturating_add(LEASE_MS);
        }
    }

    /// Removes a request that has been answered.
    pub fn leave(&mut self, number: u64) {
        self.busy.remove(&number);
    }

    /// Returns the time at which all messages so far are due, in milliseconds since 1970, for a host that stores it.
    pub fn due(&self) -> u64 {
        self.due.div_ceil(1000)
    }

    /// Continues from a time that [`RateLimiter::due`] returned.
    pub fn continue_from(&mut self, due: u64) {
        self.due = self.due.max(due.saturating_mul(1000));
    }

    /// Counts `messages` messages towards a rate at `now`, in milliseconds since 1970.
    ///
    /// # Errors
    /// Returns the seconds after which the client may retry.
    pub(crate) fn take(
        &mut self,
        Rate { requests, seconds }: Rate,
        messages: u32,
        now: u64,
    ) -> Result<(), u64> {
        let (now, period) = (now.saturating_mul(1000), u64::from(seconds) * 1_000_000);
        let each = period / u64::from(requests.max(1));
        // If the clock was set back, `due` is at most one whole period ahead.
        self.due = self.due.clamp(now, now.saturating_add(period));
        // A batch larger than the whole rate uses the whole rate.
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

/// Returns the key by which an address is counted: the /64 network for IPv6, since one household has more addresses
/// than a counter can hold; otherwise the address.
pub fn network(address: &str) -> String {
    match address.parse::<std::net::Ipv6Addr>() {
        Ok(address) if address.to_ipv4_mapped().is_none() => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
        _ => address.to_owned(),
    }
}
