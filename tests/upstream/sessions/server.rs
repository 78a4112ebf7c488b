//! Sessions with upstream servers: their callers, their number, and their end.

use std::{borrow::Cow, cell::Cell, rc::Rc};

use futures_util::future::join_all;
use http::{HeaderMap, HeaderName, HeaderValue};
use mcp_sieve::{
    config,
    json::{Raw, ReadObject},
    mcp::{
        Answer, Call, Caller, Freshness, Gateway, Level, Revision, RpcError,
        upstream::{
            Fetch, MAX_ANONYMOUS_SESSIONS, MAX_FAILURES, MAX_PRINCIPAL_SESSIONS, MAX_SESSIONS, Upstream,
        },
    },
};
use serde_json::{Map, Value, json};

use crate::{
    ask::settings,
    gateway::serve,
    net::{Net, Piece, Reply, Seen},
    server::{error, event, last, response, result, stream},
};

/// Returns a network with a server whose sessions are numbered in the order in which they begin.
fn numbered(rest: impl Fn(&Seen) -> Reply + 'static) -> Net {
    Net::new(server(rest))
}

/// Returns a server whose sessions are numbered.
fn server(rest: impl Fn(&Seen) -> Reply + 'static) -> impl Fn(&Seen) -> Reply + 'static {
    server_with(json!({"tools": {}}), rest)
}

/// Like [`server`], with other capabilities.
fn server_with(
    capabilities: Value,
    rest: impl Fn(&Seen) -> Reply + 'static,
) -> impl Fn(&Seen) -> Reply + 'static {
    let begun = Cell::new(0);
    move |seen| match seen.method() {
        "server/discover" => response(400, "text/plain", "no session"),
        "initialize" => {
            begun.set(begun.get() + 1);
            let info = json!({"name": "server", "version": "1"});
            let body =
                json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info});
            let Reply::Response { status, mut headers, body } = result(seen, body) else {
                panic!("a response")
            };
            headers.push(("mcp-session-id".to_owned(), format!("s-{}", begun.get())));
            Reply::Response { status, headers, body }
        }
        "notifications/initialized" | "notifications/cancelled" => response(202, "text/plain", ""),
        "DELETE" => response(204, "text/plain", ""),
        _ => rest(seen),
    }
}

fn healthy(seen: &Seen) -> Reply {
    result(seen, json!({"tools": [], "content": []}))
}

/// A caller: its principal if any, its capabilities and its headers.
#[derive(Clone)]
struct Who {
    claims: Option<Map<String, Value>>,
    capabilities: Value,
    headers: HeaderMap,
    protocol: Revision,
    level: Option<Level>,
}

fn who(principal: Option<&str>) -> Who {
    let claims = principal.map(|sub| json!({"sub": sub}).as_object().unwrap().clone());
    let protocol = Revision::V2025_11_25;
    Who { claims, capabilities: json!({}), headers: HeaderMap::new(), protocol, level: None }
}

impl Who {
    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        self
    }

    fn stateless(self) -> Self {
        Self { protocol: Revision::V2026_07_28, ..self }
    }

    fn asked(self, capabilities: Value) -> Self {
        Self { capabilities, ..self }
    }

    async fn call(&self, net: &Net, upstream: &Upstream) -> Result<Answer, RpcError> {
        let caller = Caller {
            claims: self.claims.as_ref().map(Cow::Borrowed),
            capabilities: self.capabilities.clone(),
            level: self.level,
            ..Caller::new(&self.headers, self.protocol, "tools/call")
        };
        let params = Raw::parse(r#"{"name":"t"}"#).ok().and_then(ReadObject::read);
        let servers = &["up".to_owned()];
        let call = Call {
            method: "tools/call",
            params,
            servers,
            caller: &caller,
            accepts_requests: true,
            task: None,
        };
        upstream.call(net, &call).await
    }
}

/// Returns the id of the session that a caller's call uses.
fn session(net: &Net, upstream: &Upstream, who: &Who) -> String {
    assert!(matches!(net.run(who.call(net, upstream)), Ok(Answer::Result(_))));
    net.last("tools/call").unwrap().header("mcp-session-id").unwrap().to_owned()
}

