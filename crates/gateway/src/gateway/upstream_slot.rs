//! One upstream server of a gateway, with its cached lists and their refresh.

use std::{
    rc::Rc,
    sync::{Arc, Mutex, OnceLock},
};

use futures_util::{FutureExt, StreamExt, future, future::LocalBoxFuture};
use http::HeaderMap;
use mcp_sieve::{Digest, Error, catalog::Lists};

use crate::{
    backend::status::{Status, Survey, UpstreamState},
    call::notifications::Notification,
    config::{self, AuthKind, ConcernUse, ListScope, PassedMethod},
    gateway::{
        lister::Lister,
        listing_state::{ListingPolicy, ListingState, Note},
        sign_in,
    },
    host::{Answer, Call, Event, Freshness, StreamItem},
    protocol::{error::RpcError, passed},
    upstream::{Fetch, Upstream, lock, pages::Listing, session_inbox::OutsideCalls, spacing::Credit},
};

/// Maximum length of a method name in a note, in characters.
const MAX_NOTED: usize = 100;

/// Time, in milliseconds, after which a report of changed lists that should have been sent counts as lost.
const LOST_MS: u64 = 1_000;

/// An upstream server and the lists that it returned last.
#[derive(Debug)]
pub(crate) struct UpstreamSlot {
    pub name: String,
    /// Identifies what its lists depend on: its name, its address, the capabilities that it is listed with, and the use of its
    /// concerns.
    pub source: String,
    /// Identifies its address, for the record of the names that it had first.
    pub address: String,
    pub upstream: Arc<Upstream>,
    /// Whether each session of a client has the lists that the server has for this session.
    pub lists_sessions: bool,
    /// Whether each caller has the lists that the server has for this caller.
    pub lists_callers: bool,
    /// Whether the server has credentials or lists of single callers.
    pub is_of_caller: bool,
    /// Whether only one person can reach the gateway.
    pub one_user: bool,
    /// Whether the server gets the token that the caller sent.
    pub passes_token: bool,
    /// Whether callers sign in to the server.
    pub(super) takes_sign_in: bool,
    /// The lists of the server for a caller that has to sign in first, once they are needed.
    sign_in: OnceLock<Arc<Listing>>,
    /// Whether the server is asked for resources that are not listed, if the operator set this.
    pub unlisted: Option<bool>,
    /// The methods of other vendors that are forwarded to the server.
    passes: Vec<PassedMethod>,
    policy: ListingPolicy,
    state: Mutex<ListingState>,
    notes: Mutex<Notes>,
    reports: Mutex<Reports>,
}

/// The reports of changed lists to the host.
#[derive(Debug, Default)]
struct Reports {
    /// The credit for further reports; `None` before the first.
    credit: Option<Credit>,
    /// The time until which a report waits at most, in milliseconds since 1970; zero if none waits. Later changes are part
    /// of it. The time limit counts if the platform ends the work that waits.
    waiting_until: u64,
}

/// Notes for the operator that are not reported yet.
#[derive(Debug, Default)]
struct Notes {
    waiting: Vec<String>,
    /// Whether the server has sent a notification that is not forwarded. Only the first is reported.
    dropped: bool,
}

impl Reports {
    /// Returns the milliseconds after which a change is reported, zero for at once; `None` if a report waits already.
    fn begin(&mut self, now: u64) -> Option<u64> {
        if now < self.waiting_until {
            return None;
        }
        let credit = self.credit.get_or_insert_with(|| Credit::full(now));
        let missing = credit.missing(now);
        match missing {
            0 => credit.take(),
            _ => self.waiting_until = now.saturating_add(missing).saturating_add(LOST_MS),
        }
        Some(missing)
    }

    /// Takes the credit of a report that has waited.
    fn end_wait(&mut self, now: u64) {
        self.waiting_until = 0;
        if let Some(credit) = &mut self.credit {
            credit.missing(now);
            credit.take();
        }
    }
}

impl UpstreamSlot {
    /// Creates the slot of a server that is called through `upstream`.
    pub fn new(settings: &config::Upstream, upstream: Upstream) -> Self {
        let policy = ListingPolicy {
            min_ttl_ms: settings.min_ttl_ms,
            wait_ms: settings.list_wait_ms,
            timeout_ms: settings.list_timeout_ms,
            in_process: upstream.is_in_process(),
        };
        let mut listed_with = Digest::new();
        [&settings.url, &settings.listed_with()]
            .into_iter()
            .for_each(|part| listed_with.part(part.as_bytes()));
        if settings.concerns != ConcernUse::Learn {
            listed_with.part(settings.concerns.name().as_bytes());
        }
        let is_of_network = !upstream.is_in_process();
        Self {
            lists_callers: is_of_network && settings.list_scope() == ListScope::Caller,
            is_of_caller: is_of_network && settings.is_of_caller(),
            one_user: settings.one_user,
            passes_token: settings.auth.kind == AuthKind::Pass,
            takes_sign_in: settings.auth.kind == AuthKind::User,
            sign_in: OnceLock::new(),
            name: settings.name.clone(),
            source: [&Digest::hex(listed_with.end()), " ", &settings.name].concat(),
            address: Digest::hex(Digest::of(settings.address().as_bytes())),
            upstream: Arc::new(upstream),
            lists_sessions: settings.list_scope() == ListScope::Session,
            unlisted: settings.unlisted,
            passes: settings.pass_methods.clone(),
            policy,
            state: Mutex::default(),
            notes: Mutex::default(),
            reports: Mutex::default(),
        }
    }

