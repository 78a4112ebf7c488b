use crate::mcp::host::operation::Operation;

/// Milliseconds between a decision and the write of its line. Lines are collected meanwhile, so no request waits for
/// the log and none is slowed down by the write of its own line. An isolate that ends loses the lines of this time.
pub const AUDIT_DELAY_MS: u64 = 1_000;
/// Maximum number of different lines between two writes; a caller that is denied can be denied as often as it likes.
/// Lines beyond it are counted in one line with the reason `not_kept`.
pub const MAX_AUDIT_LINES: usize = 50;
/// Milliseconds after which a write counts as lost: the platform may end the work of a request whose client has gone.
pub const AUDIT_LAPSE_MS: u64 = 5_000;

/// The lines of the operator's log that are not written yet, oldest first.
///
/// The host that holds it lends timers and storage: where [`add`](Self::add) says so, it waits for
/// [`AUDIT_DELAY_MS`] and writes what [`take`](Self::take) returns.
#[derive(Debug, Default)]
pub struct AuditBuffer {
    lines: Vec<Operation>,
    not_kept: u32,
    /// When the scheduled write begins, in milliseconds since 1970.
    due: Option<u64>,
    /// When the write under way began.
    writing: Option<u64>,
}

impl AuditBuffer {
    /// A buffer without lines.
    pub const fn new() -> Self {
        Self { lines: Vec::new(), not_kept: 0, due: None, writing: None }
    }

    /// Adds a line, or counts it in a line that says the same. Returns whether the host has to schedule a write.
    pub fn add(&mut self, operation: Operation) -> bool {
        let now = operation.last;
        let full = self.lines.len() >= MAX_AUDIT_LINES;
        match self.lines.iter_mut().find(|line| line.says_the_same(&operation)) {
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

    /// Takes the lines that are to be written at `now`. `None` while the write before is under way: the host then
    /// waits for another [`AUDIT_DELAY_MS`], so that lines are written in order.
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

    /// The write under way has ended.
    pub fn written(&mut self) {
        self.writing = None;
    }
}

/// Whether work that should have happened at `then` is lost by `now`. A clock that went back says so too.
fn lapsed(then: u64, now: u64) -> bool {
    then.abs_diff(now) > AUDIT_LAPSE_MS
}
