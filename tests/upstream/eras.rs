//! Detecting the protocol era of a server, and reacting when it changes.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use mcp_sieve_gateway::{
    config,
    host::Answer,
    upstream::{Fetch, Upstream},
};
use serde_json::{Value, json};

use crate::{
    ask::{Asker, settings, upstream},
    net::{Net, Piece, Reply, Seen},
    server::{error, legacy, legacy_in, modern, nameless, response, result},
};

fn tools() -> Value {
    json!({"tools": {}})
}

fn healthy(seen: &Seen) -> Reply {
    result(seen, json!({"tools": [], "content": []}))
}

/// A function that answers requests.
type Answering = fn(&Seen) -> Reply;
/// A server with state.
type Server = Box<dyn Fn(&Seen) -> Reply>;

/// A server that can be replaced while the gateway runs.
type Site = Rc<RefCell<Server>>;

/// Returns a network with a server that can be replaced.
fn changing(first: impl Fn(&Seen) -> Reply + 'static) -> (Net, Site) {
    let site: Site = Rc::new(RefCell::new(Box::new(first)));
    let held = Rc::clone(&site);
    (Net::new(move |seen| (held.borrow())(seen)), site)
}

#[test]
fn a_stateless_server_is_asked_once_and_needs_no_handshake() {
    let net = Net::new(modern(tools(), healthy));
    net.run(async { upstream().lists(&net).await.unwrap() });
    // The gateway also checks whether the server has sessions, in parallel with the lists.
    assert_eq!(net.methods(), ["server/discover", "tools/list", "initialize"]);
    for seen in net.seen().iter().filter(|seen| seen.method() != "initialize") {
        assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(seen.header("mcp-method"), Some(seen.method()));
        assert_eq!(seen.header("mcp-session-id"), None);
        assert_eq!(seen.header("content-type"), Some("application/json"));
        assert_eq!(seen.header("accept"), Some("application/json, text/event-stream"));
        assert_eq!(
            seen.body["params"]["_meta"],
            json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo":
                    {"name": "mcp-sieve", "version": env!("CARGO_PKG_VERSION")}})
        );
    }
}

#[test]
fn a_handshake_server_gets_its_handshake_and_its_session_back() {
    let net = Net::new(legacy(tools(), healthy));
    net.run(async { upstream().lists(&net).await.unwrap() });
    assert_eq!(net.methods(), ["server/discover", "initialize", "notifications/initialized", "tools/list"]);
    let seen = net.seen();
    let [_, initialize, initialized, list] = seen.as_slice() else { panic!("four requests") };
    assert_eq!(
        initialize.body["params"],
        json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "mcp-sieve", "version": env!("CARGO_PKG_VERSION")}})
    );
    assert_eq!(initialize.header("mcp-protocol-version"), None);
    assert_eq!(initialized.text, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    for later in [initialized, list] {
        assert_eq!(later.header("mcp-session-id"), Some("session-1"));
        assert_eq!(later.header("mcp-protocol-version"), Some("2025-11-25"));
        assert_eq!(later.header("mcp-method"), None);
    }
    assert_eq!(list.body["params"], json!({}));
}

#[test]
fn whatever_version_the_server_chooses_is_used() {
    for version in ["2025-06-18", "2025-03-26", "2024-11-05"] {
        let net = Net::new(legacy_in(tools(), version, "s", healthy));
        net.run(async { upstream().lists(&net).await.unwrap() });
        assert_eq!(net.seen().last().unwrap().header("mcp-protocol-version"), Some(version));
    }
}

#[test]
fn each_way_of_not_knowing_discovery_leads_to_the_handshake() {
    let rows: [(&str, Answering); 7] = [
        ("400 without an id", |_| nameless(400, -32000, "Bad Request: Server not initialized")),
        ("400 with a page", |_| response(400, "text/html", "<html>")),
        ("404 with a page", |_| response(404, "text/html", "<html>")),
        ("405 with nothing", |_| Reply::Response { status: 405, headers: vec![], body: vec![] }),
        ("404 and no such method", |seen| error(seen, 404, json!({"code": -32601, "message": "no"}))),
        ("200 and no such method", |seen| error(seen, 200, json!({"code": -32601, "message": "no"}))),
        ("an empty result", |seen| result(seen, json!({}))),
    ];
    for (name, discovery) in rows {
        let handshake = legacy(tools(), healthy);
        let net = Net::new(move |seen| match seen.method() {
            "server/discover" => discovery(seen),
            _ => handshake(seen),
        });
        let listing = net.run(async { upstream().lists(&net).await });
        assert!(listing.is_ok(), "{name}: {listing:?}");
        assert_eq!(net.methods().get(1).map(String::as_str), Some("initialize"), "{name}");
    }
}

