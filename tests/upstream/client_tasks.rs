//! Requests of a server that a client with a session answers with a task.

use futures_util::StreamExt;
use mcp_sieve_gateway::host::{Answer, StreamItem};
use serde_json::{Value, json};

use crate::{
    ask::{Asker, show, upstream},
    net::{Net, Piece, Reply, Seen},
    server::{event, last, legacy, stream},
};

const METHODS: [&str; 5] =
    ["sampling/createMessage", "tasks/get", "tasks/result", "tasks/cancel", "tasks/list"];

/// Returns a server that sends a request to the client, then requests about these tasks, and then a result.
fn asking(tasks: &'static [&'static str]) -> Net {
    let ask = |id: usize, method: &str, params: Value| {
        event(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    };
    Net::new(legacy(json!({"tools": {}}), move |seen: &Seen| match seen.method() {
        "tools/call" => {
            let mut pieces = vec![ask(0, METHODS[0], json!({"task": {"ttl": 1}})), Piece::Wait(10)];
            for (at, method) in METHODS.iter().enumerate().skip(1) {
                pieces.extend(tasks.iter().map(|task| ask(at, method, json!({"taskId": task}))));
            }
            pieces.push(last(seen, &json!({"content": []})));
            stream(pieces)
        }
        _ => Reply::Response { status: 202, headers: vec![], body: vec![] },
    }))
}

/// Calls a tool as a client that answers with the task `own`. Returns the methods that reached it, the capabilities of
/// its upstream session, and the responses that were sent to the server.
fn asked(net: &Net, capabilities: Value) -> (Vec<String>, Value, Vec<Value>) {
    let upstream = upstream();
    let asker = Asker { capabilities, accepts_requests: true, ..Asker::legacy() };
    let methods = net.run(async {
        let answer = asker.ask(net, &upstream, "tools/call", r#"{"name":"t"}"#).await.unwrap();
        let Answer::Dialog(mut turns) = answer else { panic!("expected questions") };
        let mut methods = Vec::new();
        while let Some(turn) = turns.next().await {
            match turn {
                StreamItem::Request(request) => {
                    methods.push(request.method);
                    (request.reply)(Ok(json!({"task": {"taskId": "own", "status": "working"}}).to_string()))
                        .await;
                }
                StreamItem::Task(plan) => panic!("a task of one's own: {plan:?}"),
                StreamItem::Event(event) => assert_eq!(show(&event), r#"result {"content":[]}"#),
            }
        }
        methods
    });
    let seen = net.seen();
    let begun = seen.iter().rfind(|seen| seen.method() == "initialize").unwrap();
    let told = seen.iter().filter(|seen| seen.method().is_empty()).map(|seen| seen.body.clone());
    (methods, begun.body["params"]["capabilities"].clone(), told.collect())
}

#[test]
fn a_server_asks_about_the_tasks_that_its_requests_became() {
    let tasks = json!({"list": {}, "cancel": {}, "requests": {
        "sampling": {"createMessage": {"x": 1}}, "elicitation": {"create": {}}, "other": {}}});
    let net = asking(&["own"]);
    let (methods, declared, told) = asked(&net, json!({"sampling": {}, "tasks": tasks}));
    assert_eq!(methods, METHODS[..4]);
    // Only what the client declares and Sieve relays; the list may name tasks of other servers.
    let relayed = json!({"cancel": {}, "requests": {"sampling": {"createMessage": {}}}});
    assert_eq!(declared, json!({"sampling": {}, "tasks": relayed}));
    assert_eq!(told.len(), 5);
    assert_eq!(told[4]["error"]["code"], -32601);
}

#[test]
fn a_server_cannot_ask_about_other_tasks_of_a_client() {
    let net = asking(&["other"]);
    let (methods, declared, told) = asked(&net, json!({"sampling": {}, "tasks": {"list": {}}}));
    assert_eq!(methods, METHODS[..1]);
    assert_eq!(declared, json!({"sampling": {}}));
    let refused: Vec<_> = told[1..].iter().map(|told| told["error"]["code"].clone()).collect();
    assert_eq!(refused, [-32601, -32601, -32601, -32601]);
}
