//! The callers of a session, their number of sessions, and the level of log messages.

use std::cell::Cell;

use futures_util::future::join_all;
use http::HeaderValue;
use mcp_sieve_gateway::{
    config,
    host::Answer,
    local::Level,
    upstream::{MAX_ANONYMOUS_SESSIONS, MAX_PRINCIPAL_SESSIONS, MAX_SESSIONS, Upstream},
};
use serde_json::json;

use super::server::{Who, begun, ended, healthy, numbered, server, server_with, session, upstream, who};
use crate::{
    ask::settings,
    net::{Net, Piece, Reply},
    server::{error, event, last, stream},
};

#[test]
fn sessions_go_by_which_questions_a_client_answers_and_not_by_its_words() {
    let (net, upstream) = (numbered(healthy), upstream());
    for at in 0..100 {
        let capabilities = json!({"sampling": {"made-up": at, "tools": {"x": at}}, "roots": {"x": at}});
        assert_eq!(session(&net, &upstream, &who(None).accepts(capabilities)), "s-2");
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
    let accepting = |front: &str| client(front).accepts(json!({"roots": {}}));
    let one = session(&net, &upstream, &accepting("front-1"));
    assert_ne!(session(&net, &upstream, &accepting("front-2")), one);
    assert_eq!(session(&net, &upstream, &accepting("front-1")), one);
    assert_eq!(session(&net, &upstream, &client("front-1")), "s-1", "cannot be asked");
    assert_eq!(session(&net, &upstream, &client("front-2")), "s-1");
    // A session that a stateless request names is not verified.
    let stateless = session(&net, &upstream, &accepting("front-1").stateless());
    assert_ne!(stateless, one);
    assert_eq!(session(&net, &upstream, &accepting("front-2").stateless()), stateless);
    // The principal decides for callers that have one.
    let alice = |front: &str| Who { claims: who(Some("alice")).claims, ..accepting(front) };
    assert_eq!(session(&net, &upstream, &alice("front-1")), session(&net, &upstream, &alice("front-2")));
    assert_eq!(ended(&net), [""; 0]);
}

/// A server may hold a browser or a database for each session.
#[test]
fn a_client_that_ends_its_session_ends_the_sessions_that_only_it_uses() {
    let (net, upstream) = (numbered(healthy), upstream());
    let accepting = |front: &str| who(None).with("mcp-session-id", front).accepts(json!({"roots": {}}));
    let alice = Who { claims: who(Some("alice")).claims, ..accepting("front-1") };
    let (own, others) = (session(&net, &upstream, &accepting("front-1")), accepting("front-2"));
    let kept = [&others, &alice].map(|who| session(&net, &upstream, who));
    for _ in 0..2 {
        upstream.end_sessions(&net, &HeaderValue::from_static("front-1"));
        assert_eq!(ended(&net), [own.as_str()]);
    }
    assert_eq!([&others, &alice].map(|who| session(&net, &upstream, who)), kept);
    assert_ne!(session(&net, &upstream, &accepting("front-1")), own);
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
