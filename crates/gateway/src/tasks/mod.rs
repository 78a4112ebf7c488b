//! Tasks: calls that are answered with a task and continue in the background, in both protocol eras.
//!
//! [`TaskStore`] is what requests use. [`TaskQueue`] is the storage below it, and a [`TaskRunner`] does the work of
//! tasks of a [`LocalServer`](crate::local::LocalServer), step after step. Without a
//! [task store](crate::host::Host::tasks) there are no tasks.

pub(crate) mod list;
pub(crate) mod lookup;
pub(crate) mod methods;
pub(crate) mod notifications;
pub(crate) mod poll_turns;
pub(crate) mod result;
pub(crate) mod run;
pub(crate) mod watch;

pub use crate::host::{
    forward::TaskRequest,
    store::{Applied, MAX_TTL_MS, TaskStore, TaskWork},
};
pub use crate::task_record::{
    Binding, Event, ID_BYTES, MAX_QUESTIONS, Refusal, Remote, SCHEMA, Statement, Task, TaskQuestion,
    TaskSubject,
};
pub use list::{MAX_LOOKED, MAX_PAGE};
pub use poll_turns::PollTurns;
pub use run::{
    BACKOFF_MS, MAX_PARALLEL_STEPS, MAX_ROUNDS, MAX_TRIES, STEP_MS, TaskQueue, TaskRunner, TaskStep,
};
