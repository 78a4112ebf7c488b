//! Middleware functions as interceptors: `interceptors/list` and `interceptor/invoke` of the draft SEP-2624. This is an
//! experiment with an endpoint of its own, and changes with the draft.

mod dispatch;
mod hooks;
mod invoke;
mod list;
mod payload;

pub(crate) use dispatch::{EXTENSION, answer, settings};
