//! The paths of the MCP endpoint: `/mcp`, and `/mcp/support` for the endpoint bounded by the preset `support`.

/// The path of the MCP endpoint. A further path segment names a preset.
pub const MCP_PATH: &str = "/mcp";
/// The prefix of the paths of plain lists. The rest of the path is the member of a list result, such as `tools`,
/// perhaps after a preset.
pub const PLAIN_PATH: &str = "/catalog/";

/// The MCP endpoint that a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Endpoint<'a> {
    /// The path by which metadata names the endpoint. It has no slash at its end.
    pub path: &'a str,
    /// The preset that the path names. It may not exist.
    pub preset: Option<&'a str>,
}

impl<'a> Endpoint<'a> {
    /// Returns the endpoint that a path names, with or without a slash at its end; `None` for a path at which MCP is
    /// not served.
    pub fn from_path(path: &'a str) -> Option<Self> {
        let path = path.strip_suffix('/').unwrap_or(path);
        match path.strip_prefix(MCP_PATH)? {
            "" => Some(Self { path, preset: None }),
            rest => rest.strip_prefix('/').map(|preset| Self { path, preset: Some(preset) }),
        }
    }
}
