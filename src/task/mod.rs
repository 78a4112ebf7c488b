//! Filters of tasks (SEP-1904), and the pages of lists that they select.

mod bounds;
mod cursor;
mod field;
mod filter;
mod listed_task;
mod query;
mod scan;
mod state;
mod support;

pub use bounds::Bounds;
pub use cursor::TaskCursor;
pub use filter::{Direction, OrderKey, TaskFilter};
pub use query::{Query, TaskProperties};
pub use scan::{Place, Scan};
pub use state::{Status, TaskState};
pub use support::Support;
