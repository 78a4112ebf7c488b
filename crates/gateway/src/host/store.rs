//! The interface to task storage, and the work that is stored with tasks.

use futures_util::{future::LocalBoxFuture, stream::LocalBoxStream};
use mcp_sieve::task::Scan;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::task_record::{Event, Refusal, Task};

use crate::{
    host::local_request::{LocalRequest, ProgressSender},
    protocol::error::RpcError,
};

/// Maximum time, in milliseconds, for which a task is stored. Longer times are reduced to it.
pub const MAX_TTL_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// Stores tasks and runs the work of local ones. A task that [`TaskStore::create`] has stored can be loaded by any
/// later request, also after a restart.
///
/// Tasks are stored by `owner`, an opaque string. The tasks of one owner are stored together, and no request reaches
/// those of another.
pub trait TaskStore {
    /// Stores a new task with its work, which is absent if an upstream server does the work.
    fn create(&self, task: Task, work: Option<TaskWork>) -> LocalBoxFuture<'static, Result<(), RpcError>>;

    /// Returns a task, unless the owner has no such task or it has expired.
    fn load(&self, owner: &str, id: &str) -> LocalBoxFuture<'static, Result<Option<Task>, RpcError>>;

    /// Applies an event to a task by [`Task::apply`] and stores the result. Events of a task are applied one at a time.
    /// [`Event::Answer`] and [`Event::Cancel`] must also be passed to the task's work.
    fn apply(
        &self,
        owner: &str,
        id: &str,
        event: Event,
    ) -> LocalBoxFuture<'static, Result<Option<Applied>, RpcError>>;

    /// Returns the tasks of an owner that a scan selects, in its order and without their outcomes.
    fn list(&self, owner: &str, scan: Scan) -> LocalBoxFuture<'static, Result<Vec<Task>, RpcError>>;

    /// Returns a stream of an owner's tasks, each whenever it changes: those with the given ids, or all if `ids` is
    /// empty. The stream may end at any time; the reader then loads the tasks and watches again.
    fn watch(
        &self,
        owner: &str,
        ids: Vec<String>,
    ) -> LocalBoxFuture<'static, Result<LocalBoxStream<'static, Task>, RpcError>>;

    /// Returns whether a stream may poll the task with this id at its server now, in milliseconds since 1970. A store
    /// with many streams gives one of them the turn for `pause_ms`, as [`PollTurns`](crate::tasks::PollTurns) does.
    fn may_poll(&self, _id: &str, _now: u64, _pause_ms: u64) -> bool {
        true
    }
}

/// The work of a local task. Its request is made again for each step, with the state that the previous step returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskWork {
    /// The parameters of the call.
    pub params: Value,
    /// The capabilities of the client.
    pub capabilities: Value,
    /// The principal of the caller.
    pub principal: Option<String>,
    /// The claims of the caller's token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<Map<String, Value>>,
    /// The state from the previous step; absent before the first.
    pub state: Option<Vec<u8>>,
    /// Delay, in milliseconds, before the next step.
    pub wait_ms: u64,
}

impl TaskWork {
    /// Returns the request of the next step, with the client's answers to the questions of the previous one.
    pub fn ask(self, method: &str, answers: Map<String, Value>) -> LocalRequest {
        LocalRequest {
            method: method.to_owned(),
            params: self.params,
            capabilities: self.capabilities,
            principal: self.principal,
            claims: self.claims,
            answers,
            state: self.state,
            task: None,
            sender: ProgressSender::default(),
        }
    }
}

/// The result of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Applied {
    /// The task after the event.
    pub task: Task,
    /// Whether the event changed the task, or the reason why it was not possible.
    pub changed: Result<bool, Refusal>,
}
