//! The targets, one file each. This file has the helpers that several of them use.

pub mod config;
pub mod expression_json;
pub mod expression_text;
pub mod filter;
pub mod handle;
pub mod headers;
pub mod json;
pub mod lists;
pub mod moderation;
pub mod outer_members;
pub mod query;
pub mod redaction;
pub mod search;
pub mod secrets;
pub mod snapshot;
pub mod sse;
pub mod tokens;
pub mod upstream;

mod conversation;
mod rpc;
mod sample;
mod tree;

/// Returns the bytes as text. Text parsers never receive invalid UTF-8, so it is replaced.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
