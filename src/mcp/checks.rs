//! What a caller must pass before it is told anything: at `initialize`, which opens no session otherwise, and
//! at every request of the stateless revision, discovery included.

use http::StatusCode;

use super::{Caller, Failure, Host, presets};
use crate::{config::Config, policy::Check};

/// What the data of a refusal says of why.
pub(super) const REASON: &str = "check";

/// Lets a caller in who came by the path of the preset `named`: asks the operator's checks, the highest priority
/// first, then the host's own.
///
/// # Errors
/// The first that fails, as an internal error with its message (Quarkus, initial checks). Behind these, whether
/// there is such a preset: who does not pass is not told.
pub(super) async fn admit<H: Host>(
    config: &Config,
    host: &H,
    named: Option<&str>,
    caller: &mut Caller<'_>,
) -> Result<(), Failure> {
    let bound = presets::bind(config, named, caller);
    if let Some(check) = Check::failed(&config.checks, caller) {
        return Err(Failure::internal(REASON, check.message.as_str()).denied(REASON));
    }
    host.check(caller).await.map_err(broken_or_failed)?;
    bound
}

/// The failure of a host's own check. A check that could not be made says nothing about the caller: it is a fault of the
/// server, and has the status of one.
fn broken_or_failed(failure: Failure) -> Failure {
    match failure.reason() {
        Some(REASON) | None => failure.denied(REASON),
        Some(_) if failure.status.is_server_error() => failure,
        Some(_) => Failure { status: StatusCode::INTERNAL_SERVER_ERROR, ..failure },
    }
}
