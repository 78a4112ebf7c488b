//! The trait for a host's logs: requests, audited decisions and warnings.

use serde_json::{Map, Value};

use crate::host::{allowed_call::AllowedCall, operation::Operation};

/// The logs for the operator: requests, audited decisions and warnings.
pub trait Observer {
    /// Writes the attributes of an answered message to the request log, if the configuration enables it.
    fn log(&self, attributes: Map<String, Value>) {
        _ = attributes;
    }

    /// Adds a line to the audit log. Responses must not wait for it:
    /// [`AuditBuffer`](crate::host::audit_buffer::AuditBuffer) collects lines until they are written.
    fn record(&self, operation: Operation) {
        _ = operation;
    }

    /// Adds a call to the log of allowed calls, which the configuration enables with `"audit": "all"`. Calls must
    /// neither wait for it nor fail with it: [`CallBuffer`](crate::host::call_buffer::CallBuffer) collects them until
    /// they are written.
    fn record_call(&self, call: AllowedCall) {
        _ = call;
    }

    /// Logs a warning for the operator, such as a policy that failed to evaluate.
    fn note(&self, note: &str) {
        _ = note;
    }
}
