//! The operator's endpoints that return pages of the audit logs.

use std::rc::Rc;

use worker::{Context, Env, Method, Request, Response, Result};

use super::{CALLS, DENIALS};
use crate::{
    deployment::{OPERATOR, variable},
    http::{
        convert,
        operator::{Endpoint, admit},
    },
    objects::{lost, read_body, send},
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
    match page(request, env).await {
        Ok((status, body)) => {
            let kept = [("content-type", "application/json"), ("cache-control", "no-store")];
            Ok(Response::from_bytes(body)?.with_status(status).with_headers(kept.into_iter().collect()))
        }
        // A full disk or a storage that cannot be opened is an error with a code, as on the other paths.
        Err(error) => convert::write(lost("the operator's log", &error).into_response()),
    }
}

/// Returns the status and the body of the object's response.
///
/// # Errors
/// When the object does not answer or fails.
async fn page(request: &Request, env: &Env) -> Result<(u16, Vec<u8>)> {
    let log = if request.path() == CALLS.path { CALLS } else { DENIALS };
    let query = request.url()?.query().map(|query| format!("?{query}")).unwrap_or_default();
    let table = env.durable_object("AUDIT")?.get_by_name(log.object)?;
    let page = send(&table, Method::Get, &format!("{}{query}", log.path), None).await?;
    let status = page.status_code();
    if status >= 500 {
        return Err(worker::Error::RustError(format!("its object failed with status {status}")));
    }
    Ok((status, read_body(page).await?))
}
