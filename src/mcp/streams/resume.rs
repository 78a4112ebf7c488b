use std::{collections::VecDeque, rc::Rc, task::Poll};

use futures_util::{
    StreamExt,
    stream::{self, LocalBoxStream},
};

use crate::{
    json::{self, Members, Raw},
    mcp::{
        http::{response, sse},
        protocol::error::RpcError,
        streams::{
            event_log::{EventId, LoggedEvent},
            session_streams::SessionStreams,
        },
    },
};

/// Delay, in milliseconds, before a client reconnects to resume a stream.
const RETRY_MS: u64 = 1_000;

impl SessionStreams {
    /// Returns the frames of a stream after an event, until it ends. With `prime` the first frame carries an event id,
    /// so that the client can resume the stream before anything has been sent (revision 2025-11-25).
    pub(crate) fn follow(self: &Rc<Self>, from: EventId, prime: bool) -> LocalBoxStream<'static, Vec<u8>> {
        let (live, stream, mut seen) = (Rc::clone(self), from.stream, from.event);
        let pauses = live.pauses(stream);
        let mut ready: VecDeque<Vec<u8>> = VecDeque::new();
        if prime {
            ready.push_back(format!("id: {from}\nretry: {RETRY_MS}\ndata: \n\n").into_bytes());
        }
        let mut ended = false;
        stream::poll_fn(move |context| {
            loop {
                if let Some(frame) = ready.pop_front() {
                    return Poll::Ready(Some(frame));
                }
                if ended {
                    return Poll::Ready(None);
                }
                let entries = live.event_log.read(stream, seen).unwrap_or_default();
                let more = !entries.is_empty();
                for LoggedEvent { event, body, last } in entries {
                    (seen, ended) = (event, last);
                    if !body.is_empty() {
                        ready.push_back(sse::frame(Some(EventId { stream, event }), &body));
                    }
                }
                if more {
                    continue;
                }
                match live.open_streams.borrow_mut().get_mut(&stream) {
                    Some(open_stream) if open_stream.pauses > pauses => {
                        ended = true;
                        ready.push_back(format!("retry: {}\n\n", open_stream.retry_ms).into_bytes());
                    }
                    Some(open_stream) => {
                        open_stream.waiting.push(context.waker().clone());
                        return Poll::Pending;
                    }
                    // The process that wrote the stream was stopped.
                    None => {
                        ended = true;
                        ready.extend(live.lost(stream));
                    }
                }
            }
        })
        .boxed_local()
    }

    /// Returns error responses to the requests of a stream whose processing was lost.
    fn lost(&self, stream: u64) -> Vec<Vec<u8>> {
        let mut entries =
            self.event_log.read(stream, stream.saturating_sub(1)).unwrap_or_default().into_iter();
        let opening = entries.next().filter(|first| first.event == stream);
        let ids = opening.as_ref().and_then(|opening| raw(&opening.body));
        let ids = ids.map(|ids| json::elements(ids).unwrap_or_else(|| vec![ids])).unwrap_or_default();
        let mut lost: Vec<Raw<'_>> = ids.into_iter().filter(|id| !json::is_null(*id)).collect();
        let mut sent: Vec<LoggedEvent> = entries.collect();
        while let Some(last) = sent.last().map(|entry| entry.event) {
            for id in sent.iter().filter_map(|entry| answered(&entry.body)) {
                lost.retain(|open| *open != id);
            }
            sent = self.event_log.read(stream, last).unwrap_or_default();
        }
        let failure = RpcError::internal("restarted", "the server was restarted; send the request again");
        lost.into_iter().map(|id| sse::frame(None, &response::error(&failure, Some(id.get())))).collect()
    }
}

fn raw(body: &[u8]) -> Option<Raw<'_>> {
    Raw::parse(std::str::from_utf8(body).ok()?).ok()
}

/// Returns the id of the request to which a message responds.
fn answered(message: &[u8]) -> Option<Raw<'_>> {
    let members = Members::read(raw(message)?)?;
    members.get("id").filter(|_| members.get("method").is_none())
}
