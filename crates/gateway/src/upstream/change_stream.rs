//! The streams on which servers report changes: the standalone stream of a session, or the answer to
//! `subscriptions/listen`.

use std::{cell::Cell, collections::BTreeSet, rc::Rc, sync::Arc};

use futures_util::{
    FutureExt, StreamExt, future,
    stream::{self, LocalBoxStream},
};
use http::{HeaderMap, Response, StatusCode};
use mcp_sieve::{
    json::{Object, Raw},
    revision::Revision,
};

use crate::object::ReadObject;

use crate::{
    host::{Event, SubscriptionFilter},
    protocol::error::{METHOD_NOT_FOUND, RpcError},
    session::change::Change,
    upstream::{
        Chunks, Endpoint, Fetch, FetchError, SendFailure, Upstream,
        admission::Sender,
        connection::Connection,
        errors,
        fetch::within,
        lease::Lease,
        lock,
        message::{Message, Request},
        meta,
        post::{may_open_later, open_stream},
        replies::{
            clock::Clock,
            server_requests::{Back, instead},
        },
        reply_memory::CountedParser,
        sessions::SessionOwner,
        standalone_stream::messages,
    },
};

const LISTEN: &str = "subscriptions/listen";

/// Time, in milliseconds, for which a stateless server may send nothing on a stream. Longer silence may mean that the
/// connection is dead.
const SILENT_MS: u64 = 15 * 60 * 1_000;
/// Time, in milliseconds, that the subscriptions of a session wait for the server to open the stream.
const OPEN_MS: u64 = 1_000;
/// Maximum number of streams that are opened to find the resources that a stateless server refuses.
const MAX_TRIES: usize = 32;
/// Time, in milliseconds, after which no further stream is opened to find them. Until then, no change is reported.
const TRY_MS: u64 = 20_000;

type Changes = LocalBoxStream<'static, Change>;

/// A stream of changes, with the connection on which it was opened. The connection is in use until the stream ends.
pub(crate) struct ChangeStream<F: Fetch> {
    pub lease: Lease<F>,
    pub changes: Changes,
    /// The filter of the stream; `None` for that of a session, which has its subscriptions.
    pub filter: Option<SubscriptionFilter>,
}

impl Upstream {
    /// Opens a stream of changes; returns `None` if the server offers none. Resources that a stateless server refuses
    /// are added to `refused`, and left out from then on.
    pub(crate) async fn open_changes<F: Fetch>(
        &self,
        fetch: &F,
        wanted: &SubscriptionFilter,
        refused: &mut BTreeSet<String>,
    ) -> Result<Option<ChangeStream<F>>, RpcError> {
        let kept = Cell::new(std::mem::take(refused));
        let work = async {
            let lease = self.connection(fetch).await?;
            let open = async |connection: &Connection| match connection.negotiated.stateless() {
                Some(version) => {
                    let mut refused = kept.take();
                    let opened =
                        self.listen_to_accepted(fetch, connection, version, wanted, &mut refused).await;
                    kept.set(refused);
                    opened
                }
                None => self.session_changes(fetch, connection).await,
            };
            let (lease, changes) = self.steady(fetch, lease, open).await?;
            if changes.is_none() && lease.negotiated.stateless().is_some() {
                return self.changes_beside(fetch).await;
            }
            let filter = lease.negotiated.stateless().map(|_| wanted.clone());
            Ok(changes.map(|changes| ChangeStream { lease, changes, filter }))
        };
        let opened = self.guard(fetch, Sender::Listener, work).await;
        *refused = kept.take();
        opened
    }

    /// Opens a stream in a session at a server of both revisions that reports changes in sessions alone.
    async fn changes_beside<F: Fetch>(&self, fetch: &F) -> Result<Option<ChangeStream<F>>, RpcError> {
        let owner = SessionOwner::gateway();
        let Some(lease) = self.session_beside(fetch, &owner, None).await? else { return Ok(None) };
        match self.session_changes(fetch, &lease).await {
            Ok(changes) => Ok(changes.map(|changes| ChangeStream { lease, changes, filter: None })),
            Err(failure) => {
                lock(&self.sessions).forget(lease.connection());
                Err(failure.into_failure())
            }
        }
    }

