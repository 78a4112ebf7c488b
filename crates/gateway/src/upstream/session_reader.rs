//! The reader of a session's standalone stream. It outlives the call that began it.

use std::{pin::pin, rc::Rc};

use futures_util::{
    FutureExt, StreamExt,
    future::{Either, select},
};

use crate::{
    host::circuit_breaker::pause,
    protocol::error::RpcError,
    upstream::{
        AskableClient, Fetch,
        fetch::within,
        lease::Lease,
        message::{Message, Request},
        replies::server_requests::{instead, obstacle},
        session_inbox::{ClientAnswer, OutsideCalls, PULSE_MS},
        standalone_stream::{Messages, StandaloneStream},
    },
};

/// Milliseconds for which the first call of a session waits for the stream. A server may hold the headers back until it
/// has a message to send.
const OPEN_MS: u64 = 500;

/// The reader of a session's standalone stream.
pub(crate) struct SessionReader<F: Fetch> {
    stream: StandaloneStream<F>,
    /// Keeps the session in use.
    lease: Lease<F>,
    client: AskableClient,
    outside: Option<Rc<dyn OutsideCalls>>,
    number: u64,
}

impl<F: Fetch> SessionReader<F> {
    /// Begins to read the stream of a session, unless it is read already. `outside` takes what is for no call. Waits
    /// until the stream is open, for [`OPEN_MS`] at most.
    pub async fn begin(
        stream: StandaloneStream<F>,
        lease: &Lease<F>,
        client: AskableClient,
        outside: Option<Rc<dyn OutsideCalls>>,
    ) {
        let fetch = stream.fetch.clone();
        let Some(number) = lease.inbox.begin(fetch.place(), fetch.now()) else { return };
        let mut reader = Self { stream: stream.clone(), lease: lease.clone(), client, outside, number };
        let mut opening = async move { stream.open().await }.boxed_local();
        match within(&fetch, OPEN_MS, &mut opening).await {
            Some(None) => reader.lease.inbox.end(number),
            Some(Some(messages)) => fetch.spawn(async move { reader.run(messages).await }.boxed_local()),
            None => fetch.spawn(
                async move {
                    match reader.opened(opening).await {
                        Some(messages) => reader.run(messages).await,
                        None => reader.lease.inbox.end(number),
                    }
                }
                .boxed_local(),
            ),
        }
    }

    /// Waits for the stream to open. Returns `None` if it does not, or nothing uses the session any more.
    async fn opened(&self, mut opening: impl Future<Output = Option<Messages>> + Unpin) -> Option<Messages> {
        loop {
            match within(&self.stream.fetch, PULSE_MS, &mut opening).await {
                Some(opened) => return opened,
                None if self.goes_on() => {}
                None => return None,
            }
        }
    }

    /// Reads the stream while the session is in use. A stream that closes is opened again, because proxies close idle
    /// ones.
    async fn run(&mut self, mut messages: Messages) {
        let mut failures = 0;
        loop {
            while let Some(message) = self.next(&mut messages).await {
                failures = 0;
                message.into_iter().for_each(|message| self.take(message));
            }
            failures += 1;
            let fetch = self.stream.fetch.clone();
            if !self.goes_on() {
                break;
            }
            fetch.sleep(pause(failures, fetch.chance()).min(PULSE_MS)).await;
            if !self.goes_on() {
                break;
            }
            let opening = self.stream.clone();
            match self.opened(async move { opening.open().await }.boxed_local()).await {
                Some(again) => messages = again,
                None => break,
            }
        }
        self.lease.inbox.end(self.number);
        if self.lease.is_ended() {
            self.outside.iter().for_each(|outside| outside.ended());
        }
    }

    /// Returns the next message, or `Some(None)` if none has arrived for a while. Returns `None` at the end of the
    /// stream, and when nothing uses the session any more.
    async fn next(&self, messages: &mut Messages) -> Option<Option<Message>> {
        match select(messages.next(), pin!(self.stream.fetch.sleep(PULSE_MS))).await {
            Either::Left((message, _)) => {
                let message = message?;
                self.goes_on().then_some(Some(message))
            }
            Either::Right(_) => self.goes_on().then_some(None),
        }
    }

    /// Records a sign of life. Returns whether the session is still in use.
    fn goes_on(&self) -> bool {
        let (is_listening, now) = (self.is_listening(), self.stream.fetch.now());
        self.lease.inbox.pulse(self.number, is_listening, now)
            && !self.lease.is_retired()
            && !self.lease.is_ended()
    }

    fn is_listening(&self) -> bool {
        self.outside.as_ref().is_some_and(|outside| outside.is_listening())
    }

    /// Passes a message to the calls that take it, or to the client.
    fn take(&self, message: Message) {
        let message = match message {
            // No client answers it, such as a ping.
            Message::Request(request) if self.obstacle(&request).is_none() => {
                return self.answer(request, None);
            }
            message => message,
        };
        match self.lease.inbox.route(message, self.is_listening()) {
            Some(Message::Request(request)) => self.ask(request),
            Some(Message::Notification(message)) => {
                self.outside.iter().for_each(|outside| outside.notify(message.clone()));
            }
            Some(Message::Response(_)) | None => {}
        }
    }

    /// Returns an error if the request cannot be sent to the client; `None` if it is not a request to a client.
    fn obstacle(&self, request: &Request) -> Option<Result<(), RpcError>> {
        obstacle(request, Some(&self.client), Some(&self.lease.client_tasks))
    }

    /// Sends a request to the client outside calls, or refuses it at once.
    fn ask(&self, request: Request) {
        let is_able = matches!(self.obstacle(&request), Some(Ok(())));
        let outside = self.outside.as_ref().filter(|_| is_able);
        let params = self.stream.endpoint.sign(&request.method, &request.params);
        let asked = outside.and_then(|outside| outside.ask(&request.method, &params));
        self.answer(request, asked);
    }

    /// Sends the client's answer to the server, or a refusal.
    fn answer(&self, request: Request, asked: Option<ClientAnswer>) {
        let (stream, lease) = (self.stream.clone(), self.lease.clone());
        let client = AskableClient { reachable: false, ..self.client.clone() };
        lease.inbox.begin_answer();
        self.stream.fetch.spawn(
            async move {
                let outcome = match asked {
                    Some(answer) => answer.await,
                    None => instead(&request, Some(&client)),
                };
                stream.respond(request, outcome).await;
                lease.inbox.end_answer();
            }
            .boxed_local(),
        );
    }
}
