//! The writes of the logs, which no response waits for.

use std::{cell::RefCell, time::Duration};

use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve_gateway::audit::{AUDIT_DELAY_MS, AllowedCall, AuditBuffer, CallBuffer, Operation};
use serde::Serialize;
use worker::{Delay, Env, Method, Result};

use super::{
    CALLS, DENIALS, Log,
    shards::{SHARDS, own_shard},
};
use crate::{clock, console, objects::ask};

/// Number of attempts to store lines, a second apart. A platform may end what goes on for 30 s after a response.
const ATTEMPTS: usize = 2 * SHARDS;

thread_local! {
    /// The denials of this isolate that are not written yet.
    static LINES: RefCell<AuditBuffer> = const { RefCell::new(AuditBuffer::new()) };
    /// The allowed calls of this isolate that are not written yet.
    static CALLED: RefCell<CallBuffer> = const { RefCell::new(CallBuffer::new()) };
}

/// Adds a line to the log of denied requests. Returns the work to spawn if no write is scheduled yet.
pub(crate) fn record(env: &Env, operation: Operation) -> Option<LocalBoxFuture<'static, ()>> {
    let schedule = LINES.with_borrow_mut(|buffer| buffer.add(operation));
    schedule.then(|| write_denials(env.clone()).boxed_local())
}

/// Adds a call to the log of allowed calls. Returns the work to spawn if no write is scheduled yet.
pub(crate) fn record_call(env: &Env, call: AllowedCall) -> Option<LocalBoxFuture<'static, ()>> {
    let schedule = CALLED.with_borrow_mut(|buffer| buffer.add(call));
    schedule.then(|| write_calls(env.clone()).boxed_local())
}

/// Writes the denials collected since the previous write. Lines that cannot be stored go to the Worker's log.
async fn write_denials(env: Env) {
    let lines = due(|| LINES.with_borrow_mut(|buffer| buffer.take(clock::now()))).await;
    if !lines.is_empty() {
        append(&env, DENIALS, &lines).await;
        LINES.with_borrow_mut(AuditBuffer::written);
    }
}

/// Writes the calls collected since the previous write, and to the log of denied requests how many were too many.
async fn write_calls(env: Env) {
    let batch = due(|| CALLED.with_borrow_mut(|buffer| buffer.take(clock::now()))).await;
    if !batch.calls.is_empty() {
        append(&env, CALLS, &batch.calls).await;
        CALLED.with_borrow_mut(CallBuffer::written);
    }
    if let Some(write) = batch.not_kept.and_then(|line| record(&env, line)) {
        write.await;
    }
}

/// Waits until `take` returns what is to be written.
async fn due<T>(take: impl Fn() -> Option<T>) -> T {
    loop {
        Delay::from(Duration::from_millis(AUDIT_DELAY_MS)).await;
        if let Some(taken) = take() {
            return taken;
        }
    }
}

/// Appends lines to a shard of a log. If its object cannot be reached, they go to the next shard: in a cluster, the
/// objects of a node that ended without notice answer again only once its lease has expired. A shard may have stored
/// lines whose response was lost, so they may be stored twice, but not lost.
async fn append(env: &Env, log: Log, lines: &[impl Serialize + std::fmt::Debug]) {
    let mut failure = None;
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            Delay::from(Duration::from_millis(AUDIT_DELAY_MS)).await;
        }
        let shard = (own_shard() + attempt) % SHARDS;
        let appended = async {
            let table = env.durable_object("AUDIT")?.get_by_name(&log.shard(shard))?;
            ask(&table, Method::Post, log.path, Some(serde_json::to_string(lines)?)).await.map(drop)
        };
        let appended: Result<()> = appended.await;
        match appended {
            Ok(()) => return,
            Err(error) => failure = Some(error),
        }
    }
    if let Some(error) = failure {
        console::error(&format!("audit: {lines:?} are not kept: {error}"));
    }
}
