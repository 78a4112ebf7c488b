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

mod arguments;
mod chain;
mod content;
mod content_moderation;
mod context_logger;
mod document_retrieval;
mod documents;
mod environment;
mod hallucination_check;
mod links;
pub mod moderation;
mod outcome;
pub mod pii;
mod pii_redaction;
mod pii_restoration;
mod registry;
mod schema;
pub mod secret;
mod secret_detection;
mod signs;
mod timestamp_injector;
mod tool_filter;
mod walk;

pub use arguments::Arguments;
pub use chain::{Chain, Handles, MAX_STEPS, Mode, Ran, Report, Step};
pub use content::{Content, MAX_CONTEXT, MAX_ITEMS, MAX_RESULT, Place, Which};
pub use content_moderation::{ContentModeration, Judge};
pub use context_logger::ContextLogger;
pub use document_retrieval::DocumentRetrieval;
pub use documents::{
    Document, Documents, Library, MAX_DOCUMENT, MAX_DOCUMENTS, MAX_PASSAGE, Passage, passages, rank,
};
pub use environment::{Environment, Record, Zone};
pub use hallucination_check::HallucinationCheck;
pub use links::may_reach;
pub use outcome::{Outcome, Refusal};
pub use pii_redaction::PiiRedaction;
pub use pii_restoration::PiiRestoration;
pub use registry::{MAX_FUNCTIONS, Registry};
pub use schema::Schema;
pub use secret_detection::SecretDetection;
pub use timestamp_injector::TimestampInjector;
pub use tool_filter::ToolFilter;

use futures_util::future::LocalBoxFuture;

use crate::error::Error;

/// A function from context to context.
pub trait Middleware {
    /// What callers name it by, unique in a registry.
    fn name(&self) -> &str;

    /// What it does, for whoever configures an application.
    fn description(&self) -> &str;

    /// The JSON Schema of its arguments; of the keywords that [`Schema`] knows.
    fn input_schema(&self) -> &str {
        r#"{"type":"object","additionalProperties":false}"#
    }

    /// What it is to those who run chains of functions.
    fn hook(&self) -> Hook {
        Hook { changes: true, phase: Phase::Request, events: &["llm/completion"] }
    }

    /// Changes a context, or judges it. The arguments have passed the schema, with its defaults in place.
    ///
    /// # Errors
    /// [`ErrorKind::MiddlewareFailed`](crate::error::ErrorKind::MiddlewareFailed) where it cannot do its work. A
    /// context that must not go on is no error: see [`Outcome::refusal`].
    fn apply<'a>(
        &'a self,
        context: Content<'a>,
        arguments: &'a Arguments<'a>,
        environment: &'a dyn Environment,
    ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>>;
}

/// Where in a chain a function belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hook {
    /// Whether it changes contexts, or only judges them.
    pub changes: bool,
    /// On which side of the model or server.
    pub phase: Phase,
    /// What it is meant for, in the names of the interceptor proposal (SEP-2624).
    pub events: &'static [&'static str],
}

/// The side of a model or server on which a context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// On its way out: to a model, or to a server behind.
    Request,
    /// On its way back.
    Response,
    /// Either.
    Both,
}
