//! What a call takes of the messages that its server sends outside the call's own answer.

use std::{collections::VecDeque, sync::Arc};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, AbortHandle, Abortable},
    stream,
};

use crate::upstream::{
    AskableClient, Fetch,
    connection::Connection,
    fetch::within,
    message::Message,
    replies::server_requests::instead,
    session_inbox::CallInbox,
    standalone_stream::{Messages, StandaloneStream},
};

/// Time, in milliseconds, that a call waits for the server to open the stream. A server may hold the headers back until
/// it has a message to send; the call then begins without them.
const OPEN_MS: u64 = 1_000;
/// The same for a call whose client cannot be asked: all that the call can do with a request is to refuse it.
const OPEN_TO_REFUSE_MS: u64 = 200;

/// The messages outside the answer of a call, for the duration of the call.
pub(crate) struct Standalone {
    source: Source,
    /// Messages that were read before the call was sent.
    kept: VecDeque<Message>,
}

enum Source {
    /// Those that the reader of the session passes to the call.
    Inbox(CallInbox),
    /// Those on a standalone stream that the call has opened for itself. Only one call at a time has it: the
    /// specification lets a server send a message on one stream only, and official servers refuse a second stream.
    Own(OwnStream),
}

/// A standalone stream of one call.
pub(crate) struct OwnStream {
    messages: Messages,
    connection: Arc<Connection>,
    number: u64,
    /// Ends the reading in the background, if the session has calls of several clients.
    refusing: Option<AbortHandle>,
}

impl Standalone {
    /// Opens the standalone stream of a session for one call. Returns `None` if the server has none, or it is read
    /// already. `is_shared` states whether the session has calls of several clients. A message on the stream may then be
    /// about the call of another client, so it reaches none.
    pub async fn open<F: Fetch>(
        stream: StandaloneStream<F>,
        client: &AskableClient,
        is_shared: bool,
    ) -> Option<Self> {
        let (fetch, connection) = (stream.fetch.clone(), Arc::clone(&stream.connection));
        let number = connection.inbox.begin(None, fetch.now())?;
        let mut own =
            OwnStream { messages: stream::empty().boxed_local(), connection, number, refusing: None };
        let ms = if client.can_be_asked() { OPEN_MS } else { OPEN_TO_REFUSE_MS };
        let waiting = stream.clone();
        let mut opening = async move { waiting.open().await }.boxed_local();
        own.messages = match within(&fetch, ms, &mut opening).await {
            Some(messages) => messages?,
            None => stream::once(opening).filter_map(future::ready).flatten().boxed_local(),
        };
        if is_shared {
            own.refuse(stream, client);
        }
        Some(Self { source: Source::Own(own), kept: VecDeque::new() })
    }

    /// Takes the messages that the reader of the session passes to the call.
    pub fn passed(inbox: CallInbox) -> Self {
        Self { source: Source::Inbox(inbox), kept: VecDeque::new() }
    }

    /// Keeps a message for the call, which is sent later.
    pub fn keep(&mut self, message: Message) {
        self.kept.push_back(message);
    }

    /// Returns the next message. Never completes once there are no more.
    pub async fn next(&mut self) -> Message {
        match self.kept.pop_front() {
            Some(message) => message,
            None => self.next_unread().await,
        }
    }

    /// Returns the next message that was not read before. Never completes once there are no more.
    pub async fn next_unread(&mut self) -> Message {
        match &mut self.source {
            Source::Inbox(inbox) => inbox.next().await,
            Source::Own(own) => match own.messages.next().await {
                Some(message) => message,
                None => future::pending().await,
            },
        }
    }
}

impl OwnStream {
    /// Answers every request on the stream with an error. This goes on in the background until the call ends: nothing
    /// else reads the stream before the answer to the call begins, or while its client has a question to answer, and
    /// the server would wait until its time limit.
    fn refuse<F: Fetch>(&mut self, stream: StandaloneStream<F>, client: &AskableClient) {
        let messages = std::mem::replace(&mut self.messages, stream::pending().boxed_local());
        let (client, fetch) = (AskableClient { reachable: false, ..client.clone() }, stream.fetch.clone());
        let (handle, registration) = AbortHandle::new_pair();
        self.refusing = Some(handle);
        let all = messages.for_each(move |message| {
            let (stream, client) = (stream.clone(), client.clone());
            async move {
                if let Message::Request(request) = message {
                    let outcome = instead(&request, Some(&client));
                    stream.respond(request, outcome).await;
                }
            }
        });
        fetch.spawn(Abortable::new(all, registration).map(|_| ()).boxed_local());
    }
}

impl Drop for OwnStream {
    fn drop(&mut self) {
        self.refusing.take().into_iter().for_each(|refusing| refusing.abort());
        self.connection.inbox.end(self.number);
    }
}
