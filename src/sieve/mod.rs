//! The entry point for Rust programs: a catalog under a configuration, and the views of its callers.

mod caller;
mod compiled;
mod selection;
mod task_filter;
mod view;

pub use caller::Caller;
pub use compiled::Sieve;
pub use selection::{Match, Selection};
pub use task_filter::{TaskFilter, TaskPage};
pub use view::View;
