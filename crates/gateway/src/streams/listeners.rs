//! The listeners of a deployment, for changes from any source.

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
use mcp_sieve::{Kind, policy::Guarded};

use crate::{
    backend::{declared::ServerDeclarations, guarded_catalog::Backend},
    caller::identity::Caller,
    config::Config,
    host::SubscriptionFilter,
    protocol::clock::Clock,
    protocol::error::RpcError,
    request::list_fingerprints::list_fingerprints,
    request::{resource::Resolver, visibility},
    session::{change::Change, fingerprint::ListFingerprints},
};

/// Maximum number of listeners of one [`Listeners`]. Each uses memory until its stream is closed, and time at each change.
/// A host that has more distributes them, as the Worker does to several Durable Objects.
pub const MAX_LISTENERS: usize = 2_000;
/// Maximum number of listeners of one principal or, without a token, of one network address. It prevents a caller from
/// using a substantial part of [`MAX_LISTENERS`].
pub const MAX_LISTENERS_PER_CALLER: usize = 64;
/// Maximum number of listeners without a principal and a known address, in total. Such callers cannot be distinguished,
/// so they share these places, and the others remain for callers with a token.
pub const MAX_UNKNOWN_LISTENERS: usize = 1_000;

/// The amount of work between two pauses of a refresh, in primitives that a policy evaluates. It takes a few
/// milliseconds, unless the texts of primitives are very long.
const SLICE: usize = 8 * 1024;
/// The cost of comparing one listener's lists, in the unit of [`SLICE`].
const LISTENER: usize = 256;
/// Number of primitives of a view that can be compared at the cost of evaluating one.
const COMPARED: usize = 8;

/// The listeners of a deployment. Each is notified once of every change that it can see.
#[derive(Default)]
pub struct Listeners {
    listeners: RefCell<Vec<Listener>>,
    /// The refresh in progress. All calls of [`Listeners::refreshed`] work on it together, so it continues if one of
    /// them is dropped.
    refresh: RefCell<Option<Rc<Refresh>>>,
    /// The number of refreshes so far.
    begun: Cell<u64>,
    /// The index of the listener that is compared next.
    next: Cell<usize>,
}

/// A new catalog with which all listeners are to be compared.
struct Refresh {
    number: u64,
    guarded: Arc<Guarded>,
    declared: Arc<ServerDeclarations>,
    hash: u128,
}

struct Listener {
    /// The key by which the caller's listeners are counted; `None` for a caller without principal and known address.
    key: Option<String>,
    caller: Caller<'static>,
    wanted: SubscriptionFilter,
    fingerprints: ListFingerprints,
    /// The hash of the catalog of which `fingerprints` holds the fingerprints.
    catalog: u128,
    /// The number of the refresh in which the listener was compared last.
    refresh: u64,
    queue: Weak<RefCell<ListenerQueue>>,
}

