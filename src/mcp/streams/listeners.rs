//! The listeners of a deployment, wherever the changes come from.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    fmt,
    rc::{Rc, Weak},
    sync::Arc,
    task::{Poll, Waker},
};

use futures_util::{
    StreamExt,
    stream::{self, LocalBoxStream},
};

use crate::{
    catalog::Kind,
    config::Config,
    mcp::{
        gateway::{backend::Backend, declared::ServerDeclarations},
        host::{Clock, SubscriptionFilter},
        protocol::error::RpcError,
        request::{caller::Caller, resource::Resolver, visibility},
        streams::{change::Change, fingerprint::ListFingerprints},
    },
    policy::Guarded,
};

/// Maximum number of listeners at once; each holds memory for as long as it listens.
pub const MAX_LISTENERS: usize = 10_000;
/// Maximum number of listeners of one principal or, without a token, of one network address: no caller takes a
/// substantial part of [`MAX_LISTENERS`].
pub const MAX_LISTENERS_PER_CALLER: usize = 64;
/// Maximum number of listeners, all together, that have neither a principal nor a known address. Nothing tells such
/// callers apart, so they share these places and leave the others to callers with a token.
pub const MAX_UNKNOWN_LISTENERS: usize = 1_000;

/// The work after which a refresh lets other work run, in primitives that a policy evaluates. No slice takes longer
/// than some milliseconds, unless the texts of primitives are very long.
const SLICE: usize = 8 * 1024;
/// What it costs to compare what one listener sees, in the unit of [`SLICE`].
const LISTENER: usize = 256;
/// How many primitives of a view are compared at the cost of evaluating one.
const COMPARED: usize = 8;

/// The listeners of a deployment. Each is told once of what changes in its own sight.
#[derive(Default)]
pub struct Listeners {
    listeners: RefCell<Vec<Listener>>,
    /// What all listeners are to be compared with, while that is under way. Every refresh that is under way works on
    /// this one, so none is lost if one of them is dropped.
    refresh: RefCell<Option<Rc<Refresh>>>,
    /// How many refreshes have begun.
    begun: Cell<u64>,
    /// The listener that is compared next.
    next: Cell<usize>,
}

/// A catalog that has taken the place of another.
struct Refresh {
    number: u64,
    guarded: Arc<Guarded>,
    declared: Arc<ServerDeclarations>,
    hash: u128,
}

struct Listener {
    /// What the caller's listeners are counted by; `None` for a caller of whom neither principal nor address is known.
    key: Option<String>,
    caller: Caller<'static>,
    wanted: SubscriptionFilter,
    sight: ListFingerprints,
    /// The hash of the catalog that `sight` is of.
    catalog: u128,
    /// The refresh that it was compared in last.
    refresh: u64,
    line: Weak<RefCell<ListenerQueue>>,
}

/// What a listener has yet to hear. What waits already is not said twice, so it stays short however slowly
/// the listener reads.
#[derive(Default)]
struct ListenerQueue {
    waiting: VecDeque<Change>,
    waker: Option<Waker>,
}

impl fmt::Debug for Listeners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listeners").field("listeners", &self.listeners.borrow().len()).finish()
    }
}

