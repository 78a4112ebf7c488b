//! The checks that a caller must pass at `initialize` and at every request of the stateless revision, discovery
//! included. A caller that fails at `initialize` gets no session. `checkStateless` turns off the checks of the
//! stateless revision.

use http::{Request, StatusCode};
use mcp_sieve::policy::Check;

use crate::{
    caller::identity::Caller,
    config::Config,
    host::Host,
    protocol::error::{CHECK_REASON, RpcError},
    request::{auth::rejection::Rejection, presets},
};

/// Binds the presets of a caller that requested the path of the preset `named`, then runs the operator's checks by
/// descending priority, then the host's check.
///
/// # Errors
/// The error of [`refuse`] for the first failed check. An unknown preset is reported only after the checks, so a caller
/// that fails them does not learn whether the preset exists.
pub(crate) async fn admit<H: Host, B>(
    config: &Config,
    host: &H,
    request: &Request<B>,
    named: Option<&str>,
    caller: &mut Caller<'_>,
) -> Result<(), RpcError> {
    let bound = presets::bind(config, named, caller);
    if caller.protocol.is_stateless() && !config.check_stateless {
        return bound;
    }
    if let Some(check) = Check::failed(&config.engine.checks, caller) {
        return Err(refuse(config, host, request, caller, check));
    }
    host.check(caller).await.map_err(broken_or_failed)?;
    bound
}

/// Returns the error of the first failed check if it is 401: that the caller has no token, and needs one.
pub(crate) fn missing_token<H: Host, B>(
    config: &Config,
    host: &H,
    request: &Request<B>,
    caller: &Caller<'_>,
) -> Option<RpcError> {
    let check = Check::failed(&config.engine.checks, caller)?;
    Some(refuse(config, host, request, caller, check))
        .filter(|failure| failure.status == StatusCode::UNAUTHORIZED)
}

/// Returns whether callers other than this one may be refused altogether, so that no shared cache may serve them what
/// it got.
pub(crate) fn is_gated<H: Host>(config: &Config, host: &H, has_claims: bool) -> bool {
    let checked = !config.engine.checks.is_empty() || host.may_refuse(has_claims);
    config.auth.as_ref().is_some_and(|auth| auth.required) || (checked && config.check_stateless)
}

/// Returns the error for a failed check, with the check's message.
///
/// | check | caller | response |
/// |---|---|---|
/// | depends on claims, and tokens are accepted | has no token | 401 and `WWW-Authenticate` (RFC 6750) |
/// | depends on claims, and tokens are accepted | has a token | 403 |
/// | any other | any | an internal error under HTTP 200 (Quarkus, initial checks) |
fn refuse<H: Host, B>(
    config: &Config,
    host: &H,
    request: &Request<B>,
    caller: &Caller<'_>,
    check: &Check,
) -> RpcError {
    let tokens = config.auth.is_some() || host.takes_tokens();
    let failure = match &caller.claims {
        _ if !tokens || !check.turns_on_claims(caller) => {
            RpcError::internal(CHECK_REASON, check.message.as_str())
        }
        Some(_) => RpcError::request(StatusCode::FORBIDDEN, CHECK_REASON, check.message.as_str()),
        None => {
            let message = format!("{}; {}", check.message.trim_end_matches('.'), Rejection::Missing);
            match &config.auth {
                Some(auth) => RpcError { message, ..Rejection::Missing.failure(auth, request) },
                None => RpcError::request(StatusCode::UNAUTHORIZED, Rejection::Missing.code(), message),
            }
        }
    };
    failure.denied(CHECK_REASON)
}

/// Returns the error for a failure of the host's own check. A check that could not run is a fault of the server and
/// gets a 5xx status.
fn broken_or_failed(failure: RpcError) -> RpcError {
    match failure.reason() {
        Some(CHECK_REASON) | None => failure.denied(CHECK_REASON),
        Some(_) if failure.status.is_server_error() => failure,
        Some(_) => RpcError { status: StatusCode::INTERNAL_SERVER_ERROR, ..failure },
    }
}
