//! A buffer for audit log lines, which merges equal lines until they are written.

use crate::host::{operation::Operation, write_schedule::WriteSchedule};

/// Maximum number of different lines between two writes. A caller can cause any number of denials. Further lines are
/// counted in one line with the reason `not_kept`.
pub const MAX_AUDIT_LINES: usize = 50;

/// The lines of the audit log that are not written yet, oldest first.
///
/// The host that owns the buffer provides timers and storage. If [`add`](Self::add) returns true, the host waits for
/// [`AUDIT_DELAY_MS`](crate::audit::AUDIT_DELAY_MS) and writes the lines that [`take`](Self::take) returns.
#[derive(Debug, Default)]
pub struct AuditBuffer {
    lines: Vec<Operation>,
    not_kept: u32,
    schedule: WriteSchedule,
}

impl AuditBuffer {
    /// Returns a buffer without lines.
    pub const fn new() -> Self {
        Self { lines: Vec::new(), not_kept: 0, schedule: WriteSchedule::new() }
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
        self.schedule.request(now)
    }

    /// Removes and returns the lines to write at `now`. Returns `None` while the previous write is in progress. The
    /// host then waits for another [`AUDIT_DELAY_MS`](crate::audit::AUDIT_DELAY_MS), so that lines are written in
    /// order.
    pub fn take(&mut self, now: u64) -> Option<Vec<Operation>> {
        if !self.schedule.begin(now) {
            return None;
        }
        let mut lines = std::mem::take(&mut self.lines);
        if let Some(count) = Some(std::mem::take(&mut self.not_kept)).filter(|count| *count > 0) {
            lines.push(Operation { count, ..Operation::new(now, None, "audit", None, "not_kept") });
        }
        if lines.is_empty() {
            self.schedule.end();
        }
        Some(lines)
    }

    /// Marks the current write as finished.
    pub fn written(&mut self) {
        self.schedule.end();
    }
}
