//! The listeners of one object, and the streams from which it learns of changes.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    rc::Rc,
    time::Duration,
};

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures_util::{
    FutureExt, StreamExt,
    future::{AbortHandle, Abortable, Either, select},
    stream::{self, LocalBoxStream},
};
use mcp_sieve_gateway::{
    error::RpcError,
    host::{Backends as _, Caller, Clock as _, Freshness},
    limits::network,
    streams::{Change, Listeners, SubscriptionFilter, relay_change, upstream_subscription},
};
use worker::{Delay, Env, Method};

use super::{FOLLOW, Follow, Listener, News, WANT, followers::Followers, places, stream_of};
use crate::{
    deployment::Deployment,
    fetch::EdgeFetch,
    host::EdgeHost,
    objects::{ask, rate_limit::ADDRESS},
};

/// Interval at which a blank line is sent to a listener. Writing it fails once the listener is gone.
const PULSE: Duration = Duration::from_secs(5);
/// Pause before an object follows the first again, after it could not or the stream has ended.
const FOLLOW_AGAIN: Duration = Duration::from_secs(1);

/// The listeners of an object. The first object has the streams on which upstream servers announce changes: one for
/// each server, however many callers listen. The others follow it.
#[derive(Debug, Default)]
pub(crate) struct ListenerHub {
    pub listeners: Listeners,
    /// The number of the object, which its listeners state.
    place: Cell<usize>,
    followers: Followers,
    watch: RefCell<Option<Watch>>,
}

/// The streams of the upstream servers, or that of the first object.
#[derive(Debug)]
struct Watch {
    resources: BTreeSet<String>,
    /// The channels for changed subscriptions, one for each stream.
    more: Vec<UnboundedSender<SubscriptionFilter>>,
    handle: AbortHandle,
}

/// The registration of a listener or of an object that follows. Subscriptions that only it needs end when it is
/// dropped.
struct Subscription {
    hub: Rc<ListenerHub>,
    host: EdgeHost,
    news: Option<LocalBoxStream<'static, News>>,
}

