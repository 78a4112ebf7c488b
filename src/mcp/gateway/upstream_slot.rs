use std::sync::{Arc, Mutex};

use futures_util::{StreamExt, future};

use crate::{
    catalog::Lists,
    config,
    error::Error,
    mcp::{
        call::notifications::Notification,
        gateway::status::{Outage, Status, Survey, UpstreamState},
        host::{Answer, Call, Event, Freshness, ROUTE_MS, StreamItem},
        protocol::error::RpcError,
        upstream::{Fetch, Upstream, circuit_breaker::pause, lock, pages::Listing},
    },
};

/// Longest pause, in milliseconds, between two attempts to list a server while no server has ever been listed: callers
/// can be shown nothing meanwhile, so it is short, and long enough that many callers do not cause many attempts.
pub const MAX_FIRST_PAUSE_MS: u64 = 2_000;

/// Most characters of a method that the operator is told.
const MAX_NOTED: usize = 100;

/// One of the servers, and what it listed last.
#[derive(Debug)]
pub(crate) struct UpstreamSlot {
    pub name: String,
    pub upstream: Arc<Upstream>,
    /// Whether it is asked for resources that no list mentions, if its operator says.
    pub unlisted: Option<bool>,
    known: Mutex<ListedServer>,
}

#[derive(Debug, Default)]
struct ListedServer {
    listing: Option<Arc<Listing>>,
    /// Until when that is good, for each need; nothing where it has changed since.
    good: Option<Validity>,
    failing: Option<ListFailure>,
    dropped: Dropped,
}

/// Whether the server has sent a notification that reaches no caller.
#[derive(Debug, Default)]
enum Dropped {
    #[default]
    None,
    /// It has, by this method.
    New(String),
    /// It has, and the operator was told.
    Noted,
}

/// Until when lists are good, in milliseconds since 1970.
#[derive(Debug, Clone, Copy)]
struct Validity {
    list: u64,
    route: u64,
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
    /// When the last attempt failed or, behind a pause, was begun.
    tried: u64,
    /// Milliseconds until the next attempt.
    pause_ms: u64,
}

impl ListFailure {
    fn reason(&self) -> &str {
        // What the server itself answers instead of a list has no reason of ours.
        self.failure.reason().unwrap_or("upstream_refused")
    }
}

impl UpstreamSlot {
    /// A server that is asked through `upstream`.
    pub fn new(settings: &config::Upstream, upstream: Upstream) -> Self {
        Self {
            name: settings.name.clone(),
            upstream: Arc::new(upstream),
            unlisted: settings.unlisted,
            known: Mutex::default(),
        }
    }

    /// Whether to list the server now. After a failed attempt there is a pause; then one request makes the next
    /// attempt, and the others have their pause again. Without `spare`, while there is nothing to show, pauses are short.
    pub fn is_due(&self, now: u64, need: Freshness, spare: bool) -> bool {
        let mut known = lock(&self.known);
        let due = known.good.is_none_or(|good| match need {
            Freshness::List => now >= good.list,
            Freshness::Route => now >= good.route,
        });
        // What a handler refused one caller it may list for the next.
        let pauses = due && !self.upstream.is_in_process();
        let Some(failing) = known.failing.as_mut().filter(|_| pauses) else { return due };
        let pause_ms = if spare { failing.pause_ms } else { failing.pause_ms.min(MAX_FIRST_PAUSE_MS) };
        if now < failing.tried.saturating_add(pause_ms) {
            return false;
        }
        failing.tried = now;
        true
    }

    /// Asks the server on behalf of a caller. Notifications of changed lists expire what it listed, and those that
    /// no caller can be sent are dropped.
    ///
    /// # Errors
    /// As [`Upstream::call`].
    pub async fn call<F: Fetch>(self: &Arc<Self>, fetch: &F, call: &Call<'_>) -> Result<Answer, RpcError> {
        let answer = self.upstream.call(fetch, call).await?;
        let Answer::Dialog(turns) = answer else { return Ok(answer) };
        let member = Arc::clone(self);
        let turns = turns.filter(move |turn| {
            future::ready(match turn {
                StreamItem::Event(Event::Notification(message)) => member.hears(message),
                _ => true,
            })
        });
        Ok(Answer::Dialog(turns.boxed_local()))
    }