impl Listeners {
    /// Returns the changes from now on of what `caller` may see, until the stream is dropped. `backend` is the catalog
    /// in force; `address` is where the request came from, as [`network`](crate::mcp::host::rate_limit::network) counts it, if that is known.
    ///
    /// # Errors
    /// `listener_limit` beyond [`MAX_LISTENERS_PER_CALLER`] or [`MAX_UNKNOWN_LISTENERS`], and `too_many_listeners`
    /// beyond [`MAX_LISTENERS`].
    pub fn listen(
        &self,
        config: &Config,
        backend: &Backend,
        caller: Caller<'static>,
        wanted: SubscriptionFilter,
        address: Option<&str>,
    ) -> Result<LocalBoxStream<'static, Change>, RpcError> {
        let mut listeners = self.listeners.borrow_mut();
        listeners.retain(Listener::here);
        let key = key(&caller, address);
        let (most, whose) = match key {
            Some(_) => (MAX_LISTENERS_PER_CALLER, "a caller listens on"),
            None => (MAX_UNKNOWN_LISTENERS, "callers without a token listen on"),
        };
        if listeners.iter().filter(|listener| listener.key == key).count() >= most {
            let message = format!("{whose} no more than {most} streams at once, close one first");
            return Err(RpcError::internal("listener_limit", message));
        }
        if listeners.len() >= MAX_LISTENERS {
            let message = format!("{MAX_LISTENERS} other clients are listening, try again later");
            return Err(RpcError::internal("too_many_listeners", message));
        }
        let (catalog, refresh) = (hash(backend), self.begun.get());
        let line = Rc::new(RefCell::new(ListenerQueue::default()));
        let sight = ListFingerprints::of(config, &backend.guarded, &backend.declared, &caller);
        let own = Rc::downgrade(&line);
        listeners.push(Listener { key, caller, wanted, sight, catalog, refresh, line: own });
        let changes = stream::poll_fn(move |context| {
            let mut line = line.borrow_mut();
            line.waker = Some(context.waker().clone());
            line.waiting.pop_front().map_or(Poll::Pending, |change| Poll::Ready(Some(change)))
        });
        Ok(changes.boxed_local())
    }

    /// Everything that somebody wants to be told.
    pub fn wanted(&self) -> SubscriptionFilter {
        let mut all = SubscriptionFilter::default();
        for Listener { wanted, .. } in self.listeners.borrow().iter().filter(|listener| listener.here()) {
            let SubscriptionFilter { lists, resources } = wanted;
            lists.iter().for_each(|list| {
                if !all.lists.contains(list) {
                    all.lists.push(list.clone());
                }
            });
            all.resources.extend(resources.iter().cloned());
        }
        all
    }

    /// Compares what listeners see of `backend`, which may have taken the place of another, with what they saw before,
    /// and reports the changes. Returns when every listener has been compared, with this backend or a later one.
    ///
    /// Other work runs in between: `clock` sleeps for 0 ms after each [`SLICE`].
    pub async fn refreshed(&self, clock: &impl Clock, config: &Config, backend: &Backend) {
        self.listeners.borrow_mut().retain(Listener::here);
        if self.listeners.borrow().is_empty() {
            return;
        }
        self.begun.set(self.begun.get() + 1);
        let (number, guarded) = (self.begun.get(), Arc::clone(&backend.guarded));
        let declared = Arc::clone(&backend.declared);
        self.refresh.replace(Some(Rc::new(Refresh { number, guarded, declared, hash: hash(backend) })));
        let mut prepared = 0;
        while let Some(refresh) = self.under_way() {
            if prepared != refresh.number {
                self.prepare(clock, &refresh).await;
                prepared = refresh.number;
            } else if self.compare(config, &refresh) {
                clock.sleep(0).await;
            }
        }
    }

    fn under_way(&self) -> Option<Rc<Refresh>> {
        self.refresh.borrow().clone()
    }

    /// Evaluates what policies say of the catalog to all listeners, unless another refresh begins.
    async fn prepare(&self, clock: &impl Clock, refresh: &Refresh) {
        let mut work = 0;
        for evaluated in refresh.guarded.prepare() {
            work += evaluated;
            if work >= SLICE {
                work = 0;
                clock.sleep(0).await;
                if self.begun.get() != refresh.number {
                    return;
                }
            }
        }
    }

    /// Compares as many listeners as one slice allows. Returns whether others are left; if not, the refresh is over.
    fn compare(&self, config: &Config, refresh: &Refresh) -> bool {
        let catalog = refresh.guarded.catalog();
        let primitives: usize = Kind::ALL.map(|kind| catalog.kind_index(kind).len()).into_iter().sum();
        let (mut work, mut compared, mut left) = (0, 0, false);
        let start = self.next.get();
        self.each(start, |listener| {
            if listener.refresh == refresh.number {
                return Vec::new();
            }
            if work >= SLICE {
                left = true;
                return Vec::new();
            }
            work += LISTENER + primitives / COMPARED;
            // A URL's filter makes a view of its own, and may search it.
            if !listener.caller.query.is_empty() {
                work = SLICE;
            }
            compared += 1;
            let now = ListFingerprints::of(config, &refresh.guarded, &refresh.declared, &listener.caller);
            let changes = listener.sight.changes(&now).collect();
            (listener.sight, listener.catalog, listener.refresh) = (now, refresh.hash, refresh.number);
            changes
        });
        // A refresh that begins meanwhile starts behind these, so that every listener has its turn.
        let count = self.listeners.borrow().len();
        self.next.set((start + compared).checked_rem(count).unwrap_or_default());
        if !left && self.begun.get() == refresh.number {
            self.refresh.take();
        }
        left
    }

    /// Returns whether every listener has seen the catalog of `backend`, so that [`Listeners::refreshed`] would report
    /// nothing.
    pub(crate) fn know(&self, backend: &Backend) -> bool {
        let hash = hash(backend);
        self.listeners.borrow().iter().all(|listener| listener.catalog == hash)
    }

    /// Somebody who knows says that this has changed.
    pub fn changed(&self, config: &Config, backend: &Backend, change: &Change) {
        self.each(0, |listener| {
            let concealed = match change {
                Change::Resource(uri) => {
                    let caller = listener.caller.calling("resources/read");
                    let query = &listener.caller.query;
                    let seen = visibility::look(config, &backend.guarded, &backend.declared, &caller, query);
                    seen.map_or(true, |(view, ..)| {
                        let resources = Resolver { config, backend, view: &view, caller: &caller, query };
                        !resources.reaches(uri)
                    })
                }
                _ => false,
            };
            if concealed { Vec::new() } else { vec![change.clone()] }
        });
    }

    /// Passes changes to each listener, from the one at `start` on and then those before it.
    fn each(&self, start: usize, mut news: impl FnMut(&mut Listener) -> Vec<Change>) {
        let mut listeners = self.listeners.borrow_mut();
        listeners.retain(Listener::here);
        let mut wakers = Vec::new();
        let start = start.min(listeners.len());
        let (first, last) = listeners.split_at_mut(start);
        for listener in last.iter_mut().chain(first) {
            let changes = news(listener);
            let Some(line) = listener.line.upgrade() else { continue };
            let mut line = line.borrow_mut();
            for change in changes.into_iter().filter(|change| listener.wanted.has(change)) {
                if !line.waiting.contains(&change) {
                    line.waiting.push_back(change);
                }
            }
            // A waker that is taken and not woken is lost, and the listener would wait for a later poll.
            if !line.waiting.is_empty() {
                wakers.extend(line.waker.take());
            }
        }
        drop(listeners);
        wakers.into_iter().for_each(Waker::wake);
    }
}

fn hash(backend: &Backend) -> u128 {
    backend.hash()
}

/// What the listeners of a caller are counted by.
fn key(caller: &Caller<'static>, address: Option<&str>) -> Option<String> {
    let principal = caller.principal().map(|principal| format!("principal {principal}"));
    principal.or_else(|| address.map(|address| format!("address {address}")))
}

impl Listener {
    fn here(&self) -> bool {
        self.line.strong_count() > 0
    }
}
