//! Fuzzing: functions that must hold for any bytes run on a corpus and on mutations of it.
//!
//! Every build replays the corpus and tries a limited number of mutations; `make fuzz` runs for a chosen time. A target
//! is a file in `targets/` and its name in the list below; `tests/fixtures/fuzz/README.md` describes its corpus.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod corpus;
mod mutate;
mod refusal;
mod run;
mod target;
mod targets;

#[path = "../protocol/check.rs"]
mod check;
#[path = "../protocol/exchange.rs"]
mod exchange;
#[path = "../protocol/host/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the tests of the protocol ask more of it")]
mod host;
#[path = "../upstream/net.rs"]
#[allow(dead_code, reason = "the tests of the upstream ask more of it")]
mod net;
#[path = "../json/passed_response.rs"]
mod passed_response;
#[path = "../properties/random.rs"]
#[allow(dead_code, reason = "the properties ask more of it")]
mod random;
#[path = "../json/reference.rs"]
mod reference;
#[path = "../protocol/row.rs"]
#[allow(dead_code, reason = "what a row expects is the protocol test's affair")]
mod row;
#[path = "../upstream/server.rs"]
#[allow(dead_code, reason = "the tests of the upstream ask more of it")]
mod server;
#[path = "../protocol/store.rs"]
#[allow(dead_code, reason = "the tests of the protocol ask more of it")]
mod store;
#[path = "../protocol/upstream_server.rs"]
#[allow(dead_code, reason = "the tests of the protocol ask more of it")]
mod upstream_server;
#[path = "../protocol/upstream_skills.rs"]
mod upstream_skills;

macro_rules! targets {
    ($($name:ident)*) => {
        /// Every target, by the name of its file.
        const TARGETS: &[(&str, target::Target)] = &[$((stringify!($name), targets::$name::TARGET)),*];

        mod replay {
            $(#[test] fn $name() { crate::run::bounded(stringify!($name), &crate::targets::$name::TARGET) })*
        }
    };
}

targets! {
    config
    expression_json
    expression_text
    filter
    handle
    headers
    json
    lists
    moderation
    outer_members
    query
    redaction
    search
    secrets
    snapshot
    sse
    tokens
    upstream
}

#[test]
#[ignore = "runs for as long as asked; `make fuzz`"]
fn on_demand() {
    run::on_demand(TARGETS);
}
