//! The primitives that differ from a lock, for the operator.

use super::kind::Kind;
use crate::lock::LockState;

/// A primitive that differs from the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The operator's name for the server.
    pub server: String,
    /// The kind of the primitive.
    pub kind: Kind,
    /// The server's name, `uri` or `uriTemplate` of the primitive.
    pub name: String,
    /// Its state.
    pub state: LockState,
}
