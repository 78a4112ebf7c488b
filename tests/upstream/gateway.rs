//! Several upstream servers behind one gateway.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use futures_util::{FutureExt, StreamExt, future};
use http::HeaderMap;
use mcp_sieve::{
    catalog::Kind,
    config::{self, Config},
    json::{Raw, ReadObject},
    mcp::{
        Answer, Backend, Call, Caller, Change, Freshness, Gateway, MAX_FIRST_PAUSE_MS, ROUTE_MS, Revision,
        RpcError, SETTLE_MS, Served, SubscriptionFilter, UpstreamState,
        upstream::{FIRST_PAUSE_MS, Fetch, MAX_PAUSE_MS, pause},
    },
};
use serde_json::{Value, json};

use crate::{
    ask::settings,
    net::{Net, Piece, Reply, Seen},
    server::{error, event, legacy, modern, result, stream},
};

/// The current behavior of each server, by its host.
#[derive(Clone, Default)]
pub struct Servers(Rc<RefCell<BTreeMap<String, Server>>>);

type Server = Rc<dyn Fn(&Seen) -> Reply>;

impl Servers {
    pub fn set(&self, host: &str, server: impl Fn(&Seen) -> Reply + 'static) {
        self.0.borrow_mut().insert(host.to_owned(), Rc::new(server));
    }

    /// Adds a server that lists these tools after `ms` milliseconds.
    pub fn lists(&self, host: &str, tools: &[&str], ms: u64) {
        let tools: Vec<Value> =
            tools.iter().map(|name| json!({"name": name, "inputSchema": {"type": "object"}})).collect();
        let late = move |seen: &Seen, answer: Value| match result(seen, answer) {
            Reply::Response { status, headers, body } => {
                let body = [vec![Piece::Wait(ms)], body].concat();
                Reply::Response { status, headers, body }
            }
            reply => reply,
        };
        self.set(
            host,
            modern(json!({"tools": {}}), move |seen| match seen.method() {
                "tools/list" => late(seen, json!({"tools": tools, "ttlMs": 0, "cacheScope": "public"})),
                _ => result(seen, json!({"content": [], "asked": seen.body["params"]["name"]})),
            }),
        );
    }

    /// Makes a server lose every request.
    pub fn down(&self, host: &str) {
        self.set(host, |_| Reply::Lost);
    }

    /// Returns the network of these servers.
    pub fn net(&self) -> Net {
        let servers = self.clone();
        Net::new(move |seen| {
            let host = seen.url.split('/').nth(2).unwrap().to_owned();
            let server = Rc::clone(&servers.0.borrow()[&host]);
            server(seen)
        })
    }
}

/// Returns the settings of an upstream server whose host is its name.
pub fn behind(name: &str) -> config::Upstream {
    config::Upstream { name: name.to_owned(), url: format!("http://{name}/mcp"), ..settings() }
}

pub fn config(upstreams: &[config::Upstream]) -> Config {
    Config { upstreams: upstreams.to_vec(), ..Config::default() }
}

pub fn gateway(upstreams: &[config::Upstream]) -> Gateway {
    Gateway::new(upstreams, &|_| None).unwrap()
}

/// Returns what a gateway serves now.
pub async fn serve(
    gateway: &Gateway,
    net: &Net,
    config: &Config,
    need: Freshness,
) -> Result<Served, RpcError> {
    gateway.serve(net, config, need, || future::ready(()).boxed_local()).await
}

/// Returns what a gateway serves after its background work is done.
async fn refreshed(gateway: &Gateway, net: &Net, config: &Config) -> Served {
    serve(gateway, net, config, Freshness::List).await.unwrap();
    net.sleep(1).await;
    serve(gateway, net, config, Freshness::Route).await.unwrap()
}

fn names(backend: &Backend, kind: Kind) -> Vec<String> {
    backend.guarded.catalog().kind_index(kind).ids().map(str::to_owned).collect()
}

