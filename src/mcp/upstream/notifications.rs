//! Subscriptions to the changes that a server reports.

use std::sync::Arc;

use futures_util::{
    FutureExt, StreamExt,
    future::{self, Either, select},
    stream::{self, LocalBoxStream, Stream},
};
use http::StatusCode;

use crate::{
    json::{Object, Raw, ReadObject},
    mcp::{
        call::generate::{Emitter, generate},
        host::{Event, SubscriptionFilter, circuit_breaker::pause},
        protocol::error::{METHOD_NOT_FOUND, RpcError},
        streams::change::Change,
        upstream::{
            Fetch, MAX_ANSWER, SendFailure, Sender, Upstream,
            connection::Connection,
            errors,
            fetch::within,
            lease::Lease,
            message::{self, Message},
            meta,
            post::{may_open_later, open_stream},
            sse::Parser,
        },
    },
    revision::Revision,
};

const SUBSCRIBE: &str = "resources/subscribe";
const UNSUBSCRIBE: &str = "resources/unsubscribe";
const LISTEN: &str = "subscriptions/listen";

/// Time, in milliseconds, after which the end of a stream without changes is no failure.
const STEADY_MS: u64 = 1_000;

type Changes = LocalBoxStream<'static, Change>;

/// A stream of changes, with the connection on which it was opened. The connection is in use until the stream ends.
struct ChangeStream<F: Fetch> {
    lease: Lease<F>,
    changes: Changes,
}

impl Upstream {
    /// Returns the changes that the server reports while the stream is read. Each filter of `more` replaces the
    /// previous one. If the connection is lost, it is opened again, and everything in the filter is reported as
    /// changed. The stream ends if the server offers no change notifications.
    pub fn watch<F: Fetch>(
        self: &Arc<Self>,
        fetch: &F,
        mut wanted: SubscriptionFilter,
        more: LocalBoxStream<'static, SubscriptionFilter>,
    ) -> Changes {
        let (upstream, fetch) = (Arc::clone(self), fetch.clone());
        let mut more = more.chain(stream::pending());
        let watched = generate(|out| {
            async move {
                let (mut failures, mut again) = (0, false);
                loop {
                    match upstream.listen(&fetch, &wanted).await {
                        Ok(None) => return None,
                        Ok(Some(open)) => {
                            if again {
                                wanted.all().for_each(|change| out.push(Some(change)));
                            }
                            let opened = fetch.now();
                            let heard = upstream.hear(&fetch, open, &mut wanted, &mut more, &out).await;
                            // Proxies close streams that are idle.
                            if heard || fetch.now().saturating_sub(opened) >= STEADY_MS {
                                failures = 0;
                            }
                        }
                        // The operator is informed when other requests to the server fail.
                        Err(_) => {}
                    }
                    again = true;
                    failures += 1;
                    fetch.sleep(pause(failures, fetch.chance())).await;
                }
            }
            .boxed_local()
        });
        watched.filter_map(async |change| change).boxed_local()
    }

    /// Forwards the changes of a stream until it ends. Returns whether there were any.
    async fn hear<F: Fetch>(
        &self,
        fetch: &F,
        mut open: ChangeStream<F>,
        wanted: &mut SubscriptionFilter,
        more: &mut (impl Stream<Item = SubscriptionFilter> + Unpin),
        out: &Emitter<Option<Change>>,
    ) -> bool {
        let mut heard = false;
        loop {
            match select(open.changes.next(), more.next()).await {
                Either::Left((Some(change), _)) => {
                    heard = true;
                    out.push(Some(change));
                }
                Either::Left((None, _)) => return heard,
                Either::Right((anew, _)) => {
                    let before = std::mem::replace(wanted, anew.unwrap_or_default());
                    let turned = self.turn(fetch, &open.lease, &before, wanted).await;
                    // Changes that have already arrived are forwarded first.
                    while let Some(Some(change)) = open.changes.next().now_or_never() {
                        out.push(Some(change));
                    }
                    match turned {
                        Ok(Some(instead)) => open = instead,
                        Ok(None) => {}
                        Err(_) => return heard,
                    }
                }
            }
        }
    }

    /// Applies a new filter. Returns the stream that replaces the current one, if there is one.
    async fn turn<F: Fetch>(
        &self,
        fetch: &F,
        link: &Connection,
        before: &SubscriptionFilter,
        wanted: &SubscriptionFilter,
    ) -> Result<Option<ChangeStream<F>>, RpcError> {
        if link.negotiated.stateless().is_some() {
            return self.listen(fetch, wanted).await;
        }
        // A session has a single stream for all its subscriptions.
        let turn = async |link: &Connection| {
            for uri in wanted.resources.difference(&before.resources) {
                self.tend(fetch, link, SUBSCRIBE, uri).await?;
            }
            for uri in before.resources.difference(&wanted.resources) {
                self.tend(fetch, link, UNSUBSCRIBE, uri).await?;
            }
            Ok(None)
        };
        turn(link).await.map_err(SendFailure::into_failure)
    }

