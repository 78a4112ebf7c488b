//! The roots of clients. A server with sessions asks for them when a session begins, and after a notification that they
//! have changed. The next call waits until the server has them.

use std::{rc::Rc, sync::Arc};

use futures_util::{FutureExt, StreamExt};
use http::HeaderValue;

use crate::{
    host::{Answer, Event, ServerRequest, StreamItem},
    protocol::{
        error::RpcError,
        generate::{Emitter, generate},
    },
    upstream::{
        AskableClient, Endpoint, Fetch, Upstream,
        connection::RootsState,
        fetch::within,
        lease::Lease,
        lock,
        message::{Message, Request},
        post::{OutgoingRequest, send_message},
        replies::server_requests::{instead, obstacle},
        request::{self, Accepted},
        standalone::Standalone,
        standalone_stream::StandaloneStream,
    },
};

const CHANGED: &str = "notifications/roots/list_changed";

/// Milliseconds for which a call waits for a request of the server, after the server has answered a `ping`. A request
/// comes on another stream than that answer.
const QUIET_MS: u64 = 100;
/// Maximum time, in milliseconds, for which a call waits for such a request while other messages arrive.
const SETTLE_MS: u64 = 1_000;
/// Milliseconds that the server has to use an answer of the client before the call is sent.
const USE_MS: u64 = 150;
/// Maximum time, in milliseconds, for which a call waits for the answers of a client.
const ANSWER_MS: u64 = 10_000;
/// Milliseconds between two looks for an answer.
const LOOK_MS: u64 = 20;

/// What precedes a call.
pub(crate) enum Settled {
    /// Nothing.
    Ready(Option<Standalone>),
    /// A request of the server to the client.
    Asked(Request, Standalone),
}

impl Upstream {
    /// Notifies the server that the roots of a client have changed, in each session of that client. `can_be_asked` states
    /// whether the client has an open stream. Otherwise the notification is sent before the next call.
    pub(crate) fn roots_changed<F: Fetch>(&self, fetch: &F, session: &HeaderValue, can_be_asked: bool) {
        for connection in lock(&self.sessions).of_client(session) {
            if !can_be_asked {
                connection.set_roots(RootsState::Changed);
                continue;
            }
            connection.set_roots(RootsState::Asking);
            let (lease, endpoint) = (self.lease(fetch, connection), Arc::clone(&self.endpoint));
            let network = fetch.clone();
            fetch.spawn(async move { notify(&endpoint, &network, &lease).await }.boxed_local());
        }
    }

    /// Waits until a server that may ask for the roots of a client has them. Only the first call of a session waits, and
    /// the first one after a change.
    pub(super) async fn settle_roots<F: Fetch>(
        &self,
        fetch: &F,
        lease: &Lease<F>,
        client: &AskableClient,
        standalone: Option<Standalone>,
    ) -> Settled {
        let state = lease.take_roots();
        let Some(mut standalone) = standalone else {
            lease.set_roots(state);
            return Settled::Ready(None);
        };
        if state == RootsState::Known {
            return Settled::Ready(Some(standalone));
        }
        if state == RootsState::Changed {
            notify(&self.endpoint, fetch, lease).await;
        }
        // A server answers in order, so it has sent its request by then.
        let headers = lease.message_headers().unwrap_or_default();
        let ping = self.request(lease, "ping", headers, None, ANSWER_MS);
        if let Ok(Accepted::Replies(replies)) = request::open(&self.endpoint, fetch, ping).await {
            let _ = replies.response().await;
        }
        let stream = self.standalone_stream(fetch, lease);
        let until = fetch.now().saturating_add(SETTLE_MS);
        while fetch.now() < until
            && let Some(message) = within(fetch, QUIET_MS, standalone.next_unread()).await
        {
            match (message, &stream) {
                (Message::Request(request), _)
                    if client.reachable && matches!(obstacle(&request, Some(client), None), Some(Ok(()))) =>
                {
                    return Settled::Asked(request, standalone);
                }
                (Message::Request(request), Some(stream)) => {
                    let refusal = instead(&request, Some(client));
                    stream.respond(request, refusal).await;
                }
                (message, _) => standalone.keep(message),
            }
        }
        let mut waited_ms = 0;
        while lease.inbox.is_answering() && waited_ms < ANSWER_MS {
            fetch.sleep(LOOK_MS).await;
            waited_ms += LOOK_MS;
        }
        if waited_ms > 0 {
            fetch.sleep(USE_MS).await;
        }
        Settled::Ready(Some(standalone))
    }

