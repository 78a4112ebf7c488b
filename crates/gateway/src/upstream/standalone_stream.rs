//! The standalone stream of a session (GET), on which a server sends messages outside the answers of calls.

use std::{rc::Rc, sync::Arc};

use futures_util::{
    StreamExt, future,
    stream::{self, LocalBoxStream},
};
use http::{HeaderMap, StatusCode};

use crate::{
    protocol::error::RpcError,
    upstream::{
        Chunks, Endpoint, Fetch, FetchError,
        connection::Connection,
        errors,
        message::{self, Message, Request},
        post::{may_open_later, open_stream},
        replies::{clock::Clock, server_requests::Back},
        reply_memory::CountedParser,
    },
};

/// Delay, in milliseconds, before the stream is requested again if the server has not yet noticed that the previous one
/// is closed.
const AGAIN_MS: u64 = 50;
/// Number of such retries.
const AGAIN: usize = 3;

/// The messages on a standalone stream, until the server closes it.
pub(crate) type Messages = LocalBoxStream<'static, Message>;

/// A standalone stream while it is opened and read.
#[derive(Clone)]
pub(crate) struct StandaloneStream<F> {
    pub endpoint: Arc<Endpoint>,
    pub fetch: F,
    pub connection: Arc<Connection>,
    pub headers: HeaderMap,
}

impl<F: Fetch> StandaloneStream<F> {
    /// Opens the stream. Returns `None` if the server does not open it now.
    pub async fn open(&self) -> Option<Messages> {
        for _ in 0..=AGAIN {
            let opened = open_stream(&self.endpoint, &self.fetch, &self.headers).await;
            let (head, chunks) = opened.ok()?.into_parts();
            let form = errors::media_type(&head.headers).unwrap_or_default();
            match head.status {
                StatusCode::OK if form.eq_ignore_ascii_case("text/event-stream") => {
                    return Some(messages(CountedParser::new(&self.endpoint.replies, &self.fetch), chunks));
                }
                StatusCode::CONFLICT => self.fetch.sleep(AGAIN_MS).await,
                StatusCode::NOT_FOUND | StatusCode::GONE | StatusCode::BAD_REQUEST => {
                    // A session that is missing does not mean that the server has no such stream.
                    self.connection.doubt();
                    return None;
                }
                status => {
                    if !may_open_later(status) {
                        self.connection.inbox.refuse();
                    }
                    return None;
                }
            }
        }
        None
    }

    /// Sends the answer to a request of the server.
    pub async fn respond(&self, request: Request, outcome: Result<String, RpcError>) {
        outcome.iter().for_each(|answer| self.connection.client_tasks.learn(answer));
        self.back(request).respond(outcome).await;
    }

    /// Returns the way back to the server for the answer to a request.
    pub fn back(&self, Request { id, method, .. }: Request) -> Back<F> {
        let clock = Rc::new(Clock::new(self.fetch.now()));
        let (endpoint, fetch) = (Arc::clone(&self.endpoint), self.fetch.clone());
        let tasks = Some(self.connection.client_tasks.clone());
        Back { endpoint, fetch, headers: self.headers.clone(), method, id, clock, tasks }
    }
}

/// Returns the notifications and requests in a body. It ends with the first piece that cannot be read.
pub(crate) fn messages<F: Fetch>(mut parser: CountedParser<F>, chunks: Chunks) -> Messages {
    let whole = chunks.take_while(|chunk: &Result<Vec<u8>, FetchError>| future::ready(chunk.is_ok()));
    let messages = whole.flat_map(move |chunk| {
        let frames = chunk.ok().and_then(|chunk| parser.push(&chunk)).unwrap_or_default();
        let messages = frames.into_iter().filter_map(|frame| message::read(frame.data).ok()).flatten();
        let messages = messages.filter(|message| !matches!(message, Message::Response(_)));
        stream::iter(messages.collect::<Vec<_>>())
    });
    messages.boxed_local()
}
