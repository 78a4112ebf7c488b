//! The names of the extension for skills (SEP-2640, final since 2026-09-18).

/// The id of the extension.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/skills";
/// The setting of a server that answers `resources/directory/read`.
pub(crate) const DIRECTORY_READ: &str = "directoryRead";
/// The media type of a directory.
pub(crate) const DIRECTORY: &str = "inode/directory";
