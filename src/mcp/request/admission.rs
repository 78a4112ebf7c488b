//! What a caller must pass before it is told anything: at `initialize`, which opens no session otherwise, and
//! at every request of the stateless revision, discovery included, unless `checkStateless` is off.

use http::{Request, StatusCode};

use crate::{
    config::Config,
    mcp::{
        host::Host,
        protocol::error::{CHECK_REASON, RpcError},
        request::{auth::rejection::Rejection, caller::Caller, presets},
    },
    policy::Check,
};

/// Lets a caller in who came by the path of the preset `named`: asks the operator's checks, the highest priority
/// first, then the host's own.
///
/// # Errors
/// The first that fails, as [`refuse`] has it. Behind these, whether there is such a preset: a caller that does not pass
/// does not learn it.
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
    if let Some(check) = Check::failed(&config.checks, caller) {
        return Err(refuse(config, host, request, caller, check));
    }
    host.check(caller).await.map_err(broken_or_failed)?;
    bound
}

/// The failure of a check, with its message.
///
/// | the check | the caller | answer |
/// |---|---|---|
/// | turns on claims, and tokens are taken here | has no token | 401 and `WWW-Authenticate` (RFC 6750) |
/// | turns on claims, and tokens are taken here | has one | 403 |
/// | anything else | any | an internal error under HTTP 200 (Quarkus, initial checks) |
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

/// The failure of a host's own check. A check that could not be made says nothing about the caller: it is a fault of the
/// server, and has the status of one.
fn broken_or_failed(failure: RpcError) -> RpcError {
    match failure.reason() {
        Some(CHECK_REASON) | None => failure.denied(CHECK_REASON),
        Some(_) if failure.status.is_server_error() => failure,
        Some(_) => RpcError { status: StatusCode::INTERNAL_SERVER_ERROR, ..failure },
    }
}
