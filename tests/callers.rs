//! Measures the cost of many distinct callers and listeners, with and without policies; `scripts/bench` prints it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use futures_util::future::{LocalBoxFuture, poll_fn};
use mcp_sieve::{
    Filter, Kind,
    catalog::{Lists, Source},
    filter::{Narrowing, Selection},
    policy::View,
};
use mcp_sieve_gateway::{
    config::Config,
    host::{Caller, Clock},
    streams::{Change, Listeners, SubscriptionFilter},
    upstream::{Backend, Features},
};
use serde_json::{Value, json};

const TOOLS: usize = 2_000;
const CALLERS: usize = 500;
const LISTENERS: usize = 1_000;
const WORDS: [&str; 12] = [
    "report",
    "invoice",
    "customer",
    "search",
    "calendar",
    "repository",
    "update",
    "message",
    "weather",
    "payment",
    "image",
    "account",
];

/// Returns tool lists whose descriptions depend on `version`.
fn lists(version: usize) -> String {
    let text = |at: usize, words: usize| {
        let word = |of: usize| format!("{}{}", WORDS[(at * 7 + of * 5) % WORDS.len()], (at * of) % 97);
        (0..words).map(word).collect::<Vec<_>>().join(" ")
    };
    let tool = |at: usize| {
        let property =
            |of: usize| (format!("field{of}"), json!({"type": "string", "description": text(at + of, 8)}));
        let properties: serde_json::Map<String, Value> = (0..6).map(property).collect();
        json!({"name": format!("tool_{at}"), "description": format!("part{} {} {version}", at % 50, text(at, 30)),
            "inputSchema": {"type": "object", "properties": properties}})
    };
    json!({"tools": (0..TOOLS).map(tool).collect::<Vec<_>>()}).to_string()
}

/// Returns a configuration with policies that each hide some tools from callers without a claim.
fn config(policies: usize) -> Config {
    let policy = |at: usize| {
        let show = format!("claim.c{}:yes or -description:*part{at}*", at % 16);
        json!({"name": format!("p{at}"), "show": show})
    };
    let policies: Vec<Value> = (0..policies).map(policy).collect();
    Config::parse(&json!({"policies": policies}).to_string()).unwrap()
}

fn backend(config: &Config, version: usize) -> Backend {
    let lists = lists(version);
    Backend::compile(
        vec![Source { server: "s", lists: Lists::read(&lists).unwrap() }],
        config,
        Features::default(),
    )
}

/// Returns a caller whose claims are the bits of `number`.
fn caller(number: usize) -> Caller<'static> {
    let claims = (0..16).filter(|bit| number >> bit & 1 == 1).map(|bit| (format!("c{bit}"), json!("yes")));
    let claims: serde_json::Map<String, Value> = claims.collect();
    let caller = json!({"claims": claims, "headers": [], "protocol": "2026-07-28", "client": null, "capabilities": {},
        "level": null, "query": ""});
    serde_json::from_value(caller).unwrap()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns the mean and the maximum time that `work` takes per caller, in milliseconds.
fn each(callers: &[Caller<'static>], mut work: impl FnMut(&Caller<'static>)) -> (f64, f64) {
    let times = callers.iter().map(|caller| {
        let start = Instant::now();
        work(caller);
        ms(start.elapsed())
    });
    let times: Vec<f64> = times.collect();
    (times.iter().sum::<f64>() / times.len() as f64, times.iter().copied().fold(0.0, f64::max))
}

/// Returns the number of tools that a filter selects in a view.
fn list(view: &View, filter: &Filter) -> usize {
    let narrowing = Narrowing::new(view, filter);
    view.select(&narrowing, Kind::Tool, &mut Selection::default()).count()
}

#[test]
#[ignore = "a measurement"]
fn distinct_callers() {
    let callers: Vec<_> = (0..CALLERS).map(|at| caller(at * 101 + 1)).collect();
    let (plain, query) = (Filter::default(), Filter::parse(r#"{"query":"update invoices"}"#).unwrap().filter);
    println!("{TOOLS} tools, {CALLERS} callers, ms: mean (longest)");
    for policies in [0, 10, 50] {
        let config = config(policies);
        let guarded = backend(&config, 0).guarded;
        let start = Instant::now();
        guarded.view(&caller(0));
        let first = ms(start.elapsed());
        let (new, longest) = each(&callers, |caller| _ = list(&guarded.view(caller), &plain));
        let (known, most) = each(&callers, |caller| _ = list(&guarded.view(caller), &plain));
        println!(
            "{policies} policies: first {first:.2}, new {new:.3} ({longest:.2}), known {known:.4} ({most:.2}), {} bytes",
            guarded.cached_bytes()
        );
        let (new, longest) = each(&callers, |caller| _ = list(&guarded.view(caller), &query));
        let (known, most) = each(&callers, |caller| _ = list(&guarded.view(caller), &query));
        println!(
            "  query: new {new:.3} ({longest:.2}), known {known:.3} ({most:.2}), {} bytes",
            guarded.cached_bytes()
        );
    }
}

/// A clock whose `sleep` yields once, so that other futures run.
struct Slices;

impl Clock for Slices {
    fn now(&self) -> u64 {
        0
    }

    async fn sleep(&self, _: u64) {
        let mut slept = false;
        poll_fn(|_| if std::mem::replace(&mut slept, true) { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    fn spawn(&self, _: LocalBoxFuture<'static, ()>) {}
}

#[test]
#[ignore = "a measurement"]
fn distinct_listeners() {
    println!("{TOOLS} tools, {LISTENERS} listeners, ms");
    for policies in [0, 10, 50] {
        let (config, hub, clock) = (config(policies), Listeners::default(), Slices);
        let before = backend(&config, 0);
        let wanted = SubscriptionFilter { lists: vec![Change::Tools], ..SubscriptionFilter::default() };
        let start = Instant::now();
        let listen = |at: usize| {
            hub.listen(&config, &before, caller(at * 101 + 1), wanted.clone(), Some(&format!("{at}")))
        };
        let streams: Vec<_> = (0..LISTENERS).map(|at| listen(at).unwrap()).collect();
        let came = ms(start.elapsed());
        let after = backend(&config, 1);
        let mut refresh = pin!(hub.refreshed(&clock, &config, &after));
        let mut context = Context::from_waker(Waker::noop());
        let mut slices = Vec::new();
        loop {
            let start = Instant::now();
            let ready = refresh.as_mut().poll(&mut context).is_ready();
            slices.push(ms(start.elapsed()));
            if ready {
                break;
            }
        }
        let (sum, most) = (slices.iter().sum::<f64>(), slices.iter().copied().fold(0.0, f64::max));
        println!(
            "{policies} policies: listen {came:.0}, refresh {sum:.0} in {} slices, longest {most:.1}",
            slices.len()
        );
        drop(streams);
    }
}
