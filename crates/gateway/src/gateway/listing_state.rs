//! The state of one server's lists: when they expire, which attempt to fetch them is in progress, and why the last
//! attempt failed.
//!
//! Only one attempt to list a server runs at a time, whichever request began it. The last lists are served meanwhile,
//! so that no request waits for a slow or failing server.

use std::sync::Arc;

use crate::{
    backend::status::{ListProblem, Outage, UpstreamState},
    gateway::sign_in::SIGN_IN,
    host::{
        Freshness, ROUTE_MS,
        circuit_breaker::{FIRST_PAUSE_MS, pause},
    },
    protocol::error::RpcError,
    upstream::pages::Listing,
};

/// Longest pause, in milliseconds, between two attempts to list a server while no server has ever been listed. It is
/// short because callers see nothing meanwhile, and long enough that many callers do not cause many attempts.
pub const MAX_FIRST_PAUSE_MS: u64 = 2_000;
/// Milliseconds, beyond the time limit of a server, after which an attempt counts as lost. A platform may end a
/// request, and the attempt with it, without notice.
const LOST_MS: u64 = 5_000;
/// The reasons of failures caused by the content of a server's lists. Fetching again soon would return the same
/// content.
const CONTENT_REASONS: [&str; 4] =
    ["upstream_catalog", "upstream_cursor_loop", "upstream_too_large", "upstream_too_many_pages"];

/// The settings for the lists of one server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListingPolicy {
    /// Minimum lifetime of lists, in milliseconds.
    pub min_ttl_ms: u64,
    /// Maximum time that a request waits for lists, in milliseconds.
    pub wait_ms: u64,
    /// Time limit for fetching all lists of the server, in milliseconds.
    pub timeout_ms: u64,
    /// Whether the server is a handler in the same process. Its lists cost no network traffic, and its author expects
    /// changes to appear at once. A request therefore waits for the lists whenever they are due. There are no pauses
    /// after failures, since the handler may accept one request and refuse another.
    pub in_process: bool,
}

/// The state of one server's lists.
#[derive(Debug, Default)]
pub(crate) struct ListingState {
    listing: Option<Arc<Listing>>,
    /// The expiry of the lists for each need; `None` if they are due now.
    good: Option<Validity>,
    /// Whether the server has reported that its lists changed, and they have not been fetched since.
    changed: bool,
    /// Whether the server has reported a change since concern values were learned from its lists.
    learns_again: bool,
    attempt: Option<Attempt>,
    /// The number of attempts so far.
    attempts: u64,
    failing: Option<ListFailure>,
    /// The number of attempts in a row that did not fetch all lists of the server, and that may do so later.
    partial: u32,
}

/// The times at which lists expire for each need, in milliseconds since 1970.
#[derive(Debug, Clone, Copy)]
struct Validity {
    list: u64,
    route: u64,
}

/// An attempt to list the server that is in progress.
#[derive(Debug, Clone, Copy)]
struct Attempt {
    number: u64,
    began: u64,
    /// Whether the server reported a change after the attempt began. The fetched lists may then be outdated.
    overtaken: bool,
}

/// A failure to list the server, and the times of the next attempts.
#[derive(Debug)]
struct ListFailure {
    /// The error of the last attempt.
    failure: RpcError,
    /// The time of the first failure in the row, in milliseconds since 1970.
    since: u64,
    /// The number of attempts that failed in a row.
    times: u32,
    /// The time of the last attempt, in milliseconds since 1970.
    tried: u64,
    /// Whether the content of the lists caused the failure.
    of_content: bool,
    /// The time of the next attempt while some server's lists can be served, in milliseconds since 1970.
    next: u64,
    /// The time of the next attempt while no lists can be served, in milliseconds since 1970.
    next_first: u64,
}

impl ListFailure {
    fn reason(&self) -> &str {
        // An error that the server itself returned has no reason code of the gateway.
        self.failure.reason().unwrap_or("upstream_refused")
    }
}

impl ListingState {
    /// Begins an attempt, if one is due and none is in progress. Returns its number, for [`ListingState::finish`].
    /// `any_listed` states whether any server has been listed, so that there is something to serve.
    pub fn begin(
        &mut self,
        now: u64,
        need: Freshness,
        any_listed: bool,
        policy: ListingPolicy,
    ) -> Option<u64> {
        (self.due_at(need, any_listed, policy) <= now && self.under_way(now, policy).is_none())
            .then(|| self.begin_now(now))
    }

