//! One file a target. What several of them start from or look at stands here.

pub mod config;
pub mod expression_json;
pub mod expression_text;
pub mod filter;
pub mod handle;
pub mod headers;
pub mod json;
pub mod lists;
pub mod moderation;
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

/// Any bytes as text: what is not UTF-8 is refused before any of the readers of text is asked.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
