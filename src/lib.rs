//! Sieve decides which MCP primitives a caller sees.

pub mod catalog;
pub mod concern;
pub mod config;
pub mod error;
pub mod expr;
pub mod filter;
pub mod json;
pub mod mcp;
pub mod policy;
pub mod seal;
#[cfg(feature = "js")]
pub mod wasm;
