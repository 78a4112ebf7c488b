//! The benchmark cases whose instructions are counted.

use std::{error::Error, fmt::Write};

use futures_executor::block_on;
use http::Request;
use mcp_sieve::{
    Filter, Kind,
    catalog::{Assignments, Catalog, Lists, Source, SourceText},
    filter::{ParsedFilter, Selection},
    policy::View,
    rank::{Index, Scratch},
};
use mcp_sieve_gateway::{
    config::Config,
    server::{Body, Inbound, handle},
};
use mcp_sieve_redact::{Restorer, Scan, pii::Scanner, secrets::Secrets};
use serde_json::{Value, json};

use crate::{Work, host::OneServer, lists};

type Prepared = Result<Work, Box<dyn Error>>;
/// The function that builds the input of a case and returns its work.
type Prepare = fn() -> Prepared;

/// The cases by name.
pub const CASES: [(&str, Prepare); 11] = [
    ("compile", compile),
    ("snapshot", snapshot),
    ("filter", filter),
    ("expression", expression),
    ("list-narrow", || list(json!({"groups": ["group-3"], "tags": ["tag-4"]}))),
    ("list-medium", || {
        list(json!({"groups": ["group-0", "group-5", "group-9", "group-14"], "tags": ["stable"]}))
    }),
    ("index", index),
    ("search", search),
    ("pii", pii),
    ("secrets", secrets),
    ("restore", restored),
];

const TOOLS: usize = 1_000;
/// Number of tools that the expression case filters.
const MANY: usize = 100_000;
const TEXT_BYTES: usize = 64 * 1024;

/// Compiles a catalog from complete tool lists, which arrive as bytes, as in the npm package.
fn compile() -> Prepared {
    let json = lists::whole(TOOLS);
    Ok(Box::new(move || {
        let mut text = SourceText::with_room(json.len());
        text.room(json.len()).copy_from_slice(json.as_bytes());
        Lists::take(text).map_or(0, |lists| {
            let catalog = Catalog::keep(Source { server: "one", lists }, &Assignments::default());
            catalog.kind_index(Kind::Tool).len()
        })
    }))
}

fn catalog(json: &str) -> Result<Catalog, mcp_sieve::Error> {
    let source = Source { server: "one", lists: Lists::read(json)? };
    Ok(Catalog::compile(&[source], &Assignments::default()))
}

/// Restores a catalog from its snapshot.
fn snapshot() -> Prepared {
    let snapshot = catalog(&lists::whole(TOOLS))?.snapshot();
    Ok(Box::new(move || {
        Catalog::restore(snapshot.clone()).map_or(0, |catalog| catalog.kind_index(Kind::Tool).len())
    }))
}

/// Parses, compiles and applies a filter; the work returns the number of matching tools.
fn selecting(json: &str, filter: &Value) -> Prepared {
    let (view, config) = (View::everything(catalog(json)?), Config::default());
    let (filter, mut selection) = (filter.to_string(), Selection::default());
    Ok(Box::new(move || {
        let parsed = Filter::parse(&filter);
        let settled = parsed.and_then(|ParsedFilter { filter, ignored, .. }| {
            filter.settle(&view, &config.engine.concerns, config.engine.on_invalid_concern, ignored)
        });
        settled.map_or(0, |settled| {
            view.select(&settled.narrowing, Kind::Tool, &mut selection);
            selection.matched()
        })
    }))
}

fn filter() -> Prepared {
    let narrow = json!({
        "groups": ["group-3", "group-11", "group-17", "group-20"], "tags": ["tag-4"], "concerns": {"security": "high"},
    });
    selecting(&lists::whole(TOOLS), &narrow)
}

/// Applies an expression with ten leaves, as in `benches/run.mjs`.
fn expression() -> Prepared {
    let condition = json!({"any": [
        {"all": [{"group": "group-1"}, {"tag": "stable"}, {"not": {"tag": "tag-3"}}]},
        {"all": [{"group": "group-2"}, {"tag": "tag-5"}]},
        {"all": [
            {"tag": "tag-7"},
            {"not": {"group": "group-3"}},
            {"any": [{"tag": "tag-8"}, {"tag": "tag-9"}, {"group": "group-4"}]},
        ]},
    ]});
    selecting(&lists::short(MANY), &json!({ "where": condition }))
}

/// Handles `tools/list` with a filter, from the bytes of the request to those of the response.
fn list(filter: Value) -> Prepared {
    let config = Config::default();
    let host = OneServer::new(&lists::whole(TOOLS), &config)?;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"filter": filter, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}).to_string();
    let request = Request::post("http://127.0.0.1/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/list")
        .body(body.into_bytes())?;
    Ok(Box::new(move || {
        let response = block_on(handle(&config, &host, Ok(None), &Inbound::read(&request)));
        match response.into_body() {
            Body::Json(bytes) if bytes.starts_with(br#"{"jsonrpc":"2.0","id":1,"result":"#) => bytes.len(),
            _ => 0,
        }
    }))
}

/// Builds the search index of complete tool lists.
fn index() -> Prepared {
    let catalog = catalog(&lists::whole(TOOLS))?;
    Ok(Box::new(move || Index::new(&catalog, Kind::Tool).size()))
}

/// Searches for the ten best matches of a short query.
fn search() -> Prepared {
    let index = Index::new(&catalog(&lists::whole(TOOLS))?, Kind::Tool);
    let mut scratch = Scratch::default();
    Ok(Box::new(move || index.search("find the invoices of a customer", 10, &mut scratch).len()))
}

/// Returns ordinary sentences, of which one in thirty contains a finding.
fn text() -> String {
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= TEXT_BYTES {
            break;
        }
        text.push_str(
            "The quarterly report is ready for review, and we moved the release to next week. Please see the attached \
            summary before the meeting on Monday; this function returns a list of 12 items, newest first. ",
        );
        if number % 15 == 0 {
            _ = write!(text, "Write to person.{number}@mail.example.com or call +1 212 555 0{number:03}. ");
        }
    }
    text
}

fn pii() -> Prepared {
    let (scanner, text) = (Scanner::default(), text());
    Ok(Box::new(move || scanner.findings(&text).count()))
}

fn secrets() -> Prepared {
    let scanner = Secrets::default();
    // The key is assembled here so that secret scanners do not report this file.
    let key = ["AKIA", "Z7Q4", "M2X5", "K5T6", "W3RB"].concat();
    let text = [text(), format!("aws_access_key_id = {key}\n"), text()].concat();
    Ok(Box::new(move || scanner.secrets(&text).count()))
}

/// Replaces placeholders by their values.
fn restored() -> Prepared {
    let map: Vec<(String, String)> = (1..=50)
        .map(|number| (format!("[EMAIL_{number}]"), format!("person.{number}@example.com")))
        .collect();
    let mut text = text();
    for (placeholder, _) in &map {
        _ = write!(text, "Ask {placeholder} about the report, not those who wrote it. ");
    }
    Ok(Box::new(move || {
        let pairs = map.iter().map(|(placeholder, value)| (placeholder.as_str(), value.as_str()));
        Restorer::new(pairs, false).restore(&text).len()
    }))
}
