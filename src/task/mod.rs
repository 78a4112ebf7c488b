//! Tasks: calls that outlive the request in which they were made.
//!
//! A [`Task`] is one record, from which the representation for each [`Era`](crate::mcp::Era) is derived. A task changes
//! only through [`Task::apply`], which applies an [`Event`]. A store must apply events one at a time, so that
//! concurrent events are serialized.
//!
//! | from | to |
//! |---|---|
//! | `working` | `input_required` `completed` `failed` `cancelled` |
//! | `input_required` | `working` `completed` `failed` `cancelled` |
//! | `completed` `failed` `cancelled` | none: these states are final |

mod bounds;
mod cursor;
mod event;
mod field;
mod filter;
mod listed_task;
mod query;
mod record;
mod scan;
mod sql;
mod state;
mod subject;
mod support;
mod view;

pub use crate::time::timestamp;
pub use bounds::Bounds;
pub use cursor::TaskCursor;
pub use event::{Event, Refusal};
pub use filter::{Direction, OrderKey, TaskFilter};
pub use listed_task::{ListedTask, TaskPage};
pub use query::{Query, TaskProperties};
pub use record::{Remote, Task, TaskQuestion};
pub use scan::{Place, Scan};
pub use sql::{Binding, SCHEMA, Statement};
pub use state::{Status, TaskState};
pub use subject::TaskSubject;
pub use support::{Sides, Support};

/// Number of random bytes in a task's id. Knowledge of the id may be all that authorizes a client to read the task.
pub const ID_BYTES: usize = 16;
/// Maximum number of questions of a task that are open at the same time.
pub const MAX_QUESTIONS: usize = 64;
