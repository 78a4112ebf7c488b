//! The readers of results: what has to look at the result of a call, get or read before its client gets it. A result
//! without a reader passes through as its server wrote it.
//!
//! | reader | because |
//! |---|---|
//! | `method` | the result of a completion, or of another vendor's method, may name what the caller cannot see |
//! | `middleware` | functions process the result, and policies on content are such functions |
//! | `task` | the caller accepts a task in place of the result, which gets an id of the gateway |
//! | `question` | the result may ask the client, which learns who asks |
//! | `resource` | the result may be of a hidden resource, or has URIs that callers know by others |
//! | `revision` | the client speaks the first revision, whose results have fewer members |
//! | `tags` | the result reports tags that have changed |
//! | `discovery` | the tool was called through a discovery tool, which has a result of its own |
//! | `definition` | the list has the tool in a shorter form, and a result that refuses the call gets its full definition |
//! | `form` | the client prefers an event stream to JSON, so a response is written as an event |
//! | `batch` | the responses of a batch are sent together |
//! | `reply` | the server speaks a revision of the other era, has asked or refused something, or its response is not what the client is to get: another media type or status, an error, missing or foreign members |
//!
//! The last is known only once the server answers; [`OuterMembers`](crate::upstream::OuterMembers) decides it.

use std::rc::Rc;

use crate::{
    call::{client_requests, full_definition::FullDefinition},
    host::{Host, PassthroughTerms},
    protocol::method::{Method, Subject},
    request::{context::Context, route::Route},
};

/// The reader of a reply that turns out not to pass through.
pub(crate) const REPLY: &str = "reply";

/// What looks at the result of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    Method,
    Middleware,
    Task,
    Question,
    Resource,
    Revision,
    Tags,
    Discovery,
    Definition,
    Batch,
    Form,
}

impl Reader {
    /// Returns its name in the request log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Middleware => "middleware",
            Self::Task => "task",
            Self::Question => "question",
            Self::Resource => "resource",
            Self::Revision => "revision",
            Self::Tags => "tags",
            Self::Discovery => "discovery",
            Self::Definition => "definition",
            Self::Batch => "batch",
            Self::Form => "form",
        }
    }

    /// Returns what looks at the result of this request, if anything does. `has_chain` states whether functions process
    /// it, and `accepts_task` whether it may become a task.
    pub fn find<H: Host>(
        context: &Context<'_, H>,
        route: &Route,
        has_chain: bool,
        accepts_task: bool,
    ) -> Option<Self> {
        let subject = context.message.known.filter(|method| method.may_ask()).map(Method::subject);
        let is_forwarded = matches!(subject, Some(Subject::Tool | Subject::Prompt | Subject::Resource));
        let may_be_asked = || {
            let askable = client_requests::askable(&context.caller.capabilities);
            askable.as_object().is_some_and(|askable| !askable.is_empty())
        };
        let rows = [
            (Self::Method, !is_forwarded),
            (Self::Middleware, has_chain),
            (Self::Task, accepts_task),
            (Self::Resource, route.masked || route.hidden || route.renames() || route.servers.len() != 1),
            (Self::Revision, context.shape().first_revision.is_some()),
            (Self::Tags, !context.stale.is_empty()),
            (Self::Discovery, context.exchange.discovered.get().is_some()),
            (Self::Definition, FullDefinition::find(context).is_some()),
            (Self::Batch, context.exchange.batch.is_some()),
            (Self::Form, context.exchange.prefers_events()),
            (Self::Question, is_forwarded && may_be_asked()),
        ];
        rows.into_iter().find_map(|(reader, reads)| reads.then_some(reader))
    }
}

/// Returns the terms on which the response to a request passes through. `private` states whether no cache may give its
/// result to other callers.
pub(crate) fn terms<H: Host>(context: &Context<'_, H>, private: bool) -> Rc<PassthroughTerms> {
    let cached = context.message.known == Some(Method::ReadResource);
    Rc::new(PassthroughTerms { id: context.id.get().to_owned(), private, cached })
}
