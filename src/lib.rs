//! Sieve decides which MCP primitives a caller sees.

pub mod catalog;
pub mod error;
pub mod expr;
pub mod json;
pub mod concern;
pub mod filter;
pub mod seal;
pub mod config;
pub mod policy;
