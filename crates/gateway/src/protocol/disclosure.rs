//! The names of the draft "Progressive Disclosure via Groups".

/// The id of the extension.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/groups";
