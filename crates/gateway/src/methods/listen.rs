//! Notifications of changes: `subscriptions/listen` of the stateless revision, and the GET stream of a session.

use std::{collections::BTreeSet, pin::pin, rc::Rc, task::Poll};

use futures_util::{
    FutureExt, StreamExt,
    future::{AbortHandle, Abortable, Either, select},
    stream::{self, LocalBoxStream},
};
use http::{Response, StatusCode};
use mcp_sieve::{
    catalog::Catalog,
    json::Raw,
    revision::{Era, Revision},
};

use crate::small_collect::small_collect;

use crate::task_record::Task;
use serde_json::{Map, Value, json};

use crate::{
    call::notifications::Notification,
    caller::identity::Caller,
    config::Config,
    host::{Freshness, Host, SubscriptionFilter},
    methods::initialize,
    protocol::{
        error::RpcError,
        event_id::EventId,
        generate::{Emitter, generate},
        headers,
        log_level::Level,
        response::{self, Body},
        sse,
    },
    request::list_fingerprints::list_fingerprints,
    request::{
        context::{Context, Exchange},
        resource, visibility,
    },
    session::{
        change::Change,
        event_log::CHANGES,
        outside::OpenFeed,
        session_streams::SessionStreams,
        state::{MAX_SUBSCRIBED, MAX_SUBSCRIPTIONS, subscription_limit},
    },
    streams::{listeners, relay::upstream_subscription},
    tasks,
};

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Answers `subscriptions/listen` with a stream that acknowledges the subscription and then reports every change.
pub(crate) async fn listen<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    if !context.exchange.streams() {
        let message = "changes come as `text/event-stream`, which the request does not accept";
        return Err(RpcError::request(StatusCode::NOT_ACCEPTABLE, "accept", message));
    }
    let requested: Option<Map<String, Value>> =
        context.message.param("notifications").and_then(|raw| serde_json::from_str(raw.get()).ok());
    let requested = requested.ok_or_else(|| RpcError::params("`notifications` is required, an object"))?;
    let (wanted, mut accepted) = accepted_selectors(&context, &requested)?;
    let tasks =
        match requested.get(tasks::notifications::SELECTOR).filter(|_| tasks::methods::served(&context)) {
            Some(selector) => {
                let (ids, tasks) = tasks::notifications::listened(&context, selector).await?;
                accepted.insert(tasks::notifications::SELECTOR.to_owned(), ids.into());
                Some(tasks)
            }
            None => None,
        };

    let id: Value = serde_json::from_str(context.id.get()).unwrap_or_default();
    let acknowledged = json!({
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"notifications": accepted, "_meta": {SUBSCRIPTION: id}},
    });
    let first = sse::frame(None, acknowledged.to_string().as_bytes());
    let last = sse::frame(None, &ended(&context, &id));
    let host = &context.exchange.host;
    let caller = context.caller.detached(context.exchange.request.uri().query());
    let changes = match wanted == SubscriptionFilter::default() {
        false => host.changes(&caller, &wanted).await?,
        true if tasks.is_some() => stream::pending().boxed_local(),
        true => stream::empty().boxed_local(),
    };
    let meta = json!({SUBSCRIPTION: id});
    let task_meta = meta.clone();
    let frames = changes.filter_map(move |change| {
        let frame = wanted.has(&change).then(|| sse::frame(None, &change.notification(Some(meta.clone()))));
        async { frame }
    });
    let tasks = tasks.unwrap_or_else(|| stream::empty().boxed_local());
    let tasks = tasks.map(move |task| {
        sse::frame(None, &tasks::notifications::notice(&task, Era::Stateless, Some(&task_meta)))
    });
    // The subscription ends when the stream of changes ends, even if tasks could still change.
    let frames = merge_until(frames.boxed_local(), tasks.boxed_local());
    let frames = stream::iter([first]).chain(frames).chain(stream::iter([last])).boxed_local();
    Ok(response::events(sse::keep_alive(*host, frames)))
}

