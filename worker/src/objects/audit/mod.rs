//! The operator's logs: denied requests, which `GET /audit` returns, and allowed calls, which `GET /audit/calls`
//! returns. Each has Durable Objects of its own, so that calls displace no denial, and an append-only table in each of
//! them.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

mod calls;
mod page;
mod read;
mod shards;
mod table;
mod write;

use mcp_sieve_gateway::audit::{AllowedCall, Operation};
use worker::{DurableObject, Env, Method, Request, Response, Result, State, durable_object};

use calls::CallTable;
use page::{PageQuery, ShardQuery, time};
use shards::ShardLine;
use table::AuditTable;

pub(crate) use read::read;
pub(crate) use write::{record, record_call};

/// The path at which the operator reads the denied requests.
pub(crate) const PATH: &str = "/audit";
/// The path at which the operator reads the allowed calls.
pub(crate) const CALLS_PATH: &str = "/audit/calls";

/// One of the logs.
#[derive(Debug, Clone, Copy)]
struct Log {
    path: &'static str,
    /// The name of its first object.
    object: &'static str,
    /// The member of a page that has the lines.
    lines: &'static str,
}

/// The log of denied requests.
const DENIALS: Log = Log { path: PATH, object: "audit", lines: "operations" };
/// The log of allowed calls.
const CALLS: Log = Log { path: CALLS_PATH, object: "calls", lines: "calls" };

/// An object of a log. `POST` appends lines, `GET` returns lines; the path selects the log.
#[durable_object(fetch)]
#[derive(Debug)]
pub struct AuditObject {
    denials: AuditTable,
    calls: CallTable,
}

impl DurableObject for AuditObject {
    fn new(state: State, _: Env) -> Self {
        let sql = || state.storage().sql();
        Self { denials: AuditTable::new(sql()), calls: CallTable::new(sql()) }
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let is_call = request.path() == CALLS.path;
        if request.method() == Method::Post {
            if is_call {
                let calls: Vec<AllowedCall> = request.json().await?;
                calls.into_iter().map(AllowedCall::bounded).try_for_each(|call| self.calls.append(&call))?;
            } else {
                let lines: Vec<Operation> = request.json().await?;
                lines.into_iter().map(Operation::bounded).try_for_each(|line| self.denials.append(&line))?;
            }
            return Response::empty();
        }
        let query = ShardQuery::read(&request);
        let lines = if is_call { self.calls.lines(&query) } else { self.denials.lines(&query) };
        Response::from_json(&lines?)
    }
}
