//! Notifications of changed lists compared with Quarkus MCP Server, where the application chooses the connections.

use futures_util::{FutureExt, StreamExt, future::LocalBoxFuture};
use mcp_sieve::catalog::{Lists, Source};
use mcp_sieve_gateway::{
    config::Config,
    host::{Caller, Clock},
    streams::{Change, Listeners, SubscriptionFilter},
    upstream::{Backend, Features},
};
use serde_json::{Value, json};

use crate::random::Random;

const CASES: u64 = 2_000;
/// The clients. Each sees the tools that have its name as a tag.
const CLIENTS: [&str; 3] = ["editor", "browser", "phone"];
const TOOLS: [&str; 4] = ["add", "send", "find", "stop"];

/// A tool: its name, its description and the clients that see it.
#[derive(Clone, PartialEq)]
struct Tool(&'static str, &'static str, Vec<&'static str>);

impl Tool {
    fn listed(&self) -> Value {
        json!({"name": self.0, "description": self.1, "tags": self.2, "inputSchema": {"type": "object"}})
    }
}

struct Idle;

impl Clock for Idle {
    fn now(&self) -> u64 {
        0
    }

    async fn sleep(&self, _: u64) {}

    fn spawn(&self, _: LocalBoxFuture<'static, ()>) {}
}

fn tools(random: &mut Random) -> Vec<Tool> {
    let mut tools = Vec::new();
    for name in TOOLS {
        let clients = some_clients(random);
        if !random.one_in(4) {
            let description = if random.one_in(2) { "old" } else { "new" };
            tools.push(Tool(name, description, clients));
        }
    }
    tools
}

fn some_clients(random: &mut Random) -> Vec<&'static str> {
    CLIENTS.into_iter().filter(|_| random.one_in(2)).collect()
}

fn backend(tools: &[Tool], config: &Config) -> Backend {
    let listed: Value = tools.iter().map(Tool::listed).collect();
    let lists = json!({ "tools": listed }).to_string();
    let source = Source { server: "s", lists: Lists::read(&lists).unwrap() };
    Backend::compile(vec![source], config, Features::default())
}

/// an application of Quarkus sends `list_changed` to the connections that it chooses. Sieve sends it to those
/// that see another list than before, and to no other. Returns how often both differ for a random choice.
pub fn notified_otherwise() -> usize {
    let each = CLIENTS.map(|name| format!("tag:{name} client.name:{name}")).join(" or ");
    let config = json!({"policies": [{"name": "own", "show": each}]}).to_string();
    let config = Config::parse(&config).unwrap();
    let mut otherwise = 0;
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        let (before, mut after) = (tools(random), tools(random));
        if random.one_in(2) {
            after = before.iter().filter(|_| !random.one_in(4)).cloned().collect();
        }
        let (hub, first) = (Listeners::default(), backend(&before, &config));
        let mut streams = CLIENTS.map(|name| {
            let caller = json!({"claims": null, "headers": [], "protocol": "2026-07-28",
                "client": {"name": name, "version": "1"}, "capabilities": {}, "level": null, "query": ""});
            let caller: Caller<'static> = serde_json::from_value(caller).unwrap();
            let wanted = SubscriptionFilter { lists: vec![Change::Tools], ..SubscriptionFilter::default() };
            hub.listen(&config, &first, caller, wanted, None).unwrap()
        });
        hub.refreshed(&Idle, &config, &backend(&after, &config)).now_or_never().unwrap();
        let notified = streams.iter_mut().zip(CLIENTS);
        let notified = notified.filter_map(|(stream, client)| stream.next().now_or_never().map(|_| client));
        let found: Vec<&str> = notified.collect();
        let seen = |tools: &[Tool], client: &str| -> Vec<Tool> {
            tools.iter().filter(|tool| tool.2.contains(&client)).cloned().collect()
        };
        let expected: Vec<&str> =
            CLIENTS.into_iter().filter(|client| seen(&before, client) != seen(&after, client)).collect();
        assert_eq!(found, expected, "seed {seed}");
        otherwise += usize::from(some_clients(random) != found);
    }
    otherwise
}
