use std::cell::Cell;

/// Longest time, in milliseconds, that the answer to a call takes in all, however much progress it reports. A longer
/// `callTimeoutMs` counts instead.
pub const MAX_ANSWER_MS: u64 = 60 * 60 * 1000;

/// How long an answer has been waited for.
///
/// The answer to a call is due message by message: bytes that complete none, such as a body that trickles or the
/// comments that keep a stream open, buy no time. Everything else has a limit of its own, and is due piece by piece.
/// No time runs out while the client has a question of the server's to answer.
#[derive(Debug)]
pub(crate) struct Clock {
    begun: u64,
    /// When the last thing came that was waited for.
    since: Cell<u64>,
    by_message: Cell<bool>,
    /// Questions that the client has not answered.
    questions: Cell<usize>,
}

/// Why an answer comes too late.
#[derive(Debug)]
pub(crate) enum Timeout {
    /// No piece came.
    Silent,
    /// Pieces came at most, and no complete message.
    Incomplete,
    /// Messages came, and no end in so many milliseconds.
    Endless(u64),
}

impl Clock {
    pub fn new(now: u64) -> Self {
        let (by_message, questions) = Default::default();
        Self { begun: now, since: Cell::new(now), by_message, questions }
    }

    /// The answer is that of a call.
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

    /// The client has a question to answer.
    pub fn ask(&self) {
        self.questions.set(self.questions.get() + 1);
    }

    /// The client has answered a question, or never will.
    pub fn answer(&self, now: u64) {
        self.questions.set(self.questions.get().saturating_sub(1));
        self.since.set(now);
    }

    /// Milliseconds after which to look whether the answer is late.
    pub fn left_ms(&self, now: u64, patience_ms: u64) -> u64 {
        let since = if self.questions.get() > 0 { now } else { self.since.get() };
        let until = since.saturating_add(patience_ms);
        let end = match self.by_message.get() {
            true => self.begun.saturating_add(MAX_ANSWER_MS.max(patience_ms)),
            false => u64::MAX,
        };
        until.min(end).saturating_sub(now)
    }

    /// Whether the answer is late, and how.
    pub fn late(&self, now: u64, patience_ms: u64) -> Option<Timeout> {
        if self.left_ms(now, patience_ms) > 0 {
            return None;
        }
        let silent = self.questions.get() == 0 && now >= self.since.get().saturating_add(patience_ms);
        Some(match (silent, self.by_message.get()) {
            (true, false) => Timeout::Silent,
            (true, true) => Timeout::Incomplete,
            (false, _) => Timeout::Endless(MAX_ANSWER_MS.max(patience_ms)),
        })
    }
}
