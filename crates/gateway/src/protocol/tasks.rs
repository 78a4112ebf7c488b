//! The name of the extension for tasks.

/// The extension that a client of the stateless revision declares to be given tasks, and a server to give them.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/tasks";
