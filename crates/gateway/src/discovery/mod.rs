//! Tools by which a model finds other tools, for clients that list tools once and send no filter.
//!
//! In the modes `search` and `groups` a list has a few tools that never change. Through them a model finds the tools
//! that its caller sees, reads their definitions and calls them. All answers come from one
//! [`View`](mcp_sieve::policy::View): hidden tools are answered like missing ones, and nothing is stored between
//! requests.

mod answer;
mod arguments;
mod bounds;
mod call;
mod describe;
mod dispatch;
mod groups;
mod instructions;
mod line;
mod preview;
mod search;
mod tool;
mod tools;

pub use answer::Answer;
pub use bounds::{MAX_DEFINITIONS, MAX_ENTRIES, MAX_NAME, MAX_NAMES, MAX_REASON, MAX_SCHEMA};
pub use call::ToolCall;
pub use describe::MAX_DESCRIBED;
pub use groups::{MAX_GROUPS, MAX_OPENED, UNGROUPED};
pub use instructions::MAX_INSTRUCTED_GROUPS;
pub use line::MAX_LINE;
pub use preview::{Preview, always_listed, preview};
pub use search::{DEFAULT_RESULTS, MAX_RESULTS};
pub use tool::DiscoveryTool;
pub use tools::{Candidate, Definitions, Tools};