/// Returns the ids of the sessions that were ended, in order.
fn ended(net: &Net) -> Vec<String> {
    net.run(async {});
    let ends = net.seen().into_iter().filter(|seen| seen.method() == "DELETE");
    ends.map(|seen| seen.header("mcp-session-id").unwrap().to_owned()).collect()
}

fn begun(net: &Net) -> usize {
    net.methods().iter().filter(|method| *method == "initialize").count()
}

fn upstream() -> Upstream {
    Upstream::new(&settings(), &|_| None).unwrap()
}

/// Returns the client for a handler in the same process.
fn handler() -> Upstream {
    Upstream::in_process(&settings()).unwrap()
}

#[test]
fn sessions_go_by_which_questions_a_client_answers_and_not_by_its_words() {
    let (net, upstream) = (numbered(healthy), upstream());
    for at in 0..100 {
        let capabilities = json!({"sampling": {"made-up": at, "tools": {"x": at}}, "roots": {"x": at}});
        assert_eq!(session(&net, &upstream, &who(None).asked(capabilities)), "s-2");
    }
    assert_eq!(begun(&net), 2, "the gateway's own and this one");
    let declared = net.last("initialize").unwrap().body;
    assert_eq!(declared["params"]["capabilities"], json!({"sampling": {"tools": {}}, "roots": {}}));
    assert_eq!(ended(&net), [""; 0]);
}

/// A server may ask in a session without naming the call, so strangers who can be asked share none.
#[test]
fn clients_that_can_be_asked_have_sessions_of_their_own() {
    let (net, upstream) = (numbered(healthy), upstream());
    let client = |front: &str| who(None).with("mcp-session-id", front);
    let asked = |front: &str| client(front).asked(json!({"roots": {}}));
    let one = session(&net, &upstream, &asked("front-1"));
    assert_ne!(session(&net, &upstream, &asked("front-2")), one);
    assert_eq!(session(&net, &upstream, &asked("front-1")), one);
    assert_eq!(session(&net, &upstream, &client("front-1")), "s-1", "cannot be asked");
    assert_eq!(session(&net, &upstream, &client("front-2")), "s-1");
    // A session that a stateless request names is not verified.
    let stateless = session(&net, &upstream, &asked("front-1").stateless());
    assert_ne!(stateless, one);
    assert_eq!(session(&net, &upstream, &asked("front-2").stateless()), stateless);
    // The principal decides for callers that have one.
    let alice = |front: &str| Who { claims: who(Some("alice")).claims, ..asked(front) };
    assert_eq!(session(&net, &upstream, &alice("front-1")), session(&net, &upstream, &alice("front-2")));
    assert_eq!(ended(&net), [""; 0]);
}

/// A server may hold a browser or a database for each session.
#[test]
fn a_client_that_ends_its_session_ends_the_sessions_that_only_it_uses() {
    let (net, upstream) = (numbered(healthy), upstream());
    let asked = |front: &str| who(None).with("mcp-session-id", front).asked(json!({"roots": {}}));
    let alice = Who { claims: who(Some("alice")).claims, ..asked("front-1") };
    let (own, others) = (session(&net, &upstream, &asked("front-1")), asked("front-2"));
    let kept = [&others, &alice].map(|who| session(&net, &upstream, who));
    for _ in 0..2 {
        upstream.end_sessions(&net, &HeaderValue::from_static("front-1"));
        assert_eq!(ended(&net), [own.as_str()]);
    }
    assert_eq!([&others, &alice].map(|who| session(&net, &upstream, who)), kept);
    assert_ne!(session(&net, &upstream, &asked("front-1")), own);
}

