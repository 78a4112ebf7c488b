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
//! [`Sieve`] holds the lists of one server, compiled under a [`Config`]. [`Sieve::view`] returns what a [`Caller`] may
//! see, and a [`View`] lists the tools, resources, templates and prompts that a [`Filter`] keeps, each as a
//! [`Selection`] of names or JSON. [`Sieve::refusal`] applies the checks of the configuration, and a [`TaskFilter`]
//! filters lists of tasks. The JavaScript package has types of the same names.
//!
//! - [`expr`] is the expression language of rules, policies and filters.
//! - [`picker`] is a model for user interfaces in which a person chooses a filter.
//! - [`policy`] is for policies that are written in Rust.
//! - [`middleware`] is for functions that change the context of a model.
//! - [`mcp`] is for Workers that serve tools of their own beside or instead of a server.
//!
//! # Errors
//!
//! Rejected input returns an [`Error`] with a stable [code](Error::code), and the field or byte where it went wrong;
//! [`ErrorKind`](error::ErrorKind) lists the kinds. [`mcp::REASONS`] lists all codes, those of JSON-RPC errors
//! included.
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
//! Semver covers what this documentation shows. The crate exports more items, hidden here, for the other crates of its
//! repository; they may change in any release.

pub mod catalog;
pub mod config;
pub mod error;
pub mod expr;
pub mod filter;
pub mod mcp;
pub mod middleware;
pub mod picker;
pub mod policy;

// Hidden from the documentation and excluded from semver: only the other crates of this repository use these.
#[doc(hidden)]
pub mod concern;
#[doc(hidden)]
pub mod digest;
#[doc(hidden)]
pub mod discovery;
#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod rank;
#[doc(hidden)]
pub mod seal;
#[doc(hidden)]
pub mod task;
#[cfg(any(feature = "js", feature = "handler", feature = "middleware"))]
#[doc(hidden)]
pub mod wasm;

mod edit_distance;
mod revision;
mod sieve;
mod small_collect;
mod sort_indices;
mod time;

pub use catalog::Kind;
pub use config::Config;
pub use error::Error;
pub use filter::Filter;
pub use rank::Ranker;
pub use sieve::{Caller, Match, Selection, Sieve, TaskFilter, TaskPage, View};

/// The README's Rust is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
