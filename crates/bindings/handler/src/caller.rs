//! Identifies the caller, and runs the host's checks on it.

use http::StatusCode;
use mcp_sieve::policy::CallerContext;
use mcp_sieve_gateway::{error::RpcError, host::Caller};
use serde_json::{Map, Value};

use super::{handling::JsHost, thrown::Thrown};

/// Returns the claims of the caller from the host's `identify`; `None` for an anonymous caller.
///
/// # Errors
/// 401 if `identify` throws, 503 if it takes too long, 500 for claims that policies cannot read. The reason is only
/// logged.
pub(super) async fn claims(host: &JsHost) -> Result<Option<Map<String, Value>>, RpcError> {
    let world = &host.handling.world;
    let unusable = |why: &str| {
        world.note(&format!("the caller was refused: {why}"));
        let message = "the caller's claims cannot be read";
        RpcError::internal("claims", message).under(StatusCode::INTERNAL_SERVER_ERROR)
    };
    let claims = match world.identify(&host.context).await {
        Ok(claims) => claims.as_string(),
        Err(error) => {
            let error = Thrown::read(&error);
            if error.name == "ClaimsError" {
                return Err(unusable(&error.message));
            }
            world.note(&format!("the caller was refused: {}", error.message));
            return Err(if error.is_late() {
                let message = "the caller was not identified in time";
                RpcError::internal("identify_timeout", message).under(StatusCode::SERVICE_UNAVAILABLE)
            } else {
                let message = "the caller's credentials were not accepted";
                RpcError::request(StatusCode::UNAUTHORIZED, "unauthorized", message)
            });
        }
    };
    let Some(claims) = claims else { return Ok(None) };
    let claims: Map<String, Value> = serde_json::from_str(&claims)
        .map_err(|error| unusable(&format!("`identify` returned claims that cannot be read: {error}")))?;
    // Sessions and cursors belong to the subject. A `sub` of another type would be treated as none.
    match claims.get("sub") {
        None | Some(Value::String(_)) => Ok(Some(claims)),
        Some(_) => Err(unusable("`identify` returned a `sub` that is not a text")),
    }
}

/// Runs the host's checks, one after the other.
///
/// # Errors
/// The message of the first check that refuses the caller; 500 if a check throws, and 503 if one takes too long.
pub(super) async fn check(host: &JsHost, caller: &Caller<'_>) -> Result<(), RpcError> {
    let description = caller.describe().unwrap_or_default();
    let world = &host.handling.world;
    let error = match world.check(&host.context, &description).await {
        Ok(refusal) => return refusal.as_string().map_or(Ok(()), |message| Err(RpcError::check(message))),
        Err(error) => Thrown::read(&error),
    };
    world.note(&error.message);
    Err(if error.is_late() {
        let message = "a check took too long";
        RpcError::internal("check_timeout", message).under(StatusCode::SERVICE_UNAVAILABLE)
    } else {
        let message = "a check could not be made";
        RpcError::internal("check", message).under(StatusCode::INTERNAL_SERVER_ERROR)
    })
}