impl ListenerHub {
    /// Adds a listener and returns its stream of changes, one on each line.
    pub async fn listen(
        self: &Rc<Self>,
        env: &Env,
        listener: Listener,
    ) -> Result<LocalBoxStream<'static, Vec<u8>>, RpcError> {
        let host = self.host(env).await?;
        let backend = host.backend(Freshness::List).await?;
        let Listener { caller, wanted, place } = listener;
        self.place.set(place);
        let address = caller.header(ADDRESS).map(network);
        let changes =
            self.listeners.listen(&host.deployment.config, &backend, caller, wanted, address.as_deref())?;
        let deployment = Rc::clone(&host.deployment);
        let news = changes.map(move |change| News::new(&[change], deployment.held()));
        Ok(self.lines(host, news.boxed_local()))
    }

    /// Adds an object that follows this one, and returns its news, one on each line. The first states the catalog.
    pub async fn followed(
        self: &Rc<Self>,
        env: &Env,
        follow: Follow,
    ) -> Result<LocalBoxStream<'static, Vec<u8>>, RpcError> {
        let host = self.host(env).await?;
        // The catalog states which server has a resource.
        host.backend(Freshness::List).await?;
        let (news, deployment) = (self.followers.add(follow), Rc::clone(&host.deployment));
        let current = stream::once(async move { News::new(&[], deployment.held()) });
        Ok(self.lines(host, current.chain(news).boxed_local()))
    }

    /// Replaces the resources of an object that follows this one. Returns false if it does not.
    pub async fn wants(self: &Rc<Self>, env: &Env, follow: Follow) -> Result<bool, RpcError> {
        let follows = self.followers.replace(follow);
        if follows {
            self.watch(&self.host(env).await?);
        }
        Ok(follows)
    }

    /// Returns news as lines, until the stream is dropped.
    fn lines(
        self: &Rc<Self>,
        host: EdgeHost,
        news: LocalBoxStream<'static, News>,
    ) -> LocalBoxStream<'static, Vec<u8>> {
        self.watch(&host);
        let subscription = Subscription { hub: Rc::clone(self), host, news: Some(news) };
        let lines = stream::unfold(subscription, async |mut subscription| {
            let line = subscription.line().await?;
            Some((line, subscription))
        });
        // The runtime delivers the response with its first bytes.
        stream::iter([b"\n".to_vec()]).chain(lines).boxed_local()
    }

    /// Handles a change that another part of the deployment observed.
    pub async fn announced(self: &Rc<Self>, env: &Env, news: &News) -> Result<(), RpcError> {
        self.followers.send(news);
        let host = self.host(env).await?;
        if let Some((holder, server)) = &news.own {
            let Some(gateway) = &host.deployment.gateway else { return Ok(()) };
            gateway.expire_caller(holder, Some(server));
            let is_of_holder = |caller: &Caller<'static>| {
                let auth = host.deployment.config.auth.as_ref();
                gateway.identity(caller, auth).is_some_and(|identity| identity.holder == *holder)
            };
            self.listeners.changed_for(is_of_holder, &news.changes);
            return Ok(());
        }
        match news.catalog() {
            Some(catalog) => host.deployment.expire_unless(catalog),
            // The author of the Worker announces it, and knows of no catalog.
            None if news.changes.iter().any(|change| !matches!(change, Change::Resource(_))) => {
                host.deployment.expire();
            }
            None => {}
        }
        let backend = host.backend(Freshness::List).await?;
        // With the change of a resource, the first object states a catalog that it has reported before.
        if news.catalog().is_none() || news.changes.is_empty() {
            self.listeners.refreshed(&host, &host.deployment.config, &backend).await;
        }
        news.changes
            .iter()
            .for_each(|change| self.listeners.changed(&host.deployment.config, &backend, change));
        Ok(())
    }

    /// Informs the objects that follow this one that it has a new catalog.
    pub fn replaced(&self, catalog: u128) {
        self.followers.send(&News::new(&[], Some(catalog)));
    }

    async fn host(self: &Rc<Self>, env: &Env) -> Result<EdgeHost, RpcError> {
        let deployment = Deployment::load(env).await?;
        Ok(EdgeHost { hub: Some(Rc::clone(self)), ..EdgeHost::new(deployment, env) })
    }

    /// Returns the resources whose changes are to be reported, here or by an object that follows; `None` if none of
    /// them has a listener.
    fn wanted(&self) -> Option<BTreeSet<String>> {
        let SubscriptionFilter { lists, mut resources } = self.listeners.wanted();
        let followed = self.followers.wanted();
        let is_wanted = followed.is_some() || !lists.is_empty() || !resources.is_empty();
        resources.extend(followed.into_iter().flatten());
        is_wanted.then_some(resources)
    }

    /// Opens or updates the streams from which the object learns of changes, if there are subscriptions.
    fn watch(self: &Rc<Self>, host: &EdgeHost) {
        let mut watch = self.watch.borrow_mut();
        let Some(resources) = self.wanted() else {
            watch.take().into_iter().for_each(|watch| watch.handle.abort());
            return;
        };
        let wanted = upstream_subscription(resources.clone());
        if let Some(watch) = watch.as_mut().filter(|watch| !watch.handle.is_aborted()) {
            if watch.resources != resources {
                watch.resources = resources;
                watch.more.iter().for_each(|more| _ = more.unbounded_send(wanted.clone()));
            }
            return;
        }
        let (handle, registration) = AbortHandle::new_pair();
        let mut more = Vec::new();
        let mut add = || {
            let (sender, wants) = unbounded();
            more.push(sender);
            wants
        };
        let (hub, host) = (Rc::clone(self), host.clone());
        let work = match (self.place.get(), host.deployment.gateway.clone()) {
            (0, None) => return,
            (0, Some(gateway)) => {
                let fetch = EdgeFetch::with_connections(&host.env);
                let changes = gateway.watch(&fetch, &wanted, || add().boxed_local());
                let changes = Abortable::new(changes, registration);
                hub.pass_on(host.clone(), changes.boxed_local(), handle.clone()).boxed_local()
            }
            _ => {
                let work = hub.follow(host.env.clone(), resources.clone(), add());
                Abortable::new(work, registration).map(drop).boxed_local()
            }
        };
        host.spawn(work);
        *watch = Some(Watch { resources, more, handle });
    }

    /// Passes changes of the upstream servers on to the listeners and to the objects that follow, until the streams
    /// end.
    async fn pass_on(
        self: Rc<Self>,
        host: EdgeHost,
        mut changes: LocalBoxStream<'static, Change>,
        handle: AbortHandle,
    ) {
        while let Some(change) = changes.next().await {
            relay_change(&host, &host.deployment.config, &self.listeners, &change).await;
            // A changed list is in the new catalog, with which each object compares what its listeners see.
            let resource = Some(change).filter(|change| matches!(change, Change::Resource(_)));
            self.followers.send(&News::new(resource.as_slice(), host.deployment.held()));
        }
        handle.abort();
    }

    /// Passes the news of the first object on to the listeners.
    async fn follow(
        self: Rc<Self>,
        env: Env,
        mut resources: BTreeSet<String>,
        mut wants: UnboundedReceiver<SubscriptionFilter>,
    ) {
        let mut is_again = false;
        let follow =
            |resources: &BTreeSet<String>| Follow { place: self.place.get(), resources: resources.clone() };
        loop {
            // A failure to handle news is one to load the deployment or the catalog, which requests return.
            if let Ok(mut news) = stream_of(&env, 0, FOLLOW, &follow(&resources)).await {
                if std::mem::replace(&mut is_again, true) {
                    // They may have changed meanwhile. Lists are compared with the next news.
                    let missed: Vec<_> = resources.iter().cloned().map(Change::Resource).collect();
                    _ = self.announced(&env, &News::new(&missed, None)).await;
                }
                loop {
                    match select(news.next(), wants.next()).await {
                        Either::Left((Some(news), _)) => _ = self.announced(&env, &news).await,
                        Either::Right((Some(wanted), _)) => {
                            resources = wanted.resources;
                            if !matches!(want(&env, &follow(&resources)).await, Ok(Some(_))) {
                                break;
                            }
                        }
                        Either::Left((None, _)) | Either::Right((None, _)) => break,
                    }
                }
            }
            Delay::from(FOLLOW_AGAIN).await;
        }
    }
}

/// Replaces what an object wants to know from the first. Returns `None` if it does not follow.
async fn want(env: &Env, follow: &Follow) -> worker::Result<Option<Vec<u8>>> {
    ask(&places::object(env, 0)?, Method::Post, WANT, Some(serde_json::to_string(follow)?)).await
}

impl Subscription {
    async fn line(&mut self) -> Option<Vec<u8>> {
        let news = self.news.as_mut()?;
        match select(news.next(), Delay::from(PULSE)).await {
            Either::Left((news, _)) => {
                Some(format!("{}\n", serde_json::to_string(&news?).ok()?).into_bytes())
            }
            Either::Right(_) => Some(b"\n".to_vec()),
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.news = None;
        self.hub.watch(&self.host);
    }
}
