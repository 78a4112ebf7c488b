//! Resumes a session's streams after a lost connection (`Last-Event-ID`).

use std::{
    collections::VecDeque,
    rc::Rc,
    task::{Poll, ready},
};

use futures_util::{
    StreamExt,
    stream::{self, LocalBoxStream},
};
use mcp_sieve::json::{Members, Raw};

use crate::{
    protocol::{error::RpcError, event_id::EventId, response, sse},
    session::{
        connection::{End, UnreadEvent},
        event_log::{CHANGES, LoggedEvent},
        session_streams::SessionStreams,
    },
};

/// Delay, in milliseconds, before a client reconnects to resume a stream.
const RETRY_MS: u64 = 1_000;

impl SessionStreams {
    /// Returns the frames of the stream of a request after an event that its client has received.
    ///
    /// # Errors
    /// 400 `last_event_id` if the stream can neither go on nor come to its end from what is stored, and errors of the
    /// event log.
    pub(crate) fn resume(
        self: &Rc<Self>,
        from: EventId,
    ) -> Result<LocalBoxStream<'static, Vec<u8>>, RpcError> {
        if self.is_open(from.stream) || self.is_opening_stored(from.stream)? || self.is_end_stored(from)? {
            return Ok(self.follow(from, false));
        }
        Err(EventId::refused(format!("the events after `{from}` are not stored; send the request again")))
    }

    /// Returns whether the event is stored that names the requests of a stream.
    fn is_opening_stored(&self, stream: u64) -> Result<bool, RpcError> {
        let entries = self.event_log.read(stream, stream.saturating_sub(1))?;
        Ok(entries.first().is_some_and(|first| first.event == stream))
    }

    /// Returns whether a stream has ended, and the rest after an event is stored.
    fn is_end_stored(&self, mut from: EventId) -> Result<bool, RpcError> {
        while let Some(last) = self.event_log.read(from.stream, from.event)?.last() {
            if last.last {
                return Ok(true);
            }
            from.event = last.event;
        }
        Ok(false)
    }

    /// Returns the frames of the stream of changes after an event.
    pub(crate) fn replay(&self, from: Option<EventId>) -> Result<Vec<Vec<u8>>, RpcError> {
        let mut frames = Vec::new();
        let Some(mut from) = from else { return Ok(frames) };
        loop {
            let entries = self.event_log.read(from.stream, from.event)?;
            if entries.is_empty() {
                return Ok(frames);
            }
            for LoggedEvent { event, body, .. } in entries {
                from.event = event;
                if !body.is_empty() {
                    frames.push(sse::frame(Some(from), &body));
                }
            }
        }
    }

    /// Returns the frame with which the stream of changes begins, so that a client can resume it before anything has
    /// changed.
    pub(crate) fn prime(&self) -> Result<Vec<u8>, RpcError> {
        let event = self.append(CHANGES, b"", false)?;
        Ok(prime_frame(EventId { stream: CHANGES, event }))
    }

    /// Stores a notification of the stream of changes and returns its frame. One that the log cannot store is sent
    /// once.
    pub(crate) fn record(&self, message: &[u8]) -> Vec<u8> {
        let event = self.append(CHANGES, message, false).ok();
        sse::frame(event.map(|event| EventId { stream: CHANGES, event }), message)
    }

    /// Returns the frames of a stream after an event, until it ends: first the events that the log has, then those that
    /// are sent meanwhile. With `prime` the first frame carries an event id, so that the client can resume the stream
    /// before anything has been sent (revision 2025-11-25).
    pub(crate) fn follow(self: &Rc<Self>, from: EventId, prime: bool) -> LocalBoxStream<'static, Vec<u8>> {
        let (live, stream, mut seen) = (Rc::clone(self), from.stream, from.event);
        let connection = live.connect(stream);
        let mut ready: VecDeque<Vec<u8>> = VecDeque::new();
        if prime {
            ready.push_back(prime_frame(from));
        }
        let (mut is_in_log, mut has_ended) = (true, false);
        stream::poll_fn(move |context| {
            loop {
                if let Some(frame) = ready.pop_front() {
                    return Poll::Ready(Some(frame));
                }
                if has_ended {
                    return Poll::Ready(None);
                }
                if is_in_log {
                    // The connection has every event since it was opened.
                    let until = connection.as_ref().and_then(|connection| connection.first_unread());
                    let entries = live.event_log.read(stream, seen);
                    // If the log cannot be read, the client resumes later.
                    has_ended = entries.is_err();
                    is_in_log = false;
                    for LoggedEvent { event, body, last } in entries.into_iter().flatten() {
                        if until.is_some_and(|until| event >= until) {
                            is_in_log = false;
                            break;
                        }
                        (is_in_log, seen, has_ended) = (true, event, last);
                        if !body.is_empty() {
                            ready.push_back(sse::frame(Some(EventId { stream, event }), &body));
                        }
                    }
                    continue;
                }
                let Some(connection) = &connection else {
                    // The process that wrote the stream was stopped.
                    has_ended = true;
                    ready.extend(live.lost(stream));
                    continue;
                };
                match ready!(connection.poll_next(context)) {
                    Ok(UnreadEvent { number, message }) => {
                        let id = number.map(|event| EventId { stream, event });
                        ready.push_back(sse::frame(id, &message));
                    }
                    Err(end) => {
                        has_ended = true;
                        if let End::Paused { retry_ms } = end {
                            ready.push_back(format!("retry: {retry_ms}\n\n").into_bytes());
                        }
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
        let ids = ids.map(|ids| ids.elements().unwrap_or_else(|| vec![ids])).unwrap_or_default();
        let mut lost: Vec<Raw<'_>> = ids.into_iter().filter(|id| !id.is_null()).collect();
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

/// Returns the frame with which a stream begins: an event without a message, after which a client can resume.
fn prime_frame(id: EventId) -> Vec<u8> {
    format!("id: {id}\nretry: {RETRY_MS}\ndata: \n\n").into_bytes()
}

fn raw(body: &[u8]) -> Option<Raw<'_>> {
    Raw::parse(std::str::from_utf8(body).ok()?).ok()
}

/// Returns the id of the request to which a message responds.
pub(super) fn answered(message: &[u8]) -> Option<Raw<'_>> {
    let members = Members::read(raw(message)?)?;
    members.get("id").filter(|_| members.get("method").is_none())
}