fn tools(served: &Served) -> Vec<String> {
    names(&served.backend, Kind::Tool)
}

/// Returns each server's state and its reason.
fn states(served: &Served) -> Vec<String> {
    let word = |state: &UpstreamState| match state {
        UpstreamState::Ok => "ok".to_owned(),
        UpstreamState::Stale(trouble) => format!("stale since {}: {}", trouble.since, trouble.reason),
        UpstreamState::Down(trouble) => format!("down since {}: {}", trouble.since, trouble.reason),
    };
    served.backend.upstreams.iter().map(|status| format!("{} {}", status.name, word(&status.state))).collect()
}

/// Forwards a request to these servers, and returns its result or error.
async fn forward(net: &Net, gateway: &Gateway, servers: &[String], method: &str, params: Value) -> Value {
    let (headers, params) = (HeaderMap::new(), params.to_string());
    let caller = Caller::new(&headers, Revision::V2026_07_28, method);
    let call = Call {
        method,
        params: Raw::parse(&params).ok().and_then(ReadObject::read),
        servers,
        caller: &caller,
        accepts_requests: false,
        task: None,
    };
    match gateway.forward(net, &call).await {
        Ok(Answer::Result(result)) => serde_json::from_slice(&result).unwrap(),
        Ok(Answer::Error(failure)) | Err(failure) => failure.to_json(),
        Ok(Answer::Events(_) | Answer::Dialog(_)) => panic!("a stream"),
    }
}

#[test]
fn servers_are_listed_side_by_side_in_one_catalog() {
    let servers = Servers::default();
    servers.lists("a", &["one", "two"], 300);
    servers.lists("b", &["two", "three"], 300);
    let net = servers.net();
    let upstreams = [behind("a"), config::Upstream { prefix: Some("b_".to_owned()), ..behind("b") }];
    net.run(async {
        let served = serve(&gateway(&upstreams), &net, &config(&upstreams), Freshness::List).await.unwrap();
        assert_eq!(tools(&served), ["one", "two", "b_two", "three"]);
        assert_eq!(states(&served), ["a ok", "b ok"]);
        assert_eq!(net.now(), 300, "one after the other");
        assert!(served.notes.is_empty() && !served.replaced);
    });
}

#[test]
fn a_call_goes_to_the_server_that_owns_it() {
    let servers = Servers::default();
    servers.lists("a", &["x"], 0);
    servers.lists("b", &["y"], 0);
    let net = servers.net();
    let upstreams = [behind("a"), behind("b")];
    net.run(async {
        let gateway = gateway(&upstreams);
        serve(&gateway, &net, &config(&upstreams), Freshness::List).await.unwrap();
        forward(&net, &gateway, &["b".to_owned()], "tools/call", json!({"name": "y"})).await;
        let last = net.seen().pop().unwrap();
        assert_eq!(
            (last.url.as_str(), last.method(), last.header("mcp-name")),
            ("http://b/mcp", "tools/call", Some("y"))
        );
    });
}

#[test]
fn a_server_that_may_be_hidden_is_not_named_before_anything_is_listed() {
    let servers = Servers::default();
    servers.down("secret");
    let (net, upstreams) = (servers.net(), [behind("secret")]);
    let open = config(&upstreams);
    let source = json!({"policies": [{"name": "p", "show": "claim.sub:*"}]}).to_string();
    let guarded = Config { upstreams: upstreams.to_vec(), ..Config::parse(&source).unwrap() };
    for (config, names) in [(open, true), (guarded, false)] {
        net.run(async {
            let failure = serve(&gateway(&upstreams), &net, &config, Freshness::List).await.unwrap_err();
            assert_eq!(failure.reason(), Some("upstream_unreachable"));
            assert_eq!(failure.message.contains("secret"), names);
        });
    }
}