#[test]
fn a_principal_has_so_many_sessions_and_the_one_that_makes_room_is_ended() {
    let settings = config::Upstream { pass_headers: vec!["x-team".to_owned()], ..settings() };
    let (net, upstream) = (numbered(healthy), Upstream::new(&settings, &|_| None).unwrap());
    let bob = session(&net, &upstream, &who(Some("bob")));
    let mallory = |team: usize| who(Some("mallory")).with("x-team", &team.to_string());
    let first = session(&net, &upstream, &mallory(0));
    (1..MAX_PRINCIPAL_SESSIONS).for_each(|team| _ = session(&net, &upstream, &mallory(team)));
    assert_eq!(session(&net, &upstream, &mallory(0)), first, "as many as are kept");
    assert_eq!(ended(&net), [""; 0]);
    for team in MAX_PRINCIPAL_SESSIONS..MAX_SESSIONS + 50 {
        session(&net, &upstream, &mallory(team));
    }
    assert_eq!(ended(&net).len(), MAX_SESSIONS + 50 - MAX_PRINCIPAL_SESSIONS);
    let end = net.last("DELETE").unwrap();
    assert_eq!(end.header("mcp-protocol-version"), Some("2025-11-25"));
    assert!(end.header("x-team").is_some(), "ended under the headers that it was begun under");

    let stranger = |team: usize| who(None).with("x-team", &team.to_string());
    for team in 0..MAX_SESSIONS + 50 {
        session(&net, &upstream, &stranger(team));
    }
    let open = begun(&net) - ended(&net).len();
    assert_eq!(open, 1 + 1 + MAX_PRINCIPAL_SESSIONS + MAX_ANONYMOUS_SESSIONS);
    assert_eq!(session(&net, &upstream, &who(Some("bob"))), bob, "kept through all of it");
}

#[test]
fn a_session_in_use_is_ended_when_its_call_is_done() {
    let calls = Cell::new(0);
    let net = numbered(move |seen| match seen.method() {
        "tools/call" if calls.replace(calls.get() + 1) == 0 => {
            let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}});
            stream(vec![event(&progress), Piece::Wait(100), last(seen, &json!({}))])
        }
        _ => healthy(seen),
    });
    let settings = config::Upstream { pass_headers: vec!["x-team".to_owned()], ..settings() };
    let upstream = Upstream::new(&settings, &|_| None).unwrap();
    let mallory = |team: usize| who(Some("mallory")).with("x-team", &team.to_string());
    let Ok(Answer::Dialog(open)) = net.run(mallory(0).call(&net, &upstream)) else { panic!("a stream") };
    (1..=MAX_PRINCIPAL_SESSIONS).for_each(|team| _ = session(&net, &upstream, &mallory(team)));
    assert_eq!(ended(&net), [""; 0], "its call is under way");
    drop(open);
    assert_eq!(ended(&net), ["s-2"]);
}

/// Returns a server that refuses with `refuse` what names another session than the one begun last, and a switch that
/// makes it forget that session.
fn forgetful(refuse: fn(&Seen) -> Reply) -> (Rc<Cell<bool>>, Net) {
    let forgets = Rc::new(Cell::new(false));
    let (switch, known) = (Rc::clone(&forgets), server(healthy));
    let net = Net::new(move |seen| match seen.method() {
        "server/discover" | "initialize" | "notifications/initialized" | "DELETE" => {
            switch.set(switch.get() && seen.method() != "initialize");
            known(seen)
        }
        _ if switch.get() => refuse(seen),
        _ => known(seen),
    });
    (forgets, net)
}

/// After a restart, some servers refuse a session as if the caller had no access, or as if the request had failed.
#[test]
fn a_session_that_a_server_refuses_is_begun_anew_for_the_next_request() {
    let refusals: [fn(&Seen) -> Reply; 7] = [
        |_| response(401, "text/plain", "Session not found"),
        |_| response(403, "text/plain", ""),
        |_| response(409, "text/plain", ""),
        |_| response(410, "text/plain", ""),
        |_| response(500, "text/plain", ""),
        |seen| error(seen, 200, json!({"code": -32001, "message": "Session not found"})),
        |seen| error(seen, 400, json!({"code": -32602, "message": "_meta lacks protocolVersion"})),
    ];
    for (at, refuse) in refusals.into_iter().enumerate() {
        let (forgets, net) = forgetful(refuse);
        let (upstream, alice) = (upstream(), who(Some("alice")));
        // A call in the session of its caller, and a listing in the gateway's own.
        for request in ["tools/call", "tools/list"] {
            let ask = async || match request {
                "tools/call" => matches!(alice.call(&net, &upstream).await, Ok(Answer::Result(_))),
                _ => upstream.lists(&net).await.is_ok(),
            };
            if (at, request) == (6, "tools/call") {
                continue; // An answer about the arguments.
            }
            net.run(async {
                assert!(ask().await, "{at}");
                forgets.set(true);
                let before = net.methods();
                assert!(!ask().await, "{at}: {request}");
                let failed = net.methods().split_off(before.len());
                assert_eq!(failed, [request], "{at}: sent once, without a handshake");
                net.sleep(5_000).await;
                assert!(ask().await, "{at}: {request}");
            });
        }
    }
}

