//! Notifications that a server sends during a call, and the rules by which they are forwarded to the caller.
//!
//! | notification | forwarded |
//! |---|---|
//! | `notifications/progress` | with the progress token of the request |
//! | `notifications/message` | at or above the level that the client wants |
//! | `notifications/resources/updated` | for a resource that the caller may read |
//! | `notifications/elicitation/complete` | for a question that was asked in the same call |
//! | `notifications/…/list_changed` | never: lists expire, and listeners are notified of the changes visible to them |
//! | one of another vendor | if `passMethods` has it, in an entry that names no primitive |
//! | any other | never: it may name hidden primitives, or tasks by ids that the caller does not know |

use std::borrow::Cow;

use mcp_sieve::{
    catalog::ResourceUri,
    json::{self, Members, Number, Raw},
    policy::Reach,
};

use crate::{
    call::pending::PendingCall,
    host::ServerRequest,
    protocol::{log_level::Level, passed},
    session::change::Change,
};

/// A notification of a server.
#[derive(Debug)]
pub(crate) enum Notification<'a> {
    /// Progress of a request, with its progress token.
    Progress(Option<Raw<'a>>),
    /// A log message with its level; `None` for an unknown level.
    Message(Option<Level>),
    /// The content of the resource with this URI has changed.
    Updated(Cow<'a, str>),
    /// A question was answered elsewhere, with its id.
    Elicited(Cow<'a, str>),
    /// A list has changed.
    ListChanged,
    /// Any other notification, with its method.
    Other(Cow<'a, str>),
}

impl<'a> Notification<'a> {
    /// Reads a notification.
    pub fn read(message: &'a [u8]) -> Self {
        let members = std::str::from_utf8(message).ok().and_then(Members::parse).unwrap_or_default();
        let method = members.get("method").and_then(json::Raw::text).unwrap_or_default();
        let params = members.get("params").and_then(Members::read).unwrap_or_default();
        let text = |key: &str| params.get(key).and_then(json::Raw::text);
        match method.as_ref() {
            "notifications/progress" => Self::Progress(params.get("progressToken")),
            "notifications/message" => Self::Message(text("level").and_then(|name| name.parse().ok())),
            "notifications/resources/updated" => match text("uri") {
                Some(uri) => Self::Updated(uri),
                None => Self::Other(method),
            },
            "notifications/elicitation/complete" => match text("elicitationId") {
                Some(id) => Self::Elicited(id),
                None => Self::Other(method),
            },
            _ if Change::LISTS.iter().any(|(_, change)| change.method() == method) => Self::ListChanged,
            _ => Self::Other(method),
        }
    }

    /// Returns whether a notification is forwarded to the caller. `question_ids` holds the ids of the questions
    /// asked in this call.
    pub fn reaches(&self, pending: &PendingCall, question_ids: &[String]) -> bool {
        match self {
            Self::Progress(token) => pending.method == TASK_RESULT || same(*token, token_of(pending)),
            Self::Message(level) => {
                pending.caller.level.is_some_and(|wanted| level.is_none_or(|level| level >= wanted))
            }
            Self::Updated(uri) => match pending.view.as_ref().zip(ResourceUri::parse(uri).ok()) {
                Some((view, uri)) => match view.resource(&uri) {
                    Reach::Resource(_) | Reach::Template(_) | Reach::Skill(_) => true,
                    Reach::Page(number) => {
                        view.catalog().page(number).map(|(server, ..)| server) == pending.server()
                    }
                    Reach::Unlisted => pending.unlisted,
                    Reach::Hidden => false,
                },
                None => false,
            },
            Self::Elicited(id) => question_ids.iter().any(|known| known == id),
            Self::Other(method) => passed::passes_notification(&pending.passes, method),
            Self::ListChanged => false,
        }
    }
}

/// The method that waits for a task. Its progress has the token of the call that created the task.
const TASK_RESULT: &str = "tasks/result";

/// Returns the id with which a server will report that a question was answered elsewhere.
pub(crate) fn elicitation(request: &ServerRequest) -> Option<String> {
    let params = Members::parse(&request.params).filter(|_| request.method == "elicitation/create")?;
    params.get("elicitationId").and_then(json::Raw::text).map(Into::into)
}

/// Returns the progress token of a request.
fn token_of(pending: &PendingCall) -> Option<Raw<'_>> {
    let params = pending.params.as_ref()?.read();
    params.get("_meta").and_then(Members::read)?.get("progressToken")
}

/// Returns whether two tokens are equal strings or equal numbers, however they are written.
fn same(one: Option<Raw<'_>>, other: Option<Raw<'_>>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return false };
    match (one.text(), other.text()) {
        (Some(one), Some(other)) => one == other,
        (None, None) => {
            let number = |raw: Raw<'_>| raw.get().parse::<Number>().ok();
            one == other || number(one).is_some_and(|one| number(other) == Some(one))
        }
        _ => false,
    }
}
