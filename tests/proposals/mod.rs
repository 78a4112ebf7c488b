//! The five proposals: their printed blocks, and the rows with our verdict on each.
#![allow(dead_code, reason = "each runner uses a part of it")]

pub mod printed;
pub mod row;
pub mod template;

use std::collections::BTreeMap;

use serde_json::Value;

use row::{Face, Row};
use template::{Template, Words};

/// Returns the printed JSON blocks of all documents by hash, or `None` if this machine does not have the texts.
pub fn printed_json() -> Option<BTreeMap<String, Value>> {
    if printed::folder().is_none() {
        println!("skipped: the printed texts of the proposals are not at ../shared/seeds");
        return None;
    }
    let texts = row::DOCUMENTS.iter().filter_map(|document| printed::text(document));
    let blocks = texts.flat_map(|text| printed::blocks(&text));
    let json = blocks.filter(|block| block.form == printed::Form::Json);
    Some(json.map(|block| (block.hash, serde_json::from_str(&block.text).unwrap())).collect())
}

/// Runs the rows of a face in our words, and in the printed ones if this machine has them. `run` returns the
/// differences for a row whose placeholders are filled in. Returns the failures and the number of runs.
pub fn run_rows(
    face: Face,
    run: impl Fn(&Row, &Value, &[Value]) -> Result<(), String>,
) -> (Vec<String>, usize) {
    let (rows, printed) = (row::all(), printed_json());
    let (mut failures, mut runs) = (Vec::new(), 0);
    let passes =
        [Words::Own, Words::Printed].into_iter().filter(|words| *words == Words::Own || printed.is_some());
    for words in passes {
        let block = |row: &Row| match words {
            Words::Own => row.own.clone(),
            Words::Printed => printed.as_ref()?.get(&row.sha256).cloned(),
        };
        for row in rows.iter().filter(|row| row.face == face && !row.steps.is_empty()) {
            let template = Template { rows: &rows, row, block: &block };
            let world = template.fill(&Value::Object(row.world.clone()));
            let steps: Vec<Value> = row.steps.iter().map(|step| template.fill(step)).collect();
            runs += 1;
            if let Err(wrong) = run(row, &world, &steps) {
                failures.push(format!("{} ({words:?}): {wrong}", row.name));
            }
        }
    }
    (failures, runs)
}
