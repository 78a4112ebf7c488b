//! The output of server-sent events.

use std::task::Poll;

use futures_util::{
    FutureExt, StreamExt, future,
    stream::{self, LocalBoxStream},
};

use crate::protocol::{clock::Clock, event_id::EventId, passthrough::Passthrough};

/// Longest silence on a stream, in milliseconds.
const KEEP_ALIVE_MS: u64 = 15_000;
/// Longest silence, in milliseconds, on the stream of a call that ends when its client leaves. Some platforms notice that
/// only when they write, and it is to be noticed within a second.
const WATCHED_MS: u64 = 900;
/// The same for a call that has run for [`LONG_MS`].
const WATCHED_LONG_MS: u64 = 5_000;
/// Milliseconds after which a call is checked less often.
const LONG_MS: u64 = 60_000;

/// A comment, which clients skip.
const COMMENT: &[u8] = b": \n\n";

/// Returns frames after a comment. Platforms send the head of a response with its first bytes.
pub(crate) fn begun(frames: LocalBoxStream<'static, Vec<u8>>) -> LocalBoxStream<'static, Vec<u8>> {
    stream::iter([COMMENT.to_vec()]).chain(frames).boxed_local()
}

/// Adds a comment to a stream after each [`KEEP_ALIVE_MS`] of silence, since proxies may close a quiet connection.
pub(crate) fn keep_alive<H: Clock + Clone + 'static>(
    host: &H,
    frames: LocalBoxStream<'static, Vec<u8>>,
) -> LocalBoxStream<'static, Vec<u8>> {
    commented(host, frames, |_| KEEP_ALIVE_MS)
}

/// Adds comments to the stream of a call that ends when its client leaves: one after each [`WATCHED_MS`] of
/// silence, and one after each [`WATCHED_LONG_MS`] once the call has run for a minute.
pub(crate) fn watched<H: Clock + Clone + 'static>(
    host: &H,
    frames: LocalBoxStream<'static, Vec<u8>>,
) -> LocalBoxStream<'static, Vec<u8>> {
    commented(host, frames, |age| if age < LONG_MS { WATCHED_MS } else { WATCHED_LONG_MS })
}

/// Adds a comment to a stream after each silence of the length that `longest` returns for the age of the stream, both
/// in milliseconds.
fn commented<H: Clock + Clone + 'static>(
    host: &H,
    mut frames: LocalBoxStream<'static, Vec<u8>>,
    longest: impl Fn(u64) -> u64 + 'static,
) -> LocalBoxStream<'static, Vec<u8>> {
    let (host, begun) = (host.clone(), host.now());
    let mut silence = None;
    stream::poll_fn(move |context| {
        if let Poll::Ready(frame) = frames.poll_next_unpin(context) {
            silence = None;
            return Poll::Ready(frame);
        }
        let waiting = silence.get_or_insert_with(|| {
            let (host, ms) = (host.clone(), longest(host.now().saturating_sub(begun)));
            async move { host.sleep(ms).await }.boxed_local()
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

/// Returns a response that passes through as one event, in pieces. If it breaks off, the event is never completed.
pub(crate) fn passthrough(response: Passthrough) -> LocalBoxStream<'static, Vec<u8>> {
    let pieces = response.into_pieces().map(|piece| {
        let mut piece = piece.ok()?;
        // JSON has line breaks between tokens alone.
        piece.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        Some(piece)
    });
    let event = stream::iter([Some(b"event: message\ndata: ".to_vec())]).chain(pieces);
    let ended = event.chain(stream::iter([Some(b"\n\n".to_vec())]));
    ended.take_while(|piece| future::ready(piece.is_some())).filter_map(future::ready).boxed_local()
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
