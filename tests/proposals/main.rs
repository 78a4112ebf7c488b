//! Each printed block of a proposal has a row, and each row has a printed block, a verdict and its proof. The verdicts
//! are tested by `tests/protocol/proposals.rs`, by `tests/mount/printed.rs` and by the tests that rows name.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

#[path = "mod.rs"]
mod proposals;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    ops::RangeInclusive,
    path::Path,
};

use proposals::{
    printed::{self, Block, Form},
    row::{self, DOCUMENTS, Row, Verdict},
    template::{mentions, shape},
};
use serde_json::{Value, json};

/// Returns the blocks of a document, or `None` with a message if this machine does not have the printed texts.
fn printed_blocks(document: &str) -> Option<Vec<Block>> {
    if printed::folder().is_none() {
        println!("skipped: the printed texts of the proposals are not at ../shared/seeds");
        return None;
    }
    Some(printed::blocks(
        &printed::text(document).unwrap_or_else(|| panic!("no text begins with {document}")),
    ))
}

/// Number of JSON blocks in the texts that parse as printed.
const JSON_BLOCKS: usize = 37;

#[test]
fn every_printed_block_has_a_row() {
    let (mut missing, mut json) = (Vec::new(), 0);
    for document in DOCUMENTS {
        let Some(blocks) = printed_blocks(document) else { return };
        json += blocks.iter().filter(|block| block.form == Form::Json).count();
        let rows = row::of(document);
        let known: BTreeSet<(usize, &str)> = rows.iter().map(|row| (row.line, row.sha256.as_str())).collect();
        let unknown = blocks
            .iter()
            .filter(|block| block.form != Form::Plain && !known.contains(&(block.line, block.hash.as_str())));
        missing.extend(unknown.map(|Block { line, form, hash, text }| {
            format!("{document}:{line} {form:?} {hash}\n    {text}")
        }));
    }
    assert_eq!(json, JSON_BLOCKS, "JSON blocks in all texts");
    assert!(missing.is_empty(), "{} blocks without a row:\n{}", missing.len(), missing.join("\n"));
}

/// Line ranges with advice that has no must, should or may: its list items have rows too.
const ADVICE: [(&str, RangeInclusive<usize>); 5] =
    [("004", 28..=43), ("004", 98..=124), ("004", 138..=163), ("004", 493..=569), ("004", 592..=599)];

#[test]
fn every_point_of_advice_has_a_row() {
    for (document, lines) in ADVICE {
        let Some(blocks) = printed_blocks(document) else { return };
        let rows = row::of(document);
        let point = |block: &&Block| lines.contains(&block.line) && block.text.starts_with("- ");
        for block in blocks.iter().filter(point) {
            let known = rows.iter().any(|row| row.line == block.line && row.sha256 == block.hash);
            assert!(known, "{document}:{} {} {}", block.line, block.hash, block.text);
        }
    }
}

#[test]
fn every_row_has_a_printed_block() {
    for document in DOCUMENTS {
        let Some(blocks) = printed_blocks(document) else { return };
        let printed: BTreeSet<(usize, &str)> =
            blocks.iter().map(|block| (block.line, block.hash.as_str())).collect();
        for row in row::of(document) {
            assert!(
                printed.contains(&(row.line, row.sha256.as_str())),
                "{document}:{} {}",
                row.line,
                row.name
            );
        }
    }
}

#[test]
fn rows_keep_the_structure_of_the_printed_json_in_other_words() {
    for document in DOCUMENTS {
        let Some(blocks) = printed_blocks(document) else { return };
        let json: BTreeMap<&str, Value> = blocks
            .iter()
            .filter(|block| block.form == Form::Json)
            .map(|block| (block.hash.as_str(), serde_json::from_str(&block.text).unwrap()))
            .collect();
        for row in row::of(document) {
            let Some(printed) = json.get(row.sha256.as_str()) else {
                assert_eq!(row.own, None, "{}: only JSON has words of our own", row.name);
                continue;
            };
            let own = row.own.as_ref().unwrap_or_else(|| panic!("{}: no JSON of our own", row.name));
            assert_eq!(shape(own), shape(printed), "{}: another structure", row.name);
            let strings = texts(printed).len();
            if strings > 0 {
                assert_ne!(own, printed, "{}: the printed text", row.name);
            }
        }
    }
}

/// Returns every string in a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn every_verdict_has_its_proof() {
    let rows = row::all();
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names.len(), rows.len(), "names are unique");
    for row in &rows {
        let steps = json!([row.world, row.steps]);
        let proved = !row.steps.is_empty() || !row.tests.is_empty();
        match row.verdict {
            Verdict::None => {
                assert!(!proved && !row.reason.is_empty(), "{}: says why, and proves nothing", row.name)
            }
            Verdict::Exact | Verdict::Setting => {
                let named = row.verdict == Verdict::Exact || row.reason.contains('`');
                assert!(named, "{}: names its setting", row.name);
                assert!(proved && row.answer.is_none(), "{}: proved, without an answer of our own", row.name);
                let used = row.own.is_none() || row.steps.is_empty() || mentions(&steps, "$block");
                assert!(used, "{}: the steps use the printed block", row.name);
            }
            Verdict::Differs => {
                assert!(proved && !row.reason.is_empty(), "{}: proved, with a reason", row.name);
                let answered = row.steps.is_empty() || mentions(&steps, "$answer");
                assert!(row.answer.is_some() && answered, "{}: the answer is asserted", row.name);
            }
        }
        named_tests_exist(row);
    }
}

/// Asserts that the tests that a row names exist in their files.
fn named_tests_exist(row: &Row) {
    for test in &row.tests {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&test.file);
        let source =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {}: {error}", row.name, test.file));
        let written = match path.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => format!("fn {}(", test.name),
            Some("json") => format!("\"name\": {}", json!(test.name)),
            _ => format!("test({}", json!(test.name)),
        };
        assert!(source.contains(&written), "{}: {} has no `{written}`", row.name, test.file);
    }
}
