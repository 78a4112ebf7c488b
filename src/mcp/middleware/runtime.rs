use std::{cell::RefCell, fmt, rc::Rc};

use serde_json::{Value, json};

use crate::{
    mcp::host::{operation::Operation, rate_limit::RateLimiter},
    middleware::{Environment, Mode, Registry, Report},
};

/// The functions of context middleware, and the world they work in.
#[derive(Clone)]
pub struct MiddlewareRuntime {
    /// The functions.
    pub registry: Rc<Registry>,
    /// What they ask of the world.
    pub environment: Rc<dyn Environment>,
    /// Where it is written what they did.
    pub trail: Rc<dyn AuditSink>,
    /// The calls that the mounts took, counted towards `middleware.callsPerMinute`.
    pub calls: Rc<RefCell<RateLimiter>>,
}

impl fmt::Debug for MiddlewareRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MiddlewareRuntime").field("registry", &self.registry).finish_non_exhaustive()
    }
}

/// Where it is written what was done with contexts.
pub trait AuditSink {
    /// Notes what a function did.
    fn note(&self, treatment: &FunctionRun<'_>);
}

/// What was done with a context: who, which function, how much, how long. Nothing of the context itself.
#[derive(Debug, Clone)]
pub struct FunctionRun<'a> {
    /// `middleware`, `interceptors`, or `gateway` for a chain that a call went through.
    pub mount: &'static str,
    /// The JSON-RPC method.
    pub method: &'a str,
    /// Who called, by the token's `sub`.
    pub principal: Option<&'a str>,
    /// What the function did.
    pub report: &'a Report,
    /// Milliseconds that it took, with all others of its chain.
    pub ms: u64,
}

impl FunctionRun<'_> {
    /// As a line of the operator's log: the function, and how it ended. Calls that end alike are counted in one line,
    /// so that they push out no refusals.
    pub fn operation(&self, at: u64) -> Operation {
        let Report { function, mode, changed, ended, .. } = self.report;
        let ended = ended.unwrap_or(if *changed { "changed" } else { "unchanged" });
        let audit = if *mode == Mode::Audit { "audit:" } else { "" };
        Operation::new(at, self.principal, self.method, Some(function), &format!("{audit}{ended}"))
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        let Report { function, mode, bytes, items, changed, ended } = self.report;
        let mode = if *mode == Mode::Audit { "audit" } else { "enforce" };
        json!({
            "mount": self.mount, "method": self.method, "principal": self.principal, "function": function,
            "mode": mode, "bytes": bytes, "items": items, "changed": changed, "ended": ended, "ms": self.ms,
        })
    }
}