#[test]
fn a_server_that_is_down_keeps_nobody_from_the_others() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    servers.down("b");
    let net = servers.net();
    let upstreams = [behind("a"), behind("b")];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        let served = serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        assert_eq!(tools(&served), ["one"]);
        assert_eq!(states(&served), ["a ok", "b down since 0: upstream_unreachable"]);
        assert_eq!(served.notes, ["upstreams: upstream `b` cannot be reached"]);

        // The server is not tried again at once.
        let tried = || net.seen().iter().filter(|seen| seen.url == "http://b/mcp").count();
        let before = tried();
        let again = refreshed(&gateway, &net, &config).await;
        assert_eq!((tried(), again.notes.len()), (before, 0));
        net.sleep(pause(1, 0.5)).await;
        let served = refreshed(&gateway, &net, &config).await;
        assert_eq!(tried(), before + 1);
        assert!(served.notes.is_empty(), "said once: {:?}", served.notes);

        servers.lists("b", &["two"], 0);
        net.sleep(pause(2, 0.5)).await;
        let served = refreshed(&gateway, &net, &config).await;
        assert_eq!(
            (tools(&served), states(&served)),
            (vec!["one".to_owned(), "two".to_owned()], vec!["a ok".to_owned(), "b ok".to_owned()])
        );
        assert_eq!(served.notes, ["upstreams: `b` can be listed again"]);
        assert!(served.replaced);
    });
}

#[test]
fn what_a_server_listed_last_stays_while_it_is_down() {
    let servers = Servers::default();
    servers.lists("a", &["x"], 0);
    servers.lists("b", &["x", "y"], 0);
    let net = servers.net();
    let upstreams = [behind("a"), config::Upstream { prefix: Some("b.".to_owned()), ..behind("b") }];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        let before = serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        servers.down("a");
        net.sleep(1).await;
        let served = refreshed(&gateway, &net, &config).await;
        assert_eq!(tools(&served), ["x", "b.x", "y"], "`x` must not become another server's");
        assert_eq!(states(&served), ["a stale since 1: upstream_unreachable", "b ok"]);
        assert!(!served.replaced);
        assert!(std::sync::Arc::ptr_eq(&before.backend.guarded, &served.backend.guarded), "compiled anew");
        let answer = forward(&net, &gateway, &["a".to_owned()], "tools/call", json!({"name": "x"})).await;
        assert_eq!(answer["data"]["reason"], "upstream_unreachable");
    });
}

#[test]
fn with_nothing_to_show_the_first_servers_failure_is_told() {
    let servers = Servers::default();
    servers.down("a");
    servers.down("b");
    let net = servers.net();
    let upstreams = [behind("a"), behind("b")];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        let failure = serve(&gateway, &net, &config, Freshness::List).await.unwrap_err();
        assert_eq!(failure.message, "upstream `a` cannot be reached");
        servers.lists("b", &["two"], 0);
        net.sleep(pause(1, 0.5)).await;
        let served = serve(&gateway, &net, &config, Freshness::Route).await.unwrap();
        assert_eq!(tools(&served), ["two"]);
    });
}

/// Callers cannot make the gateway repeat a listing that it rejected.
#[test]
fn a_refused_listing_is_remembered_for_a_while() {
    let servers = Servers::default();
    let endless = modern(json!({"tools": {}}), |seen| {
        result(seen, json!({"tools": [], "nextCursor": seen.body["id"].to_string()}))
    });
    servers.set("a", endless);
    let net = servers.net();
    let upstreams = [behind("a")];
    let config = config(&upstreams);
    let pages = || net.methods().iter().filter(|method| *method == "tools/list").count();
    net.run(async {
        let gateway = gateway(&upstreams);
        let reason = async || {
            let failure = serve(&gateway, &net, &config, Freshness::List).await.unwrap_err();
            failure.reason().unwrap().to_owned()
        };
        let each = settings().max_pages;
        for _ in 0..20 {
            assert_eq!(reason().await, "upstream_too_many_pages");
        }
        assert_eq!(pages(), each, "one attempt");
        // When the pause is over, concurrent requests make one attempt, which counts once.
        let mut tried = 0;
        for attempt in 1..=12 {
            net.sleep(tried + pause(attempt, 0.5).min(MAX_FIRST_PAUSE_MS) - 1 - net.now()).await;
            reason().await;
            assert_eq!(pages(), each * attempt as usize, "before the pause is over");
            net.sleep(1).await;
            tried = net.now();
            future::join_all((0..20).map(|_| reason())).await;
            assert_eq!(pages(), each * (attempt as usize + 1), "attempt {attempt}");
        }
        servers.lists("a", &["one"], 0);
        net.sleep(MAX_FIRST_PAUSE_MS).await;
        assert_eq!(tools(&serve(&gateway, &net, &config, Freshness::List).await.unwrap()), ["one"]);
    });
}

