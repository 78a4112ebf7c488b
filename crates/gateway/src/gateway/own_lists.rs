//! The lists of one client's session. A server may list more to a session than to others: tools that the session has
//! enabled, or resources that were made in it.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet},
    pin::pin,
    rc::Rc,
    sync::Arc,
};

use futures_util::{
    FutureExt,
    future::{Either, LocalBoxFuture, select},
};
use mcp_sieve::{
    Kind,
    catalog::{Lists, NameRecord},
};

use crate::{
    backend::guarded_catalog::Backend,
    caller::identity::Caller,
    config::Config,
    gateway::{Gateway, lister::Lister, upstream_slot::UpstreamSlot},
    host::{Call, Freshness},
    protocol::error::RpcError,
    request::list_fingerprints::list_fingerprints,
    session::{change::Change, session_streams::SessionStreams},
    upstream::{lock, pages::Listing},
};

/// Milliseconds for which a request waits for the store of the lists. In a cluster, an object of a node that ended without
/// notice does not answer until its lease has expired.
const KEPT_MS: u64 = 3_000;

/// The lists of a client's session, which its [`SessionStreams`] hold.
#[derive(Default)]
pub(super) struct OwnLists {
    /// The number of the gateway that fetched the lists. Another gateway is that of another caller.
    gateway: Cell<u64>,
    servers: RefCell<BTreeMap<String, OwnListing>>,
    compiled: RefCell<Option<Compiled>>,
    /// The catalog that was last compared, or the first one; `None` for the catalog of all clients.
    compared: RefCell<Option<Arc<Backend>>>,
}

/// The lists of a server in the session.
#[derive(Debug, Default)]
struct OwnListing {
    /// The lists; `None` if the session has those of all clients.
    listing: Option<Arc<Listing>>,
    /// How often they may have changed.
    changes: u64,
    /// How many of these changes the lists hold.
    listed: u64,
    /// The time at which they arrived, in milliseconds since 1970.
    fetched: u64,
}

/// The catalog of the session, and the catalog of all clients that it was made from.
struct Compiled {
    shared: Arc<Backend>,
    backend: Arc<Backend>,
}

impl OwnLists {
    /// Returns the lists of a session.
    pub fn of(streams: &SessionStreams) -> Rc<Self> {
        let attached = streams.attached(|| Rc::new(Self::default()) as Rc<dyn Any>);
        attached.downcast().unwrap_or_default()
    }

    /// Returns the lists that a gateway has fetched for a session. Those of another caller, who may have sent the same session
    /// id, are dropped.
    fn of_gateway(streams: &SessionStreams, gateway: &Gateway) -> Rc<Self> {
        let own = Self::of(streams);
        if own.gateway.replace(gateway.number) != gateway.number {
            own.servers.take();
            own.compiled.take();
            own.compared.take();
        }
        own
    }

    /// Records that a server may list something else to the session now.
    pub fn expire(&self, server: &str) {
        self.servers.borrow_mut().entry(server.to_owned()).or_default().changes += 1;
    }

    /// Returns whether a server may list something else to the session than it did.
    fn has_expired(&self) -> bool {
        self.servers.borrow().values().any(|own| own.changes != own.listed)
    }

    /// Begins to fetch the lists of a server, if that is due. Returns how many changes they will hold. A client that lists
    /// while another request fetches them fetches them too, because those may be older.
    fn begin(&self, member: &UpstreamSlot, need: Freshness, now: u64) -> Option<u64> {
        let mut servers = self.servers.borrow_mut();
        let is_first = !servers.contains_key(&member.name);
        if is_first && !member.lists_sessions {
            return None;
        }
        let own = servers.entry(member.name.clone()).or_default();
        let is_old = need == Freshness::List && now >= own.fetched.saturating_add(member.min_ttl_ms());
        let is_due = is_first || own.changes != own.listed || member.lists_sessions && is_old;
        is_due.then_some(own.changes)
    }

