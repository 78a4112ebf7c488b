//! What the platform lends the protocol: storage, upstream servers, a clock, randomness, a key and logs.

pub(crate) mod audit;
pub(crate) mod audit_buffer;
pub(crate) mod printable;
pub(crate) mod rate_limit;
pub(crate) mod request_log;

use std::{collections::BTreeSet, fmt, rc::Rc, sync::Arc};

use futures_util::{future::LocalBoxFuture, stream::LocalBoxStream};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    json::Raw,
    mcp::{
        call::suspended_calls::SuspendedCalls,
        gateway::{backend::Backend, local::TaskPlan},
        host::audit::Operation,
        middleware::runtime::MiddlewareRuntime,
        protocol::error::RpcError,
        request::caller::Caller,
        streams::{change::Change, session::Session, session_streams::SessionStreams},
        tasks::store::TaskStore,
    },
    seal::Key,
    small_collect::small_collect,
};

/// The world, lent to the protocol core: storage, the servers behind, time, chance and a key. A clone stays
/// behind with every stream.
#[expect(async_fn_in_trait, reason = "requests are answered on the thread they came in on")]
pub trait Host: Clone + 'static {
    /// Milliseconds since 1970.
    fn now(&self) -> u64;

    /// Sixteen unguessable bytes.
    ///
    /// # Errors
    /// When the platform has none to give.
    fn random(&self) -> Result<[u8; 16], RpcError>;

    /// The key that seals what callers carry back.
    fn key(&self) -> &Key;

    /// What there is to see, compiled; kept for as long as its sources allow, and `need` wants it fresh.
    ///
    /// # Errors
    /// When none of the sources can be listed.
    async fn backend(&self, need: Freshness) -> Result<Arc<Backend>, RpcError>;

    /// Asks the server that owns the primitive. The core has already decided that the caller may.
    ///
    /// # Errors
    /// When it cannot be reached; what it answers, refusals included, is an [`Answer`].
    async fn forward(&self, call: &Call<'_>) -> Result<Answer, RpcError>;

    /// Returns after so many milliseconds.
    async fn sleep(&self, ms: u64);

    /// Does work that goes on when the request that began it has been answered.
    fn spawn(&self, work: LocalBoxFuture<'static, ()>);

    /// What changes from now on in the sight of `caller`, as a [`Listeners`](crate::mcp::streams::listeners::Listeners) has it.
    ///
    /// # Errors
    /// When nothing can be listened to.
    async fn changes(
        &self,
        caller: &Caller<'static>,
        wanted: &SubscriptionFilter,
    ) -> Result<LocalBoxStream<'static, Change>, RpcError>;

    /// The running side of the session of this id, if this is where it lives.
    fn live(&self, id: &str) -> Option<Rc<SessionStreams>>;

    /// Whether a later request of a client reaches a call of its session that waits for an answer here. Where it does not,
    /// servers are told that the client cannot be asked.
    fn resumes(&self) -> bool {
        true
    }

    /// Where calls wait between two requests of their client, if this is such a place.
    fn parked(&self) -> Option<Rc<SuspendedCalls>>;

    /// Where tasks are kept; without such a place there are none, and calls are answered while they are open.
    fn tasks(&self) -> Option<Rc<dyn TaskStore>> {
        None
    }

    /// The functions of context middleware that calls can go through, and the world they work in.
    fn workshop(&self) -> Option<MiddlewareRuntime> {
        None
    }

    /// A check of the host's own, behind those of the configuration: at `initialize`, and at every request of the
    /// stateless revision.
    ///
    /// It may take its time, and ask whom it likes.
    ///
    /// # Errors
    /// What the caller is told, if it is not to be served: [`RpcError::check`] with a message, or another refusal.
    /// Any other [internal](RpcError::internal) failure is a check that could not be made: the caller is told by
    /// HTTP 500, and is not let in.
    async fn check(&self, caller: &Caller<'_>) -> Result<(), RpcError> {
        _ = caller;
        Ok(())
    }

    /// Whether the host identifies callers by tokens of its own, beside those of the configuration's authorization
    /// server. A caller without one that a check on claims refuses is then asked for one.
    fn takes_tokens(&self) -> bool {
        false
    }

    /// Writes the attributes of a message that was answered to where the operator reads them, if the configuration
    /// asks for that.
    fn log(&self, attributes: Map<String, Value>) {
        _ = attributes;
    }

    /// Keeps a line of the operator's log. No reply may wait for it: [`AuditBuffer`](crate::mcp::host::audit_buffer::AuditBuffer) collects
    /// lines until they are written.
    fn record(&self, operation: Operation) {
        _ = operation;
    }

    /// Something the operator should know of, such as a policy that could not judge.
    fn note(&self, note: &str) {
        _ = note;
    }

    /// The session of this id, unless it has ended.
    ///
    /// # Errors
    /// When the store fails.
    async fn load_session(&self, id: &str) -> Result<Option<Session>, RpcError>;

    /// Keeps a session.
    ///
    /// # Errors
    /// When the store fails.
    async fn save_session(&self, id: &str, session: &Session) -> Result<(), RpcError>;

    /// Ends a session; false if there was none.
    ///
    /// # Errors
    /// When the store fails.
    async fn end_session(&self, id: &str) -> Result<bool, RpcError>;
}

/// How fresh a catalog has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// As fresh as its sources want it: callers are shown what it lists.
    List,
    /// At most [`ROUTE_MS`] older: callers ask for what they have seen already.
    Route,
}

