//! The circuit breaker for servers and rankers that do not answer, and the length of its pauses.

/// Number of consecutive failures after which requests to a server are paused.
pub const MAX_FAILURES: u32 = 5;
/// Length of the first pause after a failure, in milliseconds. It doubles with each further failure.
pub const FIRST_PAUSE_MS: u64 = 1_000;
/// Maximum length of a pause, in milliseconds.
pub const MAX_PAUSE_MS: u64 = 60_000;

/// Returns the length of the pause after `failures` consecutive failures, in milliseconds. Half of it is fixed. The
/// other half is scaled by `chance`, from 0 to 1, so that clients that failed together do not retry together.
pub fn pause(failures: u32, chance: f64) -> u64 {
    let doubled = FIRST_PAUSE_MS.saturating_mul(1 << failures.saturating_sub(1).min(16));
    let half = doubled.min(MAX_PAUSE_MS) / 2;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within a minute")]
    let by_chance = (half as f64 * chance.clamp(0.0, 1.0)) as u64;
    half + by_chance
}

/// A counter of consecutive failures that pauses requests to a failing server.
///
/// Failures of concurrent requests count as one, since they have the same cause. Otherwise a brief outage with twenty
/// callers would cause a pause of a minute.
#[derive(Debug, Default)]
pub(crate) struct CircuitBreaker {
    failures: u32,
    /// The end of the pause after failures, in milliseconds since 1970.
    paused_until: u64,
    /// The end of the pause that the server requested, in milliseconds since 1970.
    deferred_until: u64,
}

/// The number of failures at the time when a request was admitted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Admission(u32);

impl CircuitBreaker {
    /// Admits a request, or returns the milliseconds until the end of the pause. After a pause, one request is admitted
    /// as a probe; the others wait for its result.
    pub fn admit(&mut self, now: u64, chance: f64) -> Result<Admission, u64> {
        let until = self.paused_until.max(self.deferred_until);
        if now < until {
            return Err(until - now);
        }
        if self.failures >= MAX_FAILURES {
            self.paused_until = now + pause(self.failures - MAX_FAILURES + 1, chance);
        }
        Ok(Admission(self.failures))
    }

    /// Records that the server answered, with any result.
    pub fn answered(&mut self) {
        (self.failures, self.paused_until) = (0, 0);
    }

    /// Records that the server did not answer a request. Of requests that were admitted together, only the first
    /// failure counts. Returns the milliseconds until the end of the pause, which are 0 if requests are not paused.
    pub fn failed(&mut self, Admission(failures): Admission, now: u64, chance: f64) -> u64 {
        if failures == self.failures {
            self.failures = self.failures.saturating_add(1);
            if self.failures >= MAX_FAILURES {
                self.paused_until = now + pause(self.failures - MAX_FAILURES + 1, chance);
            }
        }
        self.paused_until.saturating_sub(now)
    }

    /// Records the time at which the server accepts requests again, in milliseconds since 1970.
    pub fn defer(&mut self, until: u64) {
        self.deferred_until = self.deferred_until.max(until);
    }
}
