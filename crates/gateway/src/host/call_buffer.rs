//! A buffer for entries of the log of allowed calls.

use crate::host::{allowed_call::AllowedCall, operation::Operation, write_schedule::WriteSchedule};

/// Maximum number of allowed calls between two writes. Further calls are served all the same and counted in the log of
/// denied requests, in one line with the reason `not_kept`.
pub const MAX_AUDIT_CALLS: usize = 500;

/// The allowed calls that are not written yet, oldest first. They have a buffer of their own, so that any number of
/// them displaces no denial, and a write of theirs that is slow delays none.
///
/// The host uses it as an [`AuditBuffer`](crate::audit::AuditBuffer).
#[derive(Debug, Default)]
pub struct CallBuffer {
    calls: Vec<AllowedCall>,
    not_kept: u32,
    schedule: WriteSchedule,
}

/// The allowed calls of one write.
#[derive(Debug, PartialEq, Eq)]
pub struct CallBatch {
    /// The calls to write, oldest first.
    pub calls: Vec<AllowedCall>,
    /// The line for the log of denied requests that counts the calls which are not kept, if there are any.
    pub not_kept: Option<Operation>,
}

impl CallBuffer {
    /// Returns a buffer without calls.
    pub const fn new() -> Self {
        Self { calls: Vec::new(), not_kept: 0, schedule: WriteSchedule::new() }
    }

    /// Adds a call. Returns whether the host has to schedule a write.
    pub fn add(&mut self, call: AllowedCall) -> bool {
        let now = call.at;
        if self.calls.len() < MAX_AUDIT_CALLS {
            self.calls.push(call.bounded());
        } else {
            self.not_kept = self.not_kept.saturating_add(1);
        }
        self.schedule.request(now)
    }

    /// Removes and returns the calls to write at `now`. Returns `None` while the previous write is in progress, as
    /// [`AuditBuffer::take`](crate::audit::AuditBuffer::take) does.
    pub fn take(&mut self, now: u64) -> Option<CallBatch> {
        if !self.schedule.begin(now) {
            return None;
        }
        let calls = std::mem::take(&mut self.calls);
        let not_kept = Some(std::mem::take(&mut self.not_kept)).filter(|count| *count > 0);
        if calls.is_empty() {
            self.schedule.end();
        }
        let line =
            |count| Operation { count, ..Operation::new(now, None, "audit", Some("calls"), "not_kept") };
        Some(CallBatch { calls, not_kept: not_kept.map(line) })
    }

    /// Marks the current write as finished.
    pub fn written(&mut self) {
        self.schedule.end();
    }
}