    /// Opens a stream at a stateless server, with as many of the resources as the server accepts. It may refuse the
    /// whole request for one that it does not know.
    async fn listen_to_accepted<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        version: Revision,
        wanted: &SubscriptionFilter,
        refused: &mut BTreeSet<String>,
    ) -> Result<Option<Changes>, SendFailure> {
        let mut accepted = wanted.clone();
        accepted.resources.retain(|uri| !refused.contains(uri));
        match self.listen(fetch, connection, version, &accepted).await {
            Err(SendFailure::Failed(failure))
                if !accepted.resources.is_empty() && failure.reason() != Some("upstream_unreachable") => {}
            done => return done,
        }
        let all = Vec::from_iter(std::mem::take(&mut accepted.resources));
        // Without resources, the request shows whether the server is only in trouble.
        let mut open = self.listen(fetch, connection, version, &accepted).await?;
        let (mut parts, mut tries, begun) = (halves(all, refused), 0, fetch.now());
        while let Some(part) = parts.pop() {
            let is_late = fetch.now().saturating_sub(begun) > TRY_MS;
            if open.is_none() || tries == MAX_TRIES || is_late {
                refused.extend(part);
                continue;
            }
            tries += 1;
            let mut more = accepted.clone();
            more.resources.extend(part.iter().cloned());
            match self.listen(fetch, connection, version, &more).await {
                Ok(changes) => (open, accepted) = (changes, more),
                Err(SendFailure::Stale(failure)) => return Err(SendFailure::Stale(failure)),
                Err(SendFailure::Failed(_)) => parts.extend(halves(part, refused)),
            }
        }
        Ok(open)
    }

    async fn listen<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        version: Revision,
        wanted: &SubscriptionFilter,
    ) -> Result<Option<Changes>, SendFailure> {
        let headers = connection.negotiated.headers(LISTEN, None);
        let params = Some(meta::listening(version, wanted));
        match self
            .ask(
                fetch,
                connection,
                self.request(connection, LISTEN, headers, params, self.endpoint.timeout_ms),
            )
            .await?
        {
            Ok(replies) => Ok(Some(changes_in(replies.with_patience(SILENT_MS).events()))),
            Err(error) if error.code == METHOD_NOT_FOUND => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Subscribes a session to a resource, or cancels the subscription. If that fails, the resource reports no changes.
    pub(crate) async fn change_subscription<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        method: &str,
        uri: &str,
    ) {
        let mut params = Vec::new();
        let mut object = Object::open(&mut params);
        object.text("uri", uri);
        object.close();
        let source = String::from_utf8_lossy(&params).into_owned();
        let read = Raw::parse_deep(&source).ok().and_then(ReadObject::read);
        let headers = connection.negotiated.headers(method, read.as_ref());
        let request = self.request(connection, method, headers, Some(params), self.endpoint.timeout_ms);
        if let Ok(Ok(replies)) = self.ask(fetch, connection, request).await {
            let _ = replies.response().await;
        }
    }

    /// Opens the standalone stream of a session, on which a server of the handshake era reports changes. A server may
    /// hold back the headers until it has a message to send, so that the stream begins without them.
    async fn session_changes<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
    ) -> Result<Option<Changes>, SendFailure> {
        let headers = connection.negotiated.back().unwrap_or_default();
        let stream = SessionStream { endpoint: Arc::clone(&self.endpoint), fetch: fetch.clone(), headers };
        let waiting = stream.clone();
        let mut opening =
            async move { open_stream(&waiting.endpoint, &waiting.fetch, &waiting.headers).await }
                .boxed_local();
        match within(fetch, OPEN_MS, &mut opening).await {
            Some(response) => {
                let status = response.as_ref().map(Response::status);
                // Servers that lost their sessions return 400 as often as 404.
                if matches!(status, Ok(StatusCode::BAD_REQUEST | StatusCode::GONE)) {
                    connection.doubt();
                }
                stream.accept(response)
            }
            None => {
                let late = stream::once(opening).filter_map(move |response| {
                    future::ready(stream.clone().accept(response).ok().flatten())
                });
                Ok(Some(late.flatten().boxed_local()))
            }
        }
    }
}

