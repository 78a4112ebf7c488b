use std::{cell::Cell, fmt, rc::Rc};

use http::StatusCode;
use serde_json::{Value, json};

use crate::{
    mcp::{host::operation::Operation, protocol::error::RpcError},
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
    /// How many calls the mounts take.
    pub allowance: Rc<Allowance>,
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

/// How many calls are taken in a minute.
#[derive(Debug)]
pub struct Allowance {
    most: u32,
    minute: Cell<u64>,
    taken: Cell<u32>,
}

const MINUTE_MS: u64 = 60_000;

impl Allowance {
    /// So many calls in each minute.
    pub fn new(most: u32) -> Self {
        Self { most, minute: Cell::default(), taken: Cell::default() }
    }

    /// Takes one call at `now`, in milliseconds since 1970.
    ///
    /// # Errors
    /// 429, where there have been too many in this minute, with the seconds to its end.
    pub(crate) fn take(&self, now: u64) -> Result<(), (RpcError, u64)> {
        let minute = now / MINUTE_MS;
        if self.minute.replace(minute) != minute {
            self.taken.set(0);
        }
        if self.taken.get() >= self.most {
            let message = format!("more than {} calls in a minute", self.most);
            let failure = RpcError::request(StatusCode::TOO_MANY_REQUESTS, "rate_limit", message);
            return Err((failure, (MINUTE_MS - now % MINUTE_MS).div_ceil(1000)));
        }
        self.taken.set(self.taken.get() + 1);
        Ok(())
    }
}
