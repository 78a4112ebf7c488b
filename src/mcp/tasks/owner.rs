use crate::{
    digest::digest,
    mcp::{host::Host, request::context::Context},
};

/// How many places the tasks of strangers are spread over.
const STRANGERS: u128 = 16;

/// Whose a task is, or would be: a principal's wherever it is known; a session's, which is all that is known of a
/// caller without a token; and else nobody's, when its id is all that its reader has to show.
pub(crate) fn owner<H: Host>(context: &Context<'_, H>, id: &str) -> String {
    match listed(context) {
        Some(owner) => owner,
        None => format!("stranger:{}", digest(id.as_bytes()) % STRANGERS),
    }
}

/// Whose tasks a caller may list.
pub(crate) fn listed<H: Host>(context: &Context<'_, H>) -> Option<String> {
    known(
        context.caller.principal().as_deref(),
        context.session.as_ref().map(|(session, _)| session.as_str()),
    )
}

/// The owner of whom something is known.
pub(crate) fn known(principal: Option<&str>, session: Option<&str>) -> Option<String> {
    let principal = principal.map(|principal| format!("principal:{principal}"));
    principal.or_else(|| session.map(|session| format!("session:{session}")))
}
