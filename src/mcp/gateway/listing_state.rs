//! What is known of one server's lists: how long they are good, who is fetching them, and why they cannot be had.
//!
//! One attempt to list a server is under way at a time, whichever request began it. What was listed last is served
//! meanwhile, so that no request waits for a server that is slow or down.

use std::sync::Arc;

use crate::mcp::{
    gateway::status::{Outage, UpstreamState},
    host::{Freshness, ROUTE_MS},
    protocol::error::RpcError,
    upstream::{FIRST_PAUSE_MS, circuit_breaker::pause, pages::Listing},
};

/// Longest pause, in milliseconds, between two attempts to list a server while no server has ever been listed: callers
/// can be shown nothing meanwhile, so it is short, and long enough that many callers do not cause many attempts.
pub const MAX_FIRST_PAUSE_MS: u64 = 2_000;
/// Milliseconds after which an attempt counts as lost, beyond the time that its server has: a platform may end a request
/// without a word, and what it was waiting for with it.
const LOST_MS: u64 = 5_000;
/// The reasons of failures that lie in what a server lists. Asking again soon would fetch the same.
const CONTENT_REASONS: [&str; 4] =
    ["upstream_catalog", "upstream_cursor_loop", "upstream_too_large", "upstream_too_many_pages"];

/// How the lists of a server are kept, of its settings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListingPolicy {
    /// Minimum number of milliseconds for which lists are kept.
    pub min_ttl_ms: u64,
    /// Maximum number of milliseconds for which a request waits for them.
    pub wait_ms: u64,
    /// Milliseconds that the server has for all its lists.
    pub timeout_ms: u64,
    /// Whether the server is a handler in the same process. Its lists cost no network, and its author expects a change to
    /// show at once: a request waits for them whenever they are due. There are no pauses either, since what it refuses
    /// for one request it may answer for the next.
    pub in_process: bool,
}

/// What is known of one server's lists.
#[derive(Debug, Default)]
pub(crate) struct ListingState {
    listing: Option<Arc<Listing>>,
    /// Until when that is good, for each need; nothing where it is not known to be.
    good: Option<Validity>,
    /// Whether the server has said that its lists have changed, and they have not been fetched since.
    changed: bool,
    attempt: Option<Attempt>,
    /// How many attempts were begun.
    attempts: u64,
    failing: Option<ListFailure>,
}

/// Until when lists are good, in milliseconds since 1970.
#[derive(Debug, Clone, Copy)]
struct Validity {
    list: u64,
    route: u64,
}

/// An attempt to list the server that is under way.
#[derive(Debug, Clone, Copy)]
struct Attempt {
    number: u64,
    began: u64,
    /// Whether the server has said since that its lists have changed: what comes may be from before.
    overtaken: bool,
}

/// What keeps the server from being listed.
#[derive(Debug)]
struct ListFailure {
    /// The last failure.
    failure: RpcError,
    /// When the first one was.
    since: u64,
    /// How many attempts failed in a row.
    times: u32,
    /// When the last attempt failed.
    tried: u64,
    /// Whether it failed for what the server lists.
    of_content: bool,
    /// When the next attempt is due, while there is something to serve.
    next: u64,
    /// When it is due while there is nothing.
    next_first: u64,
}

impl ListFailure {
    fn reason(&self) -> &str {
        // What the server itself answers instead of a list has no reason of ours.
        self.failure.reason().unwrap_or("upstream_refused")
    }
}

impl ListingState {
    /// Begins an attempt, if one is due and none is under way. Returns its number, for [`ListingState::finish`].
    /// `spare` says whether any server has been listed, so that there is something to serve.
    pub fn begin(&mut self, now: u64, need: Freshness, spare: bool, policy: ListingPolicy) -> Option<u64> {
        (self.due_at(need, spare, policy) <= now && self.under_way(now, policy).is_none())
            .then(|| self.begin_now(now))
    }

    /// Begins an attempt that replaces one that is under way.
    pub fn begin_now(&mut self, now: u64) -> u64 {
        self.attempts += 1;
        self.attempt = Some(Attempt { number: self.attempts, began: now, overtaken: false });
        self.attempts
    }

    /// Whether the server has said that its lists have changed, and they have not been fetched since.
    pub fn has_changed(&self) -> bool {
        self.changed
    }

    /// The same; the change is another process's to fetch from now on.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// When the next attempt is due, in milliseconds since 1970; zero where it is due already.
    fn due_at(&self, need: Freshness, spare: bool, policy: ListingPolicy) -> u64 {
        let good = self.good.map_or(0, |good| match need {
            Freshness::List | Freshness::Unknown => good.list,
            Freshness::Route => good.route,
        });
        let paused = self.failing.as_ref().filter(|_| !policy.in_process);
        let paused = paused.map_or(0, |failing| if spare { failing.next } else { failing.next_first });
        good.max(paused)
    }

    fn under_way(&self, now: u64, policy: ListingPolicy) -> Option<Attempt> {
        let lost = policy.timeout_ms.saturating_add(LOST_MS);
        self.attempt.filter(|attempt| now < attempt.began.saturating_add(lost))
    }

