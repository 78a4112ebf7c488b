use std::sync::{Arc, Mutex};

use futures_util::{FutureExt, StreamExt, future, future::LocalBoxFuture};

use crate::{
    catalog::Lists,
    config::{self, PassedMethod},
    error::Error,
    mcp::{
        call::notifications::Notification,
        gateway::{
            lister::Lister,
            listing_state::{ListingPolicy, ListingState, Note},
            status::{Status, Survey},
        },
        host::{Answer, Call, Event, Freshness, StreamItem},
        protocol::{error::RpcError, passed},
        upstream::{Fetch, Upstream, lock, pages::Listing},
    },
};

/// Most characters of a method that the operator is told.
const MAX_NOTED: usize = 100;

/// One of the servers, and what it listed last.
#[derive(Debug)]
pub(crate) struct UpstreamSlot {
    pub name: String,
    pub upstream: Arc<Upstream>,
    /// Whether it is asked for resources that no list mentions, if its operator says.
    pub unlisted: Option<bool>,
    /// The methods of other vendors that are passed to it.
    passes: Vec<PassedMethod>,
    policy: ListingPolicy,
    state: Mutex<ListingState>,
    notes: Mutex<Notes>,
}

/// What the operator is still to be told.
#[derive(Debug, Default)]
struct Notes {
    waiting: Vec<String>,
    /// Whether the server has sent a notification that reaches no caller. The first is reported.
    dropped: bool,
}

impl UpstreamSlot {
    /// A server that is asked through `upstream`.
    pub fn new(settings: &config::Upstream, upstream: Upstream) -> Self {
        let policy = ListingPolicy {
            min_ttl_ms: settings.min_ttl_ms,
            wait_ms: settings.list_wait_ms,
            timeout_ms: settings.list_timeout_ms,
            in_process: upstream.is_in_process(),
        };
        Self {
            name: settings.name.clone(),
            upstream: Arc::new(upstream),
            unlisted: settings.unlisted,
            passes: settings.pass_methods.clone(),
            policy,
            state: Mutex::default(),
            notes: Mutex::default(),
        }
    }

    /// Asks the server on behalf of a caller. Notifications of changed lists expire what it listed, and those that
    /// no caller can be sent are dropped.
    ///
    /// # Errors
    /// As [`Upstream::call`].
    pub async fn call<F: Fetch>(self: &Arc<Self>, fetch: &F, call: &Call<'_>) -> Result<Answer, RpcError> {
        let answer = self.upstream.call(fetch, call).await?;
        lock(&self.state).answered();
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
            Notification::Other(method) if passed::passes_notification(&self.passes, &method) => true,
            Notification::Other(method) => {
                let mut notes = lock(&self.notes);
                if !notes.dropped {
                    notes.dropped = true;
                    let method: String = method.chars().take(MAX_NOTED).collect();
                    let note = format!(
                        "upstreams: `{}` sent the notification `{}`, which no client is sent; this and others are dropped",
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

    /// What to tell the operator, each once.
    pub fn notes(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.notes).waiting)
    }

    /// It says that its lists have changed.
    pub fn expire(&self) {
        lock(&self.state).expire();
    }

    /// Begins to list the server, if its lists are due and no other request is listing it. `spare` says whether any server
    /// has been listed.
    pub fn begin<F: Lister>(
        self: &Arc<Self>,
        fetch: &F,
        need: Freshness,
        spare: bool,
    ) -> Option<LocalBoxFuture<'static, ()>> {
        let number = lock(&self.state).begin(fetch.now(), need, spare, self.policy)?;
        let (slot, fetch) = (Arc::clone(self), fetch.clone());
        let attempt = async move {
            let note = slot.list(&fetch, number).await;
            lock(&slot.notes).waiting.extend(note);
        };
        Some(attempt.boxed_local())
    }

    /// Whether it has said that its lists have changed, and they have not been fetched since.
    pub fn has_changed(&self) -> bool {
        lock(&self.state).has_changed()
    }

    /// The same; the change is another process's to fetch from now on.
    pub fn take_changed(&self) -> bool {
        lock(&self.state).take_changed()
    }

    /// Until when a request waits for the attempt that is under way.
    pub fn awaited(&self, now: u64, spare: bool) -> Option<u64> {
        lock(&self.state).awaited(now, spare, self.policy)
    }

    /// Makes the attempt of this number. Returns what the operator is to be told of it.
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

    /// Lists it now, whether or not its lists are due, and reports how that went.
    pub async fn survey<F: Lister>(&self, fetch: &F) -> Survey {
        let began = fetch.now();
        let number = lock(&self.state).begin_now(began);
        // What an attempt would note in the log stands in the report.
        let _ = self.list(fetch, number).await;
        let took_ms = fetch.now().saturating_sub(began);
        Survey { name: self.name.clone(), took_ms, failure: self.failure() }
    }

    /// What it listed last.
    pub fn listing(&self) -> Option<Arc<Listing>> {
        lock(&self.state).listing().cloned()
    }

    /// Takes in what it listed before, as another process has it.
    pub fn restore(&self, listing: Arc<Listing>, good_until: u64) {
        lock(&self.state).restore(listing, good_until);
    }

    /// What keeps it from being listed.
    pub fn failure(&self) -> Option<RpcError> {
        lock(&self.state).failure().cloned()
    }

    /// For how many milliseconds what is served of it is good; none where it is being listed or cannot be.
    pub fn good_for(&self, now: u64) -> Option<u64> {
        lock(&self.state).good_for(now)
    }

    pub fn status(&self) -> Status {
        Status { name: self.name.clone(), state: lock(&self.state).state() }
    }

    /// Lists that no catalog can be made of.
    pub fn unreadable(&self, error: &Error) -> RpcError {
        RpcError::internal("upstream_catalog", format!("the lists of upstream `{}`: {error}", self.name))
    }
}
