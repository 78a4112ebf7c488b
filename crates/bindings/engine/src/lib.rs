//! The JavaScript bindings of the engine. The package's `sieve.js` wraps [`Engine`] in the API that users see. Only
//! text, numbers and addresses of bytes cross this boundary; the bytes stay in place until the next call.

mod answer;
mod caller;
mod compiled;
mod discovery;
mod engine;
mod merged;
mod picker;
mod predicates;
mod storage;
mod tasks;

pub use engine::{Engine, Inbox};
pub use picker::Picker;
pub use predicates::Judges;
pub use tasks::TaskQuery;
