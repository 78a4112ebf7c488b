//! The listeners of a deployment, and the change streams of the upstream servers.

use std::{cell::RefCell, collections::BTreeSet, rc::Rc, time::Duration};

use futures_channel::mpsc::{UnboundedSender, unbounded};
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
use worker::Delay;

use super::{Listener, News};
use crate::{deployment::Deployment, fetch::EdgeFetch, host::EdgeHost, objects::rate_limit::ADDRESS};

/// Interval at which a blank line is sent to a listener. Writing it fails once the listener is gone.
const PULSE: Duration = Duration::from_secs(5);

/// The listeners of the deployment, and the streams on which upstream servers announce changes: one for each server,
/// however many callers listen.
#[derive(Debug, Default)]
pub(crate) struct ListenerHub {
    pub listeners: Listeners,
    watch: RefCell<Option<Watch>>,
}

/// The streams of the upstream servers.
#[derive(Debug)]
struct Watch {
    resources: BTreeSet<String>,
    /// The channels for changed subscriptions, one for each server.
    more: Vec<UnboundedSender<SubscriptionFilter>>,
    handle: AbortHandle,
}

/// The registration of a listener. Subscriptions that only it needs end when it is dropped.
struct Subscription {
    hub: Rc<ListenerHub>,
    host: EdgeHost,
    changes: Option<LocalBoxStream<'static, Change>>,
}

impl ListenerHub {
    /// Adds a listener and returns its stream of changes, one on each line.
    pub async fn listen(
        self: &Rc<Self>,
        env: &worker::Env,
        listener: Listener,
    ) -> Result<LocalBoxStream<'static, Vec<u8>>, RpcError> {
        let host = self.host(env).await?;
        let backend = host.backend(Freshness::List).await?;
        let Listener { caller, wanted } = listener;
        let address = caller.header(ADDRESS).map(network);
        let changes =
            self.listeners.listen(&host.deployment.config, &backend, caller, wanted, address.as_deref())?;
        self.watch(&host);
        let subscription = Subscription { hub: Rc::clone(self), host, changes: Some(changes) };
        let lines = stream::unfold(subscription, async |mut subscription| {
            let line = subscription.line().await?;
            Some((line, subscription))
        });
        // The runtime delivers the response with its first bytes.
        Ok(stream::iter([b"\n".to_vec()]).chain(lines).boxed_local())
    }

    /// Handles a change that another part of the deployment observed.
    pub async fn announced(self: &Rc<Self>, env: &worker::Env, news: &News) -> Result<(), RpcError> {
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
        self.listeners.refreshed(&host, &host.deployment.config, &backend).await;
        news.changes
            .iter()
            .for_each(|change| self.listeners.changed(&host.deployment.config, &backend, change));
        Ok(())
    }

    async fn host(self: &Rc<Self>, env: &worker::Env) -> Result<EdgeHost, RpcError> {
        let deployment = Deployment::load(env).await?;
        Ok(EdgeHost { hub: Some(Rc::clone(self)), ..EdgeHost::new(deployment, env) })
    }

    /// Opens or updates the streams of the upstream servers, if there are subscriptions.
    fn watch(self: &Rc<Self>, host: &EdgeHost) {
        let Some(gateway) = &host.deployment.gateway else { return };
        let SubscriptionFilter { lists, resources } = self.listeners.wanted();
        let mut watch = self.watch.borrow_mut();
        if lists.is_empty() && resources.is_empty() {
            watch.take().into_iter().for_each(|watch| watch.handle.abort());
            return;
        }
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
        let changes = gateway.watch(&EdgeFetch::with_connections(&host.env), &wanted, || {
            let (sender, wants) = unbounded();
            more.push(sender);
            wants.boxed_local()
        });
        let changes = Abortable::new(changes, registration);
        host.spawn(
            Rc::clone(self).pass_on(host.clone(), changes.boxed_local(), handle.clone()).boxed_local(),
        );
        *watch = Some(Watch { resources, more, handle });
    }

    /// Passes changes of the upstream servers on to the listeners, until the streams end.
    async fn pass_on(
        self: Rc<Self>,
        host: EdgeHost,
        mut changes: LocalBoxStream<'static, Change>,
        handle: AbortHandle,
    ) {
        while let Some(change) = changes.next().await {
            relay_change(&host, &host.deployment.config, &self.listeners, &change).await;
        }
        handle.abort();
    }
}

impl Subscription {
    async fn line(&mut self) -> Option<Vec<u8>> {
        let changes = self.changes.as_mut()?;
        match select(changes.next(), Delay::from(PULSE)).await {
            Either::Left((change, _)) => {
                let news = News::new(&[change?], self.host.deployment.held());
                Some(format!("{}\n", serde_json::to_string(&news).ok()?).into_bytes())
            }
            Either::Right(_) => Some(b"\n".to_vec()),
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.changes = None;
        self.hub.watch(&self.host);
    }
}