/// A listing that is too large would be too large again.
#[test]
fn lists_that_are_refused_for_what_they_hold_are_kept_as_refused() {
    let servers = Servers::default();
    let many = |seen: &Seen| result(seen, json!({"tools": [], "nextCursor": seen.body["id"].to_string()}));
    servers.set("a", modern(json!({"tools": {}}), many));
    servers.lists("b", &["two"], 0);
    let net = servers.net();
    let upstreams = ["a", "b"].map(|name| config::Upstream { min_ttl_ms: 5_000, ..behind(name) });
    let config = config(&upstreams);
    let pages = || {
        let of_a = |seen: &&Seen| seen.url == "http://a/mcp" && seen.method() == "tools/list";
        net.seen().iter().filter(of_a).count()
    };
    net.run(async {
        let gateway = gateway(&upstreams);
        refreshed(&gateway, &net, &config).await;
        let first = pages();
        while net.now() < 4_900 {
            refreshed(&gateway, &net, &config).await;
            net.sleep(100).await;
        }
        assert_eq!(pages(), first, "fetched again");
        net.sleep(200).await;
        refreshed(&gateway, &net, &config).await;
        assert_eq!(pages(), first + settings().max_pages);
    });
}

/// A server that stops answering must not delay callers of the other servers' tools.
#[test]
fn a_server_that_hangs_delays_neither_lists_nor_calls_of_others() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 20);
    servers.lists("b", &["two"], 20);
    let net = servers.net();
    let upstreams = [behind("a"), behind("b")];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        servers.set("a", |_| Reply::Hang);
        net.sleep(ROUTE_MS).await;
        for need in [Freshness::List, Freshness::Route, Freshness::List] {
            let before = net.now();
            let served = serve(&gateway, &net, &config, need).await.unwrap();
            assert_eq!((net.now() - before, tools(&served).len()), (0, 2), "{need:?}");
            forward(&net, &gateway, &["b".to_owned()], "tools/call", json!({"name": "two"})).await;
            assert_eq!(net.now() - before, 0);
            net.sleep(1_000).await;
        }
    });
}

/// A list request waits once for a server that was never listed, and reports a missing server.
#[test]
fn first_lists_wait_for_a_server_as_long_as_its_settings_say() {
    let servers = Servers::default();
    servers.set("a", |_| Reply::Hang);
    servers.lists("b", &["two"], 20);
    servers.lists("c", &["three"], 350);
    let net = servers.net();
    let upstreams = ["a", "b", "c"].map(|name| config::Upstream { list_wait_ms: 300, ..behind(name) });
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        // The second request waits for the listing that the first one started.
        let second = async {
            net.sleep(100).await;
            serve(&gateway, &net, &config, Freshness::List).await.unwrap()
        };
        let (served, second) = future::join(serve(&gateway, &net, &config, Freshness::List), second).await;
        let served = served.unwrap();
        assert_eq!(
            (net.now(), tools(&served), tools(&second)),
            (300, vec!["two".to_owned()], vec!["two".to_owned()])
        );
        let pending = |name: &str| format!("{name} down since 0: upstream_pending");
        assert_eq!(states(&served), [pending("a"), "b ok".to_owned(), pending("c")]);
        // No request waits for it again.
        let again = serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        assert_eq!((net.now(), again.replaced), (300, false));
        net.sleep(100).await;
        let late = gateway.settle(&net, &config).await.unwrap().unwrap();
        assert_eq!((tools(&late).len(), late.replaced), (2, true), "listeners are to be told");
        net.sleep(2_000).await;
        let before = net.now();
        let served = serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        assert_eq!(
            (net.now(), states(&served).remove(0)),
            (before, "a down since 400: upstream_timeout".to_owned())
        );
    });
}

