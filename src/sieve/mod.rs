//! The entry point for Rust programs: a catalog under a configuration, and the views of its callers.

mod caller;
mod compiled;
mod discovery;
mod facets;
mod origin;
mod request_params;
mod selection;
mod task_filter;
mod view;

pub use caller::{BoundCaller, Caller};
pub use compiled::Sieve;
pub use discovery::{Discovered, Discovery};
pub use origin::Origin;
pub use selection::{Match, Selection};
pub use task_filter::{TaskFilter, TaskPage};
pub use view::View;