/// Merges two streams until the first ends.
fn merge_until(
    mut first: LocalBoxStream<'static, Vec<u8>>,
    mut second: LocalBoxStream<'static, Vec<u8>>,
) -> LocalBoxStream<'static, Vec<u8>> {
    stream::poll_fn(move |context| match first.poll_next_unpin(context) {
        Poll::Pending => match second.poll_next_unpin(context) {
            Poll::Ready(Some(frame)) => Poll::Ready(Some(frame)),
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        },
        ready => ready,
    })
    .boxed_local()
}

/// Returns the result with which the server ends a subscription.
fn ended<H: Host>(context: &Context<'_, H>, id: &Value) -> Vec<u8> {
    let mut out = response::open(context.id);
    let id = id.to_string();
    context.shape().write(&mut out, None, Some((SUBSCRIPTION, id.as_bytes())), |_| {});
    response::close(&mut out);
    out
}

/// Returns the selected changes, and the selectors that are supported.
fn accepted_selectors<H: Host>(
    context: &Context<'_, H>,
    requested: &Map<String, Value>,
) -> Result<(SubscriptionFilter, Map<String, Value>), RpcError> {
    let mut accepted = Map::new();
    let mut wanted = SubscriptionFilter::default();
    let filtering = context.exchange.config.filtering;
    for (selector, change) in Change::LISTS {
        let on = match change {
            Change::Groups => filtering.groups,
            Change::Tags => filtering.tags,
            Change::Concerns => filtering.concerns,
            _ => true,
        };
        // Selectors of proposals are accepted by their own names and with our prefix.
        let prefixed = format!("{prefix}/{selector}", prefix = Catalog::PREFIX);
        for name in [selector, &prefixed] {
            if on && requested.get(name) == Some(&Value::Bool(true)) {
                accepted.insert(name.to_owned(), true.into());
                wanted.lists.push(change.clone());
            }
        }
    }
    let subscriptions = requested.get("resourceSubscriptions");
    if let Some(Value::Array(uris)) = subscriptions {
        let length: usize = uris.iter().filter_map(Value::as_str).map(str::len).sum();
        if uris.len() > MAX_SUBSCRIPTIONS || length > MAX_SUBSCRIBED {
            return Err(subscription_limit());
        }
        uris.iter().filter_map(Value::as_str).try_for_each(|uri| resource::read(uri).map(drop))?;
        // Unlisted URIs are accepted, because they may be served later. Changes of hidden resources are never reported.
        wanted.resources = small_collect(uris.iter().filter_map(Value::as_str).map(str::to_owned));
        if !wanted.resources.is_empty() {
            accepted.insert("resourceSubscriptions".to_owned(), json!(wanted.resources));
        }
    }
    Ok((wanted, accepted))
}

