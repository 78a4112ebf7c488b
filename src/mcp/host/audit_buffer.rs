use crate::mcp::host::operation::Operation;

/// Milliseconds between a decision and the write of its line. Lines are collected meanwhile, so that no request waits
/// for the log. If the isolate ends first, the lines collected in this time are lost.
pub const AUDIT_DELAY_MS: u64 = 1_000;
/// Maximum number of different lines between two writes. A caller can cause any number of denials. Further lines are
/// counted in one line with the reason `not_kept`.
pub const MAX_AUDIT_LINES: usize = 50;
/// Milliseconds after which a write counts as lost. The platform may stop the work of a request whose client has
/// disconnected.
pub const AUDIT_LAPSE_MS: u64 = 5_000;

/// The lines of the audit log that are not written yet, oldest first.
///
/// The host that owns the buffer provides timers and storage. If [`add`](Self::add) returns true, the host waits for
/// [`AUDIT_DELAY_MS`] and writes the lines that [`take`](Self::take) returns.
#[derive(Debug, Default)]
pub struct AuditBuffer {
    lines: Vec<Operation>,
    not_kept: u32,
    /// The time at which the scheduled write begins, in milliseconds since 1970.
    due: Option<u64>,
    /// The time at which the current write began, in milliseconds since 1970.
    writing: Option<u64>,
}

impl AuditBuffer {
    /// Returns a buffer without lines.
    pub const fn new() -> Self {
        Self { lines: Vec::new(), not_kept: 0, due: None, writing: None }
    }

    /// Adds a line, or counts it in an equal line. Returns whether the host has to schedule a write.
    pub fn add(&mut self, operation: Operation) -> bool {
        let now = operation.last;
        let full = self.lines.len() >= MAX_AUDIT_LINES;
        match self.lines.iter_mut().find(|line| line.is_repetition_of(&operation)) {
            Some(line) => line.repeat(&operation),
            None if full => self.not_kept = self.not_kept.saturating_add(operation.count),
            None => self.lines.push(operation),
        }
        let scheduled = self.due.is_some_and(|due| !lapsed(due, now));
        if !scheduled {
            self.due = Some(now.saturating_add(AUDIT_DELAY_MS));
        }
        !scheduled
    }

    /// Removes and returns the lines to write at `now`. Returns `None` while the previous write is in progress. The
    /// host then waits for another [`AUDIT_DELAY_MS`], so that lines are written in order.
    pub fn take(&mut self, now: u64) -> Option<Vec<Operation>> {
        if self.writing.is_some_and(|since| !lapsed(since, now)) {
            self.due = Some(now.saturating_add(AUDIT_DELAY_MS));
            return None;
        }
        self.due = None;
        let mut lines = std::mem::take(&mut self.lines);
        if let Some(count) = Some(std::mem::take(&mut self.not_kept)).filter(|count| *count > 0) {
            lines.push(Operation { count, ..Operation::new(now, None, "audit", None, "not_kept") });
        }
        self.writing = (!lines.is_empty()).then_some(now);
        Some(lines)
    }

    /// Marks the current write as finished.
    pub fn written(&mut self) {
        self.writing = None;
    }
}

/// Returns whether work that was due at `then` counts as lost at `now`. This is also the case if the clock was set
/// back.
fn lapsed(then: u64, now: u64) -> bool {
    then.abs_diff(now) > AUDIT_LAPSE_MS
}
