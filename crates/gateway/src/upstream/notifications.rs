//! Subscriptions to the changes that a server reports.

use std::{collections::BTreeSet, pin::pin, sync::Arc};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, Either, select},
    stream::{self, FuturesUnordered, LocalBoxStream},
};

use crate::{
    host::{SubscriptionFilter, circuit_breaker::pause},
    protocol::generate::{Emitter, generate},
    session::change::Change,
    upstream::{
        Fetch, Upstream, change_stream::ChangeStream, session_subscriptions::SessionSubscriptions,
        spacing::spaced,
    },
};

/// Time, in milliseconds, after which the end of a stream without changes is no failure.
const STEADY_MS: u64 = 1_000;

/// Time, in milliseconds, after which a stream that is opened again tries resources that were refused before.
const REFUSED_MS: u64 = 10 * 60 * 1_000;

type Changes = LocalBoxStream<'static, Change>;
type Filters = LocalBoxStream<'static, SubscriptionFilter>;

/// A subscription while it is watched.
struct Watch<F> {
    fetch: F,
    /// The newest filter.
    wanted: SubscriptionFilter,
    /// The filters that replace it.
    more: Filters,
    out: Emitter<Option<Change>>,
    /// The resources that a stateless server has refused, for as long as they are wanted.
    refused: BTreeSet<String>,
    /// The time from which they are tried again, in milliseconds since 1970.
    refused_until: u64,
}

impl Upstream {
    /// Returns the changes that the server reports while the stream is read. Each filter of `more` replaces the
    /// previous one. If the connection is lost, it is opened again, and everything in the filter is reported as
    /// changed. A resource that the server refuses reports no changes. The stream ends if the server offers no change
    /// notifications, unless it has offered them before: a server that was restarted may refuse its old session. A
    /// flood of changes of lists is slowed down.
    pub fn watch<F: Fetch>(
        self: &Arc<Self>,
        fetch: &F,
        wanted: SubscriptionFilter,
        more: Filters,
    ) -> Changes {
        let (upstream, own) = (Arc::clone(self), fetch.clone());
        let watched = generate(|out| {
            let more = more.chain(stream::pending()).boxed_local();
            let (refused, refused_until) = Default::default();
            let mut watch = Watch { fetch: own, wanted, more, out, refused, refused_until };
            async move {
                let (mut failures, mut again, mut offered) = (0, false, false);
                loop {
                    match watch.open(&upstream).await {
                        Ok(None) if !offered => return None,
                        Ok(Some(open)) => {
                            let opened = watch.fetch.now();
                            let has_changes = watch.read_stream(&upstream, open, again).await;
                            // Proxies close streams that are idle.
                            if has_changes || watch.fetch.now().saturating_sub(opened) >= STEADY_MS {
                                (failures, offered) = (0, true);
                            }
                        }
                        // The operator is informed when other requests to the server fail.
                        Ok(None) | Err(_) => {}
                    }
                    again = true;
                    failures += 1;
                    let fetch = watch.fetch.clone();
                    watch.during(fetch.sleep(pause(failures, fetch.chance()))).await;
                }
            }
            .boxed_local()
        });
        spaced(fetch, watched.filter_map(async |change| change).boxed_local())
    }
}

impl<F: Fetch> Watch<F> {
    /// Waits for `work`. Of the filters that arrive meanwhile, the newest is kept.
    async fn during<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            match select(work.as_mut(), self.more.next()).await {
                Either::Left((done, _)) => return done,
                Either::Right((anew, _)) => self.wanted = anew.unwrap_or_default(),
            }
        }
    }

    /// Opens a stream of changes; returns `None` if the server offers none.
    async fn open(&mut self, upstream: &Upstream) -> Result<Option<ChangeStream<F>>, ()> {
        let mut refused = std::mem::take(&mut self.refused);
        let is_due = self.fetch.now() >= self.refused_until;
        refused.retain(|uri| !is_due && self.wanted.resources.contains(uri));
        if is_due {
            self.refused_until = self.fetch.now().saturating_add(REFUSED_MS);
        }
        let (fetch, wanted) = (self.fetch.clone(), self.wanted.clone());
        let opened = self.during(upstream.open_changes(&fetch, &wanted, &mut refused)).await;
        self.refused = refused;
        opened.map_err(drop)
    }

    /// Forwards the changes of a stream until it ends. `again` states that changes may have been missed before. Returns
    /// whether there were any.
    async fn read_stream(&mut self, upstream: &Upstream, open: ChangeStream<F>, again: bool) -> bool {
        match &open.filter {
            Some(_) => self.read_filtered_stream(upstream, open, again).await,
            None => self.read_session_stream(upstream, open, again).await,
        }
    }

    /// Reads the stream of a stateless server. A stream has one filter, so another filter needs another stream.
    async fn read_filtered_stream(
        &mut self,
        upstream: &Upstream,
        mut open: ChangeStream<F>,
        again: bool,
    ) -> bool {
        if again {
            self.wanted.all().for_each(|change| self.out.push(Some(change)));
        }
        let mut has_changes = false;
        loop {
            if open.filter.as_ref() != Some(&self.wanted) {
                let opened = self.open(upstream).await;
                // Changes that have already arrived are forwarded first.
                while let Some(Some(change)) = open.changes.next().now_or_never() {
                    self.out.push(Some(change));
                }
                let Ok(Some(instead)) = opened else { return has_changes };
                open = instead;
                continue;
            }
            match select(open.changes.next(), self.more.next()).await {
                Either::Left((Some(change), _)) => {
                    has_changes = true;
                    self.out.push(Some(change));
                }
                Either::Left((None, _)) => return has_changes,
                Either::Right((anew, _)) => self.wanted = anew.unwrap_or_default(),
            }
        }
    }

    /// Reads the stream of a session, which carries all its subscriptions. Subscriptions are requested while the stream
    /// is read, so one that the server refuses or does not answer does not delay the others.
    async fn read_session_stream(
        &mut self,
        upstream: &Upstream,
        mut open: ChangeStream<F>,
        again: bool,
    ) -> bool {
        let (fetch, connection) = (self.fetch.clone(), open.lease.clone());
        let mut subscriptions = SessionSubscriptions::default();
        let mut missed = BTreeSet::new();
        if again {
            self.wanted.lists.iter().cloned().for_each(|change| self.out.push(Some(change)));
            missed.clone_from(&self.wanted.resources);
        }
        let (mut has_changes, mut running) = (false, FuturesUnordered::new());
        loop {
            while let Some((method, uri)) = subscriptions.next(&self.wanted.resources) {
                let (fetch, connection) = (&fetch, &connection);
                running.push(async move {
                    upstream.change_subscription(fetch, connection, method, &uri).await;
                    uri
                });
            }
            let done = async {
                match running.next().await {
                    Some(uri) => uri,
                    None => future::pending().await,
                }
            };
            match select(open.changes.next(), select(self.more.next(), pin!(done))).await {
                Either::Left((Some(change), _)) => {
                    has_changes = true;
                    self.out.push(Some(change));
                }
                Either::Left((None, _)) => return has_changes,
                Either::Right((Either::Left((anew, _)), _)) => self.wanted = anew.unwrap_or_default(),
                Either::Right((Either::Right((uri, _)), _)) => {
                    subscriptions.finish(&uri);
                    // Not before the subscription, or a change between the two would be missed.
                    if missed.remove(&uri) {
                        self.out.push(Some(Change::Resource(uri)));
                    }
                }
            }
        }
    }
}
