//! The method `interceptor/invoke`: runs a middleware function as an interceptor.

use std::borrow::Cow;

use futures_util::future::{Either, select};
use http::Response;
use mcp_sieve::{Error, ErrorKind};
use serde_json::{Value, json};

use super::{hooks, payload::Payload};
use crate::{
    middleware::{Middleware, Registry},
    mount::mount_request::{MountRequest, Run},
    protocol::{error::RpcError, response::Body},
};

/// Answers `interceptor/invoke`.
pub(super) async fn invoke(request: &MountRequest<'_>) -> Result<Response<Body>, RpcError> {
    let name = request.message.text_param("name")?;
    let function = find(&request.runtime.registry, &name)?;
    let (event, side) = (request.message.text_param("event")?, request.message.text_param("phase")?);
    let hook = function.hook();
    if !hooks::covers(&hook, &event, &side) {
        let message = format!("`{name}` has no part in the {side} of `{event}`");
        let failure = RpcError::handle("interceptor_hook", message);
        let failure = failure.with("name", name).with("event", event).with("phase", side);
        return Err(failure.with("advertisedHooks", hooks::written(&hook)));
    }
    let given = request.message.param("payload").ok_or_else(|| RpcError::params("`payload` is required"))?;
    let read = Payload::read(given).map_err(in_draft_terms)?;
    let run = run(request, &name, &side, &read).await?;
    let outcome = run.outcome.map_err(|error| failed(&name, error))?;
    // The result of a function that changes payloads cannot reject one.
    if hook.changes
        && let Some(refusal) = outcome.refusal
    {
        return Err(failed(&name, Error::failed(refusal.message)));
    }
    // A validator returns no payload, so what it added to the content does not have to fit.
    let payload = match hook.changes && run.changed {
        true => read.shape.write(&outcome).map(Cow::Owned).ok_or_else(|| {
            failed(&name, Error::failed("the function returned more than fits into the payload"))
        })?,
        false => given.get().into(),
    };
    let info: Option<Value> = outcome.metadata.as_deref().and_then(|text| serde_json::from_str(text).ok());
    Ok(request.written(false, |result| {
        result.text("interceptor", &name);
        result.text("type", if hook.changes { "mutation" } else { "validation" });
        result.text("phase", &side);
        if hook.changes {
            result.raw("modified", run.changed.to_string().as_bytes());
            result.raw("payload", payload.as_bytes());
        } else {
            result.raw("valid", outcome.refusal.is_none().to_string().as_bytes());
            if let Some(refusal) = &outcome.refusal {
                result.text("severity", "error");
                let messages = json!([{"message": refusal.message, "severity": "error"}]);
                result.raw("messages", messages.to_string().as_bytes());
            }
        }
        result.raw("durationMs", run.ms.to_string().as_bytes());
        info.iter().for_each(|info| result.raw("info", info.to_string().as_bytes()));
    }))
}

/// Runs a function within `timeoutMs`, if the request has a limit.
async fn run<'a>(
    request: &'a MountRequest<'_>,
    name: &'a str,
    side: &str,
    payload: &Payload<'a>,
) -> Result<Run<'a>, RpcError> {
    let run = request.run(name, request.message.param("config"), payload.content.clone());
    let Some(limit) = request.message.param("timeoutMs") else { return Ok(run.await) };
    let limit: u64 = match limit.get().parse() {
        Ok(limit) if limit > 0 => limit,
        _ => return Err(RpcError::params("`timeoutMs` is not a positive integer")),
    };
    let (run, late) = (std::pin::pin!(run), request.runtime.environment.sleep(limit));
    match select(run, late).await {
        // A function that never waits cannot be interrupted, but its late result does not count either.
        Either::Left((run, _)) if run.ms <= limit => Ok(run),
        _ => Err(timed_out(name, side, limit)),
    }
}

fn find<'a>(registry: &'a Registry, name: &str) -> Result<&'a dyn Middleware, RpcError> {
    let unknown = || {
        let failure = RpcError::handle("unknown_interceptor", format!("there is no interceptor `{name}`"));
        failure.with("name", name)
    };
    registry.functions().find(|function| function.name() == name).ok_or_else(unknown)
}

/// Returns the error that the draft defines for an interceptor that fails. Invalid input remains an invalid-params
/// error.
fn failed(name: &str, error: Error) -> RpcError {
    if error.kind() != ErrorKind::MiddlewareFailed {
        return in_draft_terms(error).into();
    }
    RpcError::internal(error.code(), error.to_string()).with("interceptor", name)
}

/// Returns an error whose path begins with the member of the request: `config` for arguments, `payload` for the
/// context.
fn in_draft_terms(error: Error) -> Error {
    let path = error.path().unwrap_or_default();
    let renamed = [("arguments", "config"), ("context", "payload")]
        .into_iter()
        .find_map(|(ours, theirs)| Some([theirs, path.strip_prefix(ours)?].concat()));
    match renamed {
        Some(path) => error.field(path),
        None => error,
    }
}

/// Returns the error that the draft defines for an interceptor that takes longer than the request allows.
fn timed_out(name: &str, side: &str, limit: u64) -> RpcError {
    let failure = RpcError::internal("timeout", format!("`{name}` took more than {limit} ms"));
    failure.with("interceptor", name).with("timeoutMs", limit).with("phase", side)
}
