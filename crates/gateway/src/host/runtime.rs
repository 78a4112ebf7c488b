//! The runtime of context middleware: registry, environment and audit records.

use std::{cell::RefCell, fmt, rc::Rc};

use serde_json::{Value, json};

use crate::{
    host::{operation::Operation, rate_limit::RateLimiter},
    middleware::{Environment, Mode, Registry, Report},
};

/// The functions of context middleware and their environment.
#[derive(Clone)]
pub struct MiddlewareRuntime {
    /// The functions.
    pub registry: Rc<Registry>,
    /// The clock, documents and other services that functions use.
    pub environment: Rc<dyn Environment>,
    /// The audit trail of function runs.
    pub trail: Rc<dyn AuditSink>,
    /// The calls to the endpoints, counted towards `middleware.callsPerMinute`.
    pub calls: Rc<RefCell<RateLimiter>>,
}

impl fmt::Debug for MiddlewareRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MiddlewareRuntime").field("registry", &self.registry).finish_non_exhaustive()
    }
}

/// An audit trail for runs of middleware functions.
pub trait AuditSink {
    /// Records the run of a function.
    fn note(&self, treatment: &FunctionRun<'_>);
}

/// The audit record of a function run: caller, function, sizes and duration, but no content.
#[derive(Debug, Clone)]
pub struct FunctionRun<'a> {
    /// `middleware`, `interceptors`, or `gateway` for the chain of a call.
    pub mount: &'static str,
    /// The JSON-RPC method.
    pub method: &'a str,
    /// The principal of the caller.
    pub principal: Option<&'a str>,
    /// The report of the function.
    pub report: &'a Report,
    /// The duration of its whole chain, in milliseconds.
    pub ms: u64,
}

impl FunctionRun<'_> {
    /// Returns a line for the operator's log, with the function and its result. Equal lines are counted, so that they
    /// do not displace lines about rejected requests.
    pub fn operation(&self, at: u64) -> Operation {
        let Report { function, mode, changed, ended, .. } = self.report;
        let ended = ended.as_deref().unwrap_or(if *changed { "changed" } else { "unchanged" });
        let audit = if *mode == Mode::Audit { "audit:" } else { "" };
        Operation::new(at, self.principal, self.method, Some(function), &format!("{audit}{ended}"))
    }

    /// Returns the record as JSON.
    pub fn to_json(&self) -> Value {
        let Report { function, mode, bytes, items, changed, ended } = self.report;
        let mode = if *mode == Mode::Audit { "audit" } else { "enforce" };
        json!({
            "mount": self.mount, "method": self.method, "principal": self.principal, "function": function,
            "mode": mode, "bytes": bytes, "items": items, "changed": changed, "ended": ended, "ms": self.ms,
        })
    }
}
