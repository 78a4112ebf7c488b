//! Where tasks are kept, and who has their work done.

use futures_util::{future::LocalBoxFuture, stream::LocalBoxStream};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use crate::mcp::tasks::list::{MAX_LOOKED, MAX_PAGE};
pub(crate) use crate::mcp::tasks::{
    create::EXTENSION,
    eligibility::{params, wish},
    methods::{answer, served},
    notifications::{SELECTOR, listened, notice, of_session},
};

use crate::{
    mcp::{
        gateway::local::request::{LocalRequest, ProgressSender},
        protocol::error::RpcError,
    },
    task::{Event, Refusal, Scan, Task},
};

/// Longest time for which a task is kept, in milliseconds; what is asked beyond that gets this.
pub const MAX_TTL_MS: u64 = 7 * 24 * 60 * 60 * 1000;

/// Keeps tasks, and has the work of one's own done. What it answers late, it answers about what it has kept: a
/// task that [`TaskStore::create`] was given is there for whoever asks next, after a restart too.
///
/// Tasks lie by their `owner`, a text of which the store knows nothing more: tasks of one owner are in one place,
/// and no request reaches those of another.
pub trait TaskStore {
    /// Keeps a new task. `work` is what is to be done for it, and absent where a server behind does it.
    fn create(&self, task: Task, work: Option<TaskWork>) -> LocalBoxFuture<'static, Result<(), RpcError>>;

    /// The task, unless there is none of this owner, or its time is over.
    fn load(&self, owner: &str, id: &str) -> LocalBoxFuture<'static, Result<Option<Task>, RpcError>>;

    /// Has something happen to a task, by [`Task::apply`], and keeps what it has become: one event after the other.
    /// What is done for the task is to hear of [`Event::Answer`] and [`Event::Cancel`].
    fn apply(
        &self,
        owner: &str,
        id: &str,
        event: Event,
    ) -> LocalBoxFuture<'static, Result<Option<Applied>, RpcError>>;

    /// The tasks of an owner that a scan finds, in its order, without their outcomes.
    fn list(&self, owner: &str, scan: Scan) -> LocalBoxFuture<'static, Result<Vec<Task>, RpcError>>;

    /// Tasks of an owner whenever they change from now on: those of these ids, or all where none is named. The stream
    /// may end at any time, when whoever reads it looks and watches again.
    fn watch(
        &self,
        owner: &str,
        ids: Vec<String>,
    ) -> LocalBoxFuture<'static, Result<LocalBoxStream<'static, Task>, RpcError>>;
}

/// What is to be done for a task of one's own: its request is made anew, step after step, with what the step before
/// wants remembered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskWork {
    /// The parameters of the call.
    pub params: Value,
    /// What the client can do.
    pub capabilities: Value,
    /// Who called, by the token's `sub`.
    pub principal: Option<String>,
    /// What to remember; absent before the first step.
    pub state: Option<Vec<u8>>,
    /// Milliseconds to wait before the next step.
    pub wait_ms: u64,
}

impl TaskWork {
    /// The next step, as its tool is asked: with the client's answers to what the step before wanted to know.
    pub fn ask(self, method: &str, answers: Map<String, Value>) -> LocalRequest {
        LocalRequest {
            method: method.to_owned(),
            params: self.params,
            capabilities: self.capabilities,
            principal: self.principal,
            answers,
            state: self.state,
            task: None,
            talk: ProgressSender::default(),
        }
    }
}

/// What an event came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Applied {
    /// The task behind it.
    pub task: Task,
    /// Whether it changed anything, or why it could not happen.
    pub changed: Result<bool, Refusal>,
}