/// Answers GET: resumes a stream, or opens the stream of changes.
pub(crate) async fn feed<H: Host>(exchange: &Exchange<'_, H>) -> Result<Response<Body>, RpcError> {
    let (id, session) = initialize::session(exchange).await?;
    if !exchange.streams() {
        let message = "a session's stream is `text/event-stream`, which the request does not accept";
        return Err(RpcError::request(StatusCode::NOT_ACCEPTABLE, "accept", message));
    }
    let host = exchange.host;
    let live =
        host.live(&id).ok_or_else(|| RpcError::internal("session", "the session does not live here"))?;
    let from = headers::value(exchange.request.headers(), headers::LAST_EVENT_ID)?;
    let from = from.map(|id| EventId::of_header(&id)).transpose()?;
    if let Some(from) = from.filter(|from| from.stream != CHANGES) {
        return Ok(response::events(sse::keep_alive(host, live.resume(from)?)));
    }

    let (handle, registration) = AbortHandle::new_pair();
    live.feed(handle);
    let caller = initialize::caller(exchange, &session, "GET")?;
    let caller = caller.detached(exchange.request.uri().query());
    let primes = caller.protocol >= Revision::V2025_11_25;
    let tasks = match primes && host.tasks().is_some() {
        true => {
            let backend = host.caller_backend(Freshness::Route, &caller, Some(&live)).await?;
            let query = exchange.request.uri().query().unwrap_or_default();
            // The tasks of a session are those of its tool calls.
            let calling = caller.calling("tools/call");
            let (view, ..) =
                visibility::look(exchange.config, &backend.guarded, &backend.declared, &calling, query)?;
            tasks::notifications::of_session(host, view, caller.principal().as_deref(), &id, caller.clone())
        }
        false => stream::pending().boxed_local(),
    };
    let open = live.open_feed(exchange.config.middleware.is_some());
    // Read before the subscriptions are loaded, so that a subscription added meanwhile is detected.
    let known = (live.subscribed(), live.news());
    let feed = Feed { host: host.clone(), id, live, caller, _open: open };
    feed.subscribe().await;
    let changes = host.changes(&feed.caller, &feed.catalog_changes().await).await?;
    let Feed { id, live, caller, .. } = &feed;
    // Compared after the listener was added, so that no change falls in between.
    let missed = missed(host, exchange.config, (id, live), caller).await?;
    let mut first = live.replay(from)?;
    if primes && from.is_none() {
        first.push(live.prime()?);
    }
    first.extend(missed.iter().map(|change| live.record(&change.notification(None))));
    let frames = generate(move |out| feed.run(changes, tasks, known, out).boxed_local());
    let frames = Abortable::new(stream::iter(first).chain(frames), registration);
    Ok(response::events(sse::keep_alive(host, frames.boxed_local())))
}

/// Returns the changes since the last time at which a stream of changes of this session was opened, if there was one.
/// The gateway did not listen for changes of resources meanwhile, so each subscribed resource counts as changed.
async fn missed<H: Host>(
    host: &H,
    config: &Config,
    (id, live): (&str, &Rc<SessionStreams>),
    caller: &Caller<'static>,
) -> Result<Vec<Change>, RpcError> {
    let backend = host.caller_backend(Freshness::List, &caller.calling("GET"), Some(live)).await?;
    let now = list_fingerprints(config, &backend.guarded, &backend.declared, caller);
    let Some(mut session) = host.load_session(id).await? else { return Ok(Vec::new()) };
    let before = session.lists.replace(now.clone());
    let resources =
        session.subscriptions.iter().filter(|uri| listeners::reaches(config, &backend, caller, uri));
    let resources: Vec<Change> = resources.cloned().map(Change::Resource).collect();
    if before.as_ref() != Some(&now) {
        host.save_session(id, &session).await?;
    }
    Ok(before.map(|before| before.changes(&now).chain(resources).collect()).unwrap_or_default())
}

/// The stream on which a session is notified of changes.
struct Feed<H> {
    host: H,
    id: String,
    live: Rc<SessionStreams>,
    caller: Caller<'static>,
    _open: OpenFeed,
}

