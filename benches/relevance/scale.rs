//! Time and memory at 10,000 tools.

use std::{hint::black_box, path::Path, time::Instant};

use mcp_sieve::{
    catalog::{Catalog, Kind},
    rank::{Index, Scratch},
};
use serde_json::{Value, json};

use crate::sets::{self, compile};

const TOOLS: usize = 10_000;

const QUERIES: [&str; 8] = [
    "weather",
    "create an issue",
    "send a message to a channel",
    "current stock price of a company",
    "convert a markdown document to pdf",
    "search the web for recent news about space travel",
    "find flights and a cheap hotel in Lisbon for next weekend and put the trip into my calendar",
    "calender reminder for the standup meetting",
];

/// Real bodies under names of their own; without data, bodies made up.
fn catalog(folder: Option<&Path>) -> Catalog {
    let mut bodies = folder.map(sets::catalogs).unwrap_or_default();
    if bodies.is_empty() {
        bodies = made_up();
    }
    let tools: Vec<Value> = (0..TOOLS)
        .map(|at| {
            let mut tool = bodies[at % bodies.len()].clone();
            let name = tool["name"].as_str().unwrap();
            tool["name"] = json!(format!("{name}_{}", at / bodies.len()));
            tool
        })
        .collect();
    compile(&tools)
}

fn made_up() -> Vec<Value> {
    const VERBS: [&str; 8] = ["create", "list", "update", "delete", "search", "export", "watch", "compare"];
    const NOUNS: [&str; 16] = [
        "issue",
        "invoice",
        "flight",
        "photo",
        "playlist",
        "meeting",
        "ticket",
        "recipe",
        "repository",
        "message",
        "document",
        "forecast",
        "portfolio",
        "parcel",
        "article",
        "server",
    ];
    let pairs = VERBS.iter().flat_map(|verb| NOUNS.iter().map(move |noun| (verb, noun)));
    pairs
        .enumerate()
        .map(|(at, (verb, noun))| {
            let other = NOUNS[(at * 7 + 3) % NOUNS.len()];
            let id = format!("Which {noun}, by its identifier or its title");
            let description = format!(
                "{verb} the {noun} of a workspace, with the {other} that belongs to it, and say what changed. \
                 Fields that are left out keep the values they have; a {noun} that is locked stays as it is."
            );
            json!({
                "name": format!("{verb}_{noun}"),
                "description": description,
                "inputSchema": {"type": "object", "required": ["id"], "properties": {
                    "id": {"type": "string", "description": id},
                    "workspace": {"type": "string", "description": "The workspace, where there are several"},
                    "limit": {"type": "integer", "description": "How many entries the answer may hold"},
                    "order": {"type": "string", "enum": ["newest", "oldest", "alphabetical"]},
                }},
            })
        })
        .collect()
}

pub fn run(folder: Option<&Path>) {
    let catalog = catalog(folder);
    let shelf = catalog.shelf(Kind::Tool);
    let bytes: usize = (0..shelf.len()).filter_map(|at| shelf.bytes(at)).map(<[u8]>::len).sum();
    let list: Vec<&str> =
        (0..shelf.len()).map(|at| std::str::from_utf8(shelf.bytes(at).unwrap()).unwrap()).collect();
    let (mut builds, mut reads) = (Vec::new(), Vec::new());
    let mut index = Index::default();
    // In turn, so that a machine that slows down slows both.
    for _ in 0..9 {
        builds.push(milliseconds(|| index = Index::new(&catalog, Kind::Tool)));
        reads.push(milliseconds(|| {
            list.iter().for_each(|tool| drop(black_box(serde_json::from_str::<Value>(tool).unwrap())));
        }));
    }
    println!("## Time and memory, {} tools, {bytes} bytes\n", shelf.len());
    let (build, read) = (median(&mut builds), median(&mut reads));
    println!("Index: {build:.1} ms; reading the tools into values of `serde_json`: {read:.1} ms.");
    let share = 100.0 * index.size() as f64 / bytes as f64;
    println!("It takes {} bytes, {share:.1} % of the catalog's.\n", index.size());
    println!("| query | µs |\n|---|---|");
    let mut scratch = Scratch::default();
    for query in QUERIES {
        let mut times: Vec<f64> = (0..201)
            .map(|_| {
                let start = Instant::now();
                black_box(index.search(black_box(query), None, 10, &mut scratch));
                start.elapsed().as_secs_f64() * 1e6
            })
            .collect();
        println!("| {query} | {:.1} |", median(&mut times));
    }
}

fn milliseconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e3
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
