//! Tasks: calls that outlive the request they came in.
//!
//! A [`Task`] is one record; what clients of either era read of it is derived ([`Era`](crate::mcp::Era)). What happens to it is an
//! [`Event`], and [`Task::apply`] is the only way it changes: whoever keeps tasks applies events one at a time,
//! so that two of them at once are one after the other.
//!
//! | from | to |
//! |---|---|
//! | `working` | `input_required` `completed` `failed` `cancelled` |
//! | `input_required` | `working` `completed` `failed` `cancelled` |
//! | `completed` `failed` `cancelled` | nothing: what has ended stays as it is |

mod bounds;
mod cursor;
mod event;
mod field;
mod filter;
mod query;
mod record;
mod scan;
mod shown;
mod sql;
mod state;
mod subject;
mod support;
mod view;

pub use crate::time::timestamp;
pub use bounds::Bounds;
pub use cursor::TaskCursor;
pub use event::{Event, Refusal};
pub use filter::{By, Direction, TaskFilter};
pub use query::{Listed, Query};
pub use record::{Remote, Task, TaskQuestion};
pub use scan::{Place, Scan};
pub use shown::{Shown, TaskPage};
pub use sql::{Binding, SCHEMA, Statement};
pub use state::{Status, TaskState};
pub use subject::Told;
pub use support::{Sides, Support};

/// Bytes of randomness in a task's id, which may be all that its reader has to show.
pub const ID_BYTES: usize = 16;
/// Most questions that one task asks in its life.
pub const MAX_QUESTIONS: usize = 64;
