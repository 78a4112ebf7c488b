//! The callers of a session, their number of sessions, and the level of log messages.

use std::{cell::Cell, collections::BTreeSet};

use futures_util::future::join_all;
use http::HeaderValue;
use mcp_sieve_gateway::{
    config,
    host::Answer,
    local::Level,
    upstream::{MAX_ANONYMOUS_SESSIONS, MAX_PRINCIPAL_SESSIONS, MAX_SESSIONS, Upstream},
};
use serde_json::json;

use super::server::{
    Who, begun, ended, healthy, numbered, server, server_in, server_with, session, upstream, who,
};
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

/// A server may keep state in a session, and ask in it without naming the call.
#[test]
fn each_session_of_a_client_has_one_of_its_own() {
    let (net, upstream) = (numbered(healthy), upstream());
    let client = |front: &str| who(None).with("mcp-session-id", front);
    let accepting = |front: &str| client(front).accepts(json!({"roots": {}}));
    let all = [client("front-1"), client("front-2"), accepting("front-3"), accepting("front-4")];
    let own = all.each_ref().map(|who| session(&net, &upstream, who));
    let distinct: BTreeSet<&String> = own.iter().collect();
    assert_eq!(distinct.len(), 4);
    assert!(!distinct.contains(&"s-1".to_owned()), "the gateway's own");
    assert_eq!(all.each_ref().map(|who| session(&net, &upstream, who)), own);
    // A session that a stateless request names is not verified.
    let stateless = session(&net, &upstream, &accepting("front-3").stateless());
    assert!(!own.contains(&stateless));
    assert_eq!(session(&net, &upstream, &accepting("front-4").stateless()), stateless, "one user");
    // A principal has a session for each of its clients, and one for stateless requests.
    let alice = |front: &str| Who { claims: who(Some("alice")).claims, ..accepting(front) };
    let of_alice = ["front-5", "front-6"].map(|front| session(&net, &upstream, &alice(front)));
    assert_ne!(of_alice[0], of_alice[1]);
    let stateless = ["front-5", "front-6"].map(|front| session(&net, &upstream, &alice(front).stateless()));
    assert_eq!(stateless[0], stateless[1]);
    assert!(!of_alice.contains(&stateless[0]));
    assert_eq!(ended(&net), [""; 0]);
}

#[test]
fn a_stateless_call_without_a_principal_has_a_session_for_itself() {
    let settings = config::Upstream { one_user: false, ..settings() };
    let (net, upstream) = (numbered(healthy), Upstream::new(&settings, &|_| None).unwrap());
    let stranger = who(None).stateless();
    assert_eq!([(); 3].map(|()| session(&net, &upstream, &stranger)), ["s-2", "s-3", "s-4"]);
    assert_eq!(ended(&net), ["s-2", "s-3", "s-4"]);
}

#[test]
fn all_callers_share_a_session_if_the_file_says_so() {
    let settings = config::Upstream { shares_sessions: true, one_user: false, ..settings() };
    let (net, upstream) = (numbered(healthy), Upstream::new(&settings, &|_| None).unwrap());
    let all = [who(None).with("mcp-session-id", "front-1"), who(Some("alice")), who(None).stateless()];
    assert_eq!(all.map(|who| session(&net, &upstream, &who)), ["s-1"; 3]);
    assert_eq!(begun(&net), 1);
}

/// A server without session ids keeps nothing by session.
#[test]
fn a_server_without_sessions_gets_one_handshake() {
    let server = server_in(json!({"tools": {}}), |_| None, healthy);
    let settings = config::Upstream { one_user: false, ..settings() };
    let (net, upstream) = (Net::new(server), Upstream::new(&settings, &|_| None).unwrap());
    for who in [who(None).with("mcp-session-id", "front-1"), who(Some("alice")), who(None).stateless()] {
        assert!(matches!(net.run(who.call(&net, &upstream)), Ok(Answer::Result(_))));
    }
    assert_eq!(begun(&net), 1);
}

/// A server may hold a browser or a database for each session.
#[test]
fn a_client_that_ends_its_session_ends_those_at_servers() {
    let (net, upstream) = (numbered(healthy), upstream());
    let accepting = |front: &str| who(None).with("mcp-session-id", front).accepts(json!({"roots": {}}));
    let alice = Who { claims: who(Some("alice")).claims, ..accepting("front-3") };
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
fn a_principal_has_so_many_sessions_and_an_idle_one_makes_room() {
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
fn a_session_beyond_those_in_use_is_refused() {
    let calls = Cell::new(0);
    let net = numbered(move |seen| match seen.method() {
        "tools/call" if calls.replace(calls.get() + 1) < MAX_PRINCIPAL_SESSIONS => {
            let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}});
            stream(vec![event(&progress), Piece::Wait(100), last(seen, &json!({}))])
        }
        _ => healthy(seen),
    });
    let settings = config::Upstream { pass_headers: vec!["x-team".to_owned()], ..settings() };
    let upstream = Upstream::new(&settings, &|_| None).unwrap();
    let mallory = |team: usize| who(Some("mallory")).with("x-team", &team.to_string());
    let mut open = Vec::new();
    for team in 0..MAX_PRINCIPAL_SESSIONS {
        let Ok(Answer::Dialog(turns)) = net.run(mallory(team).call(&net, &upstream)) else {
            panic!("a stream")
        };
        open.push(turns);
    }
    let refused = net.run(mallory(MAX_PRINCIPAL_SESSIONS).call(&net, &upstream)).err().unwrap();
    assert_eq!(refused.reason(), Some("upstream_sessions"));
    assert_eq!(
        refused.message,
        "upstream `up` has 16 sessions of this caller, all in use; one of them must end before another begins"
    );
    assert_eq!(ended(&net), [""; 0]);
    session(&net, &upstream, &who(Some("bob")));
    drop(open.remove(0));
    session(&net, &upstream, &mallory(MAX_PRINCIPAL_SESSIONS));
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