impl<H: Host> Feed<H> {
    async fn run(
        self,
        mut changes: LocalBoxStream<'static, Change>,
        mut tasks: LocalBoxStream<'static, Task>,
        (mut known, mut seen): (u64, u64),
        out: Emitter<Vec<u8>>,
    ) -> Vec<u8> {
        self.notify_announced(&out).await;
        loop {
            let news = pin!(self.live.next_news(seen));
            let news = select(changes.next(), news);
            let news = match select(news, tasks.next()).await {
                Either::Left((news, _)) => news,
                Either::Right((Some(task), _)) => {
                    self.push(&tasks::notifications::notice(&task, Era::Session, None), &out);
                    continue;
                }
                Either::Right((None, _)) => {
                    tasks = stream::pending().boxed_local();
                    continue;
                }
            };
            match news {
                Either::Left((Some(change), _)) => self.notify(&change, &out).await,
                Either::Left((None, _)) => return Vec::new(),
                Either::Right((now, _)) => {
                    seen = now;
                    self.notify_announced(&out).await;
                    if known == self.live.subscribed() {
                        continue;
                    }
                    known = self.live.subscribed();
                    for renewed in self.subscribe().await {
                        self.notify(&Change::Resource(renewed), &out).await;
                    }
                    // The new stream is opened before the old one ends, so that no change is missed.
                    if let Ok(anew) = self.host.changes(&self.caller, &self.catalog_changes().await).await {
                        while let Some(Some(change)) = changes.next().now_or_never() {
                            self.notify(&change, &out).await;
                        }
                        changes = anew;
                    }
                }
            }
        }
    }

    /// Subscribes to the resources in the client's own sessions at their servers, as far as it is not. Returns those for
    /// which this had to be repeated or is new.
    async fn subscribe(&self) -> Vec<String> {
        let mut subscribed = Vec::new();
        for uri in subscriptions(&self.host, &self.id).await {
            if self.live.has_own_subscription(&uri) {
                continue;
            }
            let caller = self.caller.calling("resources/subscribe");
            if let Ok(true) = self.host.subscribe(&caller, &self.live, &uri, true).await {
                self.live.set_own_subscription(&uri, true);
                subscribed.push(uri);
            }
        }
        subscribed
    }

    /// Returns the changes to listen for besides those in the client's own sessions at upstream servers.
    async fn catalog_changes(&self) -> SubscriptionFilter {
        let mut resources = subscriptions(&self.host, &self.id).await;
        resources.retain(|uri| !self.live.has_own_subscription(uri));
        upstream_subscription(resources)
    }

    async fn notify_announced(&self, out: &Emitter<Vec<u8>>) {
        for change in self.live.announced() {
            // A server may report more than was subscribed, also about hidden resources.
            let is_own = |uri: &String| self.live.has_own_subscription(uri);
            if !matches!(&change, Change::Resource(uri) if !is_own(uri)) {
                self.notify(&change, out).await;
            }
        }
        for message in self.live.take_passed() {
            if let Notification::Message(level) = Notification::read(&message)
                && !self.wants(level).await
            {
                continue;
            }
            self.push(&message, out);
        }
        for change in self.host.session_changes(&self.caller, &self.live).await {
            self.notify(&change, out).await;
        }
    }

    /// Returns whether the client wants log messages of this level.
    async fn wants(&self, level: Option<Level>) -> bool {
        let session = self.host.load_session(&self.id).await.ok().flatten();
        let wanted = session.and_then(|session| session.level).and_then(|name| name.parse().ok());
        level.is_none_or(|level| level >= wanted.unwrap_or(Level::Info))
    }

    async fn notify(&self, change: &Change, out: &Emitter<Vec<u8>>) {
        // Subscriptions may have changed while the stream is open.
        let subscribed = match change {
            Change::Resource(uri) => subscriptions(&self.host, &self.id).await.contains(uri),
            _ => true,
        };
        if subscribed {
            self.push(&change.notification(None), out);
        }
    }

    fn push(&self, message: &[u8], out: &Emitter<Vec<u8>>) {
        out.push(self.live.record(message));
    }
}

async fn subscriptions<H: Host>(host: &H, id: &str) -> BTreeSet<String> {
    host.load_session(id).await.ok().flatten().map(|session| session.subscriptions).unwrap_or_default()
}

/// Handles `notifications/cancelled` by cancelling the named request.
pub(crate) fn cancelled<H: Host>(exchange: &Exchange<'_, H>, id: &str, request: Option<Raw<'_>>) {
    if let (Some(live), Some(request)) = (exchange.host.live(id), request) {
        live.cancel(request);
    }
}
