//! Selects the handler of a method, and describes the extension.

use http::Response;
use serde_json::{Value, json};

use super::{invoke, list};
use crate::{
    middleware::Registry,
    mount::mount_request::MountRequest,
    protocol::{error::RpcError, response::Body},
};

/// The identifier of the extension in the draft.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/interceptors";

/// Answers a request at the endpoint. Returns `None` for a method that the draft does not define.
pub(crate) async fn answer(
    request: &MountRequest<'_>,
    method: &str,
) -> Option<Result<Response<Body>, RpcError>> {
    match method {
        "interceptors/list" => Some(list::list(request)),
        "interceptor/invoke" | "interceptors/invoke" => Some(invoke::invoke(request).await),
        _ => None,
    }
}

/// Returns the settings of the extension: the events that any function is meant for, each once.
pub(crate) fn settings(registry: &Registry) -> Value {
    let mut events: Vec<&str> =
        registry.functions().flat_map(|function| function.hook().events).copied().collect();
    events.sort_unstable();
    events.dedup();
    json!({"supportedEvents": events})
}
