//! When a server that does not answer is left alone, and for how long.

/// Failures in a row after which a server is left alone for a while.
pub const MAX_FAILURES: u32 = 5;
/// The first wait before something that failed is tried again, in milliseconds; it doubles each time.
pub const FIRST_PAUSE_MS: u64 = 1_000;
/// The longest such wait.
pub const MAX_PAUSE_MS: u64 = 60_000;

/// The wait after so many failures in a row: half of it is certain, half is by `chance`, from 0 to 1, so that
/// those who failed together do not come back together.
pub fn pause(failures: u32, chance: f64) -> u64 {
    let doubled = FIRST_PAUSE_MS.saturating_mul(1 << failures.saturating_sub(1).min(16));
    let half = doubled.min(MAX_PAUSE_MS) / 2;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within a minute")]
    let by_chance = (half as f64 * chance.clamp(0.0, 1.0)) as u64;
    half + by_chance
}

/// Counts failures in a row, and knows when the server is to be asked again.
///
/// Requests that were under way at the same time fail for one reason. They count as one failure: otherwise twenty
/// callers would make of a moment's outage a pause of a minute.
#[derive(Debug, Default)]
pub(crate) struct CircuitBreaker {
    failures: u32,
    /// No request before this time, because of what failed.
    paused_until: u64,
    /// No request before this time, because the server said so.
    told_until: u64,
}

/// The number of failures that were counted when a request was let out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Admission(u32);

impl CircuitBreaker {
    /// Lets a request out, or returns for how many milliseconds none goes out. After a pause one request goes out to
    /// see how the server is; the others wait for what comes of it.
    pub fn admit(&mut self, now: u64, chance: f64) -> Result<Admission, u64> {
        let until = self.paused_until.max(self.told_until);
        if now < until {
            return Err(until - now);
        }
        if self.failures >= MAX_FAILURES {
            self.paused_until = now + pause(self.failures - MAX_FAILURES + 1, chance);
        }
        Ok(Admission(self.failures))
    }

    /// The server has answered, whatever it said.
    pub fn answered(&mut self) {
        (self.failures, self.paused_until) = (0, 0);
    }

    /// The server has not answered a request. Only the first failure of those let out side by side counts.
    pub fn failed(&mut self, Admission(failures): Admission, now: u64, chance: f64) {
        if failures != self.failures {
            return;
        }
        self.failures = self.failures.saturating_add(1);
        if self.failures >= MAX_FAILURES {
            self.paused_until = now + pause(self.failures - MAX_FAILURES + 1, chance);
        }
    }

    /// The server has said when it can be asked again.
    pub fn told(&mut self, until: u64) {
        self.told_until = self.told_until.max(until);
    }
}