#[test]
fn the_newest_common_version_is_proposed() {
    let refused = |supported: Value| json!({"code": -32022, "message": "no", "data": {"supported": supported, "requested": "2026-07-28"}});
    let rows = [
        (json!(["2025-03-26", "2025-06-18"]), Some("2025-06-18")),
        (json!(["2025-11-25", "2024-11-05"]), Some("2025-11-25")),
        (json!(["2026-07-28", "2025-06-18"]), Some("2025-06-18")),
        (json!(["2024-11-05"]), Some("2024-11-05")),
        (json!(["2024-10-07"]), Some("2025-11-25")),
        (json!("2025-06-18"), Some("2025-11-25")),
    ];
    for (supported, proposed) in rows {
        let handshake = legacy(tools(), healthy);
        let body = refused(supported.clone());
        let net = Net::new(move |seen| match seen.method() {
            "server/discover" => error(seen, 400, body.clone()),
            _ => handshake(seen),
        });
        let listing = net.run(async { upstream().lists(&net).await });
        let offered = net.seen().get(1).map(|seen| seen.body["params"]["protocolVersion"].clone());
        assert_eq!(offered, proposed.map(Value::from), "{supported}");
        assert!(listing.is_ok(), "{supported}");
    }
}

/// Some servers of one revision refuse every other one, and name theirs.
#[test]
fn a_handshake_is_repeated_in_the_revision_that_the_server_names() {
    let rows = [
        (json!(["2025-03-26", "2025-06-18"]), Some("2025-06-18")),
        (json!(["2099-01-01"]), None),
        (json!(["2025-11-25"]), None),
        (json!("2025-06-18"), None),
    ];
    for code in [-32602, -32000] {
        for (supported, repeated) in &rows {
            let handshake = legacy(tools(), healthy);
            let body = json!({"code": code, "message": "Unsupported protocol version",
                "data": {"supported": supported, "requested": "2025-11-25"}});
            let net = Net::new(move |seen| match seen.body["params"]["protocolVersion"].as_str() {
                Some("2025-11-25") => error(seen, 200, body.clone()),
                _ => handshake(seen),
            });
            let listing = net.run(async { upstream().lists(&net).await });
            assert_eq!(listing.is_ok(), repeated.is_some(), "{code} {supported}");
            let offered = net.seen().iter().filter(|seen| seen.method() == "initialize").count();
            assert_eq!(offered, 1 + usize::from(repeated.is_some()), "{code} {supported}");
            if let Some(version) = repeated {
                assert_eq!(net.last("initialize").unwrap().body["params"]["protocolVersion"], *version);
            }
        }
    }
}

/// The handshake begins beside a probe that is not answered soon, and the next time at once.
#[test]
fn a_server_that_never_answers_the_probe_is_remembered() {
    let handshake = legacy(tools(), healthy);
    let lost = Rc::new(Cell::new(false));
    let losing = Rc::clone(&lost);
    let net = Net::new(move |seen| match seen.method() {
        "server/discover" => Reply::Hang,
        "tools/list" if losing.take() => nameless(404, -32001, "Session not found"),
        _ => handshake(seen),
    });
    let patient = config::Upstream { timeout_ms: 10_000, list_timeout_ms: 30_000, ..settings() };
    net.run(async {
        let upstream = Upstream::new(&patient, &|_| None).unwrap();
        upstream.lists(&net).await.unwrap();
        assert_eq!(net.now(), 3_000);
        lost.set(true);
        upstream.lists(&net).await.unwrap();
    });
    assert_eq!(net.now(), 3_000, "no second probe");
    let count = |method: &str| net.methods().iter().filter(|name| *name == method).count();
    assert_eq!((count("server/discover"), count("initialize")), (1, 2));
}

