//! Memory for the replies of upstream servers: how much one isolate holds at once.
//!
//! A reply is counted from its first piece until the work that its result begins has run. At its end, a result is
//! parsed in place, written again for the caller and copied to the platform, which takes twice its length more.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use futures_util::FutureExt;
use http::StatusCode;

use crate::{
    host::rate_limit::CROWDED_S,
    protocol::error::RpcError,
    upstream::{
        Fetch, MAX_ANSWER, lock,
        sse::{Frame, Parser},
    },
};

/// Memory for the replies that one isolate reads at once, in bytes: two of the maximum length, and small ones. With
/// twice [`MAX_ANSWER`] for the copies of the reply that ends, and with the bodies of requests, this leaves a quarter
/// of an isolate's 128 MB for the module and its catalog.
pub const MAX_REPLIES: usize = 2 * MAX_ANSWER + SMALL_REPLIES;
/// The part of [`MAX_REPLIES`] that is reserved for small replies, in bytes, so that large ones cannot exhaust it.
pub const SMALL_REPLIES: usize = 4 * 1024 * 1024;
/// Maximum length of a small reply, in bytes.
pub const SMALL_REPLY: usize = 64 * 1024;
/// Milliseconds without a further piece, after which a reply can be dropped from the count. A runtime may stop a
/// request without running destructors.
const HELD_MS: u64 = 150_000;

/// The replies in the memory of one isolate.
#[derive(Debug, Default)]
pub(crate) struct ReplyMemory(Mutex<Replies>);

#[derive(Debug, Default)]
struct Replies {
    held: BTreeMap<u64, Held>,
    bytes: usize,
    last: u64,
}

#[derive(Debug)]
struct Held {
    bytes: usize,
    /// The time of the last change, in milliseconds since 1970.
    since: u64,
}

/// The memory that one reply holds. It is released when this is dropped.
#[derive(Debug)]
pub(crate) struct ReplyLease {
    memory: Arc<ReplyMemory>,
    number: u64,
}

impl ReplyMemory {
    /// Begins to count a reply, which holds nothing yet.
    pub fn lease(self: &Arc<Self>) -> ReplyLease {
        let mut replies = lock(&self.0);
        replies.last = replies.last.wrapping_add(1);
        ReplyLease { memory: Arc::clone(self), number: replies.last }
    }

    /// Returns the number of bytes that are held now.
    pub fn bytes(&self) -> usize {
        lock(&self.0).bytes
    }
}

impl ReplyLease {
    /// Sets the number of bytes that the reply holds.
    ///
    /// # Errors
    /// Returns 503 `reply_limit` if there is no memory for them. The number is unchanged then.
    pub fn resize(&self, bytes: usize, now: u64) -> Result<(), RpcError> {
        let mut replies = lock(&self.memory.0);
        if !replies.has_room(self.number, bytes) {
            replies.forget(now);
            if !replies.has_room(self.number, bytes) {
                return Err(too_many());
            }
        }
        replies.close(self.number);
        if bytes > 0 {
            replies.bytes += bytes;
            replies.held.insert(self.number, Held { bytes, since: now });
        }
        Ok(())
    }

    /// Counts a large reply until the work that its result begins has run. Each step of it may hold a copy.
    pub fn outlast<F: Fetch>(self, fetch: &F) {
        let held = lock(&self.memory.0).held.get(&self.number).map_or(0, |held| held.bytes);
        if held > SMALL_REPLY {
            let clock = fetch.clone();
            fetch.spawn(
                async move {
                    clock.sleep(0).await;
                    drop(self);
                }
                .boxed_local(),
            );
        }
    }
}

impl Drop for ReplyLease {
    fn drop(&mut self) {
        lock(&self.memory.0).close(self.number);
    }
}

impl Replies {
    /// Returns whether a reply may hold this many bytes beside all others. Fewer than before are always possible.
    fn has_room(&self, number: u64, bytes: usize) -> bool {
        let held = self.held.get(&number).map_or(0, |held| held.bytes);
        let most = if bytes <= SMALL_REPLY { MAX_REPLIES } else { MAX_REPLIES - SMALL_REPLIES };
        bytes <= held || self.bytes - held + bytes <= most
    }

    /// Drops the replies that ended without being released.
    fn forget(&mut self, now: u64) {
        let old = |held: &Held| now.saturating_sub(held.since) > HELD_MS;
        let gone: Vec<u64> =
            self.held.iter().filter(|(_, held)| old(held)).map(|(number, _)| *number).collect();
        gone.into_iter().for_each(|number| self.close(number));
    }

    fn close(&mut self, number: u64) {
        let held = self.held.remove(&number).map_or(0, |held| held.bytes);
        self.bytes = self.bytes.saturating_sub(held);
    }
}

/// The parser of an event stream, whose unfinished event is counted.
#[derive(Debug)]
pub(crate) struct CountedParser<F> {
    parser: Parser,
    lease: ReplyLease,
    clock: F,
}

impl<F: Fetch> CountedParser<F> {
    /// Creates a parser of one stream.
    pub fn new(memory: &Arc<ReplyMemory>, clock: &F) -> Self {
        Self { parser: Parser::new(MAX_ANSWER), lease: memory.lease(), clock: clock.clone() }
    }

    /// Parses the next piece, and returns the events that it completes; `None` if an event is too large, or there is no
    /// memory for it.
    pub fn push(&mut self, piece: &[u8]) -> Option<Vec<Frame>> {
        let now = self.clock.now();
        self.lease.resize(self.parser.held() + piece.len(), now).ok()?;
        let mut frames = Vec::new();
        self.parser.push(piece, &mut frames).ok()?;
        self.lease.resize(self.parser.held(), now).ok()?;
        Some(frames)
    }
}

/// Returns the error for a reply for which there is no memory.
fn too_many() -> RpcError {
    let message = format!(
        "the replies of upstream servers that are being read leave no memory for this one, ask again in {CROWDED_S} s"
    );
    RpcError::internal("reply_limit", message).retry_after(CROWDED_S).under(StatusCode::SERVICE_UNAVAILABLE)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn replies_that_were_never_dropped_are_forgotten() {
        let memory = Arc::new(ReplyMemory::default());
        let large = MAX_REPLIES - SMALL_REPLIES;
        let (lost, next) = (memory.lease(), memory.lease());
        lost.resize(large, 0).unwrap();
        std::mem::forget(lost);
        assert_eq!(next.resize(SMALL_REPLY + 1, HELD_MS).unwrap_err().reason(), Some("reply_limit"));
        next.resize(SMALL_REPLY, HELD_MS).unwrap();
        assert_eq!(memory.bytes(), large + SMALL_REPLY);
        next.resize(large, HELD_MS + 1).unwrap();
        assert_eq!(memory.bytes(), large);
        drop(next);
        assert_eq!(memory.bytes(), 0);
    }
}
