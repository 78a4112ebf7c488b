//! The owner of a task: the principal, the session, or a key derived from the task id.

use mcp_sieve::Digest;

use crate::{host::Host, request::context::Context};

/// Number of owners over which the tasks of anonymous callers are distributed.
const STRANGERS: u128 = 16;

/// Returns the owner of a task with this id that the caller creates or names. It is the principal, or else the session.
/// A caller with neither needs only the id, and the owner is derived from it.
pub(crate) fn owner<H: Host>(context: &Context<'_, H>, id: &str) -> String {
    match listed(context) {
        Some(owner) => owner,
        None => format!("stranger:{}", Digest::of(id.as_bytes()) % STRANGERS),
    }
}

/// Returns the owner whose tasks the caller may list; `None` for a caller without principal and session.
pub(crate) fn listed<H: Host>(context: &Context<'_, H>) -> Option<String> {
    known(
        context.caller.principal().as_deref(),
        context.session.as_ref().map(|(session, _)| session.as_str()),
    )
}

/// Returns the owner for a principal, or else for a session.
pub(crate) fn known(principal: Option<&str>, session: Option<&str>) -> Option<String> {
    let principal = principal.map(|principal| format!("principal:{principal}"));
    principal.or_else(|| session.map(|session| format!("session:{session}")))
}
