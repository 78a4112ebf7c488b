//! Sessions with upstream servers: their callers, their number, and their end.

mod callers;
mod handlers;
mod refusals;
mod server;