    /// Begins an attempt that replaces any attempt in progress. Returns its number.
    pub fn begin_now(&mut self, now: u64) -> u64 {
        self.attempts += 1;
        self.attempt = Some(Attempt { number: self.attempts, began: now, overtaken: false });
        self.attempts
    }

    /// Returns whether the server has reported that its lists changed, and they have not been fetched since.
    pub fn has_changed(&self) -> bool {
        self.changed
    }

    /// Returns whether the server has reported changed lists, and clears this mark. Another process is then responsible
    /// for fetching the lists.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Returns the time at which the next attempt is due, in milliseconds since 1970; zero if it is due already.
    fn due_at(&self, need: Freshness, any_listed: bool, policy: ListingPolicy) -> u64 {
        let good = self.good.map_or(0, |good| match need {
            Freshness::List | Freshness::Unknown => good.list,
            Freshness::Route => good.route,
        });
        let paused = self.failing.as_ref().filter(|_| !policy.in_process && !self.needs_sign_in());
        let paused = paused.map_or(0, |failing| if any_listed { failing.next } else { failing.next_first });
        good.max(paused)
    }

    fn under_way(&self, now: u64, policy: ListingPolicy) -> Option<Attempt> {
        let lost = policy.timeout_ms.saturating_add(LOST_MS);
        self.attempt.filter(|attempt| now < attempt.began.saturating_add(lost))
    }

    /// Returns the time until which a request waits for the attempt in progress, in milliseconds since 1970; `None` if
    /// it does not wait. Requests wait for the first attempt, for lists that changed, and while no lists can be served
    /// at all.
    pub fn awaited(&self, now: u64, any_listed: bool, policy: ListingPolicy) -> Option<u64> {
        let attempt = self.under_way(now, policy)?;
        let wait_ms = match self.listing {
            _ if policy.in_process => policy.timeout_ms,
            None if attempt.number == 1 || !any_listed => policy.wait_ms,
            _ if self.needs_sign_in() => policy.wait_ms,
            Some(_) if self.changed => policy.wait_ms,
            _ => return None,
        };
        Some(attempt.began.saturating_add(wait_ms)).filter(|until| now < *until)
    }

