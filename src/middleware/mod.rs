//! Context middleware: functions that change or check the context of a model. An application calls them at a time of its own
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
#[doc(hidden)]
pub mod moderation;
#[doc(hidden)]
pub mod pii;
#[doc(hidden)]
pub mod scan;
#[doc(hidden)]
pub mod secrets;

pub use crate::json::Object;
pub use framework::{
    arguments::Arguments,
    content::{Content, Place, TextItem},
    documents::{Document, Documents, Passage},
    environment::{Environment, Record, Zone},
    middleware::{Hook, Middleware, Phase},
    outcome::{Outcome, Refusal},
    registry::Registry,
};

// For the other crates of this repository: hidden, and no part of what semver promises.
#[doc(hidden)]
pub use framework::{
    chain::{Chain, ChainResult, MAX_STEPS, Mode, Redactions, Report, Step},
    content::{MAX_CONTEXT, MAX_ITEMS, MAX_RESULT},
    documents::{Library, MAX_DOCUMENT, MAX_DOCUMENTS, MAX_PASSAGE, passages, rank},
    function::{Call, Function},
    registry::MAX_FUNCTIONS,
    schema::Schema,
};
#[doc(hidden)]
pub use functions::*;
#[doc(hidden)]
pub use scan::{Pseudonyms, urls::may_reach};
pub(crate) use {framework::text_visitor::visit_strings, scan::pseudonym::Pseudonym};
