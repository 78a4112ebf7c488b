//! The HTTP endpoints of the Worker: MCP, the operator's endpoints, health, and the files of the page.

pub(crate) mod answer_cache;
pub(crate) mod assets;
pub(crate) mod body;
pub(crate) mod connect;
pub(crate) mod convert;
pub(crate) mod entry;
pub(crate) mod health;
pub(crate) mod mcp;
pub(crate) mod operator;
mod passed_metadata;
pub(crate) mod percent;
pub(crate) mod upstreams;
