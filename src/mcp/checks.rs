//! What a caller must pass before it is told anything: at `initialize`, which opens no session otherwise, and
//! at every request of the stateless revision, discovery included.

use super::{Caller, Failure, Host};
use crate::{config::Config, policy::Check};

/// What the data of a refusal says of why.
pub(super) const REASON: &str = "check";

/// Asks the operator's checks, the highest priority first, then the host's own.
///
/// # Errors
/// The first that fails, as an internal error with its message (Quarkus, initial checks).
pub(super) async fn pass<H: Host>(config: &Config, host: &H, caller: &Caller<'_>) -> Result<(), Failure> {
    if let Some(check) = Check::failed(&config.checks, caller) {
        return Err(Failure::internal(REASON, check.message.as_str()));
    }
    host.check(caller).await
}