#[test]
fn a_session_that_is_alive_is_kept_after_a_failure() {
    let net = numbered(|seen| match seen.method() {
        "tools/call" => response(500, "text/plain", "a broken tool"),
        "ping" => result(seen, json!({})),
        _ => healthy(seen),
    });
    let (upstream, alice) = (upstream(), who(Some("alice")));
    net.run(async {
        for _ in 0..MAX_FAILURES - 1 {
            alice.call(&net, &upstream).await.err().unwrap();
        }
        let pings = net.methods().iter().filter(|method| *method == "ping").count();
        assert_eq!((pings, begun(&net)), (1, 2), "a check for all that fail in a few seconds");
        net.sleep(5_000).await;
        alice.call(&net, &upstream).await.err().unwrap();
        assert_eq!(net.last("ping").unwrap().header("mcp-session-id"), Some("s-2"));
        assert_eq!(begun(&net), 2);
    });
}

#[test]
fn a_server_that_is_down_or_busy_is_not_asked_for_another_session() {
    let busy = |status: u16| {
        let Reply::Response { mut headers, body, .. } = response(status, "text/plain", "") else {
            panic!("a response")
        };
        headers.push(("retry-after".to_owned(), "0".to_owned()));
        Reply::Response { status, headers, body }
    };
    // The replies to the call that fails, and to what follows.
    let rows = [
        (response(500, "text/plain", ""), Reply::Lost, 2),
        (response(500, "text/plain", ""), busy(503), 2),
        (busy(429), busy(429), 1),
    ];
    for (at, (first, then, requests)) in rows.into_iter().enumerate() {
        let failures = Cell::new(0);
        let net = numbered(move |seen| match (failures.replace(failures.get() + 1), seen.method()) {
            (0, _) => healthy(seen),
            (1, _) => first.clone(),
            _ => then.clone(),
        });
        let (upstream, alice) = (upstream(), who(Some("alice")));
        session(&net, &upstream, &alice);
        assert!(net.run(alice.call(&net, &upstream)).is_err(), "{at}");
        let before = net.seen().len();
        assert!(net.run(alice.call(&net, &upstream)).is_err(), "{at}");
        assert_eq!((net.seen().len() - before, begun(&net)), (requests, 2), "{at}: {:?}", net.methods());
    }
}

/// A server may refuse the headers of one caller.
#[test]
fn a_caller_that_is_refused_ends_no_session_of_others() {
    let net = numbered(|seen| match seen.header("x-team") {
        Some("bad") => response(401, "text/plain", ""),
        _ => healthy(seen),
    });
    let settings = config::Upstream { pass_headers: vec!["x-team".to_owned()], ..settings() };
    let upstream = Upstream::new(&settings, &|_| None).unwrap();
    let good = || who(None).with("x-team", "good");
    let one = session(&net, &upstream, &good());
    for _ in 0..3 {
        assert!(net.run(who(None).with("x-team", "bad").call(&net, &upstream)).is_err());
        net.run(Fetch::sleep(&net, 5_000));
    }
    assert_eq!(session(&net, &upstream, &good()), one);
    assert_eq!(net.methods().iter().filter(|method| *method == "server/discover").count(), 1);
    assert_eq!(ended(&net), ["s-3", "s-4"], "its own");
}

