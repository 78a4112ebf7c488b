//! The standalone stream of a session. A server may send its requests there instead of on the stream of the call that
//! they belong to.

use std::{rc::Rc, sync::Arc};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, AbortHandle, Abortable},
    stream::{self, LocalBoxStream},
};
use http::{HeaderMap, StatusCode};

use crate::upstream::{
    AskableClient, Chunks, Endpoint, Fetch, FetchError,
    connection::Connection,
    errors,
    fetch::within,
    message::{self, Message, Request},
    post::{may_open_later, open_stream},
    replies::{
        clock::Clock,
        server_requests::{Back, instead},
    },
    reply_memory::CountedParser,
};

/// Time, in milliseconds, that a call waits for the server to open the stream. A server may hold the headers back until
/// it has a message to send; the call then begins without them.
const OPEN_MS: u64 = 1_000;
/// Delay, in milliseconds, before the stream is requested again if the server has not yet noticed that the previous
/// call's stream is closed.
const AGAIN_MS: u64 = 50;
/// Number of such retries.
const AGAIN: usize = 3;

/// The standalone stream of a session for the duration of a call. Only one call at a time uses it: the specification
/// lets a server send a message on one stream only, and official servers refuse a second stream.
pub(crate) struct Standalone {
    requests: LocalBoxStream<'static, Request>,
    connection: Arc<Connection>,
    /// Ends the reading in the background, if the session has calls of several clients.
    refusing: Option<AbortHandle>,
}

impl Standalone {
    /// Opens the standalone stream of a session. Returns `None` if the server has none, or another call uses it.
    ///
    /// `stranger` is the client of the call, if the session has calls of several clients. A request on the stream may
    /// then be about the call of another client, so it reaches none.
    pub async fn open<F: Fetch>(
        endpoint: &Arc<Endpoint>,
        fetch: &F,
        connection: &Arc<Connection>,
        passed: &HeaderMap,
        stranger: Option<AskableClient>,
    ) -> Option<Self> {
        let mut headers = connection.negotiated.back().filter(|_| connection.has_session())?;
        if !connection.take_standalone() {
            return None;
        }
        let requests = stream::empty().boxed_local();
        let mut standalone = Self { requests, connection: Arc::clone(connection), refusing: None };
        headers.extend(passed.clone());
        let back = (Arc::clone(endpoint), headers.clone());
        let parser = CountedParser::new(&endpoint.replies, fetch);
        let (endpoint, network, session) = (Arc::clone(endpoint), fetch.clone(), Arc::clone(connection));
        let mut opening = async move { begin(&endpoint, &network, &session, &headers).await }.boxed_local();
        standalone.requests = match within(fetch, OPEN_MS, &mut opening).await {
            Some(chunks) => server_requests(parser, chunks?),
            None => {
                let opened = opening.map(|chunks| Some(server_requests(parser, chunks?)));
                stream::once(opened).filter_map(future::ready).flatten().boxed_local()
            }
        };
        if let Some(client) = stranger {
            standalone.refuse(fetch, back, client);
        }
        Some(standalone)
    }

    /// Answers every request on the stream with an error. This goes on in the background until the call ends: nothing
    /// else reads the stream before the answer to the call begins, or while its client has a question to answer, and
    /// the server would wait until its time limit.
    fn refuse<F: Fetch>(
        &mut self,
        fetch: &F,
        (endpoint, headers): (Arc<Endpoint>, HeaderMap),
        client: AskableClient,
    ) {
        let requests = std::mem::replace(&mut self.requests, stream::pending().boxed_local());
        let (client, fetch) = (AskableClient { reachable: false, ..client }, fetch.clone());
        let (handle, registration) = AbortHandle::new_pair();
        self.refusing = Some(handle);
        let answering = fetch.clone();
        let all = requests.for_each(move |request| {
            let outcome = instead(&request, Some(&client));
            let Request { id, method, .. } = request;
            let (endpoint, fetch, headers) = (Arc::clone(&endpoint), answering.clone(), headers.clone());
            let clock = Rc::new(Clock::new(fetch.now()));
            Back { endpoint, fetch, headers, method, id, clock }.respond(outcome)
        });
        fetch.spawn(Abortable::new(all, registration).map(|_| ()).boxed_local());
    }

    /// Returns the next request of the server. Never completes once the server has closed the stream.
    pub async fn next_request(&mut self) -> Request {
        match self.requests.next().await {
            Some(request) => request,
            None => future::pending().await,
        }
    }
}

impl Drop for Standalone {
    fn drop(&mut self) {
        self.refusing.take().into_iter().for_each(|refusing| refusing.abort());
        self.connection.release_standalone();
    }
}

/// Returns the body of the stream, if the server opens one.
async fn begin<F: Fetch>(
    endpoint: &Endpoint,
    fetch: &F,
    connection: &Connection,
    headers: &HeaderMap,
) -> Option<Chunks> {
    for _ in 0..=AGAIN {
        let (head, chunks) = open_stream(endpoint, fetch, headers).await.ok()?.into_parts();
        let form = errors::media_type(&head.headers).unwrap_or_default();
        match head.status {
            StatusCode::OK if form.eq_ignore_ascii_case("text/event-stream") => return Some(chunks),
            StatusCode::CONFLICT => fetch.sleep(AGAIN_MS).await,
            status => {
                // A session that is missing does not mean that the server has no such stream.
                if status != StatusCode::NOT_FOUND && !may_open_later(status) {
                    connection.refuse_standalone();
                }
                return None;
            }
        }
    }
    None
}

/// Returns the requests that a server sends on the stream. Notifications are left to the subscriptions.
fn server_requests<F: Fetch>(
    mut parser: CountedParser<F>,
    chunks: Chunks,
) -> LocalBoxStream<'static, Request> {
    let whole = chunks.take_while(|chunk: &Result<Vec<u8>, FetchError>| future::ready(chunk.is_ok()));
    let requests = whole.flat_map(move |chunk| {
        let frames = chunk.ok().and_then(|chunk| parser.push(&chunk)).unwrap_or_default();
        let messages = frames.into_iter().filter_map(|frame| message::read(frame.data).ok()).flatten();
        let requests = messages.filter_map(|message| match message {
            Message::Request(request) => Some(request),
            Message::Notification(_) | Message::Response(_) => None,
        });
        stream::iter(requests.collect::<Vec<_>>())
    });
    requests.boxed_local()
}