    /// Returns a slot of the same server for one caller, with the headers of this caller. Nothing is known of the server yet.
    pub fn for_caller(&self, passed: &HeaderMap) -> Self {
        let (name, source, address) = (self.name.clone(), self.source.clone(), self.address.clone());
        let (sign_in, state, notes, reports) = Default::default();
        Self {
            name,
            source,
            address,
            upstream: Arc::new(self.upstream.for_caller(passed)),
            passes: self.passes.clone(),
            sign_in,
            state,
            notes,
            reports,
            ..*self
        }
    }

    /// Returns whether the caller has to sign in before the server lists anything.
    pub fn needs_sign_in(&self) -> bool {
        self.takes_sign_in && lock(&self.state).needs_sign_in()
    }

    /// Returns the lists that the caller sees: the last ones, or the tool for the sign-in while it has no connection.
    pub fn shown(&self) -> Option<Arc<Listing>> {
        if !lock(&self.state).needs_sign_in() {
            return self.listing();
        }
        let listing = || self.sign_in.get_or_init(|| Arc::new(sign_in::listing(&self.name)));
        self.takes_sign_in.then(|| Arc::clone(listing()))
    }

    /// Sends a caller's request to the server. `outside` is the client outside the call. Notifications of changed lists expire the stored lists. Notifications
    /// that may not be forwarded are dropped.
    ///
    /// # Errors
    /// As for [`Upstream::call`].
    pub async fn call<F: Fetch>(
        self: &Arc<Self>,
        fetch: &F,
        call: &Call<'_>,
        outside: Option<&Rc<dyn OutsideCalls>>,
    ) -> Result<Answer, RpcError> {
        let answer = self.upstream.call_with(fetch, call, outside).await;
        let answer = answer.map_err(|failure| self.with_address(fetch, failure))?;
        lock(&self.state).answered();
        // A server whose lists depend on the session may have changed them without a word.
        let changes = outside.filter(|_| self.lists_sessions).cloned();
        let Answer::Dialog(turns) = answer else {
            changes.iter().for_each(|outside| outside.lists_changed());
            return Ok(answer);
        };
        let (member, fetch, outside) = (Arc::clone(self), fetch.clone(), outside.cloned());
        let turns = turns.filter(move |turn| {
            future::ready(match turn {
                StreamItem::Event(Event::Notification(message)) => {
                    if let Notification::ListChanged = Notification::read(message) {
                        outside.iter().for_each(|outside| outside.lists_changed());
                    }
                    member.process_notification(&fetch, message)
                }
                StreamItem::Event(event) if event.is_last() => {
                    changes.iter().for_each(|outside| outside.lists_changed());
                    true
                }
                _ => true,
            })
        });
        Ok(Answer::Dialog(turns.boxed_local()))
    }

    /// Processes a notification of the server. Returns whether it is forwarded to the caller.
    pub fn process_notification<F: Fetch>(self: &Arc<Self>, fetch: &F, message: &[u8]) -> bool {
        match Notification::read(message) {
            Notification::ListChanged => {
                self.lists_changed(fetch);
                false
            }
            Notification::Other(method) if passed::passes_notification(&self.passes, &method) => true,
            Notification::Other(method) => {
                let mut notes = lock(&self.notes);
                if !notes.dropped {
                    notes.dropped = true;
                    let method: String = method.chars().take(MAX_NOTED).collect();
                    let note = format!(
                        "upstreams: `{}` sent the notification `{}`, which is not forwarded to clients; this and others are dropped",
                        self.name,
                        method.escape_debug()
                    );
                    notes.waiting.push(note);
                }
                false
            }
            _ => true,
        }
    }

    /// Returns the minimum lifetime of its lists, in milliseconds.
    pub fn min_ttl_ms(&self) -> u64 {
        self.policy.min_ttl_ms
    }

    /// Removes and returns the notes for the operator.
    pub fn notes(&self) -> Vec<String> {
        let oddities = self.upstream.take_oddities().into_iter().map(|oddity| format!("upstreams: {oddity}"));
        let mut notes = std::mem::take(&mut lock(&self.notes).waiting);
        notes.extend(oddities);
        notes
    }

    /// Marks the lists as due, because the server reported that they changed.
    pub fn expire(&self) {
        self.upstream.expire_capable();
        lock(&self.state).expire();
    }

