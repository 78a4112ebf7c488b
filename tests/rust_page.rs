//! The program that docs/rust.md shows in pieces, compiled and run.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

const PAGE: &str = include_str!("../docs/rust.md");
const PROGRAM: &str = include_str!("rust_page.rs");

#[test]
fn the_page_runs() -> Result<(), mcp_sieve::Error> {
    use mcp_sieve::{Caller, Config, Kind, Sieve};

    let lists = r#"{
        "tools": [{"name": "find_books", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}},
                  {"name": "lend_book", "inputSchema": {"type": "object"}},
                  {"name": "remove_book", "inputSchema": {"type": "object"}}],
        "resourceTemplates": [{"uriTemplate": "book://{isbn}", "name": "A book"}]}"#;
    let settings = r#"{
        "rules": [{ "match": "name:lend_*", "groups": ["loans"] },
                  { "match": "annotation.readOnlyHint=true", "tags": ["read-only"] }],
        "policies": [{ "name": "staff", "show": "-name:remove_book or claim.role=librarian" }],
    }"#;
    let sieve = Sieve::compile(lists, &Config::parse(settings)?)?;
    assert!(sieve.reports().is_empty()); // what was left out of the lists, and why

    let caller = Caller::with_claims(r#"{"sub":"ada","role":"reader"}"#)?; // or Caller::anonymous()
    let view = sieve.view(&caller);

    let params = r#"{"filter": {"groups": ["loans"]}}"#;
    let tools = view.list_request(Kind::Tool, params)?;
    assert_eq!(tools.names().collect::<Vec<_>>(), ["lend_book"]);
    let result = tools.json(); // {"tools":[…]}
    let report = tools.report(); // for _meta["dev.mcpsieve/filter"] of the result

    assert!(result.starts_with(r#"{"tools":[{"name":"lend_book""#), "{result}");
    assert!(report.is_some());

    use mcp_sieve::Filter;

    let url = Filter::from_query("namePatterns=find_*")?.filter;
    let tools = view.within(&url)?.list_request(Kind::Tool, "")?;
    assert_eq!(tools.names().collect::<Vec<_>>(), ["find_books"]);

    assert!(view.allows(Kind::Tool, "lend_book"));
    assert!(!view.allows(Kind::Tool, "remove_book"));
    assert!(view.allows(Kind::Resource, "book://9780131103627")); // by its template
    assert!(!view.allows(Kind::Resource, "file:///etc/passwd")); // no list has it

    assert!(view.capabilities().contains(r#""extensions":{"dev.mcpsieve/filtering":{"version":1,"#));

    use mcp_sieve::{Discovered, policy::DisclosureMode};

    let discovery = view.tools(&Filter::default())?.discovery(DisclosureMode::Search);
    let list = discovery.json(); // the result of tools/list: search_tools, describe_tools, …
    let instructions = discovery.instructions(); // for the server's instructions

    match discovery.call("search_tools", r#"{"query": "lend a book"}"#) {
        Discovered::Result(result) => assert!(result.contains("lend_book")), // send it
        Discovered::Call { name, arguments } => println!("call {name} with {arguments}"),
    }

    assert!(list.contains("search_tools") && instructions.contains("2 tools"));
    let [books, films] = [r#"{"tools":[{"name":"find","inputSchema":{"type":"object"}}]}"#; 2];

    let settings = r#"{"upstreams": [{ "name": "books" }, { "name": "films", "prefix": "films_" }]}"#;
    let servers = [("books", books), ("films", films)]; // the name and the lists of each
    let sieve = Sieve::compile_servers(&servers, &Config::parse(settings)?)?;
    let view = sieve.view(&caller);
    let origin = view.origin(Kind::Tool, "films_find").expect("the caller sees it");
    assert_eq!((origin.server, &*origin.name), ("films", "find"));
    Ok(())
}

/// Blocks in Rust that are marked `ignore` are lines of `examples/rmcp`, which `rust-server.test.mjs` compares.
#[test]
fn each_block_of_the_page_is_a_part_of_the_program() {
    let program: String =
        PROGRAM.lines().map(|line| [line.strip_prefix("    ").unwrap_or(line), "\n"].concat()).collect();
    let blocks: Vec<&str> =
        PAGE.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 7);
    for block in blocks {
        assert!(program.contains(block), "{block}");
    }
}