    /// Records the result of an attempt. Returns a note for the operator, if there is one. The result of an attempt
    /// that was replaced is ignored.
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
                let known = self.listing.as_ref().map_or(&[][..], |before| &before.problems);
                let news = news(known, &listing.problems);
                self.listing.iter().for_each(|before| {
                    listing.declared.keep(&before.declared);
                    listing.keep(before);
                });
                let good = |ms: u64| now.saturating_add(ms);
                let ttl_ms =
                    if policy.in_process { listing.ttl_ms } else { listing.ttl_ms.max(policy.min_ttl_ms) };
                let may_change = listing.problems.iter().any(|problem| !problem.is_final());
                self.partial = if may_change { self.partial.saturating_add(1) } else { 0 };
                let ttl_ms = match self.partial {
                    0 => ttl_ms,
                    // Missing lists are fetched again as soon as those of a server that is down.
                    times => ttl_ms.min(pause(times, chance).max(policy.min_ttl_ms)),
                };
                let validity = Validity { list: good(ttl_ms), route: good(ttl_ms.max(ROUTE_MS)) };
                self.good = (!attempt.overtaken).then_some(validity);
                self.changed &= attempt.overtaken;
                self.learns_again &= attempt.overtaken;
                // Equal lists are not replaced, so that the catalog is not compiled again.
                if !self.listing.as_ref().is_some_and(|before| before.is_same(&listing)) {
                    self.listing = Some(Arc::new(listing));
                }
                match self.failing.take() {
                    Some(_) if news.is_none() => Some(Note::Recovered),
                    _ => news,
                }
            }
            Err(failure) => {
                // The last lists remain in use. No request waits for the next attempt.
                self.changed = false;
                let before = self.failing.take();
                let times = before.as_ref().map_or(0, |before| before.times).saturating_add(1);
                let since = before.as_ref().map_or(now, |before| before.since);
                let reason = failure.reason().unwrap_or_default();
                let is_expected = reason == SIGN_IN;
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
                // A caller that has not signed in is no concern of the operator.
                let news = !is_expected && before.is_none_or(|before| before.reason() != failing.reason());
                let note = news.then(|| Note::Failed(failing.failure.operator_text()));
                self.failing = Some(failing);
                note
            }
        }
    }

    /// Marks the lists as due for every need, because the server reported that they changed.
    pub fn expire(&mut self) {
        self.good = None;
        self.changed = true;
        self.learns_again = true;
        self.attempt.iter_mut().for_each(|attempt| attempt.overtaken = true);
    }

    /// Records that the server answered a call. If it could not be listed because it did not respond, it may be up
    /// again: the next attempt is due as soon as after a first failure.
    pub fn answered(&mut self) {
        let Some(failing) = self.failing.as_mut().filter(|failing| !failing.of_content) else { return };
        let soon = failing.tried.saturating_add(FIRST_PAUSE_MS);
        failing.next = failing.next.min(soon);
        failing.next_first = failing.next_first.min(soon);
    }

    /// Sets lists that another process fetched earlier. They are served, and expire at `good_until`. If this process
    /// has lists of the server, it keeps those, since they are newer.
    pub fn restore(&mut self, listing: Arc<Listing>, good_until: u64) {
        if self.listing.is_none() {
            self.listing = Some(listing);
            self.good = (!self.changed).then_some(Validity { list: good_until, route: good_until });
        }
    }

    /// Returns the hash of the lists from which the known concern values were learned; empty if they have to be learned
    /// again.
    pub fn learned_from(&self) -> &str {
        let listing = self.listing.as_ref().filter(|_| !self.learns_again);
        listing.map_or("", |listing| &listing.declared.learned_from)
    }

    /// Returns whether the last attempt failed because the caller has to sign in first. The next one is due at once, since
    /// the caller may sign in at any time.
    pub fn needs_sign_in(&self) -> bool {
        self.failure().is_some_and(|failure| failure.reason() == Some(SIGN_IN))
    }

    /// Returns the last lists, if there are any.
    pub fn listing(&self) -> Option<&Arc<Listing>> {
        self.listing.as_ref()
    }

    /// Returns the error of the last attempt, if it failed.
    pub fn failure(&self) -> Option<&RpcError> {
        self.failing.as_ref().map(|failing| &failing.failure)
    }

    /// Returns the milliseconds until the lists expire; `None` if an attempt is in progress or the last one failed.
    pub fn good_for(&self, now: u64) -> Option<u64> {
        let good = self.good.filter(|_| self.attempt.is_none() && self.failing.is_none())?;
        Some(good.list.saturating_sub(now))
    }

    /// Returns the status of the server.
    pub fn state(&self) -> UpstreamState {
        let failing = self.failing.as_ref();
        let trouble =
            failing.map(|failing| Outage { since: failing.since, reason: failing.reason().to_owned() });
        match (trouble, &self.listing, self.attempt) {
            (None, Some(listing), _) if !listing.problems.is_empty() => {
                UpstreamState::Partial(listing.problems.clone())
            }
            (None, Some(_), _) | (None, None, None) => UpstreamState::Ok,
            (None, None, Some(attempt)) => {
                UpstreamState::Down(Outage { since: attempt.began, reason: "upstream_pending".to_owned() })
            }
            (Some(trouble), Some(_), _) => UpstreamState::Stale(trouble),
            (Some(trouble), None, _) => UpstreamState::Down(trouble),
        }
    }
}

/// A note for the operator about an attempt.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// The server can be listed again.
    Recovered,
    /// The server cannot be listed for this reason, which differs from the last one.
    Failed(String),
    /// Some lists fail for these reasons, of which one is new.
    Incomplete(Vec<String>),
}

/// Returns the note about lists that fail now, if their reasons are not `known`.
fn news(known: &[ListProblem], problems: &[ListProblem]) -> Option<Note> {
    let is_known = |problem: &ListProblem| {
        known.iter().any(|known| (&known.list, &known.reason) == (&problem.list, &problem.reason))
    };
    if problems.is_empty() {
        return (!known.is_empty()).then_some(Note::Recovered);
    }
    if problems.iter().all(is_known) {
        return None;
    }
    let mut messages: Vec<String> = Vec::new();
    for problem in problems {
        if !messages.contains(&problem.message) {
            messages.push(problem.message.clone());
        }
    }
    Some(Note::Incomplete(messages))
}
