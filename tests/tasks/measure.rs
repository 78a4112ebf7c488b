//! Measures the time for a page out of many tasks; `scripts/bench` prints it.

use std::time::Instant;

use mcp_sieve::{
    filter::OnUnknownMember,
    json::Raw,
    task::{Query, Scan, TaskFilter},
};
use mcp_sieve_gateway::host::Era;
use mcp_sieve_gateway::tasks::Task;

use crate::{
    random::{BEGIN, Random},
    storage::Storage,
};

const TASKS: u64 = 100_000;
const PAGE: usize = 50;
const ROUNDS: u32 = 20;

#[test]
#[ignore = "a measurement"]
fn a_page_of_many() {
    let mut random = Random::new(1);
    let span = 30 * 24 * 3_600_000;
    let tasks: Vec<Task> = (0..TASKS).map(|number| Task { ttl: None, ..random.task(number, span) }).collect();
    let storage = Storage::of(&tasks);
    println!("a page of {PAGE} of {TASKS} tasks, ms: in memory, in SQLite");
    let ids: Vec<&str> = tasks.iter().step_by(2_000).map(|task| task.id.as_str()).collect();
    for (name, filter) in [
        ("everything", "{}".to_owned()),
        ("everything, ascending", r#"{"order":"asc"}"#.to_owned()),
        ("one status", r#"{"status":["cancelled"]}"#.to_owned()),
        ("by creation, two statuses", r#"{"status":["failed","working"],"orderBy":"createdAt"}"#.to_owned()),
        (
            "a method and a day",
            r#"{"methods":["tools/call"],"createdAfter":"2027-01-20","createdBefore":"2027-01-21"}"#
                .to_owned(),
        ),
        ("fifty ids", serde_json::json!({"taskIds": ids}).to_string()),
        ("nothing: looks through all", r#"{"methods":["x"]}"#.to_owned()),
    ] {
        let filter =
            TaskFilter::read(Some(Raw::parse(&filter).unwrap()), OnUnknownMember::Error).unwrap().filter;
        let scan = Scan { query: Query::new(&filter, Era::Session), from: None, limit: PAGE, now: BEGIN };
        let memory = timed(|| scan.pick(&tasks).len());
        let sqlite = timed(|| storage.look(&scan).len());
        println!("  {name:32} {memory:8.3} {sqlite:8.3}");
    }
}

/// Returns the median time of the rounds, in milliseconds.
fn timed(mut work: impl FnMut() -> usize) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            std::hint::black_box(work());
            begun.elapsed().as_secs_f64() * 1_000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