/// Otherwise each of several listings that arrive together would recompile the whole catalog.
#[test]
fn lists_that_arrive_together_are_compiled_once() {
    let servers = Servers::default();
    let names = ["a", "b", "c"];
    names.iter().for_each(|name| servers.lists(name, &[name], 0));
    let net = servers.net();
    let upstreams = names.map(behind);
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        let before = serve(&gateway, &net, &config, Freshness::List).await.unwrap().backend;
        net.sleep(1).await;
        let late = [10, 20, 40];
        names.iter().zip(late).for_each(|(name, ms)| servers.lists(name, &[name, "new"], ms));
        let compiled = RefCell::new(Vec::new());
        let after = || async {
            let served = gateway.settle(&net, &config).await;
            compiled.borrow_mut().extend(served.map(|served| served.unwrap().backend));
        };
        let at_once = serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        assert!(std::sync::Arc::ptr_eq(&before.guarded, &at_once.backend.guarded));
        let settled = late.map(|ms| {
            let (net, after) = (&net, &after);
            async move {
                net.sleep(ms).await;
                after().await;
            }
        });
        future::join_all(settled).await;
        assert_eq!(compiled.borrow().len(), 1);
        assert_eq!(names_of(&compiled.borrow()[0]), ["a", "new", "b", "c"]);
        assert_eq!(net.now(), 1 + 10 + SETTLE_MS);
    });
}

fn names_of(backend: &Backend) -> Vec<String> {
    names(backend, Kind::Tool)
}

/// Until a server has answered, the caller gets an error to retry later, not an empty list.
#[test]
fn while_no_server_has_answered_the_failure_says_so() {
    let servers = Servers::default();
    servers.set("a", |_| Reply::Hang);
    let net = servers.net();
    let upstreams = [config::Upstream { list_wait_ms: 300, ..behind("a") }];
    net.run(async {
        let failure =
            serve(&gateway(&upstreams), &net, &config(&upstreams), Freshness::List).await.unwrap_err();
        assert_eq!(
            (net.now(), failure.reason(), failure.asked_again_after()),
            (300, Some("upstream_pending"), Some(1))
        );
    });
}

/// Returns the number of requests with a method that the servers received.
fn asked(net: &Net, method: &str) -> usize {
    net.methods().iter().filter(|asked| *asked == method).count()
}

#[test]
fn requests_side_by_side_share_one_listing_of_each_server() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 30);
    servers.lists("b", &["two"], 60);
    let net = servers.net();
    let upstreams = [behind("a"), behind("b")];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        let all = || future::join_all((0..30).map(|_| serve(&gateway, &net, &config, Freshness::List)));
        for served in all().await {
            assert_eq!(tools(&served.unwrap()), ["one", "two"]);
        }
        assert_eq!(asked(&net, "tools/list"), 2, "cold");
        net.sleep(1_000).await;
        all().await;
        net.sleep(100).await;
        assert_eq!(asked(&net, "tools/list"), 4, "expired");
    });
}