    /// Marks the lists as due, and reports it to the host, because the server announced changed lists outside a stream of
    /// changes. Both are spaced like changes of a stream: each new catalog makes listeners list again, so a flood would
    /// otherwise have the server listed all the time. The last change is never lost.
    pub fn lists_changed<F: Fetch>(self: &Arc<Self>, fetch: &F) {
        let (now, fetch) = (fetch.now(), fetch.shared());
        let Some(missing) = lock(&self.reports).begin(now) else { return };
        if missing == 0 {
            self.expire();
            return fetch.lists_changed(&self.name);
        }
        let (slot, later) = (Arc::clone(self), fetch.clone());
        fetch.spawn(
            async move {
                later.sleep(missing).await;
                let now = later.now();
                lock(&slot.reports).end_wait(now);
                slot.expire();
                later.lists_changed(&slot.name);
            }
            .boxed_local(),
        );
    }

    /// Begins to list the server, if its lists are due and no other request is listing it. `any_listed` states whether
    /// any server has been listed.
    pub fn begin<F: Lister>(
        self: &Arc<Self>,
        fetch: &F,
        need: Freshness,
        any_listed: bool,
    ) -> Option<LocalBoxFuture<'static, ()>> {
        let number = lock(&self.state).begin(fetch.now(), need, any_listed, self.policy)?;
        let (slot, fetch) = (Arc::clone(self), fetch.clone());
        let attempt = async move {
            let note = slot.list(&fetch, number).await;
            lock(&slot.notes).waiting.extend(note);
        };
        Some(attempt.boxed_local())
    }

    /// Returns whether the server has reported that its lists changed, and they have not been fetched since.
    pub fn has_changed(&self) -> bool {
        lock(&self.state).has_changed()
    }

    /// Returns whether the server has reported changed lists, and clears this mark. Another process is then responsible
    /// for fetching the lists.
    pub fn take_changed(&self) -> bool {
        lock(&self.state).take_changed()
    }

    /// Returns the time until which a request waits for the attempt in progress, in milliseconds since 1970.
    pub fn awaited(&self, now: u64, any_listed: bool) -> Option<u64> {
        lock(&self.state).awaited(now, any_listed, self.policy)
    }

    /// Makes the attempt with this number. Returns a note for the operator, if there is one.
    async fn list<F: Lister>(&self, fetch: &F, number: u64) -> Option<String> {
        self.upstream.set_learned_from(lock(&self.state).learned_from());
        let listed =
            fetch.listing(&self.upstream).boxed_local().await.and_then(|listing| {
                match Lists::read(&listing.lists) {
                    Ok(_) => Ok(listing),
                    Err(error) => Err(self.unreadable(&error)),
                }
            });
        let note = lock(&self.state).finish(number, fetch.now(), fetch.chance(), listed, self.policy)?;
        Some(match note {
            Note::Recovered => format!("upstreams: `{}` can be listed again", self.name),
            Note::Failed(message) => format!("upstreams: {message}"),
            Note::Incomplete(messages) => {
                format!("upstreams: {}; the other lists of `{}` are served", messages.join("; "), self.name)
            }
        })
    }

    /// Lists the server now, whether or not its lists are due, and reports the result.
    pub async fn survey<F: Lister>(&self, fetch: &F) -> Survey {
        let began = fetch.now();
        let number = lock(&self.state).begin_now(began);
        // The report contains what the note would say.
        let _ = self.list(fetch, number).await;
        let took_ms = fetch.now().saturating_sub(began);
        let problems = self.listing().map(|listing| listing.problems.clone()).unwrap_or_default();
        Survey { name: self.name.clone(), took_ms, failure: self.failure(), problems }
    }

    /// Returns the last lists, if there are any.
    pub fn listing(&self) -> Option<Arc<Listing>> {
        lock(&self.state).listing().cloned()
    }

    /// Sets lists that another process fetched earlier.
    pub fn restore(&self, listing: Arc<Listing>, good_until: u64) {
        lock(&self.state).restore(listing, good_until);
    }

    /// Returns whether the first attempt to list the server is not over yet.
    pub fn is_pending(&self) -> bool {
        let state = lock(&self.state);
        !self.lists_callers && state.listing().is_none() && state.failure().is_none()
    }

    /// Returns whether the server was never listed, and either no attempt is over or the caller has to sign in first.
    fn is_pending_first(&self) -> bool {
        let state = lock(&self.state);
        state.needs_sign_in() || state.listing().is_none() && state.failure().is_none()
    }

    /// Returns the error of the last attempt to list the server, if it failed.
    pub fn failure(&self) -> Option<RpcError> {
        lock(&self.state).failure().cloned()
    }

    /// Returns the milliseconds until the lists expire; `None` if an attempt is in progress or the last one failed.
    pub fn good_for(&self, now: u64) -> Option<u64> {
        lock(&self.state).good_for(now)
    }

    pub fn status(&self) -> Status {
        let waits = self.lists_callers && self.is_pending_first();
        let state = if waits { UpstreamState::Waiting } else { lock(&self.state).state() };
        Status { name: self.name.clone(), state }
    }

    /// Returns the error for lists that cannot be compiled to a catalog.
    pub fn unreadable(&self, error: &Error) -> RpcError {
        RpcError::internal("upstream_catalog", format!("the lists of upstream `{}`: {error}", self.name))
    }
}