#[test]
fn one_of_two_sessions_that_were_begun_at_once_is_ended() {
    let at_once = server(healthy);
    let net = Net::new(move |seen| match at_once(seen) {
        Reply::Response { status, headers, body } => {
            let body = [vec![Piece::Wait(1)], body].concat();
            Reply::Response { status, headers, body }
        }
        reply => reply,
    });
    let (upstream, caller) = (upstream(), who(None));
    let calls = (0..2).map(|_| caller.call(&net, &upstream));
    assert!(net.run(join_all(calls)).iter().all(Result::is_ok));
    assert_eq!(begun(&net), 2);
    assert_eq!(begun(&net) - ended(&net).len(), 1);
}

/// A server may send no log messages before a level is set.
#[test]
fn the_lowest_level_of_log_messages_is_set_once_for_each_session() {
    let refuses = Cell::new(false);
    let server = server_with(json!({"tools": {}, "logging": {}}), move |seen| match seen.method() {
        "logging/setLevel" if refuses.replace(true) => {
            error(seen, 200, json!({"code": -32601, "message": "no"}))
        }
        _ => healthy(seen),
    });
    let net = Net::new(server);
    let upstream = upstream();
    let levels = || -> Vec<(String, String)> {
        let set = net.seen().into_iter().filter(|seen| seen.method() == "logging/setLevel");
        set.map(|seen| {
            let level = seen.body["params"]["level"].as_str().unwrap().to_owned();
            (seen.header("mcp-session-id").unwrap().to_owned(), level)
        })
        .collect()
    };
    let wants = |level: Option<Level>| Who { level, ..who(None) };
    for level in [None, Some(Level::Warning), Some(Level::Error), Some(Level::Info), Some(Level::Info)] {
        session(&net, &upstream, &wants(level));
    }
    session(&net, &upstream, &Who { level: Some(Level::Error), ..who(Some("alice")) });
    let expected = [("s-1", "warning"), ("s-1", "info"), ("s-2", "error")];
    assert_eq!(levels(), expected.map(|(session, level)| (session.to_owned(), level.to_owned())));
    let methods = net.methods();
    let at = |name: &str| methods.iter().rposition(|method| method == name);
    assert!(at("logging/setLevel") < at("tools/call"), "{methods:?}");
}

#[test]
fn a_call_waits_a_second_for_the_level_at_most() {
    let server = server_with(json!({"tools": {}, "logging": {}}), |seen| match seen.method() {
        "logging/setLevel" => Reply::Hang,
        _ => healthy(seen),
    });
    let (net, upstream) = (Net::new(server), upstream());
    let caller = Who { level: Some(Level::Info), ..who(None) };
    for _ in 0..2 {
        session(&net, &upstream, &caller);
        assert_eq!(net.now(), 1_000);
    }
}

/// What the calls leave in the session stays there for the next ones.
#[test]
fn parallel_first_calls_of_a_caller_run_in_one_session() {
    let begun = Cell::new(0);
    let at_once = server(healthy);
    let net = Net::new(move |seen| match seen.method() {
        // The session begun last is answered first.
        "initialize" if begun.replace(begun.get() + 1) > 0 => {
            Reply::Late(5 - begun.get(), Box::new(at_once(seen)))
        }
        "tools/call" => Reply::Late(50, Box::new(at_once(seen))),
        _ => at_once(seen),
    });
    let (upstream, alice) = (upstream(), who(Some("alice")));
    net.run(upstream.lists(&net)).unwrap();
    assert!(net.run(join_all((0..3).map(|_| alice.call(&net, &upstream)))).iter().all(Result::is_ok));
    let last = session(&net, &upstream, &alice);
    let calls = net.seen().into_iter().filter(|seen| seen.method() == "tools/call");
    assert!(calls.into_iter().all(|call| call.header("mcp-session-id") == Some(last.as_str())));
    assert_eq!(ended(&net).len(), 2);
    assert!(!ended(&net).contains(&last));
}

