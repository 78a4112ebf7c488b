//! The output of server-sent events.

use std::task::Poll;

use futures_util::{
    FutureExt, StreamExt,
    stream::{self, LocalBoxStream},
};

use crate::protocol::{clock::Clock, event_id::EventId};

/// Longest silence on a stream, in milliseconds.
const KEEP_ALIVE_MS: u64 = 15_000;

/// A comment, which clients skip.
const COMMENT: &[u8] = b": \n\n";

/// Returns frames after a comment. Platforms send the head of a response with its first bytes.
pub(crate) fn begun(frames: LocalBoxStream<'static, Vec<u8>>) -> LocalBoxStream<'static, Vec<u8>> {
    stream::iter([COMMENT.to_vec()]).chain(frames).boxed_local()
}

/// Adds a comment to a stream after each [`KEEP_ALIVE_MS`] of silence, since proxies may close a quiet connection.
pub(crate) fn keep_alive<H: Clock + Clone + 'static>(
    host: &H,
    mut frames: LocalBoxStream<'static, Vec<u8>>,
) -> LocalBoxStream<'static, Vec<u8>> {
    let host = host.clone();
    let mut silence = None;
    stream::poll_fn(move |context| {
        if let Poll::Ready(frame) = frames.poll_next_unpin(context) {
            silence = None;
            return Poll::Ready(frame);
        }
        let waiting = silence.get_or_insert_with(|| {
            let host = host.clone();
            async move { host.sleep(KEEP_ALIVE_MS).await }.boxed_local()
        });
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => {
                silence = None;
                Poll::Ready(Some(COMMENT.to_vec()))
            }
            Poll::Pending => Poll::Pending,
        }
    })
    .boxed_local()
}

/// Formats one event. JSON may contain line breaks between tokens; each line becomes its own `data:` line.
pub(crate) fn frame(id: Option<EventId>, message: &[u8]) -> Vec<u8> {
    let mut out = id.map(|id| format!("id: {id}\n")).unwrap_or_default().into_bytes();
    out.extend_from_slice(b"event: message\n");
    for line in message.split(|byte| matches!(byte, b'\n' | b'\r')).filter(|line| !line.is_empty()) {
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out.push(b'\n');
    out
}