    /// Takes the lists of a server, which hold `changes`. The lists of a server that cannot be listed now stay, and so do
    /// those that hold more.
    fn set(&self, server: &str, changes: u64, now: u64, listed: Result<Option<Listing>, RpcError>) {
        let mut servers = self.servers.borrow_mut();
        let own = servers.entry(server.to_owned()).or_default();
        if changes < own.listed {
            return;
        }
        (own.listed, own.fetched) = (changes, now);
        let Ok(listing) = listed else { return };
        let is_same = match (&own.listing, &listing) {
            (Some(before), Some(now)) => before.is_same(now),
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            own.listing = listing.map(Arc::new);
            drop(servers);
            self.compiled.take();
        }
    }

    fn listing(&self, server: &str) -> Option<Arc<Listing>> {
        self.servers.borrow().get(server)?.listing.clone()
    }

    fn is_empty(&self) -> bool {
        self.servers.borrow().values().all(|own| own.listing.is_none())
    }

    /// Returns whether the catalog of the session is another one than when it was last compared.
    fn is_uncompared(&self) -> bool {
        let (compiled, compared) = (self.compiled.borrow(), self.compared.borrow());
        let compiled = compiled.as_ref().map(|compiled| &compiled.backend);
        compared.as_ref().is_some_and(|before| !compiled.is_some_and(|now| Arc::ptr_eq(before, now)))
    }
}

impl Gateway {
    /// Returns the catalog for a session of a client: `shared`, with the lists that servers have for this session. A
    /// server that lists no more to the session than to all clients has no lists of its own there, unless its setting
    /// says so.
    pub async fn session_backend<F: Lister>(
        &self,
        fetch: &F,
        config: &Config,
        need: Freshness,
        (caller, streams): (&Caller<'_>, &Rc<SessionStreams>),
        shared: Arc<Backend>,
    ) -> Arc<Backend> {
        let own = OwnLists::of_gateway(streams, self);
        for member in &self.members {
            if let Some(changes) = own.begin(member, need, fetch.now()) {
                let listed = self.list_in_session(fetch, member, caller, streams).await;
                let is_own =
                    |listing: &Listing| member.lists_sessions || lists_more(listing, &shared, member);
                own.set(&member.name, changes, fetch.now(), listed.map(|listing| listing.filter(is_own)));
            }
        }
        if own.is_empty() {
            return shared;
        }
        if let Some(compiled) = &*own.compiled.borrow()
            && Arc::ptr_eq(&compiled.shared, &shared)
        {
            return Arc::clone(&compiled.backend);
        }
        let Ok(backend) = self.compile_session(fetch, config, &own, &shared).await else { return shared };
        let backend = Arc::new(backend);
        own.compiled.replace(Some(Compiled { shared, backend: Arc::clone(&backend) }));
        own.compared.borrow_mut().get_or_insert_with(|| Arc::clone(&backend));
        backend
    }

    /// Returns what has changed in the lists that servers have for a session, since the last call or the first catalog
    /// of the session. A request of the client may have fetched them meanwhile.
    pub async fn session_changes<F: Lister>(
        &self,
        fetch: &F,
        config: &Config,
        (caller, streams): (&Caller<'static>, &Rc<SessionStreams>),
        shared: Arc<Backend>,
    ) -> Vec<Change> {
        let own = OwnLists::of_gateway(streams, self);
        if !own.has_expired() && !own.is_uncompared() {
            return Vec::new();
        }
        let calling = caller.calling("tools/list");
        let before = own.compared.borrow().clone().unwrap_or_else(|| Arc::clone(&shared));
        let now = self.session_backend(fetch, config, Freshness::Route, (&calling, streams), shared).await;
        own.compared.replace((!own.is_empty()).then(|| Arc::clone(&now)));
        let look = |backend: &Backend| list_fingerprints(config, &backend.guarded, &backend.declared, caller);
        look(&before).changes(&look(&now)).collect()
    }

    /// Lists a server in the session. The future is large, so no frame of the caller holds it.
    #[inline(never)]
    fn list_in_session<'a, F: Lister>(
        &'a self,
        fetch: &'a F,
        member: &'a Arc<UpstreamSlot>,
        caller: &'a Caller<'_>,
        streams: &'a Rc<SessionStreams>,
    ) -> LocalBoxFuture<'a, Result<Option<Listing>, RpcError>> {
        async move {
            let call = Call {
                method: "tools/list",
                params: None,
                servers: std::slice::from_ref(&member.name),
                caller,
                accepts_requests: true,
                streams: Some(streams),
                task: None,
                passthrough: None,
            };
            let outside = self.outside(fetch, member, &call);
            member.upstream.session_lists(fetch, &call, outside.as_ref()).await
        }
        .boxed_local()
    }