/// A handler may learn its caller from the handshake. Callers that differ in identity or credentials therefore have
/// different sessions, and anonymous callers share none.
#[test]
fn callers_of_a_handler_have_no_session_in_common() {
    let (net, handler) = (numbered(healthy), handler());
    net.run(handler.lists(&net)).unwrap();
    let alice = who(None).with("authorization", "Bearer alice");
    let mut seen = vec!["s-1".to_owned()];
    let mut new = |who: &Who| {
        let session = session(&net, &handler, who);
        assert!(!seen.contains(&session), "{session} again");
        seen.push(session.clone());
        session
    };
    // Without a principal, a downstream session has one upstream session, and each stateless call has its own.
    let front = new(&alice.clone().with("mcp-session-id", "front-1"));
    assert_eq!(session(&net, &handler, &alice.clone().with("mcp-session-id", "front-1")), front);
    new(&alice.clone().with("mcp-session-id", "front-2"));
    new(&who(None).with("mcp-session-id", "front-1").with("authorization", "Bearer mallory"));
    new(&who(None).with("mcp-session-id", "front-1").with("authorization", "Bearer alice").stateless());
    assert_eq!(ended(&net).len(), 1);
    new(&alice.clone().stateless());
    new(&alice.clone().stateless());
    new(&who(None).stateless());
    assert_eq!(ended(&net).len(), 4, "each ended with its call");
    // With a principal, the principal and the credentials decide.
    let known = new(&who(Some("alice")).with("authorization", "Bearer 1"));
    assert_eq!(
        session(&net, &handler, &who(Some("alice")).with("authorization", "Bearer 1").stateless()),
        known
    );
    for header in ["authorization", "cookie", "proxy-authorization", "x-api-key"] {
        new(&who(Some("alice")).with(header, "2"));
    }
    new(&who(Some("bob")).with("authorization", "Bearer 1"));
    assert_eq!(ended(&net).len(), 4);
}

#[test]
fn a_handler_without_sessions_needs_one_handshake() {
    let net = Net::new(|seen| match seen.method() {
        "initialize" => result(
            seen,
            json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {}}),
        ),
        "server/discover" => response(400, "text/plain", "no"),
        "notifications/initialized" => response(202, "text/plain", ""),
        _ => healthy(seen),
    });
    let handler = handler();
    for caller in [who(None), who(Some("alice")), who(None).stateless(), who(None).with("cookie", "a=b")] {
        assert!(net.run(caller.call(&net, &handler)).is_ok());
    }
    assert_eq!((begun(&net), ended(&net).len()), (1, 0));
}

/// A rejection by a handler for one caller does not affect the others.
#[test]
fn a_handler_is_not_left_alone_for_what_it_refused_one_caller() {
    let net = numbered(|seen| match seen.header("x-team") {
        Some("busy") => {
            let Reply::Response { mut headers, body, .. } = response(429, "text/plain", "") else {
                panic!("a response")
            };
            headers.push(("retry-after".to_owned(), "3600".to_owned()));
            Reply::Response { status: 429, headers, body }
        }
        Some("broken") => Reply::Lost,
        _ => healthy(seen),
    });
    let settings = config::Upstream { pass_headers: vec!["x-team".to_owned()], ..settings() };
    let handler = Upstream::in_process(&settings).unwrap();
    for team in ["busy", "broken"] {
        for _ in 0..2 * MAX_FAILURES {
            let failed = net.run(who(None).with("x-team", team).call(&net, &handler)).err().unwrap();
            let expected = if team == "busy" { "upstream_status" } else { "upstream_unreachable" };
            assert_eq!(failed.reason(), Some(expected));
            assert_eq!(
                failed.asked_again_after(),
                (team == "busy").then_some(3_600),
                "it is the caller's to wait"
            );
            assert!(net.run(who(None).call(&net, &handler)).is_ok());
            assert!(net.run(handler.lists(&net)).is_ok());
        }
    }
}

#[test]
fn a_handler_that_refused_to_list_is_asked_again_at_once() {
    let refuses = Rc::new(Cell::new(true));
    let switch = Rc::clone(&refuses);
    let net =
        numbered(move |seen| if switch.get() { response(503, "text/plain", "") } else { healthy(seen) });
    let gateway = Gateway::in_process(&settings()).unwrap();
    let config = config::Config::default();
    net.run(async {
        for _ in 0..2 * MAX_FAILURES {
            assert!(serve(&gateway, &net, &config, Freshness::List).await.is_err());
        }
        refuses.set(false);
        assert!(serve(&gateway, &net, &config, Freshness::List).await.is_ok());
        assert_eq!(net.now(), 0);
    });
}
