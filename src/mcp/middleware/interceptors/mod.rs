//! The same functions as interceptors: `interceptors/list` and `interceptor/invoke` as the draft SEP-2624 has them.
//! An experiment at a mount of its own, bound to a draft and with no promise beyond it.

mod invoke;
mod list;
mod payload;

use http::Response;
use serde_json::{Value, json};

use crate::{
    mcp::{http::response::Body, middleware::mount_request::MountRequest, protocol::error::RpcError},
    middleware::{Middleware, Phase},
};

/// The state of the draft that this follows.
const DRAFT: &str = "2026-04-22";

/// Answers a request at the mount. Returns none for a method that the draft does not have.
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

fn hears(function: &dyn Middleware, event: &str) -> bool {
    function.hook().events.iter().any(|known| *known == event || event == "*")
}