    /// Returns the answer to a call that is sent once the client has answered a request of the server.
    pub(super) fn after_roots<F: Fetch>(
        &self,
        fetch: &F,
        lease: &Lease<F>,
        ask: OutgoingRequest<'_>,
        (request, mut standalone): (Request, Standalone),
    ) -> Answer {
        let OutgoingRequest { method, id, headers, params, back, client, patience_ms, .. } = ask;
        let (method, endpoint) = (method.to_owned(), Arc::clone(&self.endpoint));
        let (fetch, lease) = (fetch.clone(), lease.clone());
        let stream = self.standalone_stream(&fetch, &lease);
        Answer::Dialog(generate(move |out| {
            async move {
                if let (Some(stream), Some(client)) = (stream, &client) {
                    ask_first(&stream, client, request, &mut standalone, &out).await;
                }
                let method = method.as_str();
                let passthrough = None;
                let ask =
                    OutgoingRequest { method, id, headers, params, back, client, patience_ms, passthrough };
                let answered = match request::open(&endpoint, &fetch, ask).await {
                    Ok(Accepted::Replies(replies)) => {
                        replies.hold(lease).with_standalone(Some(standalone)).answer().await
                    }
                    Ok(Accepted::Refused(refusal)) => Err(refusal.failure),
                    Err(failure) => Err(failure),
                };
                let mut turns = match answered {
                    Ok(Answer::Result(result)) => return StreamItem::Event(Event::Result(result)),
                    Ok(Answer::Error(failure)) => return StreamItem::Event(Event::Error(failure)),
                    Ok(Answer::Passthrough(response)) => {
                        return StreamItem::Event(Event::Passthrough(response));
                    }
                    Ok(Answer::Events(events)) => events.map(StreamItem::Event).boxed_local(),
                    Ok(Answer::Dialog(turns)) => turns,
                    Err(failure) => return StreamItem::Event(Event::Error(failure.for_caller())),
                };
                while let Some(turn) = turns.next().await {
                    if matches!(&turn, StreamItem::Event(event) if event.is_last()) {
                        return turn;
                    }
                    out.push(turn);
                }
                StreamItem::Event(Event::Error(endpoint.ended(method)))
            }
            .boxed_local()
        }))
    }
}

/// Sends the server's requests to the client until the server asks for nothing more and has all answers.
async fn ask_first<F: Fetch>(
    stream: &StandaloneStream<F>,
    client: &AskableClient,
    first: Request,
    standalone: &mut Standalone,
    out: &Emitter<StreamItem>,
) {
    // Each open request holds a clone.
    let open = Rc::new(());
    let emit = |request: Request| {
        let params = request.params.clone();
        let ServerRequest { method, params, reply } = stream.back(request).server_request(&params);
        let held = Rc::clone(&open);
        let reply = Box::new(move |answer| {
            async move {
                reply(answer).await;
                drop(held);
            }
            .boxed_local()
        });
        out.push(StreamItem::Request(ServerRequest { method, params, reply }));
    };
    emit(first);
    let fetch = &stream.fetch;
    let until = fetch.now().saturating_add(ANSWER_MS);
    loop {
        let is_open = Rc::strong_count(&open) > 1 && fetch.now() < until;
        let ms = if is_open { LOOK_MS } else { USE_MS };
        match within(fetch, ms, standalone.next_unread()).await {
            Some(Message::Request(request))
                if matches!(obstacle(&request, Some(client), None), Some(Ok(()))) =>
            {
                emit(request);
            }
            Some(Message::Request(request)) => {
                let refusal = instead(&request, Some(client));
                stream.respond(request, refusal).await;
            }
            Some(message) => standalone.keep(message),
            None if !is_open => return,
            None => {}
        }
        if fetch.now() >= until {
            return;
        }
    }
}

async fn notify<F: Fetch>(endpoint: &Endpoint, fetch: &F, lease: &Lease<F>) {
    let headers = lease.message_headers().unwrap_or_default();
    let body = [br#"{"jsonrpc":"2.0","method":""#, CHANGED.as_bytes(), br#""}"#].concat();
    // If the server is down, the next call shows it.
    let _: Result<(), RpcError> = send_message(endpoint, fetch, CHANGED, &headers, body).await;
}
