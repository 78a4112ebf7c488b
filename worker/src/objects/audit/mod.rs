//! The operator's log of denied requests: an append-only table in one Durable Object, which `GET /audit` returns.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

mod table;

use std::{cell::RefCell, rc::Rc, time::Duration};

use futures_util::{FutureExt, future::LocalBoxFuture};
use http::StatusCode;
use mcp_sieve::mcp::{AUDIT_DELAY_MS, AuditBuffer, Operation, RpcError};
use worker::{Context, Delay, DurableObject, Env, Method, Request, Response, Result, State, durable_object};

use super::{ask, query::whole_number, read_body, send};
use crate::{
    clock, console,
    deployment::{OPERATOR, variable},
    http::{
        convert,
        operator::{Endpoint, admit},
    },
};
use table::AuditTable;

/// The path at which the operator reads the log.
pub(crate) const PATH: &str = "/audit";

thread_local! {
    /// The lines of this isolate that are not written yet.
    static BUFFER: RefCell<AuditBuffer> = const { RefCell::new(AuditBuffer::new()) };
}

/// The log. `POST` appends lines, `GET` returns a page.
#[durable_object(fetch)]
#[derive(Debug)]
pub struct AuditObject {
    table: AuditTable,
}

impl DurableObject for AuditObject {
    fn new(state: State, _: Env) -> Self {
        Self { table: AuditTable::new(state.storage().sql()) }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        match request.method() {
            Method::Post => {
                let lines: Vec<Operation> = request.json().await?;
                lines.into_iter().map(Operation::bounded).try_for_each(|line| self.table.append(&line))?;
                Response::empty()
            }
            _ => match page_of(&request) {
                Ok((after, limit)) => Response::from_json(&self.table.page(after, limit)?),
                Err(refused) => convert::write(refused.into_response()),
            },
        }
    }
}

/// Returns the parameters `after` and `limit` of a request for a page.
///
/// # Errors
/// The errors of [`whole_number`].
fn page_of(request: &Request) -> std::result::Result<(Option<u64>, Option<u64>), RpcError> {
    let number = |name, expected: &str| {
        let refuse = || RpcError::request(StatusCode::BAD_REQUEST, "query", expected.to_owned());
        whole_number(request, name, refuse)
    };
    Ok((
        number("after", "expected `after` as the `next` of a page")?,
        number("limit", "expected `limit` as a whole number")?,
    ))
}

/// Adds a line to the log. Returns the work to spawn if no write is scheduled yet.
pub(crate) fn record(env: &Env, operation: Operation) -> Option<LocalBoxFuture<'static, ()>> {
    let schedule = BUFFER.with_borrow_mut(|buffer| buffer.add(operation));
    schedule.then(|| write(env.clone()).boxed_local())
}

/// Writes the lines collected since the previous write. Lines that cannot be stored go to the Worker's log.
async fn write(env: Env) {
    let lines = loop {
        Delay::from(Duration::from_millis(AUDIT_DELAY_MS)).await;
        if let Some(lines) = BUFFER.with_borrow_mut(|buffer| buffer.take(clock::now())) {
            break lines;
        }
    };
    if lines.is_empty() {
        return;
    }
    if let Err(error) = append(&env, &lines).await {
        console::error(&format!("audit: {lines:?} are not kept: {error}"));
    }
    BUFFER.with_borrow_mut(AuditBuffer::written);
}

async fn append(env: &Env, lines: &[Operation]) -> Result<()> {
    let table = env.durable_object("AUDIT")?.get_by_name("audit")?;
    ask(&table, Method::Post, PATH, Some(serde_json::to_string(lines)?)).await.map(drop)
}

/// Returns a page of the log, oldest line first, to a request with the operator's token.
pub(crate) async fn read(request: &Request, env: &Env, context: Context) -> Result<Response> {
    // Without an operator's token the path does not exist.
    let Some(operator) = variable(env, OPERATOR) else {
        return Response::error("nothing is served here", 404);
    };
    let message = format!("expected the bearer token whose digest is in {OPERATOR}");
    let endpoint = Endpoint { name: "audit", digest: &operator, message };
    if let Err(failure) = admit(request, env, &Rc::new(context), endpoint).await {
        return convert::write(failure.into_response());
    }
    if request.method() != Method::Get {
        return Ok(
            Response::error("expected GET", 405)?.with_headers([("allow", "GET")].into_iter().collect())
        );
    }
    let query = request.url()?.query().map(|query| format!("?{query}")).unwrap_or_default();
    let table = env.durable_object("AUDIT")?.get_by_name("audit")?;
    let page = send(&table, Method::Get, &format!("{PATH}{query}"), None).await?;
    let kept = [("content-type", "application/json"), ("cache-control", "no-store")];
    let status = page.status_code();
    let body = read_body(page).await?;
    Ok(Response::from_bytes(body)?.with_status(status).with_headers(kept.into_iter().collect()))
}