    /// Until when a request waits for the attempt that is under way, in milliseconds since 1970. None where it does not:
    /// it waits for the first lists once, for lists that have changed, and while there is nothing at all to serve.
    pub fn awaited(&self, now: u64, spare: bool, policy: ListingPolicy) -> Option<u64> {
        let attempt = self.under_way(now, policy)?;
        let wait_ms = match self.listing {
            _ if policy.in_process => policy.timeout_ms,
            None if attempt.number == 1 || !spare => policy.wait_ms,
            Some(_) if self.changed => policy.wait_ms,
            _ => return None,
        };
        Some(attempt.began.saturating_add(wait_ms)).filter(|until| now < *until)
    }

    /// Takes note of how an attempt went; returns what the operator is to be told of that. What comes of an attempt that
    /// another one has replaced counts for nothing.
    pub fn finish(
        &mut self,
        number: u64,
        now: u64,
        chance: f64,
        listed: Result<Listing, RpcError>,
        policy: ListingPolicy,
    ) -> Option<Note> {
        let attempt = self.attempt.take_if(|attempt| attempt.number == number)?;
        match listed {
            Ok(mut listing) => {
                self.listing.iter().for_each(|before| listing.declared.keep(&before.declared));
                let good = |ms: u64| now.saturating_add(ms);
                let ttl_ms =
                    if policy.in_process { listing.ttl_ms } else { listing.ttl_ms.max(policy.min_ttl_ms) };
                let validity = Validity { list: good(ttl_ms), route: good(ttl_ms.max(ROUTE_MS)) };
                self.good = (!attempt.overtaken).then_some(validity);
                self.changed &= attempt.overtaken;
                // The same lists are the same catalog.
                if !self.listing.as_ref().is_some_and(|before| before.is_same(&listing)) {
                    self.listing = Some(Arc::new(listing));
                }
                self.failing.take().map(|_| Note::Recovered)
            }
            Err(failure) => {
                // What is known is served on: no request waits for the next attempt.
                self.changed = false;
                let before = self.failing.take();
                let times = before.as_ref().map_or(0, |before| before.times).saturating_add(1);
                let since = before.as_ref().map_or(now, |before| before.since);
                let reason = failure.reason().unwrap_or_default();
                let of_content = CONTENT_REASONS.contains(&reason);
                let least = if of_content { policy.min_ttl_ms } else { 0 };
                let pause_ms = pause(times, chance);
                let failing = ListFailure {
                    since,
                    times,
                    tried: now,
                    of_content,
                    next: now.saturating_add(pause_ms.max(least)),
                    next_first: now.saturating_add(pause_ms.min(MAX_FIRST_PAUSE_MS).max(least)),
                    failure,
                };
                let news = before.is_none_or(|before| before.reason() != failing.reason());
                let note = news.then(|| Note::Failed(failing.failure.message.clone()));
                self.failing = Some(failing);
                note
            }
        }
    }

    /// The server has said that its lists have changed: they are due, whatever for.
    pub fn expire(&mut self) {
        self.good = None;
        self.changed = true;
        self.attempt.iter_mut().for_each(|attempt| attempt.overtaken = true);
    }

    /// The server has answered a call: where it could not be listed for want of an answer, that may be over, and the
    /// next attempt comes as soon as after a first failure.
    pub fn answered(&mut self) {
        let Some(failing) = self.failing.as_mut().filter(|failing| !failing.of_content) else { return };
        let soon = failing.tried.saturating_add(FIRST_PAUSE_MS);
        failing.next = failing.next.min(soon);
        failing.next_first = failing.next_first.min(soon);
    }

    /// Takes in what was listed before, by another process. It is served, and due after `good_until`. What this process has
    /// listed is newer.
    pub fn restore(&mut self, listing: Arc<Listing>, good_until: u64) {
        if self.listing.is_none() {
            self.listing = Some(listing);
            self.good = (!self.changed).then_some(Validity { list: good_until, route: good_until });
        }
    }

    /// What was listed last.
    pub fn listing(&self) -> Option<&Arc<Listing>> {
        self.listing.as_ref()
    }

    /// What keeps the server from being listed.
    pub fn failure(&self) -> Option<&RpcError> {
        self.failing.as_ref().map(|failing| &failing.failure)
    }

    /// For how many milliseconds what is served is good; none where an attempt is under way or has failed.
    pub fn good_for(&self, now: u64) -> Option<u64> {
        let good = self.good.filter(|_| self.attempt.is_none() && self.failing.is_none())?;
        Some(good.list.saturating_sub(now))
    }

    /// How the server stands.
    pub fn state(&self) -> UpstreamState {
        let failing = self.failing.as_ref();
        let trouble =
            failing.map(|failing| Outage { since: failing.since, reason: failing.reason().to_owned() });
        match (trouble, &self.listing, self.attempt) {
            (None, Some(_), _) | (None, None, None) => UpstreamState::Ok,
            (None, None, Some(attempt)) => {
                UpstreamState::Down(Outage { since: attempt.began, reason: "upstream_pending".to_owned() })
            }
            (Some(trouble), Some(_), _) => UpstreamState::Stale(trouble),
            (Some(trouble), None, _) => UpstreamState::Down(trouble),
        }
    }
}

/// What the operator is to be told of an attempt.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// The server can be listed again.
    Recovered,
    /// It cannot, for this reason, which is news.
    Failed(String),
}
