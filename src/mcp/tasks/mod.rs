//! Tasks over MCP: where they are kept, how calls become tasks, and how callers list, watch and answer them.

pub(crate) mod create;
pub(crate) mod eligibility;
pub(crate) mod list;
pub(crate) mod lookup;
pub(crate) mod methods;
pub(crate) mod notifications;
pub(crate) mod owner;
pub(crate) mod result;
pub(crate) mod run;
pub(crate) mod store;
pub(crate) mod upstream;
pub(crate) mod watch;
