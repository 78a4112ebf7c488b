use serde_json::{Map, Value};

use crate::mcp::host::operation::Operation;

/// What the operator reads: the log of requests, the log of decisions, and warnings.
pub trait Observer {
    /// Writes the attributes of a message that was answered to where the operator reads them, if the configuration
    /// asks for that.
    fn log(&self, attributes: Map<String, Value>) {
        _ = attributes;
    }

    /// Keeps a line of the operator's log. No reply may wait for it: [`AuditBuffer`](crate::mcp::host::audit_buffer::AuditBuffer) collects
    /// lines until they are written.
    fn record(&self, operation: Operation) {
        _ = operation;
    }

    /// Something the operator should know of, such as a policy that could not judge.
    fn note(&self, note: &str) {
        _ = note;
    }
}