    /// Opens a stream of changes; returns `None` if the server offers none.
    async fn listen<F: Fetch>(
        &self,
        fetch: &F,
        wanted: &SubscriptionFilter,
    ) -> Result<Option<ChangeStream<F>>, RpcError> {
        let open = async |link: &Connection| match link.negotiated.stateless() {
            Some(version) => self.subscribe(fetch, link, version, wanted).await,
            None => self.attend(fetch, link, wanted).await,
        };
        let work = async {
            let lease = self.connection(fetch).await?;
            let (lease, changes) = self.steady(fetch, lease, open).await?;
            Ok(changes.map(|changes| ChangeStream { lease, changes }))
        };
        self.guard(fetch, Sender::Listener, work).await
    }

    /// Opens a stream of changes at a server of the stateless era.
    async fn subscribe<F: Fetch>(
        &self,
        fetch: &F,
        link: &Connection,
        version: Revision,
        wanted: &SubscriptionFilter,
    ) -> Result<Option<Changes>, SendFailure> {
        let headers = link.negotiated.headers(LISTEN, None);
        let params = Some(meta::listening(version, wanted));
        match self
            .ask(fetch, link, self.request(link, LISTEN, headers, params, self.site.call_timeout_ms))
            .await?
        {
            Ok(replies) => Ok(Some(changes_in(replies.events()))),
            Err(error) if error.code == METHOD_NOT_FOUND => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Subscribes a session to a resource, or cancels the subscription.
    async fn tend<F: Fetch>(
        &self,
        fetch: &F,
        link: &Connection,
        method: &str,
        uri: &str,
    ) -> Result<(), SendFailure> {
        let mut params = Vec::new();
        let mut object = Object::open(&mut params);
        object.text("uri", uri);
        object.close();
        let source = String::from_utf8_lossy(&params).into_owned();
        let read = Raw::parse(&source).ok().and_then(ReadObject::read);
        let headers = link.negotiated.headers(method, read.as_ref());
        if let Ok(replies) = self
            .ask(fetch, link, self.request(link, method, headers, Some(params), self.site.timeout_ms))
            .await?
        {
            // An error means that the resource reports no changes, which is accepted.
            let _ = replies.response().await?;
        }
        Ok(())
    }

    /// Opens the standalone stream of a session, on which a server of the handshake era reports changes.
    async fn attend<F: Fetch>(
        &self,
        fetch: &F,
        link: &Connection,
        wanted: &SubscriptionFilter,
    ) -> Result<Option<Changes>, SendFailure> {
        for uri in &wanted.resources {
            self.tend(fetch, link, SUBSCRIBE, uri).await?;
        }
        let headers = link.negotiated.back().unwrap_or_default();
        let patience = self.site.call_timeout_ms;
        let response = within(fetch, patience, open_stream(&self.site, fetch, &headers)).await;
        // A server may send not even the headers before it has a message.
        let Some(response) = response else { return Ok(Some(stream::empty().boxed_local())) };
        let (head, chunks) = response.map_err(|_| self.site.unreachable())?.into_parts();
        let form = errors::media_type(&head.headers).unwrap_or_default();
        match head.status {
            StatusCode::OK if form.eq_ignore_ascii_case("text/event-stream") => {}
            StatusCode::NOT_FOUND => {
                return Err(SendFailure::Stale(self.site.foreign("GET", head.status, &head.headers)));
            }
            status if may_open_later(status) => {
                return Err(self.site.foreign("GET", status, &head.headers).into());
            }
            _ => return Ok(None),
        }
        let mut parser = Parser::new(MAX_ANSWER);
        let changes = whole(chunks.map(Result::ok).boxed_local()).flat_map(move |chunk| {
            let mut frames = Vec::new();
            let messages = match parser.push(&chunk, &mut frames) {
                Ok(()) => {
                    frames.into_iter().filter_map(|frame| message::read(frame.data).ok()).flatten().collect()
                }
                Err(_) => Vec::new(),
            };
            stream::iter(messages.into_iter().filter_map(|message| match message {
                Message::Notification(message) => Change::read(&message),
                _ => None,
            }))
        });
        Ok(Some(changes.boxed_local()))
    }
}

fn changes_in(events: LocalBoxStream<'static, Event>) -> Changes {
    let notifications = whole(
        events
            .map(|event| match event {
                Event::Notification(message) => Some(message),
                Event::Paused(_) | Event::Result(_) | Event::Error(_) => None,
            })
            .boxed_local(),
    );
    notifications.filter_map(async |message| Change::read(&message)).boxed_local()
}

/// Returns the items before the first `None`.
fn whole<T: 'static>(pieces: LocalBoxStream<'static, Option<T>>) -> LocalBoxStream<'static, T> {
    let some = pieces.take_while(|piece| future::ready(piece.is_some()));
    some.filter_map(future::ready).boxed_local()
}