/// The standalone stream of a session while it is opened and read.
#[derive(Clone)]
struct SessionStream<F> {
    endpoint: Arc<Endpoint>,
    fetch: F,
    headers: HeaderMap,
}

impl<F: Fetch> SessionStream<F> {
    /// Returns the changes on the stream, if the server has opened it.
    fn accept(self, response: Result<Response<Chunks>, FetchError>) -> Result<Option<Changes>, SendFailure> {
        let (head, chunks) = response.map_err(|_| self.endpoint.unreachable())?.into_parts();
        let form = errors::media_type(&head.headers).unwrap_or_default();
        match head.status {
            StatusCode::OK if form.eq_ignore_ascii_case("text/event-stream") => {
                Ok(Some(self.changes(chunks)))
            }
            StatusCode::NOT_FOUND => {
                Err(SendFailure::Stale(self.endpoint.foreign("GET", head.status, &head.headers)))
            }
            status if is_passing(status) => Err(self.endpoint.foreign("GET", status, &head.headers).into()),
            _ => Ok(None),
        }
    }

    fn changes(self, chunks: Chunks) -> Changes {
        let messages = messages(CountedParser::new(&self.endpoint.replies, &self.fetch), chunks);
        let changes = messages.filter_map(move |message| {
            future::ready(match message {
                Message::Notification(message) => Change::read(&message),
                Message::Request(request) => {
                    self.answer(request);
                    None
                }
                Message::Response(_) => None,
            })
        });
        changes.boxed_local()
    }

    /// Answers a request of the server, such as a ping. No client can be asked here.
    fn answer(&self, request: Request) {
        let answer = instead(&request, None);
        let Request { id, method, .. } = request;
        let clock = Rc::new(Clock::new(self.fetch.now()));
        let (endpoint, fetch, headers) =
            (Arc::clone(&self.endpoint), self.fetch.clone(), self.headers.clone());
        let back = Back { endpoint, fetch, headers, method, id, clock, tasks: None };
        self.fetch.spawn(back.respond(answer).boxed_local());
    }
}

/// Splits resources that a server refuses together. A single one is added to `refused`.
fn halves(mut part: Vec<String>, refused: &mut BTreeSet<String>) -> Vec<Vec<String>> {
    if part.len() < 2 {
        refused.extend(part);
        return Vec::new();
    }
    let rest = part.split_off(part.len() / 2);
    vec![rest, part]
}

/// Returns whether a server that answers GET with this status may have the stream at another time. A page with status
/// 200 comes from a proxy.
fn is_passing(status: StatusCode) -> bool {
    matches!(status, StatusCode::OK | StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN)
        || may_open_later(status)
}

fn changes_in(events: LocalBoxStream<'static, Event>) -> Changes {
    let notifications = until_none(
        events
            .map(|event| match event {
                Event::Notification(message) => Some(message),
                Event::Paused(_) | Event::Result(_) | Event::Error(_) | Event::Passthrough(_) => None,
            })
            .boxed_local(),
    );
    notifications.filter_map(async |message| Change::read(&message)).boxed_local()
}

/// Returns the items before the first `None`.
fn until_none<T: 'static>(pieces: LocalBoxStream<'static, Option<T>>) -> LocalBoxStream<'static, T> {
    let some = pieces.take_while(|piece| future::ready(piece.is_some()));
    some.filter_map(future::ready).boxed_local()
}
