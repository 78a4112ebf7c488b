//! Notifications that a server sends while it answers a call.

use futures_util::StreamExt;
use http::HeaderMap;
use mcp_sieve::json::Raw;
use mcp_sieve_gateway::server::ReadObject;
use mcp_sieve_gateway::{
    config::Config,
    host::{Answer, Call, Caller, Event, Freshness, Revision, StreamItem},
    upstream::Gateway,
};
use serde_json::{Value, json};

use crate::{
    ask::settings,
    gateway::serve,
    net::{Net, Piece, Reply, Seen},
    server::{event, last, modern, result, stream},
};

fn gateway() -> Gateway {
    Gateway::new(&[settings()], &|_| None).unwrap()
}

/// Returns a server that sends these notifications while it answers a call.
fn chatty(methods: &'static [&'static str]) -> impl Fn(&Seen) -> Reply {
    modern(json!({"tools": {}}), move |seen| match seen.method() {
        "tools/list" => result(seen, json!({"tools": [], "ttlMs": 60_000})),
        _ => {
            let said = methods.iter().map(|method| event(&json!({"jsonrpc": "2.0", "method": method})));
            stream(said.chain([last(seen, &json!({}))]).collect())
        }
    })
}

/// Returns the methods of the notifications in the answer to a call.
async fn called(net: &Net, gateway: &Gateway) -> Vec<String> {
    let headers = HeaderMap::new();
    let caller = Caller::new(&headers, Revision::V2026_07_28, "tools/call");
    let params = Raw::parse(r#"{"name":"t"}"#).ok().and_then(ReadObject::read);
    let (method, servers) = ("tools/call", &["up".to_owned()]);
    let call = Call {
        method,
        params,
        servers,
        caller: &caller,
        accepts_requests: false,
        streams: None,
        task: None,
        passthrough: None,
    };
    let Ok(Answer::Dialog(turns)) = gateway.forward(net, &call).await else { panic!("a stream") };
    let turns: Vec<StreamItem> = turns.collect().await;
    assert!(matches!(turns.last(), Some(StreamItem::Event(Event::Result(_)))));
    let read = |turn: &StreamItem| match turn {
        StreamItem::Event(Event::Notification(message)) => {
            let message: Value = serde_json::from_slice(message).unwrap();
            Some(message["method"].as_str().unwrap().to_owned())
        }
        _ => None,
    };
    turns.iter().filter_map(read).collect()
}

const LISTS: &[&str] = &["notifications/tools/list_changed", "notifications/resources/list_changed"];
const OTHERS: &[&str] =
    &["notifications/message", "notifications/made/\u{1b}up", "notifications/tasks/status"];

#[test]
fn lists_that_change_during_a_call_are_due_and_reach_no_caller_by_it() {
    let (net, config) = (Net::new(chatty(LISTS)), Config::default());
    let listed = || net.methods().iter().filter(|method| *method == "tools/list").count();
    net.run(async {
        let gateway = gateway();
        for round in 1..=3 {
            serve(&gateway, &net, &config, Freshness::Route).await.unwrap();
            assert_eq!(listed(), round);
            assert_eq!(called(&net, &gateway).await, [""; 0]);
        }
        assert!(serve(&gateway, &net, &config, Freshness::Route).await.unwrap().notes.is_empty());
    });
}

/// W9: the host lists the server again although it has no stream of changes. A flood is spaced as on such a stream.
#[test]
fn lists_that_change_during_a_call_are_reported_to_the_host() {
    let net = Net::new(chatty(LISTS));
    net.run(called(&net, &gateway()));
    assert_eq!(net.changed("up"), [0, 0]);

    let changed = event(&json!({"jsonrpc": "2.0", "method": LISTS[0]}));
    let flood: Vec<Piece> = (0..100).flat_map(|_| [changed.clone(), Piece::Wait(10)]).collect();
    let net = Net::new(modern(json!({"tools": {}}), move |seen| match seen.method() {
        "tools/list" => result(seen, json!({"tools": [], "ttlMs": 60_000})),
        _ => stream(
            flood
                .iter()
                .cloned()
                .chain([Piece::Wait(800), changed.clone(), last(seen, &json!({}))])
                .collect(),
        ),
    }));
    net.run(async {
        called(&net, &gateway()).await;
        mcp_sieve_gateway::upstream::Fetch::sleep(&net, 1_000).await;
    });
    // Twelve at once, then one every 250 ms. The last of the flood comes at 990.
    let twelve = (0..12).map(|at| at * 10);
    assert_eq!(net.changed("up"), twelve.chain([250, 500, 750, 1_000, 1_800]).collect::<Vec<u64>>());
}

#[test]
fn other_notifications_are_dropped_and_the_operator_is_told_of_the_first() {
    let (net, config) = (Net::new(chatty(OTHERS)), Config::default());
    net.run(async {
        let gateway = gateway();
        let notes = async || serve(&gateway, &net, &config, Freshness::Route).await.unwrap().notes;
        assert!(notes().await.is_empty());
        assert_eq!(called(&net, &gateway).await, ["notifications/message"]);
        let note = r"upstreams: `up` sent the notification `notifications/made/\u{1b}up`, which is not forwarded to clients; this and others are dropped";
        assert_eq!(notes().await, [note]);
        called(&net, &gateway).await;
        assert!(notes().await.is_empty(), "said once");
    });
}
