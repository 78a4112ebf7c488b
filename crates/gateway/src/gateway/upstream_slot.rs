//! One upstream server of a gateway, with its cached lists and their refresh.

use std::sync::{Arc, Mutex};

use futures_util::{FutureExt, StreamExt, future, future::LocalBoxFuture};
use mcp_sieve::{Digest, Error, catalog::Lists};

use crate::{
    backend::status::{Status, Survey},
    call::notifications::Notification,
    config::{self, PassedMethod},
    gateway::{
        lister::Lister,
        listing_state::{ListingPolicy, ListingState, Note},
    },
    host::{Answer, Call, Event, Freshness, StreamItem},
    protocol::{error::RpcError, passed},
    upstream::{Fetch, Upstream, lock, pages::Listing},
};

/// Maximum length of a method name in a note, in characters.
const MAX_NOTED: usize = 100;

/// An upstream server and the lists that it returned last.
#[derive(Debug)]
pub(crate) struct UpstreamSlot {
    pub name: String,
    /// Identifies what its lists depend on: its name, its address, and the capabilities that it is listed with.
    pub source: String,
    /// Identifies its address, for the record of the names that it had first.
    pub address: String,
    pub upstream: Arc<Upstream>,
    /// Whether the server is asked for resources that are not listed, if the operator set this.
    pub unlisted: Option<bool>,
    /// The methods of other vendors that are forwarded to the server.
    passes: Vec<PassedMethod>,
    policy: ListingPolicy,
    state: Mutex<ListingState>,
    notes: Mutex<Notes>,
}

/// Notes for the operator that are not reported yet.
#[derive(Debug, Default)]
struct Notes {
    waiting: Vec<String>,
    /// Whether the server has sent a notification that is not forwarded. Only the first is reported.
    dropped: bool,
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
        [&settings.url, &settings.capabilities.all]
            .into_iter()
            .for_each(|part| listed_with.part(part.as_bytes()));
        Self {
            name: settings.name.clone(),
            source: [&Digest::hex(listed_with.end()), " ", &settings.name].concat(),
            address: Digest::hex(Digest::of(settings.address().as_bytes())),
            upstream: Arc::new(upstream),
            unlisted: settings.unlisted,
            passes: settings.pass_methods.clone(),
            policy,
            state: Mutex::default(),
            notes: Mutex::default(),
        }
    }

    /// Sends a caller's request to the server. Notifications of changed lists expire the stored lists. Notifications
    /// that may not be forwarded are dropped.
    ///
    /// # Errors
    /// As for [`Upstream::call`].
    pub async fn call<F: Fetch>(self: &Arc<Self>, fetch: &F, call: &Call<'_>) -> Result<Answer, RpcError> {
        let answer = self.upstream.call(fetch, call).await?;
        lock(&self.state).answered();
        let Answer::Dialog(turns) = answer else { return Ok(answer) };
        let member = Arc::clone(self);
        let turns = turns.filter(move |turn| {
            future::ready(match turn {
                StreamItem::Event(Event::Notification(message)) => member.process_notification(message),
                _ => true,
            })
        });
        Ok(Answer::Dialog(turns.boxed_local()))
    }

    /// Processes a notification of the server. Returns whether it is forwarded to the caller.
    fn process_notification(&self, message: &[u8]) -> bool {
        match Notification::read(message) {
            Notification::ListChanged => {
                self.expire();
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

    /// Removes and returns the notes for the operator.
    pub fn notes(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.notes).waiting)
    }

    /// Marks the lists as due, because the server reported that they changed.
    pub fn expire(&self) {
        lock(&self.state).expire();
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
        let listed =
            fetch.listing(&self.upstream).await.and_then(|listing| match Lists::read(&listing.lists) {
                Ok(_) => Ok(listing),
                Err(error) => Err(self.unreadable(&error)),
            });
        let note = lock(&self.state).finish(number, fetch.now(), fetch.chance(), listed, self.policy)?;
        Some(match note {
            Note::Recovered => format!("upstreams: `{}` can be listed again", self.name),
            Note::Failed(message) => format!("upstreams: {message}"),
        })
    }

    /// Lists the server now, whether or not its lists are due, and reports the result.
    pub async fn survey<F: Lister>(&self, fetch: &F) -> Survey {
        let began = fetch.now();
        let number = lock(&self.state).begin_now(began);
        // The report contains what the note would say.
        let _ = self.list(fetch, number).await;
        let took_ms = fetch.now().saturating_sub(began);
        Survey { name: self.name.clone(), took_ms, failure: self.failure() }
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
        state.listing().is_none() && state.failure().is_none()
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
        Status { name: self.name.clone(), state: lock(&self.state).state() }
    }

    /// Returns the error for lists that cannot be compiled to a catalog.
    pub fn unreadable(&self, error: &Error) -> RpcError {
        RpcError::internal("upstream_catalog", format!("the lists of upstream `{}`: {error}", self.name))
    }
}