/// Libraries with the default `ttlMs: 0` would otherwise be listed on every request.
#[test]
fn lists_are_kept_for_a_minimum_whatever_the_server_says() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    let net = servers.net();
    let upstreams = [config::Upstream { min_ttl_ms: 5_000, ..behind("a") }];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        net.sleep(4_999).await;
        refreshed(&gateway, &net, &config).await;
        assert_eq!(asked(&net, "tools/list"), 1);
        refreshed(&gateway, &net, &config).await;
        assert_eq!(asked(&net, "tools/list"), 2);
        // A change takes effect at once.
        servers.lists("a", &["one", "two"], 40);
        gateway.expire();
        let before = net.now();
        let served = serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        assert_eq!((net.now() - before, tools(&served).len(), served.replaced), (40, 2, true));
    });
}

/// A change that is reported during a listing may be missing from its result.
#[test]
fn a_change_during_a_listing_is_fetched_after_it() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 100);
    let net = servers.net();
    let upstreams = [config::Upstream { min_ttl_ms: 5_000, ..behind("a") }];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        let first = serve(&gateway, &net, &config, Freshness::List);
        let told = async {
            net.sleep(50).await;
            servers.lists("a", &["one", "two"], 100);
            gateway.expire();
            serve(&gateway, &net, &config, Freshness::List).await.unwrap()
        };
        let (_, told) = future::join(first, told).await;
        assert_eq!((tools(&told).len(), asked(&net, "tools/list")), (2, 2));
    });
}

/// A server that recovers is listed soon, however long it was down.
#[test]
fn a_server_that_answers_a_call_is_listed_again_within_a_second() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    let net = servers.net();
    let upstreams = [behind("a")];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        let lists = modern(json!({"tools": {}}), |seen| match seen.method() {
            "tools/list" => Reply::Lost,
            _ => result(seen, json!({"content": []})),
        });
        servers.set("a", lists);
        for _ in 0..4 {
            net.sleep(MAX_PAUSE_MS).await;
            refreshed(&gateway, &net, &config).await;
        }
        servers.lists("a", &["one", "two"], 0);
        net.sleep(FIRST_PAUSE_MS).await;
        assert_eq!(tools(&refreshed(&gateway, &net, &config).await).len(), 1, "in its pause");
        forward(&net, &gateway, &["a".to_owned()], "tools/call", json!({"name": "one"})).await;
        assert_eq!(tools(&refreshed(&gateway, &net, &config).await).len(), 2);
    });
}

#[test]
fn attempts_side_by_side_count_as_one() {
    let servers = Servers::default();
    servers.set("a", |_| result_late_and_bad());
    let net = servers.net();
    let upstreams = [behind("a")];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        futures_util::future::join_all((0..20).map(|_| serve(&gateway, &net, &config, Freshness::List)))
            .await;
        let asked = net.seen().len();
        net.sleep(pause(1, 0.5)).await;
        serve(&gateway, &net, &config, Freshness::List).await.unwrap_err();
        assert!(net.seen().len() > asked, "the first pause");
    });
}

/// A delayed response that is not valid in the protocol.
fn result_late_and_bad() -> Reply {
    let headers = vec![("content-type".to_owned(), "text/html".to_owned())];
    Reply::Response { status: 404, headers, body: vec![Piece::Wait(50)] }
}

#[test]
fn lists_that_no_catalog_can_be_made_of_are_one_servers_own() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    servers.set("b", legacy(json!({"tools": {}}), |seen| result(seen, json!({"tools": "none"}))));
    let net = servers.net();
    let upstreams = [behind("a"), behind("b")];
    net.run(async {
        let served = serve(&gateway(&upstreams), &net, &config(&upstreams), Freshness::List).await.unwrap();
        assert_eq!(tools(&served), ["one"]);
        assert_eq!(states(&served), ["a ok", "b down since 0: upstream_not_mcp"]);
    });
}

