//! Callers: the claims, the client and the headers of a request, borrowed from it or detached from it.

pub(crate) mod detached_caller;
pub(crate) mod identity;
