//! The handlers of MCP methods, one in each file, and the dispatcher that chooses between them.

pub(crate) mod capabilities;
pub(crate) mod discover;
pub(crate) mod dispatch;
pub(crate) mod explain;
pub(crate) mod facets;
pub(crate) mod initialize;
pub(crate) mod list;
pub(crate) mod session_settings;