#[test]
fn all_lists_of_a_server_have_to_come_in_time() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    servers.set(
        "b",
        modern(json!({"tools": {}}), |seen| match seen.method() {
            "tools/list" => {
                let Reply::Response { status, headers, body } =
                    result(seen, json!({"tools": [], "nextCursor": seen.body["id"].to_string()}))
                else {
                    panic!("a response");
                };
                Reply::Response { status, headers, body: [vec![Piece::Wait(300)], body].concat() }
            }
            _ => result(seen, json!({})),
        }),
    );
    let net = servers.net();
    let upstreams = [behind("a"), config::Upstream { list_timeout_ms: 1_000, max_pages: 100, ..behind("b") }];
    net.run(async {
        let served = serve(&gateway(&upstreams), &net, &config(&upstreams), Freshness::List).await.unwrap();
        assert_eq!(net.now(), 1_000);
        assert_eq!(served.notes, ["upstreams: upstream `b` did not finish its lists within 1000 ms"]);
        assert_eq!(tools(&served), ["one"]);
    });
}

#[test]
fn a_call_needs_no_list_anew_where_lists_are_stale_at_once() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    let net = servers.net();
    let upstreams = [behind("a")];
    let config = config(&upstreams);
    let listed = || net.methods().iter().filter(|method| *method == "tools/list").count();
    net.run(async {
        let gateway = gateway(&upstreams);
        serve(&gateway, &net, &config, Freshness::Route).await.unwrap();
        net.sleep(ROUTE_MS - 1).await;
        serve(&gateway, &net, &config, Freshness::Route).await.unwrap();
        assert_eq!(listed(), 1);
        refreshed(&gateway, &net, &config).await;
        assert_eq!(listed(), 2, "a list is asked for every time");
        net.sleep(ROUTE_MS - 2).await;
        serve(&gateway, &net, &config, Freshness::Route).await.unwrap();
        assert_eq!(listed(), 2);
        net.sleep(1).await;
        refreshed(&gateway, &net, &config).await;
        assert_eq!(listed(), 3);
    });
}

#[test]
fn the_same_lists_are_the_same_catalog() {
    let servers = Servers::default();
    servers.lists("a", &["one"], 0);
    let net = servers.net();
    let upstreams = [behind("a")];
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        let one = serve(&gateway, &net, &config, Freshness::List).await.unwrap().backend;
        let same = serve(&gateway, &net, &config, Freshness::List).await.unwrap().backend;
        assert!(std::sync::Arc::ptr_eq(&one, &same), "compiled anew");
        net.sleep(1).await;
        servers.lists("a", &["one", "two"], 0);
        let other = refreshed(&gateway, &net, &config).await;
        assert_eq!((tools(&other).len(), other.replaced), (2, true));
    });
}

/// Returns a server with one unlisted resource, which answers requests for others with an error of its own.
fn secretive(uri: &'static str) -> impl Fn(&Seen) -> Reply {
    modern(json!({}), move |seen| match seen.body["params"]["uri"] == uri {
        true => result(seen, json!({"contents": [{"uri": uri, "text": seen.url}]})),
        false => error(seen, 200, json!({"code": -32602, "message": "no such thing"})),
    })
}

#[test]
fn resources_that_no_list_mentions_are_asked_of_those_that_may_have_some() {
    let servers = Servers::default();
    servers.set("a", secretive("x:a"));
    servers.set("b", secretive("x:b"));
    servers.set("c", secretive("x:c"));
    let net = servers.net();
    let may = |name: &str| config::Upstream { unlisted: Some(true), ..behind(name) };
    let read = async |(gateway, config): &(Gateway, Config), uri: &str| {
        let unlisted = serve(gateway, &net, config, Freshness::Route).await.unwrap().backend.unlisted.clone();
        forward(&net, gateway, &unlisted, "resources/read", json!({"uri": uri})).await
    };
    let gateway = |upstreams: &[config::Upstream]| (gateway(upstreams), config(upstreams));
    net.run(async {
        let several = gateway(&[may("a"), behind("b"), may("c")]);
        assert_eq!(read(&several, "x:a").await["contents"][0]["text"], "http://a/mcp");
        assert_eq!(read(&several, "x:c").await["contents"][0]["text"], "http://c/mcp");
        assert_eq!(read(&several, "x:b").await["message"], "no such thing");
        let asked = |seen: &Seen| seen.url == "http://b/mcp" && seen.method() == "resources/read";
        assert!(!net.seen().iter().any(asked), "asked of a server that may not");
        servers.down("a");
        assert_eq!(read(&several, "x:c").await["contents"][0]["text"], "http://c/mcp");

        let nobody = gateway(&[behind("a"), behind("b")]);
        let expected = RpcError::relayed(-32602, "Resource not found: x:b", Some(json!({"uri": "x:b"})));
        assert_eq!(read(&nobody, "x:b").await, expected.to_json());
        let only = gateway(&[behind("b")]);
        assert_eq!(read(&only, "x:b").await["contents"][0]["text"], "http://b/mcp");
    });
}

