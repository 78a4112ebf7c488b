//! The operator's endpoints that return pages of the audit logs.

use std::rc::Rc;

use futures_util::future::join_all;
use worker::{Context, Env, Method, Request, Response, Result};

use super::{
    CALLS, DENIALS, Log, PageQuery,
    shards::{Merged, SHARDS, ShardLine, merge},
};
use crate::{
    deployment::{OPERATOR, variable},
    http::{
        convert,
        operator::{Endpoint, admit},
    },
    objects::{ask, lost},
};

/// Returns a page of the log that the path names, oldest line first, to a request with the operator's token.
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
    let query = match PageQuery::read(request) {
        Ok(query) => query,
        Err(refused) => return convert::write(refused.into_response()),
    };
    let log = if request.path() == CALLS.path { CALLS } else { DENIALS };
    match page(env, log, &query).await {
        Ok(page) => {
            let kept = [("content-type", "application/json"), ("cache-control", "no-store")];
            Ok(Response::from_bytes(page.into_bytes())?.with_headers(kept.into_iter().collect()))
        }
        // A full disk or a storage that cannot be opened is an error with a code, as on the other paths. A page without
        // the lines of one shard would look complete.
        Err(error) => convert::write(lost("the operator's log", &error).into_response()),
    }
}

/// Returns a page of a log, as JSON.
///
/// # Errors
/// When a shard does not answer or fails.
async fn page(env: &Env, log: Log, query: &PageQuery) -> Result<String> {
    let read = async |shard: usize| {
        let table = env.durable_object("AUDIT")?.get_by_name(&log.shard(shard))?;
        let path = [log.path, &query.of_shard(shard)].concat();
        let lines = ask(&table, Method::Get, &path, None).await?.unwrap_or_default();
        serde_json::from_slice::<Vec<ShardLine>>(&lines).map_err(worker::Error::from)
    };
    let shards = join_all((0..SHARDS).map(read)).await.into_iter().collect::<Result<_>>()?;
    let Merged { lines, position, more } = merge(shards, query.after, query.limit as usize);
    let next = if more { format!(r#","next":"{position}""#) } else { String::new() };
    let (name, lines) = (log.lines, lines.join(","));
    Ok(format!(r#"{{"{name}":[{lines}],"position":"{position}"{next}}}"#))
}
