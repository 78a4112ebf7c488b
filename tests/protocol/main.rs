//! The rows of `tests/fixtures/protocol`, natively: each request goes to `handle`, with an in-memory host.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod applied_filters;
mod audit;
mod audit_buffer;
mod audit_calls;
mod authentication;
mod batches;
mod call_chain;
mod check;
mod checks;
mod client;
mod concerns;
mod deterministic_groups;
mod disclosure;
mod discovery;
mod drafts;
mod endpoint;
mod exchange;
mod expiry;
mod facets;
mod folded_results;
mod form_fields;
mod host;
mod identity;
mod inbound;
mod intake;
mod introductions;
mod issuers;
mod listener_limits;
mod listening;
mod notifications;
mod pages;
mod param_headers;
mod predicates;
mod preview;
#[path = "../proposals/mod.rs"]
mod proposals;
#[path = "proposals.rs"]
mod proposals_rows;
mod pseudonyms;
#[path = "../properties/random.rs"]
#[allow(dead_code, reason = "the properties draw more than these tests do")]
mod random;
mod rate_limit;
mod resources;
mod row;
mod runner;
mod same_for_all;
mod sealed;
mod session_changes;
mod sessions;
mod settings;
mod skills;
mod steps;
mod storage_limits;
mod store;
mod suspended_calls;
mod tasks;
mod upstream_server;
mod upstream_skills;
mod upstreams;
mod uri_readings;
mod walk;

use std::collections::BTreeMap;

use exchange::Talk;
use host::World;

#[test]
fn protocol() {
    let rows = row::all();
    let mut worlds = BTreeMap::new();
    let mut failures = Vec::new();
    for row in &rows {
        let world = worlds.entry(row.world.as_str()).or_insert_with(|| World::named(&row.world));
        let mut talk = Talk::new(world);
        for (at, step) in row.steps.iter().enumerate() {
            let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| talk.step(step)));
            if let Err(failure) = checked.unwrap_or_else(|_| Err("panicked".to_owned())) {
                let sent = talk
                    .sent
                    .last()
                    .map(|request| String::from_utf8_lossy(request.body()).chars().take(1_000).collect());
                let sent: String = sent.unwrap_or_default();
                failures.push(format!("{} (step {at}): {failure}\n  sent     {sent}", row.name));
                break;
            }
        }
    }
    let names: std::collections::BTreeSet<_> = rows.iter().map(|row| &row.name).collect();
    assert_eq!(names.len(), rows.len(), "names are unique");
    println!("protocol: {} rows", rows.len());
    assert!(failures.is_empty(), "{} of {} rows:\n{}", failures.len(), rows.len(), failures.join("\n"));
}
