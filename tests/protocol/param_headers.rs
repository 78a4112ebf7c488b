//! Reports to the operator about tools with invalid header marks.

use mcp_sieve::catalog::{Lists, Source};
use mcp_sieve_gateway::{
    config::Config,
    upstream::{Backend, Features},
};
use serde_json::Value;

#[test]
fn a_tool_with_an_invalid_header_mark_is_omitted_and_reported() {
    let worlds: Value = serde_json::from_str(include_str!("../fixtures/protocol-worlds.json")).unwrap();
    let listed = worlds["marked"]["lists"].to_string();
    let source = Source { server: "s", lists: Lists::read(&listed).unwrap() };
    let backend = Backend::compile(vec![source], &Config::parse("{}").unwrap(), Features::default());
    let reports: Vec<(&str, &str)> =
        backend.reports.iter().map(|report| (report.name.as_str(), report.problem.as_str())).collect();
    let typed = "`x-mcp-header` of `a` marks something other than a string, integer or boolean, left out";
    let expected = [
        ("spaced", "`x-mcp-header` of `a` is no header name, left out"),
        ("unnamed", "`x-mcp-header` of `a` is no header name, left out"),
        ("numbered", "`x-mcp-header` of `a` is no header name, left out"),
        ("twice", "`x-mcp-header` of `b` is `a` for the second time, left out"),
        ("fraction", typed),
        ("untyped", typed),
        ("either", typed),
        ("listed", "`x-mcp-header` of `a` is below `items`, where it does not name one argument, left out"),
        ("alternative", "`x-mcp-header` is below `anyOf`, where it does not name one argument, left out"),
        ("defined", "`x-mcp-header` is below `$defs`, where it does not name one argument, left out"),
        ("whole", "`x-mcp-header` marks no argument, left out"),
        ("deep", "`x-mcp-header` of `a.a.a.a.a.a.a.a.a` is deeper than 8 levels of `properties`, left out"),
    ];
    assert_eq!(reports, expected);
}
