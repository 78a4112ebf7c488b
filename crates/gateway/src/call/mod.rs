//! Calls of a primitive (`tools/call`, `prompts/get`, `resources/read` and completion), from the route to the last
//! event.

pub(crate) mod argument_gate;
pub(crate) mod call_environment;
pub(crate) mod call_home;
pub(crate) mod chain;
pub(crate) mod client_requests;
pub(crate) mod completed_uris;
pub(crate) mod content_view;
pub(crate) mod create;
pub(crate) mod expected_digest;
mod full_definition;
pub(crate) mod invoke;
pub(crate) mod notifications;
pub(crate) mod owner;
pub(crate) mod pending;
pub(crate) mod pseudonyms;
pub(crate) mod reading;
pub(crate) mod result_uris;
pub(crate) mod round_handles;
pub(crate) mod rounds;
pub(crate) mod suspend;
pub(crate) mod task_eligibility;
pub(crate) mod upstream;
