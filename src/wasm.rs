//! The JavaScript face. The package's `sieve.js` wraps [`Engine`] in the API that users see; what crosses
//! here is text, numbers and the address of bytes that stay in place until the next call.

mod answer;
#[cfg(feature = "command")]
pub mod command;
mod engine;
mod picker;
mod storage;
mod tasks;
mod value;

pub use engine::{Engine, Inbox};
pub use picker::Picker;
pub use tasks::TaskQuery;