/// Returns a server that lists one resource and sends one notification about it and one about its lists.
fn telling(uri: &'static str, template: &'static str) -> impl Fn(&Seen) -> Reply {
    let note =
        |method: &str, params: Value| event(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    modern(json!({"resources": {}}), move |seen| match seen.method() {
        "resources/list" => result(seen, json!({"resources": [{"uri": uri, "name": uri}], "ttlMs": 60_000})),
        "resources/templates/list" => {
            result(seen, json!({"resourceTemplates": [{"uriTemplate": template, "name": template}]}))
        }
        _ => stream(vec![
            note("notifications/resources/updated", json!({"uri": uri})),
            note("notifications/resources/list_changed", json!({})),
            Piece::Hang,
        ]),
    })
}

#[test]
fn every_server_is_watched_for_its_own_resources_and_its_lists_are_due_when_they_change() {
    let servers = Servers::default();
    servers.set("a", telling("x:a", "t:{+path}"));
    servers.set("b", telling("x:b", "t:docs/{name}"));
    let net = servers.net();
    let upstreams = [behind("a"), config::Upstream { unlisted: Some(true), ..behind("b") }];
    let config = config(&upstreams);
    let listed = |host: &str| {
        let url = format!("http://{host}/mcp");
        net.seen().iter().filter(|seen| seen.url == url && seen.method() == "resources/list").count()
    };
    net.run(async {
        let gateway = gateway(&upstreams);
        serve(&gateway, &net, &config, Freshness::List).await.unwrap();
        let resources = ["x:a", "x:b", "y:unlisted", "t:docs/1", "t:other/1"].map(str::to_owned).into();
        let wanted = SubscriptionFilter { lists: vec![Change::Resources], resources };
        let mut told: Vec<Change> = gateway
            .watch(&net, &wanted, || futures_util::stream::empty().boxed_local())
            .take(4)
            .collect()
            .await;
        told.sort_by_key(|change| format!("{change:?}"));
        let resource = |uri: &str| Change::Resource(uri.to_owned());
        assert_eq!(told, [resource("x:a"), resource("x:b"), Change::Resources, Change::Resources]);
        let asked = |host: &str| {
            let url = format!("http://{host}/mcp");
            let seen = net
                .seen()
                .into_iter()
                .find(|seen| seen.url == url && seen.method() == "subscriptions/listen");
            seen.unwrap().body["params"]["notifications"].clone()
        };
        // A caller may see one of the templates that generate a URI, and read from its server.
        let subscribed = |host: &str| asked(host)["resourceSubscriptions"].clone();
        assert_eq!(subscribed("a"), json!(["t:docs/1", "t:other/1", "x:a"]));
        assert_eq!(subscribed("b"), json!(["t:docs/1", "x:b", "y:unlisted"]));
        assert_eq!(asked("a")["resourcesListChanged"], true);

        assert_eq!((listed("a"), listed("b")), (1, 1));
        serve(&gateway, &net, &config, Freshness::Route).await.unwrap();
        assert_eq!((listed("a"), listed("b")), (2, 2), "due, whatever for");
    });
}
