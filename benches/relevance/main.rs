//! How well and how fast a search finds the right tool, on the sets in the folder that `SIEVE_DATA` names.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod measure;
mod plain;
mod scale;
mod sets;

use std::{env, path::PathBuf};

use mcp_sieve::{
    catalog::Kind,
    rank::{Index, Scratch},
};
use measure::Quality;
use plain::Plain;
use sets::Set;

fn main() {
    let folder = env::var_os("SIEVE_DATA").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    match &folder {
        Some(folder) => quality(&sets::read(folder)),
        None => println!("`SIEVE_DATA` names no folder: quality is not measured.\n"),
    }
    scale::run(folder.as_deref());
}

fn quality(sets: &[Set]) {
    println!("## Quality\n");
    println!(
        "Plain BM25 (k1 = 1.2, b = 0.75, words as they are written, names and descriptions) and ours. Each"
    );
    println!(
        "query counts once, or by tool: the mean of the means of each tool's queries. The halves are those"
    );
    println!("of the tools, the first and every other one after it, and the rest.\n");
    println!(
        "| set | tools / queries | | nDCG@5 | nDCG@10 | hit@1 | hit@3 | nDCG@5 by tool | nDCG@5, halves |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for set in sets {
        let size = format!("{} / {}", set.tools.len(), set.questions.len());
        let plain = Plain::new(&set.tools);
        let found = |query: &str| plain.search(query, 10);
        println!("| {} | {size} | plain | {}", set.name, Quality::measure(set, found));

        let catalog = set.catalog();
        let index = Index::new(&catalog, Kind::Tool);
        let mut scratch = Scratch::default();
        let found =
            |query: &str| index.search(query, None, 10, &mut scratch).iter().map(|hit| hit.index).collect();
        println!("| | | ours | {}", Quality::measure(set, found));
    }
    println!();
}