/// Milliseconds for which a catalog is good for routing even where its server wants no list kept. Without it a
/// server whose lists are stale at once, as some libraries have it by default, would be listed for every call.
pub const ROUTE_MS: u64 = 5_000;

/// What a listener wants to be told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionFilter {
    /// The lists, each by its change.
    pub lists: Vec<Change>,
    /// Resources by URI.
    pub resources: BTreeSet<String>,
}

impl SubscriptionFilter {
    /// Every change that is wanted.
    pub fn all(&self) -> impl Iterator<Item = Change> {
        self.lists.iter().cloned().chain(self.resources.iter().cloned().map(Change::Resource))
    }

    /// As `subscriptions/listen` has it.
    pub(crate) fn selectors(&self) -> Value {
        let wanted = Change::LISTS.into_iter().filter(|(_, change)| self.lists.contains(change));
        let wanted = wanted.map(|(selector, _)| (selector.to_owned(), true.into()));
        let mut selectors: Map<String, Value> = small_collect(wanted);
        if !self.resources.is_empty() {
            selectors.insert("resourceSubscriptions".to_owned(), self.resources.iter().cloned().collect());
        }
        Value::Object(selectors)
    }

    /// Whether a change is one of those wanted.
    pub fn has(&self, change: &Change) -> bool {
        match change {
            Change::Resource(uri) => self.resources.contains(uri),
            list => self.lists.contains(list),
        }
    }
}

/// One request for the server behind.
#[derive(Debug)]
pub struct Call<'a> {
    /// The JSON-RPC method.
    pub method: &'a str,
    /// Its parameters as the caller wrote them.
    pub params: Option<Raw<'a>>,
    /// The servers to ask one after the other, by the operator's names: the one that owns the primitive, or those that
    /// may have a resource that no list mentions.
    pub servers: &'a [String],
    /// Who asks.
    pub caller: &'a Caller<'a>,
    /// Whether the caller can be asked something in the middle of it.
    pub asks: bool,
    /// That the caller takes a task for an answer, if it does.
    pub task: Option<TaskRequest>,
}

/// A caller that takes a task for an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskRequest {
    /// For how many milliseconds it would have the task kept.
    pub ttl: Option<u64>,
}

/// What the server behind says.
#[allow(missing_debug_implementations, reason = "a stream has nothing to show")]
pub enum Answer {
    /// The JSON of `result`.
    Result(Vec<u8>),
    /// A JSON-RPC error.
    Error(RpcError),
    /// Notifications first, then one last event.
    Events(LocalBoxStream<'static, Event>),
    /// As [`Answer::Events`], with questions to the client among them.
    Dialog(LocalBoxStream<'static, StreamItem>),
}

/// One message on the stream of an answer that has questions.
#[derive(Debug)]
pub enum StreamItem {
    /// It goes to the client.
    Event(Event),
    /// The client is to be asked; the answer goes on meanwhile, or waits for it.
    Question(Question),
    /// The work goes on as a task of one's own. Nothing follows.
    Task(TaskPlan),
}

/// A request of the server behind to the client, in the middle of a call.
pub struct Question {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: String,
    /// Its parameters.
    pub params: Value,
    /// Hands the server the client's answer.
    pub reply: Reply,
}

/// Takes the client's answer, and sends it.
pub type Reply = Box<dyn FnOnce(Result<Value, RpcError>) -> LocalBoxFuture<'static, ()>>;

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question").field("method", &self.method).finish_non_exhaustive()
    }
}

/// One message on the stream of an answer.
#[derive(Debug)]
pub enum Event {
    /// A JSON-RPC notification, whole; to the client of a session also a request. More follow.
    Notification(Vec<u8>),
    /// The JSON of `result`. Nothing follows.
    Result(Vec<u8>),
    /// A JSON-RPC error. Nothing follows.
    Error(RpcError),
}