#[test]
fn discovery_may_name_only_versions_with_a_handshake() {
    let handshake = legacy(tools(), healthy);
    let net = Net::new(move |seen| match seen.method() {
        "server/discover" => {
            result(seen, json!({"supportedVersions": ["2025-06-18", "2025-03-26"], "capabilities": {}}))
        }
        _ => handshake(seen),
    });
    net.run(async { upstream().lists(&net).await.unwrap() });
    assert_eq!(net.seen()[1].body["params"]["protocolVersion"], "2025-06-18");
}

#[test]
fn the_era_is_learned_once() {
    for (server, requests) in [
        (Box::new(modern(tools(), healthy)) as Server, 1 + 2 + 3),
        (Box::new(legacy(tools(), healthy)), 3 + 1 + 3),
    ] {
        let net = Net::new(server);
        net.run(async {
            let upstream = upstream();
            upstream.lists(&net).await.unwrap();
            for _ in 0..3 {
                Asker::legacy().ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await.unwrap();
            }
        });
        assert_eq!(net.seen().len(), requests);
        let mut ids: Vec<i64> = net.seen().iter().filter_map(|seen| seen.body["id"].as_i64()).collect();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count, "request ids repeat: {ids:?}");
    }
}

#[test]
fn a_stateless_server_is_discovered_anew_for_each_listing() {
    let capabilities = Rc::new(RefCell::new(json!({"tools": {}})));
    let held = Rc::clone(&capabilities);
    let net = Net::new(move |seen| {
        modern(held.borrow().clone(), |seen| result(seen, json!({"tools": [], "prompts": [{"name": "p"}]})))(
            seen,
        )
    });
    net.run(async {
        let upstream = upstream();
        assert_eq!(upstream.lists(&net).await.unwrap().lists, r#"[{"tools":[]}]"#);
        *capabilities.borrow_mut() = json!({"prompts": {}});
        assert_eq!(upstream.lists(&net).await.unwrap().lists, r#"[{"prompts":[{"name":"p"}]}]"#);
    });
}

/// Nothing at such a server shows that it was replaced.
#[test]
fn a_server_without_session_ids_is_described_anew() {
    // The version of the server, and whether it is stateless.
    let (version, stateless) = (Rc::new(Cell::new(1)), Rc::new(Cell::new(false)));
    let (now, era) = (Rc::clone(&version), Rc::clone(&stateless));
    let net = Net::new(move |seen| {
        let capabilities = if now.get() == 1 { json!({"tools": {}}) } else { json!({"prompts": {}}) };
        let described = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "serverInfo": {"name": "server", "version": now.get().to_string()}, "instructions": now.get().to_string()});
        match seen.method() {
            "server/discover" if era.get() => modern(capabilities, healthy)(seen),
            "server/discover" => nameless(400, -32000, "Bad Request: Server not initialized"),
            "initialize" => result(seen, described),
            "notifications/initialized" => response(202, "text/plain", ""),
            _ => result(seen, json!({"tools": [{"name": "t"}], "prompts": [{"name": "p"}]})),
        }
    });
    let settings = config::Upstream { ttl_ms: 0, min_ttl_ms: 60_000, ..settings() };
    net.run(async {
        let upstream = Upstream::new(&settings, &|_| None).unwrap();
        let shaken = || net.methods().iter().filter(|method| *method == "initialize").count();
        assert_eq!(upstream.lists(&net).await.unwrap().lists, r#"[{"tools":[{"name":"t"}]}]"#);
        version.set(2);
        upstream.lists(&net).await.unwrap();
        assert_eq!(shaken(), 1, "within `minTtlMs`");
        net.sleep(60_000).await;
        let listing = upstream.lists(&net).await.unwrap();
        assert_eq!(listing.lists, r#"[{"prompts":[{"name":"p"}]}]"#);
        assert_eq!(listing.introduction.instructions.as_deref(), Some("2"));
        assert_eq!(shaken(), 2);
        stateless.set(true);
        net.sleep(60_000).await;
        upstream.lists(&net).await.unwrap();
        assert!(upstream.is_stateless());
        assert_eq!(net.last("prompts/list").unwrap().header("mcp-protocol-version"), Some("2026-07-28"));
    });
}

#[test]
fn a_lost_session_is_opened_anew_and_the_request_repeated() {
    let losses: [(&str, Answering); 5] = [
        ("404", |_| nameless(404, -32001, "Session not found")),
        ("404 with a page", |_| response(404, "text/html", "<html>")),
        ("404 under the request's id", |seen| error(seen, 404, json!({"code": -32001, "message": "gone"}))),
        ("a gateway that forgot it", |seen| {
            error(seen, 404, json!({"code": -32600, "message": "initialize again"}))
        }),
        ("400 that names no request", |_| nameless(400, -32000, "No valid session ID provided")),
    ];
    for (name, loss) in losses {
        let lost = move |seen: &Seen| {
            let known = seen.header("mcp-session-id") == Some("session-2");
            if known { healthy(seen) } else { loss(seen) }
        };
        let (net, site) = changing(legacy(tools(), healthy));
        net.run(async {
            let upstream = upstream();
            upstream.lists(&net).await.unwrap();
            *site.borrow_mut() = Box::new(legacy_in(tools(), "2025-06-18", "session-2", lost));
            let answer = Asker::legacy().ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await;
            assert!(matches!(answer, Ok(Answer::Result(_))), "{name}");
            upstream.lists(&net).await.unwrap();
        });
        assert_eq!(
            net.methods()[4..],
            [
                "tools/call",
                "server/discover",
                "initialize",
                "notifications/initialized",
                "tools/call",
                "tools/list"
            ],
            "{name}"
        );
        assert_eq!(net.seen().last().unwrap().header("mcp-protocol-version"), Some("2025-06-18"));
    }
}

#[test]
fn a_session_lost_between_pages_starts_the_listing_anew() {
    let pages = Rc::new(Cell::new(0));
    let count = Rc::clone(&pages);
    let net = Net::new(legacy(tools(), move |seen| {
        count.set(count.get() + 1);
        match (count.get(), seen.body["params"]["cursor"].as_str()) {
            (2, _) => nameless(404, -32001, "Session not found"),
            (_, None) => result(seen, json!({"tools": [{"name": "a"}], "nextCursor": "2"})),
            (_, Some(_)) => result(seen, json!({"tools": [{"name": "b"}]})),
        }
    }));
    let listing = net.run(async { upstream().lists(&net).await.unwrap() });
    assert_eq!(listing.lists, r#"[{"tools":[{"name":"a"}]},{"tools":[{"name":"b"}]}]"#);
    assert_eq!(pages.get(), 4);
}

#[test]
fn a_request_is_repeated_only_once() {
    let net = Net::new(legacy(tools(), |_| nameless(404, -32001, "Session not found")));
    let answer =
        net.run(async { Asker::legacy().ask(&net, &upstream(), "tools/call", r#"{"name":"t"}"#).await });
    let Err(failure) = answer else { panic!("a session that is never found") };
    assert_eq!((failure.code, failure.message.as_str()), (-32001, "Session not found"));
    assert_eq!(net.methods().iter().filter(|method| *method == "tools/call").count(), 2);
}

/// These do not show that the tool has not run.
#[test]
fn a_call_that_a_server_may_have_run_is_not_repeated() {
    let page = |status: u16| move |_: &Seen| response(status, "application/json", r#"{"detail":"x"}"#);
    let answer = |status: u16, code: i64| {
        move |seen: &Seen| error(seen, status, json!({"code": code, "message": "no such city"}))
    };
    let servers: [(&str, Server); 9] = [
        ("session: -32602 under 400", Box::new(legacy(tools(), answer(400, -32602)))),
        ("session: -32002 under 404", Box::new(legacy(tools(), answer(404, -32002)))),
        ("session: 422", Box::new(legacy(tools(), page(422)))),
        ("-32602 under 400", Box::new(modern(tools(), answer(400, -32602)))),
        ("-32001 under 404", Box::new(modern(tools(), answer(404, -32001)))),
        ("408", Box::new(modern(tools(), page(408)))),
        ("409", Box::new(modern(tools(), page(409)))),
        ("413", Box::new(modern(tools(), page(413)))),
        ("422", Box::new(modern(tools(), page(422)))),
    ];
    for (name, server) in servers {
        let net = Net::new(server);
        let asker = Asker::legacy();
        let answer = net.run(async { asker.ask(&net, &upstream(), "tools/call", r#"{"name":"t"}"#).await });
        assert!(matches!(answer, Err(_) | Ok(Answer::Error(_))), "{name}");
        let count = |method: &str| net.methods().iter().filter(|name| *name == method).count();
        assert_eq!((count("tools/call"), count("server/discover")), (1, 1), "{name}");
    }
}

#[test]
fn a_server_that_changes_its_era_is_learned_anew() {
    let strict_legacy = || -> Server {
        Box::new(legacy(tools(), |seen| match seen.header("mcp-session-id") {
            Some(_) => healthy(seen),
            None => nameless(400, -32000, "Bad Request: Server not initialized"),
        }))
    };
    // Each row is one way in which a stateless server can reject a request without its envelope.
    let strict_modern = |refuse: Answering| -> Server {
        Box::new(modern(tools(), move |seen| match seen.body["params"]["_meta"].as_object() {
            Some(_) => healthy(seen),
            None => refuse(seen),
        }))
    };
    let refusals: [Answering; 3] = [
        |seen| error(seen, 400, json!({"code": -32020, "message": "header Mcp-Method is missing"})),
        |seen| {
            let data = json!({"supported": ["2026-07-28"], "requested": "2025-11-25"});
            error(seen, 400, json!({"code": -32022, "message": "no", "data": data}))
        },
        |_| nameless(404, -32601, "Not found"),
    ];
    for refuse in refusals {
        let (net, site) = changing(strict_legacy());
        net.run(async {
            let upstream = upstream();
            upstream.lists(&net).await.unwrap();
            *site.borrow_mut() = strict_modern(refuse);
            upstream.lists(&net).await.unwrap();
            *site.borrow_mut() = strict_legacy();
            let answer = Asker::modern().ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await;
            assert!(matches!(answer, Ok(Answer::Result(_))));
            *site.borrow_mut() = strict_modern(refuse);
            let answer = Asker::legacy().ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await;
            assert!(matches!(answer, Ok(Answer::Result(_))));
        });
    }
}

#[test]
fn an_address_is_an_absolute_web_address() {
    let at = |url: &str| Upstream::new(&config::Upstream { url: url.to_owned(), ..settings() }, &|_| None);
    for good in ["http://127.0.0.1:3001/mcp", "https://example.com/mcp?key=1", "http://[::1]:8/"] {
        assert!(at(good).is_ok(), "{good}");
    }
    for bad in ["", "example.com/mcp", "/mcp", "ftp://example.com/", "http://", "http:///mcp", "not a url"] {
        let failure = at(bad).unwrap_err();
        assert_eq!(
            failure.to_json(),
            json!({"code": -32603, "data": {"reason": "upstream_url"},
                "message": "the address of upstream `up` is not an absolute http or https URL"}),
            "{bad}"
        );
    }
}

/// A server with the stateless era whose discovery is valid for a minute and takes 300 ms.
fn discovered_slowly(seen: &Seen) -> Reply {
    if seen.method() != "server/discover" {
        return result(seen, json!({"tools": [], "ttlMs": 0}));
    }
    let known = json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": tools(), "ttlMs": 60_000});
    match result(seen, known) {
        Reply::Response { status, headers, body } => {
            Reply::Response { status, headers, body: [vec![Piece::Wait(300)], body].concat() }
        }
        reply => reply,
    }
}

#[test]
fn discovery_is_kept_as_long_as_the_server_says() {
    let net = Net::new(discovered_slowly);
    let discovered = || net.methods().iter().filter(|method| *method == "server/discover").count();
    net.run(async {
        let upstream = upstream();
        for _ in 0..10 {
            upstream.lists(&net).await.unwrap();
            net.sleep(5_000).await;
        }
        assert_eq!((net.now(), discovered()), (50_300, 1));
        net.sleep(10_000).await;
        upstream.lists(&net).await.unwrap();
        assert_eq!(discovered(), 2);
    });
}

#[test]
fn lists_begin_while_a_known_server_is_discovered_again() {
    let net = Net::new(discovered_slowly);
    net.run(async {
        let upstream = upstream();
        upstream.lists(&net).await.unwrap();
        net.sleep(60_000).await;
        let before = net.seen().len();
        let begun = async {
            net.sleep(1).await;
            let methods: Vec<_> = net.methods().drain(before..).collect();
            assert_eq!(methods, ["tools/list", "server/discover"], "within a millisecond");
        };
        futures_util::future::join(upstream.lists(&net), begun).await.0.unwrap();
    });
}