    /// Whether a notification may concern a caller.
    fn hears(&self, message: &[u8]) -> bool {
        match Notification::read(message) {
            Notification::ListChanged => {
                self.expire();
                false
            }
            Notification::Other(method) => {
                let dropped = &mut lock(&self.known).dropped;
                if matches!(dropped, Dropped::None) {
                    *dropped = Dropped::New(method.chars().take(MAX_NOTED).collect());
                }
                false
            }
            _ => true,
        }
    }

    /// What to tell the operator of notifications that were dropped: the first of the server's.
    pub fn dropped(&self) -> Option<String> {
        let mut known = lock(&self.known);
        let Dropped::New(method) = &known.dropped else { return None };
        let note = format!(
            "upstreams: `{}` sent the notification `{}`, which no client is sent; this and others are dropped",
            self.name,
            method.escape_debug()
        );
        known.dropped = Dropped::Noted;
        Some(note)
    }

    /// It says that its lists have changed: they are due, whatever for.
    pub fn expire(&self) {
        lock(&self.known).good = None;
    }

    /// Lists it; gives what the operator is to be told of that.
    pub async fn list<F: Fetch>(&self, fetch: &F) -> Option<String> {
        let attempts = lock(&self.known).failing.as_ref().map_or(0, |failing| failing.times);
        let listed = self.upstream.lists(fetch).await.and_then(|listing| match Lists::read(&listing.lists) {
            Ok(_) => Ok(listing),
            Err(error) => Err(self.unreadable(&error)),
        });
        let (now, mut known) = (fetch.now(), lock(&self.known));
        match listed {
            Ok(listing) => {
                let good = |ms: u64| now.saturating_add(ms);
                known.good =
                    Some(Validity { list: good(listing.ttl_ms), route: good(listing.ttl_ms.max(ROUTE_MS)) });
                // The same lists are the same catalog.
                let same = |before: &Arc<Listing>| {
                    before.lists == listing.lists && before.completions == listing.completions
                };
                if !known.listing.as_ref().is_some_and(same) {
                    known.listing = Some(Arc::new(listing));
                }
                let ended = known.failing.take();
                ended.map(|_| format!("upstreams: `{}` can be listed again", self.name))
            }
            Err(failure) => {
                let before = known.failing.take();
                // Attempts that went on side by side are one.
                let times = before.as_ref().map_or(0, |before| before.times).max(attempts.saturating_add(1));
                let since = before.as_ref().map_or(now, |before| before.since);
                let pause_ms = pause(times, fetch.chance());
                let failing = ListFailure { failure, since, times, tried: now, pause_ms };
                let news = before.is_none_or(|before| before.reason() != failing.reason());
                let note = news.then(|| format!("upstreams: {}", failing.failure.message));
                known.failing = Some(failing);
                note
            }
        }
    }

    /// Lists it now, whether or not its lists are due, and reports how that went.
    pub async fn survey<F: Fetch>(&self, fetch: &F) -> Survey {
        let began = fetch.now();
        // What an attempt would note in the log stands in the report.
        let _ = self.list(fetch).await;
        let took_ms = fetch.now().saturating_sub(began);
        Survey { name: self.name.clone(), took_ms, failure: self.failure() }
    }

    /// What it listed last.
    pub fn listing(&self) -> Option<Arc<Listing>> {
        lock(&self.known).listing.clone()
    }

    /// What keeps it from being listed.
    pub fn failure(&self) -> Option<RpcError> {
        lock(&self.known).failing.as_ref().map(|failing| failing.failure.clone())
    }

    pub fn status(&self) -> Status {
        let known = lock(&self.known);
        let trouble = known.failing.as_ref();
        let trouble =
            trouble.map(|failing| Outage { since: failing.since, reason: failing.reason().to_owned() });
        let state = match (trouble, &known.listing) {
            (None, _) => UpstreamState::Ok,
            (Some(trouble), Some(_)) => UpstreamState::Stale(trouble),
            (Some(trouble), None) => UpstreamState::Down(trouble),
        };
        Status { name: self.name.clone(), state }
    }

    /// Lists that no catalog can be made of.
    pub fn unreadable(&self, error: &Error) -> RpcError {
        RpcError::internal("upstream_catalog", format!("the lists of upstream `{}`: {error}", self.name))
    }
}
