//! The groups, tags and concerns that servers declare, merged with those of the operator.
//!
//! The operator's declarations take precedence, member by member. A server can describe and nest only its own
//! primitives: its description of a name is shown to callers that see something of that server under that name. If
//! several such servers describe a name, the first description is used as a whole. Invalid declarations are left out
//! and reported.

mod idle_declarations;
pub(crate) mod learned;
pub(crate) mod merge;
pub(crate) mod problems;
pub(crate) mod read;
pub(crate) mod reviewed;
pub(crate) mod server_declarations;
pub(crate) mod toolbox;
pub(crate) mod tree;

pub use problems::Problem;
pub use server_declarations::ServerDeclarations;
pub use tree::MAX_ABOVE;
