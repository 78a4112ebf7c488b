use http::Response;
use serde_json::{Value, json};

use super::{is_for_event, payload::Payload, phase};
use crate::{
    error::{Error, ErrorKind},
    mcp::{http::response::Body, middleware::mount_request::MountRequest, protocol::error::RpcError},
    middleware::{Middleware, Phase, Registry},
};

/// Answers `interceptor/invoke`.
pub(super) async fn invoke(asked: &MountRequest<'_>) -> Result<Response<Body>, RpcError> {
    let name = asked.message.text_param("name")?;
    let registry = &asked.runtime.registry;
    let function = find(registry, &name)?;
    let (event, side) = (asked.message.text_param("event")?, asked.message.text_param("phase")?);
    let hook = function.hook();
    let fits = hook.phase == Phase::Both || phase(hook.phase) == side;
    if !fits || !is_for_event(function, &event) {
        let message = format!("`{name}` has no part in the {side} of `{event}`");
        return Err(RpcError::handle("interceptor_hook", message));
    }
    let payload = asked.message.param("payload").ok_or_else(|| RpcError::params("`payload` is required"))?;
    let read = Payload::read(payload)?;
    let run = asked.run(&name, asked.message.param("config"), read.content).await;
    let outcome = run.outcome.map_err(|error| failed(&name, error))?;
    let payload = read.shape.write(&outcome).ok_or_else(|| {
        let message = "the function returned more than fits into the payload";
        failed(&name, Error::new(ErrorKind::MiddlewareFailed, message))
    })?;
    let info: Option<Value> = outcome.metadata.as_deref().and_then(|text| serde_json::from_str(text).ok());
    Ok(asked.written(false, |result| {
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

fn find<'a>(registry: &'a Registry, name: &str) -> Result<&'a dyn Middleware, RpcError> {
    let unknown = || RpcError::handle("unknown_interceptor", format!("there is no interceptor `{name}`"));
    registry.functions().find(|function| function.name() == name).ok_or_else(unknown)
}

/// Returns the error that the draft defines for an interceptor that fails. Invalid input remains an invalid-params
/// error.
fn failed(name: &str, error: Error) -> RpcError {
    if error.kind() != ErrorKind::MiddlewareFailed {
        return error.into();
    }
    let mut failure = RpcError::internal(error.code(), error.to_string());
    if let Some(Value::Object(data)) = &mut failure.data {
        data.insert("interceptor".to_owned(), name.into());
    }
    failure
}
