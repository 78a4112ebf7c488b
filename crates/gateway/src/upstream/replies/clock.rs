//! The time limits of an upstream response.

use std::cell::Cell;

/// Longest total time, in milliseconds, that the answer to a call may take, whatever progress it reports. A longer
/// `callTimeoutMs` overrides it.
pub const MAX_ANSWER_MS: u64 = 60 * 60 * 1000;

/// The time limits of an answer.
///
/// In the answer to a call, each message has a time limit. Bytes that complete no message, such as a trickling body or
/// the comments that keep a stream open, do not extend it. All other answers have a total limit elsewhere, and here one
/// for each piece. No time passes while the client has a request of the server to answer.
#[derive(Debug)]
pub(crate) struct Clock {
    begun: u64,
    /// The time of the last piece, message or client response that counted, in milliseconds since 1970.
    since: Cell<u64>,
    by_message: Cell<bool>,
    /// The number of requests to the client without a response.
    open_requests: Cell<usize>,
}

/// The reason why an answer is late.
#[derive(Debug)]
pub(crate) enum Timeout {
    /// No piece arrived in time.
    Silent,
    /// Pieces arrived, but no complete message.
    Incomplete,
    /// Messages arrived, but the answer did not end within this many milliseconds.
    Endless(u64),
}

impl Clock {
    pub fn new(now: u64) -> Self {
        let (by_message, open_requests) = Default::default();
        Self { begun: now, since: Cell::new(now), by_message, open_requests }
    }

    /// Switches to the limits of a call's answer, which count by message.
    pub fn count_messages(&self) {
        self.by_message.set(true);
    }

    pub fn piece(&self, now: u64) {
        if !self.by_message.get() {
            self.since.set(now);
        }
    }

    pub fn message(&self, now: u64) {
        self.since.set(now);
    }

    /// Records a request to the client.
    pub fn ask(&self) {
        self.open_requests.set(self.open_requests.get() + 1);
    }

    /// Records that the client answered a request, or never will.
    pub fn end_request(&self, now: u64) {
        self.open_requests.set(self.open_requests.get().saturating_sub(1));
        self.since.set(now);
    }

    /// Returns the milliseconds until the answer may be late.
    pub fn left_ms(&self, now: u64, patience_ms: u64) -> u64 {
        let since = if self.open_requests.get() > 0 { now } else { self.since.get() };
        let until = since.saturating_add(patience_ms);
        let end = match self.by_message.get() {
            true => self.begun.saturating_add(MAX_ANSWER_MS.max(patience_ms)),
            false => u64::MAX,
        };
        until.min(end).saturating_sub(now)
    }

    /// Returns the reason why the answer is late, if it is.
    pub fn late(&self, now: u64, patience_ms: u64) -> Option<Timeout> {
        if self.left_ms(now, patience_ms) > 0 {
            return None;
        }
        let silent = self.open_requests.get() == 0 && now >= self.since.get().saturating_add(patience_ms);
        Some(match (silent, self.by_message.get()) {
            (true, false) => Timeout::Silent,
            (true, true) => Timeout::Incomplete,
            (false, _) => Timeout::Endless(MAX_ANSWER_MS.max(patience_ms)),
        })
    }
}
