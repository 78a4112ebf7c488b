//! Sieve decides which tools, resources, resource templates and prompts an MCP caller sees.
//!
//! Compile list results once, then ask many times: a filter is word operations on bitsets, and an answer
//! is the bytes of a list, with every field of every primitive as its server wrote it.
//!
//! ```
//! use mcp_sieve::{
//!     catalog::{Catalog, Kind, Lists, Source},
//!     config::Config,
//!     filter::{Filter, Narrowing, Selection},
//!     policy::View,
//! };
//!
//! # fn main() -> Result<(), mcp_sieve::error::Error> {
//! let listed = r#"{"tools":[
//!     {"name":"create_issue","inputSchema":{"type":"object"}},
//!     {"name":"list_issues","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
//!     {"name":"send_mail","inputSchema":{"type":"object"}}]}"#;
//! let config = Config::parse(r#"{"rules":[
//!     {"match":"name:*_issue*","groups":["issues"]},
//!     {"match":"annotation.readOnlyHint=true","tags":["read-only"]}]}"#)?;
//!
//! let source = Source { server: "tracker", lists: Lists::read(listed)? };
//! let catalog = Catalog::compile(&[source], &config.assignments);
//! let filter: Filter = r#"{"groups":["issues"],"tags":["read-only"]}"#.parse()?;
//! let view = View::everything(catalog);
//! let narrowing = Narrowing::new(&view, &filter);
//!
//! let mut selection = Selection::default();
//! let selected = view.select(&narrowing, Kind::Tool, &mut selection);
//! let names: Vec<_> = selected.iter().filter_map(|at| view.catalog().kind_index(Kind::Tool).id(at)).collect();
//! assert_eq!(names, ["list_issues"]);
//! # Ok(())
//! # }
//! ```
//!
//! # Rooms
//!
//! [`expr`] is the language of rules and policies; [`catalog`] the compiled primitives; [`rank`] which of
//! them fit a person's words; [`concern`] what a server declares and a caller configures; [`filter`] what a
//! request narrows; [`task`] calls that outlive their request; [`policy`] who may see what; [`picker`] what a
//! person chooses by hand; [`middleware`] what changes a context; [`config`] the file that says all this;
//! [`mcp`] the protocol
//! as a function from request to reply, for whoever implements [`mcp::Host`].
//!
//! # Errors
//!
//! What is refused is an [`error::Error`] with a stable code, and the field or byte where it went wrong.
//!
//! | code | refused |
//! |---|---|
//! | `json` | text that is not JSON, or nested deeper than [`json::MAX_DEPTH`] |
//! | `catalog` | a list result of another shape than the protocol's |
//! | `config` | a configuration that contradicts the schema or itself |
//! | `expression` | an expression that does not parse |
//! | `filter_type` `filter_limit` | a filter field of another type, or beyond [`concern::MAX_VALUES`] |
//! | `concern_value` | a value outside its declaration, where the operator asked for an error |
//! | `time_format` | a time of a task filter that is none |
//! | `tokens` | token counts of another shape, or of another catalog |
//! | `snapshot` | bytes that are no snapshot of a catalog, one of another format, or damaged |
//! | `unknown_middleware` | a function of context middleware that is not offered |
//! | `arguments_invalid` | arguments that the schema of a function refuses |
//! | `context_invalid` `context_limit` | a context that is no array of content items, or is too large |
//! | `middleware_failed` | a function of context middleware that could not do its work |
//! | `preferences` | kept preferences of another shape, or of a newer version |
//! | `invalid_cursor` `cursor_filter_mismatch` | a cursor of another server, list, filter or caller |
//!
//! A primitive that cannot be used is never an error: it is left out, reported by name, and the rest served.
//!
//! # What it does not do
//!
//! Narrowing is not access control; policies are. Nothing here reads a clock, a file or the network.

pub mod catalog;
pub mod concern;
pub mod config;
pub mod digest;
pub mod error;
pub mod expr;
pub mod filter;
pub mod json;
pub mod mcp;
pub mod middleware;
pub mod picker;
pub mod policy;
pub mod rank;
mod revision;
pub mod seal;
mod small_collect;
mod sort_indices;
pub mod task;
mod time;
#[cfg(any(feature = "js", feature = "handler", feature = "middleware"))]
pub mod wasm;

/// The README's Rust is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
