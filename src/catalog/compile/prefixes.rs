//! The name prefix of a server's tools and prompts.

/// The prefix for the names of a server's tools and prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix {
    /// The operator's name for the server.
    pub server: String,
    /// The prefix itself.
    pub text: String,
    /// Whether every name gets the prefix, or only names that belong to another server.
    pub always: bool,
}
