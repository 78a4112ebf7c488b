//! Sieve decides which tools, resources, resource templates and prompts an MCP caller sees.
//!
//! Compile list results once, then ask many times: a filter is word operations on bitsets, and an answer is the bytes
//! of a list, with every field of every primitive as its server wrote it, and the groups, tags and concerns that you
//! add.
//!
//! ```
//! use mcp_sieve::{Caller, Config, Filter, Sieve};
//!
//! let lists = r#"{"tools":[
//!     {"name":"create_issue","inputSchema":{"type":"object"}},
//!     {"name":"list_issues","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
//!     {"name":"send_mail","inputSchema":{"type":"object"}}]}"#;
//! let config = Config::parse(r#"{"rules":[
//!     {"match":"name:*_issue*","groups":["issues"]},
//!     {"match":"annotation.readOnlyHint=true","tags":["read-only"]}]}"#)?;
//! let filter: Filter = r#"{"groups":["issues"],"tags":["read-only"]}"#.parse()?;
//!
//! let tools = Sieve::compile(lists, &config)?.view(&Caller::anonymous()).tools(&filter)?;
//! assert_eq!(tools.names().collect::<Vec<_>>(), ["list_issues"]);
//! # Ok::<(), mcp_sieve::Error>(())
//! ```
//!
//! # Overview
//!
//! [`Sieve`] holds the lists of a server, or of several, compiled under a [`Config`]. [`Sieve::view`] returns what a
//! [`Caller`] may see, and a [`View`] lists the tools, resources, templates and prompts that a [`Filter`] keeps, each as
//! a [`Selection`] of names or JSON. The JavaScript package has types of the same names.
//!
//! A server answers list requests with [`View::list_request`], decides about calls with [`View::allows`], and announces
//! [`View::capabilities`]. [`Sieve::refusal`] applies the checks of the configuration, a [`Discovery`] lists a few tools
//! by which a model finds the others, and a [`TaskFilter`] filters lists of tasks.
//!
//! Most programs need no more than these. The modules are the parts that they are made of:
//!
//! - [`expr`] is the expression language of rules, policies and filters.
//! - [`policy`] decides what a caller sees; policies can be written in Rust.
//! - [`discovery`] has the tools by which a model finds other tools.
//! - [`picker`] is a model for user interfaces in which a person chooses a filter.
//! - [`catalog`] compiles the lists of several servers into one. [`filter`] selects from it, with the values of
//!   [`concern`]s, and [`rank`] searches it by words.
//! - [`task`] filters tasks, page by page.
//! - [`json`] reads objects without copying them, and writes them. [`seal`] makes tokens, [`time`] and [`revision`] hold
//!   dates and revisions of the protocol.
//!
//! The crate `mcp-sieve-gateway` is the gateway, with context middleware and servers of your own. The crate
//! `mcp-sieve-redact` finds personal data, secrets and harmful requests in texts.
//!
//! # Errors
//!
//! Rejected input returns an [`Error`] with a stable [code](Error::code), and the field or byte where it went wrong;
//! [`ErrorKind`] lists the kinds. `mcp_sieve_gateway::error::REASONS` lists all codes, those of JSON-RPC
//! errors included.
//!
//! A primitive that cannot be used is not an error: it is left out and [reported](Sieve::reports) by name, and the
//! rest is served. Lists that nest deeper than 64 levels are an error as a whole.
//!
//! # What it does not do
//!
//! A filter is not access control; policies are. Nothing here reads a clock, a file or the network.
//!
//! # Stability
//!
//! The crate follows semantic versioning. Error codes keep their meaning. Values of limits, and the layout of
//! [snapshots](Sieve::restore), may change in any release; a snapshot of another layout is refused.

pub mod catalog;
pub mod concern;
pub mod discovery;
pub mod expr;
pub mod filter;
pub mod json;
pub mod lock;
pub mod picker;
pub mod policy;
pub mod rank;
pub mod revision;
pub mod seal;
pub mod task;
pub mod time;

mod config;
mod digest;
mod edit_distance;
mod error;
mod sieve;
mod sort_indices;

pub use catalog::model::kind::Kind;
pub use config::Config;
pub use digest::{Digest, Hashing};
pub use error::{Error, ErrorKind, Ignored, UnknownName};
pub use filter::criteria::Filter;
pub use rank::fusion::Ranker;
pub use sieve::{
    BoundCaller, Caller, Discovered, Discovery, Match, Origin, Selection, Sieve, TaskFilter, TaskPage, View,
};
pub use sort_indices::sort_indices;

/// The README's Rust is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
