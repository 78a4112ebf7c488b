//! Tasks: calls that outlive the request in which they were made.
//!
//! A [`Task`] is one record, from which the representation for each [`Era`](mcp_sieve_gateway::Era) is derived. A task
//! changes only through [`Task::apply`], which applies an [`Event`]. A store must apply events one at a time, so that
//! concurrent events are serialized.
//!
//! | from | to |
//! |---|---|
//! | `working` | `input_required` `completed` `failed` `cancelled` |
//! | `input_required` | `working` `completed` `failed` `cancelled` |
//! | `completed` `failed` `cancelled` | none: these states are final |

mod event;
mod record;
mod sql;
mod subject;
mod view;

pub use event::{Event, Refusal};
pub use record::{Remote, Task, TaskQuestion};
pub use sql::{Binding, SCHEMA, Statement};
pub use subject::TaskSubject;

/// Number of random bytes in a task's id. Knowledge of the id may be all that authorizes a client to read the task.
pub const ID_BYTES: usize = 16;
/// Maximum number of questions of a task that are open at the same time.
pub const MAX_QUESTIONS: usize = 64;
