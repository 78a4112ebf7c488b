//! The listeners of a deployment, wherever the changes come from.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    fmt,
    rc::{Rc, Weak},
    task::{Poll, Waker},
};

use futures_util::{
    StreamExt,
    stream::{self, LocalBoxStream},
};

use crate::{
    config::Config,
    mcp::{
        gateway::backend::Backend,
        host::SubscriptionFilter,
        protocol::error::RpcError,
        request::{caller::Caller, resource::Resolver, visibility},
        streams::{change::Change, fingerprint::ListFingerprints},
    },
};

/// Maximum number of listeners at once; each holds memory for as long as it listens.
pub const MAX_LISTENERS: usize = 10_000;
/// Maximum number of listeners of one principal or, without a token, of one network address: no caller takes a
/// substantial part of [`MAX_LISTENERS`].
pub const MAX_LISTENERS_PER_CALLER: usize = 64;
/// Maximum number of listeners, all together, that have neither a principal nor a known address. Nothing tells such
/// callers apart, so they share these places and leave the others to callers with a token.
pub const MAX_UNKNOWN_LISTENERS: usize = 1_000;

/// The listeners of a deployment. Each is told once of what changes in its own sight.
#[derive(Default)]
pub struct Listeners {
    listeners: RefCell<Vec<Listener>>,
    /// The hash of the catalog that every listener has seen, if it is the same for all.
    catalog: Cell<Option<u128>>,
}

struct Listener {
    /// What the caller's listeners are counted by; `None` for a caller of whom neither principal nor address is known.
    key: Option<String>,
    caller: Caller<'static>,
    wanted: SubscriptionFilter,
    sight: ListFingerprints,
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
            let message = format!("{MAX_LISTENERS} others are listening, come back later");
            return Err(RpcError::internal("too_many_listeners", message));
        }
        let hash = Some(hash(backend));
        let same = listeners.is_empty() || self.catalog.get() == hash;
        self.catalog.set(hash.filter(|_| same));
        let line = Rc::new(RefCell::new(ListenerQueue::default()));
        let sight = ListFingerprints::of(config, backend, &caller);
        listeners.push(Listener { key, caller, wanted, sight, line: Rc::downgrade(&line) });
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

    /// Another backend may have taken the place of the one before.
    pub fn refreshed(&self, config: &Config, backend: &Backend) {
        self.catalog.set(Some(hash(backend)));
        self.each(|listener| {
            let now = ListFingerprints::of(config, backend, &listener.caller);
            let changes = listener.sight.changes(&now).collect();
            listener.sight = now;
            changes
        });
    }

    /// Returns whether every listener has seen the catalog of `backend`, so that [`Listeners::refreshed`] would report
    /// nothing.
    pub(crate) fn know(&self, backend: &Backend) -> bool {
        self.catalog.get() == Some(hash(backend))
    }

    /// Somebody who knows says that this has changed.
    pub fn changed(&self, config: &Config, backend: &Backend, change: &Change) {
        self.each(|listener| {
            let concealed = match change {
                Change::Resource(uri) => {
                    let caller = listener.caller.calling("resources/read");
                    let query = &listener.caller.query;
                    let seen = visibility::look(config, &backend.guarded, &caller, query);
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

    fn each(&self, mut news: impl FnMut(&mut Listener) -> Vec<Change>) {
        let mut listeners = self.listeners.borrow_mut();
        listeners.retain(Listener::here);
        let mut wakers = Vec::new();
        for listener in listeners.iter_mut() {
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
    backend.guarded.catalog().hash()
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
