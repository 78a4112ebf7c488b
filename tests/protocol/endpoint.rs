//! The paths at which MCP is served.

use mcp_sieve_gateway::server::Endpoint;

#[test]
fn the_endpoint_is_at_its_path_and_below_it_by_preset() {
    let preset = |path: &str| Endpoint::from_path(path).map(|endpoint| endpoint.preset.map(str::to_owned));
    let named = |name: &str| Some(Some(name.to_owned()));
    assert_eq!(preset("/mcp"), Some(None));
    assert_eq!(preset("/mcp/support"), named("support"));
    assert_eq!(preset("/mcp/"), Some(None));
    assert_eq!(preset("/mcp/support/"), named("support"));
    // No preset has such a name, so the endpoint answers with an error in JSON.
    assert_eq!(preset("/mcp//"), named(""));
    assert_eq!(preset("/mcp/support//"), named("support/"));
    assert_eq!(preset("/mcp//support"), named("/support"));
    for elsewhere in [
        "",
        "/",
        "/mcpx",
        "/mcp.json",
        "/MCP",
        "mcp",
        "//mcp",
        "/catalog/mcp",
        "/mcp%2Fsupport",
        "/mcpx/",
        "//mcp/",
    ] {
        assert_eq!(preset(elsewhere), None, "{elsewhere}");
    }
}
