//! The handlers of MCP methods, one per file.

pub(crate) mod capabilities;
mod concern_members;
pub(crate) mod deterministic_groups;
pub(crate) mod directory;
pub(crate) mod disclosed;
pub(crate) mod discover;
pub(crate) mod discovery;
pub(crate) mod explain;
pub(crate) mod facets;
pub(crate) mod initialize;
pub(crate) mod list;
pub(crate) mod listen;
pub(crate) mod manifest;
pub(crate) mod passed_capabilities;
pub(crate) mod ranking;
pub(crate) mod session_settings;
pub(crate) mod sign_in;
pub(crate) mod skills;
pub(crate) mod tags;
pub(crate) mod tool_list;
