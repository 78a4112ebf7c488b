//! Tasks over MCP: their storage, their creation from calls, and the methods that list, watch and update them.

pub(crate) mod create;
pub(crate) mod eligibility;
pub(crate) mod list;
pub(crate) mod lookup;
pub(crate) mod methods;
pub(crate) mod notifications;
pub(crate) mod owner;
pub(crate) mod poll_turns;
pub(crate) mod result;
pub(crate) mod run;
pub(crate) mod store;
pub(crate) mod upstream;
pub(crate) mod watch;
