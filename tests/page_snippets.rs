//! The Rust code that the demo page shows, compiled and run. `tests/page.test.mjs` checks that the page shows the same,
//! and writes the files again with `UPDATE=1`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_sieve::Error;

mod tools {
    include!("fixtures/page/tools.txt");

    pub(super) const NAMES: super::Names = names;
}
mod resources {
    include!("fixtures/page/resources.txt");

    pub(super) const NAMES: super::Names = names;
}
mod resource_templates {
    include!("fixtures/page/resourceTemplates.txt");

    pub(super) const NAMES: super::Names = names;
}
mod prompts {
    include!("fixtures/page/prompts.txt");

    pub(super) const NAMES: super::Names = names;
}
mod quoted {
    include!("fixtures/page/quoted.txt");

    pub(super) const NAMES: super::Names = names;
}

type Names = fn(&str) -> Result<Vec<String>, Error>;

/// Lists of each kind. One item of each is in `issues` and not destructive.
const LISTS: &str = r##"[{
    "tools": [
        {"name": "list_issues", "inputSchema": {"type": "object"}, "groups": ["issues"], "tags": ["read"]},
        {"name": "drop_issues", "inputSchema": {"type": "object"}, "groups": ["issues"], "tags": ["destructive"]},
        {"name": "first", "inputSchema": {"type": "object"}, "groups": ["#x"]}],
    "resources": [
        {"uri": "x://issue", "name": "issue", "groups": ["issues"]},
        {"uri": "x://note", "name": "note", "groups": ["notes"]}],
    "resourceTemplates": [
        {"uriTemplate": "x://{issue}", "name": "issue", "groups": ["issues"]},
        {"uriTemplate": "y://{note}", "name": "note", "groups": ["notes"]}],
    "prompts": [{"name": "triage", "groups": ["issues"]}, {"name": "greet"}]}]"##;

#[test]
fn the_code_of_each_kind_compiles_and_filters() {
    for (names, expected) in [
        (tools::NAMES, "list_issues"),
        (resources::NAMES, "x://issue"),
        (resource_templates::NAMES, "x://{issue}"),
        (prompts::NAMES, "triage"),
        (quoted::NAMES, "first"),
    ] {
        assert_eq!(names(LISTS).unwrap(), [expected]);
    }
}

#[test]
fn lists_that_cannot_be_read_are_an_error_of_the_code() {
    assert_eq!(tools::NAMES("{").unwrap_err().code(), "json");
}
