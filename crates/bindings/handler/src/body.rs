//! Reads the body of a request, with limits on size and time.

use http::StatusCode;
use js_sys::Uint8Array;
use mcp_sieve_gateway::{error::RpcError, limits::CROWDED_S};
use wasm_bindgen::JsCast;

use super::{handling::JsHost, thrown::Thrown};

/// Reads the body of the request, of at most [`MAX_BODY`](mcp_sieve_gateway::server::MAX_BODY) bytes.
///
/// # Errors
/// 413 for a larger body, 408 for one that does not arrive in time, 503 if the bodies of other requests leave no room,
/// and 400 for any other failure.
pub(super) async fn read(host: &JsHost) -> Result<Vec<u8>, RpcError> {
    let error = match host.handling.world.body(&host.context).await {
        Ok(body) => return Ok(body.dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default()),
        Err(error) => Thrown::read(&error),
    };
    Err(match error.name.as_str() {
        "TooLargeError" => RpcError::request(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", error.message),
        "CrowdedError" => {
            let failure = RpcError::internal("body_limit", error.message).retry_after(CROWDED_S);
            failure.under(StatusCode::SERVICE_UNAVAILABLE)
        }
        _ if error.is_late() => RpcError::request(StatusCode::REQUEST_TIMEOUT, "body_timeout", error.message),
        _ => RpcError::request(StatusCode::BAD_REQUEST, "body", "the body cannot be read"),
    })
}
