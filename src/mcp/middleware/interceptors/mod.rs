//! Middleware functions as interceptors: `interceptors/list` and `interceptor/invoke` of the draft SEP-2624. This is an
//! experiment with an endpoint of its own, and changes with the draft.

mod invoke;
mod list;
mod payload;

use http::Response;
use serde_json::{Value, json};

use crate::{
    mcp::{http::response::Body, middleware::mount_request::MountRequest, protocol::error::RpcError},
    middleware::{Middleware, Phase},
};

/// The date of the implemented draft.
const DRAFT: &str = "2026-04-22";

/// Answers a request at the endpoint. Returns `None` for a method that the draft does not define.
pub(crate) async fn answer(
    asked: &MountRequest<'_>,
    method: &str,
) -> Option<Result<Response<Body>, RpcError>> {
    match method {
        "interceptors/list" => Some(Ok(list::list(asked))),
        "interceptor/invoke" | "interceptors/invoke" => Some(invoke::invoke(asked).await),
        _ => None,
    }
}

/// Returns the settings of the extension.
pub(crate) fn settings() -> Value {
    json!({"version": 1, "draft": DRAFT})
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Request => "request",
        Phase::Response => "response",
        Phase::Both => "both",
    }
}

/// Returns whether a function is called for an event.
fn is_for_event(function: &dyn Middleware, event: &str) -> bool {
    function.hook().events.iter().any(|known| *known == event || event == "*")
}
