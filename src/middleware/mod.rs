//! Context middleware: functions from context to context that an application calls at a time of its own
//! choosing, never a model. MCP issue #1607 gives the wire; here are the functions.
//!
//! A function is a [`Middleware`]: a name, a description, the schema of its arguments, and
//! [`Middleware::apply`], which takes a [`Content`] and gives an [`Outcome`]. What it needs of the world
//! (a clock, documents, a list of tools) it asks of an [`Environment`]. A [`Registry`] holds functions under
//! unique names, reads what a caller sends and checks it before a function sees it.
//!
//! ```
//! use mcp_sieve::middleware::{Environment, Registry};
//!
//! #[derive(Debug)]
//! struct Clock;
//! impl Environment for Clock {
//!     fn now(&self) -> u64 { 1_759_592_520_000 }
//! }
//!
//! # fn main() -> Result<(), mcp_sieve::error::Error> {
//! let registry = Registry::built_in();
//! let context = r#"[{"type":"text","text":"When is the next train?"}]"#;
//! let outcome = registry.invoke("timestamp_injector", None, context, &Clock);
//! let outcome = futures_executor::block_on(outcome)?;
//! assert!(outcome.content.to_json().contains("[Current time: Saturday, October 4, 2025, 3:42 PM UTC]"));
//! # Ok(())
//! # }
//! ```
//!
//! # A function of your own
//!
//! Implement [`Middleware`] and [`Registry::add`] it. Keep what the context holds in order; change no item
//! that is not yours to change ([`Content::rewrite`] visits texts and leaves all else as it came). Metadata is
//! for the application: never put a value into it that the content must not show, unless asked to.

mod framework;
mod functions;
pub mod moderation;
pub mod pii;
pub mod scan;
pub mod secrets;

pub use framework::{
    arguments::Arguments,
    chain::{Chain, ChainResult, MAX_STEPS, Mode, Redactions, Report, Step},
    content::{Content, MAX_CONTEXT, MAX_ITEMS, MAX_RESULT, Place, TextItem},
    documents::{
        Document, Documents, Library, MAX_DOCUMENT, MAX_DOCUMENTS, MAX_PASSAGE, Passage, passages, rank,
    },
    environment::{Environment, Record, Zone},
    function::{Call, Function},
    middleware::{Hook, Middleware, Phase},
    outcome::{Outcome, Refusal},
    registry::{MAX_FUNCTIONS, Registry},
    schema::Schema,
};
pub use functions::*;
pub use scan::urls::may_reach;