/// The changes that a listener has not read yet. A change that is already waiting is not added again, so the queue
/// stays short even if the listener reads slowly.
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
    /// Returns the future changes that `caller` may see, until the stream is dropped. `backend` is the current catalog.
    /// `address` is the network address of the request, in the form of
    /// [`network`](crate::host::rate_limit::network), if it is known.
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
        listeners.retain(Listener::is_open);
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
        let (catalog, refresh) = (backend.hash(), self.begun.get());
        let queue = Rc::new(RefCell::new(ListenerQueue::default()));
        let fingerprints = list_fingerprints(config, &backend.guarded, &backend.declared, &caller);
        let own = Rc::downgrade(&queue);
        listeners.push(Listener { key, caller, wanted, fingerprints, catalog, refresh, queue: own });
        let changes = stream::poll_fn(move |context| {
            let mut queue = queue.borrow_mut();
            queue.waker = Some(context.waker().clone());
            queue.waiting.pop_front().map_or(Poll::Pending, |change| Poll::Ready(Some(change)))
        });
        Ok(changes.boxed_local())
    }

    /// Returns the changes that at least one listener has selected.
    pub fn wanted(&self) -> SubscriptionFilter {
        let mut all = SubscriptionFilter::default();
        for Listener { wanted, .. } in self.listeners.borrow().iter().filter(|listener| listener.is_open()) {
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

    /// Compares what listeners see of `backend` with what they saw before, and reports the changes. Returns when every
    /// listener has been compared with this backend or a later one.
    ///
    /// Other work can run in between: `clock` sleeps for 0 ms every few milliseconds of work.
    pub async fn refreshed(&self, clock: &impl Clock, config: &Config, backend: &Backend) {
        self.listeners.borrow_mut().retain(Listener::is_open);
        if self.listeners.borrow().is_empty() {
            return;
        }
        self.begun.set(self.begun.get() + 1);
        let (number, guarded) = (self.begun.get(), Arc::clone(&backend.guarded));
        let declared = Arc::clone(&backend.declared);
        self.refresh.replace(Some(Rc::new(Refresh { number, guarded, declared, hash: backend.hash() })));
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

    /// Evaluates the policies that are the same for all listeners, unless another refresh begins.
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

    /// Compares as many listeners as one slice allows. Returns whether others remain; if not, the refresh ends.
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
            // A filter in the URL creates a separate view and may search it.
            if !listener.caller.query.is_empty() {
                work = SLICE;
            }
            compared += 1;
            let now = list_fingerprints(config, &refresh.guarded, &refresh.declared, &listener.caller);
            let changes = listener.fingerprints.changes(&now).collect();
            (listener.fingerprints, listener.catalog, listener.refresh) = (now, refresh.hash, refresh.number);
            changes
        });
        // The next slice or refresh continues after these, so that every listener has its turn.
        let count = self.listeners.borrow().len();
        self.next.set((start + compared).checked_rem(count).unwrap_or_default());
        if !left && self.begun.get() == refresh.number {
            self.refresh.take();
        }
        left
    }

    /// Returns whether every listener has been compared with the catalog of `backend`, so that [`Listeners::refreshed`]
    /// would report nothing.
    pub(crate) fn are_current(&self, backend: &Backend) -> bool {
        let hash = backend.hash();
        self.listeners.borrow().iter().all(|listener| listener.catalog == hash)
    }

    /// Reports a change to the listeners that may see it.
    pub fn changed(&self, config: &Config, backend: &Backend, change: &Change) {
        self.each(0, |listener| {
            let is_visible = match change {
                Change::Resource(uri) => reaches(config, backend, &listener.caller, uri),
                _ => true,
            };
            if is_visible { vec![change.clone()] } else { Vec::new() }
        });
    }

    /// Reports changes of lists to the listeners of some callers, because a server lists something else to them.
    pub fn changed_for(&self, of: impl Fn(&Caller<'static>) -> bool, changes: &[Change]) {
        self.each(0, |listener| if of(&listener.caller) { changes.to_vec() } else { Vec::new() });
    }

    /// Passes changes to each listener, from the one at `start` on and then those before it.
    fn each(&self, start: usize, mut news: impl FnMut(&mut Listener) -> Vec<Change>) {
        let mut listeners = self.listeners.borrow_mut();
        listeners.retain(Listener::is_open);
        let mut wakers = Vec::new();
        let start = start.min(listeners.len());
        let (first, last) = listeners.split_at_mut(start);
        for listener in last.iter_mut().chain(first) {
            let changes = news(listener);
            let Some(queue) = listener.queue.upgrade() else { continue };
            let mut queue = queue.borrow_mut();
            for change in changes.into_iter().filter(|change| listener.wanted.has(change)) {
                if !queue.waiting.contains(&change) {
                    queue.waiting.push_back(change);
                }
            }
            // A waker is taken only if it is woken: otherwise the listener would not be polled for a later change.
            if !queue.waiting.is_empty() {
                wakers.extend(queue.waker.take());
            }
        }
        drop(listeners);
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// Returns whether a caller may read the resource with this URI.
pub(crate) fn reaches(config: &Config, backend: &Backend, caller: &Caller<'static>, uri: &str) -> bool {
    let (caller, query) = (caller.calling("resources/read"), &caller.query);
    let seen = visibility::look(config, &backend.guarded, &backend.declared, &caller, query);
    seen.is_ok_and(|(view, ..)| {
        Resolver { config, backend, view: &view, caller: &caller, query }.reaches(uri)
    })
}

/// Returns the key by which the listeners of a caller are counted.
fn key(caller: &Caller<'static>, address: Option<&str>) -> Option<String> {
    let principal = caller.principal().map(|principal| format!("principal {principal}"));
    principal.or_else(|| address.map(|address| format!("address {address}")))
}

impl Listener {
    fn is_open(&self) -> bool {
        self.queue.strong_count() > 0
    }
}
