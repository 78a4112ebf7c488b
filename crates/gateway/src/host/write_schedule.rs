//! The schedule by which buffered log lines are written: delayed, and one write at a time.

/// Milliseconds between a decision and the write of its line. Lines are collected meanwhile, so that no request waits
/// for the log. If the isolate ends first, the lines collected in this time are lost.
pub const AUDIT_DELAY_MS: u64 = 1_000;
/// Milliseconds after which a write counts as lost. The platform may stop the work of a request whose client has
/// disconnected.
pub const AUDIT_LAPSE_MS: u64 = 5_000;

/// The times at which a buffer of log lines is written: one write at a time, [`AUDIT_DELAY_MS`] after the first line.
#[derive(Debug, Default)]
pub(crate) struct WriteSchedule {
    /// The time at which the scheduled write begins, in milliseconds since 1970.
    due: Option<u64>,
    /// The time at which the current write began, in milliseconds since 1970.
    writing: Option<u64>,
}

impl WriteSchedule {
    pub const fn new() -> Self {
        Self { due: None, writing: None }
    }

    /// Schedules a write for a line that is added at `now`. Returns whether none was scheduled before.
    pub fn request(&mut self, now: u64) -> bool {
        let scheduled = self.due.is_some_and(|due| !lapsed(due, now));
        if !scheduled {
            self.due = Some(now.saturating_add(AUDIT_DELAY_MS));
        }
        !scheduled
    }

    /// Begins the scheduled write at `now`. Returns false while the previous write is in progress: the write is then
    /// due after another [`AUDIT_DELAY_MS`], so that lines are written in order.
    pub fn begin(&mut self, now: u64) -> bool {
        let busy = self.writing.is_some_and(|since| !lapsed(since, now));
        self.due = busy.then(|| now.saturating_add(AUDIT_DELAY_MS));
        if !busy {
            self.writing = Some(now);
        }
        !busy
    }

    /// Marks the current write as finished.
    pub fn end(&mut self) {
        self.writing = None;
    }
}

/// Returns whether work that was due at `then` counts as lost at `now`. This is also the case if the clock was set
/// back.
fn lapsed(then: u64, now: u64) -> bool {
    then.abs_diff(now) > AUDIT_LAPSE_MS
}
