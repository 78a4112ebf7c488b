//! The Durable Objects of the Worker: one file or folder for each class, with the functions that call it.

pub(crate) mod audit;
mod calls;
pub(crate) mod catalog;
pub(crate) mod connections;
pub(crate) mod documents;
pub(crate) mod event_log;
pub(crate) mod listeners;
mod ndjson;
mod query;
pub(crate) mod rate_counter;
pub(crate) mod rate_limit;
pub(crate) mod session;
pub(crate) mod session_home;
pub(crate) mod session_id;
mod sql;
pub(crate) mod suspended_calls;
pub(crate) mod tasks;

pub(crate) use calls::{ask, lost, read_body, read_long, request, respond, send, session_object};
use calls::{failure_from_json, respond_stored};
