//! Sieve for web pages: the public API of the crate `mcp-sieve` with typed objects, as a module that wasm-pack builds.
//!
//! A [`Sieve`] compiles the results of list requests under a configuration, a [`View`] is what one caller may see, and a
//! [`Selection`] is what a filter keeps. A [`Picker`] is the model of a user interface in which a person chooses the
//! filter, a [`PreferenceStore`] stores that person's choice in the browser, and a [`TaskFilter`] filters lists of
//! tasks.
//!
//! Configurations, filters, explanations and errors cross as objects. Lists cross as text, because objects would lose
//! the bytes of numbers and the text is what a model receives.

mod caller;
mod decode;
mod failure;
mod picker;
mod picker_types;
mod preference_store;
mod selection;
mod sieve;
mod task_filter;
mod types;
mod view;

pub use failure::{ErrorDetails, Failure};
pub use picker::Picker;
pub use preference_store::PreferenceStore;
pub use selection::Selection;
pub use sieve::Sieve;
pub use task_filter::TaskFilter;
pub use view::View;

#[cfg(all(test, target_arch = "wasm32"))]
#[path = "../tests/browser/mod.rs"]
mod tests;