    /// Compiles the catalog of a session. In a process that takes its catalog from another one, the other servers are
    /// listed for it.
    async fn compile_session<F: Lister>(
        &self,
        fetch: &F,
        config: &Config,
        own: &OwnLists,
        shared: &Backend,
    ) -> Result<Backend, RpcError> {
        let mut listings = Vec::new();
        for member in &self.members {
            let listed = || if member.lists_callers { member.shown() } else { member.listing() };
            let known = own.listing(&member.name).or_else(listed);
            listings.push(match known {
                Some(listing) => Some(listing),
                None if member.lists_callers => None,
                None => self.spare_listing(fetch, member, shared).await,
            });
        }
        let mut record = NameRecord::default();
        shared.guarded.catalog().record_names(&mut record);
        let compiled = self.compile_with(&listings, config, Some(&record))?;
        Ok(Backend { upstreams: shared.upstreams.clone(), ..compiled })
    }

    /// Returns the lists of a server that this process has not listed otherwise. They are kept while the catalog of all
    /// clients is the same. If their store does not answer, the former ones are used, or else those that the server
    /// returns now.
    pub(super) async fn spare_listing<F: Lister>(
        &self,
        fetch: &F,
        member: &UpstreamSlot,
        shared: &Backend,
    ) -> Option<Arc<Listing>> {
        let (hash, name) = (shared.hash(), member.name.clone());
        let former = lock(&self.spare).get(&name).cloned();
        let listing = match former {
            Some((known, listing)) if known == hash => return Some(listing),
            former => match answered(fetch, fetch.kept_listing(&member.upstream).boxed_local()).await {
                Some(Ok(listing)) => Arc::new(listing),
                Some(Err(failure)) if !failure.is_storage() => return None,
                _ => match former {
                    Some((_, listing)) => return Some(listing),
                    None => {
                        Arc::new(answered(fetch, fetch.listing(&member.upstream).boxed_local()).await?.ok()?)
                    }
                },
            },
        };
        lock(&self.spare).insert(name, (hash, Arc::clone(&listing)));
        Some(listing)
    }
}

/// Returns the lists once they arrive; `None` if that takes longer than [`KEPT_MS`].
async fn answered<F: Lister>(
    fetch: &F,
    listing: LocalBoxFuture<'_, Result<Listing, RpcError>>,
) -> Option<Result<Listing, RpcError>> {
    match select(listing, pin!(fetch.sleep(KEPT_MS))).await {
        Either::Left((listing, _)) => Some(listing),
        Either::Right(_) => None,
    }
}

/// Returns whether the lists of a session hold a primitive that the server does not list to all clients.
fn lists_more(listing: &Listing, shared: &Backend, member: &UpstreamSlot) -> bool {
    let Ok(lists) = Lists::read(&listing.lists) else { return false };
    Kind::ALL.into_iter().any(|kind| {
        let index = shared.guarded.catalog().kind_index(kind);
        let known: BTreeSet<&str> = (0..index.len())
            .filter(|at| index.server(*at) == Some(&member.name))
            .filter_map(|at| index.own_id(at))
            .collect();
        lists.primitives(kind).iter().any(|primitive| {
            crate::upstream::collected_lists::id(kind, *primitive)
                .is_some_and(|id| !known.contains(id.as_ref()))
        })
    })
}
