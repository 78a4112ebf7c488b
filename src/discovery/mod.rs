//! Tools by which a model finds other tools, for clients that list tools once and send no filter.
//!
//! In the modes `search` and `groups` a list has a few tools that never change. Through them a model finds the tools
//! that its caller sees, reads their definitions and calls them. In the mode `outline` a list has all tools without
//! their schemas, and one tool by which a model reads their definitions. All answers come from one
//! [`View`](crate::policy::View): hidden tools are answered like missing ones, and nothing is stored between
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
mod outcome;
mod outline;
mod preview;
mod search;
mod tool;
mod tools;

pub use answer::Answer;
pub use call::ToolCall;
pub use outcome::Outcome;
pub use preview::Preview;
pub use tool::DiscoveryTool;
pub use tools::{Candidate, Tools};
