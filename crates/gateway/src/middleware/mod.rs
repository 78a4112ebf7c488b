//! Context middleware: functions that change or check the context of a model. Applications call these functions at a
//! time of their own choosing; models never call them. MCP issue #1607 defines the protocol messages.
//!
//! A function is a [`Middleware`]: a name, a description, the schema of its arguments, and
//! [`Middleware::apply`], which takes a [`Content`] and returns an [`Outcome`]. A function reads the clock, documents
//! and tools through an [`Environment`]. A [`Registry`] holds functions under unique names. It parses and validates
//! a call before it calls the function.
//!
//! ```
//! use mcp_sieve_gateway::middleware::{Environment, Registry};
//!
//! #[derive(Debug)]
//! struct Clock;
//! impl Environment for Clock {
//!     fn now(&self) -> u64 { 1_759_592_520_000 }
//! }
//!
//! # fn main() -> Result<(), mcp_sieve::Error> {
//! let registry = Registry::built_in();
//! let context = r#"[{"type":"text","text":"When is the next train?"}]"#;
//! let outcome = registry.invoke("timestamp_injector", None, context, &Clock);
//! let outcome = futures_executor::block_on(outcome)?;
//! assert!(outcome.content.to_json().contains("[Current time: Saturday, October 4, 2025, 3:42 PM UTC]"));
//! # Ok(())
//! # }
//! ```
//!
//! # Redaction and restoration
//!
//! ```
//! # use mcp_sieve_gateway::middleware::{Environment, Registry};
//! # struct Clock;
//! # impl Environment for Clock {
//! #     fn now(&self) -> u64 { 1_759_592_520_000 }
//! # }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # futures_executor::block_on(async {
//! let registry = Registry::built_in();
//! let context = r#"[{"type":"text","text":"Write to jane@example.com"}]"#;
//! // Values are in the metadata only if the caller asks for them.
//! let redacted = registry.invoke("pii_redaction", Some(r#"{"metadata":"values"}"#), context, &Clock).await?;
//! assert_eq!(redacted.content.to_json(), r#"[{"type":"text","text":"Write to [EMAIL_1]"}]"#);
//!
//! // The metadata, `{"redactions":{"EMAIL_1":"jane@example.com"}}`, is what the functions of the next turn take.
//! let handles = redacted.metadata.unwrap_or_default();
//! let answer = r#"[{"type":"text","text":"Sent to [EMAIL_1]."}]"#;
//! let restored = registry.invoke("pii_restoration", Some(&handles), answer, &Clock).await?;
//! assert_eq!(restored.content.to_json(), r#"[{"type":"text","text":"Sent to jane@example.com."}]"#);
//! # Ok(())
//! # })
//! # }
//! ```
//!
//! # A function of your own
//!
//! Implement [`Middleware`] and register it with [`Registry::add`]. Keep the items in order, and change only the items
//! that the function is about: [`Content::rewrite`] visits texts and copies everything else unchanged. Metadata is
//! for the application. Unless the caller asks for it, never write a value to the metadata that the function removed
//! from the content.
//!
//! # Threads
//!
//! A [`Registry`] and the futures of its functions stay on one thread, as Workers and browsers have only one. A server
//! with several threads runs them on a thread of their own or in a `tokio::task::LocalSet`. A
//! [`Sieve`](mcp_sieve::Sieve) and its views can be shared between threads.

mod framework;
mod functions;

pub use framework::{
    arguments::Arguments,
    chain::{Chain, ChainResult, MAX_STEPS, Mode, Redactions, Report, Step},
    content::{Content, MAX_CONTEXT, MAX_ITEMS, MAX_RESULT, Place, TextItem},
    documents::{
        Document, Documents, Library, MAX_DOCUMENT, MAX_DOCUMENTS, MAX_PASSAGE, Passage, passages, rank,
    },
    environment::{Environment, Record, Zone},
    function::{Call, Function},
    item::ItemText,
    middleware::{Hook, Middleware, Phase},
    outcome::{Outcome, Refusal},
    registry::{MAX_FUNCTIONS, Registry},
    schema::Schema,
};
pub use functions::{
    ContentModeration, ContextLogger, DocumentRetrieval, HallucinationCheck, Judge, PiiRedaction,
    PiiRestoration, SecretDetection, TimestampInjector, ToolFilter,
};
pub use mcp_sieve::json::Object;

pub(crate) use framework::text_visitor::visit_strings;
