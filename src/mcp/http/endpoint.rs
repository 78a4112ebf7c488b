//! Which paths are the MCP endpoint: `/mcp`, and `/mcp/support` for the endpoint bounded by the preset `support`.

/// Where the endpoint is; the rest of the path, behind a slash, names a preset.
pub const MCP_PATH: &str = "/mcp";
/// Where the resources are; the rest of the path is the member of a list result, such as `tools`.
pub const PLAIN_PATH: &str = "/catalog/";

/// The MCP endpoint, as a path calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Endpoint<'a> {
    /// The preset that the path names, which may not exist.
    pub preset: Option<&'a str>,
}

impl<'a> Endpoint<'a> {
    /// Returns the endpoint that a path calls; `None` for a path at which MCP is not served.
    pub fn of(path: &'a str) -> Option<Self> {
        match path.strip_prefix(MCP_PATH)? {
            "" => Some(Self { preset: None }),
            rest => rest.strip_prefix('/').map(|preset| Self { preset: Some(preset) }),
        }
    }
}
