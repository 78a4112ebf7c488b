//! The JavaScript bindings. The package's `sieve.js` wraps `Engine` in the API that users see. Only text, numbers and
//! addresses of bytes cross this boundary; the bytes stay in place until the next call.

#[cfg(feature = "js")]
mod answer;
#[cfg(feature = "command")]
pub mod command;
#[cfg(feature = "js")]
mod discovery;
#[cfg(feature = "js")]
mod engine;
#[cfg(feature = "handler")]
pub mod handler;
#[cfg(feature = "middleware")]
pub mod middleware;
#[cfg(feature = "js")]
mod picker;
#[cfg(feature = "js")]
mod predicates;
#[cfg(feature = "js")]
mod servers;
#[cfg(feature = "js")]
mod storage;
#[cfg(feature = "js")]
mod tasks;
mod value;

#[cfg(feature = "js")]
pub use engine::{Engine, Inbox};
#[cfg(feature = "js")]
pub use picker::Picker;
#[cfg(feature = "js")]
pub use predicates::Judges;
#[cfg(feature = "js")]
pub use tasks::TaskQuery;
