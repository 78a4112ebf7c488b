//! Calls of a primitive (`tools/call`, `prompts/get`, `resources/read` and completion), from the route to the last
//! event.

pub(crate) mod call_environment;
pub(crate) mod chain;
pub(crate) mod client_requests;
pub(crate) mod completed_uris;
pub(crate) mod content_view;
pub(crate) mod expected_digest;
pub(crate) mod generate;
pub(crate) mod header_params;
pub(crate) mod invoke;
pub(crate) mod notifications;
pub(crate) mod param_headers;
pub(crate) mod pending;
pub(crate) mod pseudonyms;
pub(crate) mod request_state;
pub(crate) mod result_uris;
pub(crate) mod round_handles;
pub(crate) mod rounds;
pub(crate) mod route;
pub(crate) mod suspended;
pub(crate) mod suspended_calls;
