//! Questions of servers: the server that they name, and servers whose questions the operator refuses.

use futures_util::StreamExt;
use http::HeaderMap;
use mcp_sieve::json::Raw;
use mcp_sieve_gateway::server::ReadObject;
use mcp_sieve_gateway::{
    config,
    host::{Answer, Call, Caller, Event, Revision, StreamItem},
    upstream::{Gateway, Upstream},
};
use serde_json::{Value, json};

use crate::{
    ask::{Asker, settings},
    net::{Net, Reply, Seen},
    server::{event, last, legacy, modern, response, stream},
};

const NAME: &str = "dev.mcpsieve/server";

/// Returns the capabilities of a client that answers everything.
fn all() -> Value {
    json!({"sampling": {}, "elicitation": {"form": {}, "url": {}}, "roots": {}, "experimental": {"x": {}}})
}

fn refusing() -> Upstream {
    Upstream::new(&config::Upstream { questions: false, ..settings() }, &|_| None).unwrap()
}

/// Returns a server with sessions that sends these requests during a call, then a result.
fn asks(requests: &Value, result: Value) -> Net {
    let requests = requests.as_array().unwrap().clone();
    Net::new(legacy(json!({"tools": {}}), move |seen: &Seen| match seen.method() {
        "tools/call" => {
            let requests = requests.iter().enumerate().map(|(at, request)| {
                let mut request = request.clone();
                request["id"] = json!(at);
                request["jsonrpc"] = json!("2.0");
                event(&request)
            });
            stream(requests.chain([last(seen, &result)]).collect())
        }
        _ => Reply::Response { status: 202, headers: vec![], body: vec![] },
    }))
}

/// Returns a stateless server that answers everything with this result, as it is written.
fn answers(result: &str) -> Net {
    let result = result.to_owned();
    Net::new(modern(json!({"tools": {}}), move |seen| {
        response(
            200,
            "application/json",
            format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, seen.body["id"]),
        )
    }))
}

/// Sends a call to the first of some servers. Returns the parameters of its questions, and its result or error.
fn run_call(net: &Net, servers: &[&str]) -> (Vec<Value>, Value) {
    let named = |name: &&str| config::Upstream { name: (*name).to_owned(), ..settings() };
    let settings: Vec<_> = servers.iter().map(named).collect();
    let gateway = Gateway::new(&settings, &|_| None).unwrap();
    let headers = HeaderMap::new();
    let caller = Caller { capabilities: all(), ..Caller::new(&headers, Revision::V2025_11_25, "tools/call") };
    let servers = [servers[0].to_owned()];
    let params = ReadObject::read(Raw::parse(r#"{"name":"t"}"#).unwrap());
    let call = Call {
        method: "tools/call",
        params,
        servers: &servers,
        caller: &caller,
        accepts_requests: true,
        streams: None,
        task: None,
        passthrough: None,
    };
    net.run(async {
        let mut questions = Vec::new();
        let end = match gateway.forward(net, &call).await.unwrap() {
            Answer::Result(result) => Event::Result(result),
            Answer::Dialog(mut turns) => loop {
                match turns.next().await.unwrap() {
                    StreamItem::Request(request) => {
                        questions.push(serde_json::from_str(&request.params).unwrap());
                        (request.reply)(Ok("{}".to_owned())).await;
                    }
                    StreamItem::Event(end) => break end,
                    StreamItem::Task(plan) => panic!("a task: {plan:?}"),
                }
            },
            _ => panic!("a result or questions"),
        };
        let Event::Result(result) = end else { panic!("a result") };
        (questions, serde_json::from_slice(&result).unwrap())
    })
}

/// The questions of the tests, and their parameters at the client of a gateway with one server `up`, and of one with
/// several.
fn rows() -> [(&'static str, Value, Value, Value); 4] {
    let up = json!({NAME: "up"});
    [
        (
            "elicitation/create",
            json!({"message": "Your name?", "requestedSchema": {"type": "object", "properties": {}}}),
            json!({"message": "Your name?", "requestedSchema": {"type": "object", "properties": {}}, "_meta": up}),
            json!({"message": "[up] Your name?", "requestedSchema": {"type": "object", "properties": {}}, "_meta": up}),
        ),
        // A server cannot ask under the name of another.
        (
            "elicitation/create",
            json!({"mode": "url", "url": "https://a.example/", "message": "[bank] Sign in", "_meta": {NAME: "bank", "k": 1}}),
            json!({"mode": "url", "url": "https://a.example/", "message": "[bank] Sign in", "_meta": {NAME: "up", "k": 1}}),
            json!({"mode": "url", "url": "https://a.example/", "message": "[up] [bank] Sign in", "_meta": {NAME: "up", "k": 1}}),
        ),
        (
            "sampling/createMessage",
            json!({"messages": [], "maxTokens": 1, "message": "x"}),
            json!({"messages": [], "maxTokens": 1, "message": "x", "_meta": up}),
            json!({"messages": [], "maxTokens": 1, "message": "x", "_meta": up}),
        ),
        ("roots/list", Value::Null, json!({"_meta": up}), json!({"_meta": up})),
    ]
}

fn request(method: &str, params: &Value) -> Value {
    let mut request = json!({"method": method});
    if !params.is_null() {
        request["params"] = params.clone();
    }
    request
}

#[test]
fn every_question_names_the_server_that_asks() {
    let requests: Vec<Value> = rows().iter().map(|(method, params, ..)| request(method, params)).collect();
    let keyed: Value = requests.iter().enumerate().map(|(at, one)| (format!("q{at}"), one.clone())).collect();
    let one: Vec<Value> = rows().into_iter().map(|(_, _, one, _)| one).collect();
    let several: Vec<Value> = rows().into_iter().map(|(.., several)| several).collect();
    for (servers, expected) in [(&["up"][..], one), (&["up", "other"], several)] {
        let (questions, _) = run_call(&asks(&json!(requests), json!({"content": []})), servers);
        assert_eq!(questions, expected, "on the stream, {servers:?}");
        let results = [
            json!({"resultType": "input_required", "inputRequests": keyed, "requestState": "s"}).to_string(),
            json!({"resultType": "complete", "status": "input_required", "inputRequests": keyed}).to_string(),
            // A client reads an escaped key as the same member, and the last of two.
            format!(r#"{{"resultType":"input_required","inputRequests":{{}},"\u0069nputRequests":{keyed}}}"#),
        ];
        for result in results {
            let (_, result) = run_call(&answers(&result), servers);
            let params =
                (0..expected.len()).map(|at| result["inputRequests"][format!("q{at}")]["params"].clone());
            assert_eq!(params.collect::<Vec<_>>(), expected, "{result}");
        }
    }
    let plain = r#"{ "content":[] , "x": "\u00e9" }"#;
    let (_, result) = run_call(&answers(plain), &["up", "other"]);
    assert_eq!(result, json!({"content": [], "x": "é"}));
}

/// Returns the end of a call to a server whose questions are refused: its result, or the reason of its error.
fn ended(net: &Net, asker: &Asker, method: &str, params: &str) -> String {
    let upstream = refusing();
    net.run(async {
        match asker.ask(net, &upstream, method, params).await {
            Ok(Answer::Result(result)) => String::from_utf8(result).unwrap(),
            Ok(Answer::Error(failure)) | Err(failure) => {
                failure.to_json()["data"]["reason"].as_str().unwrap().to_owned()
            }
            Ok(Answer::Dialog(mut turns)) => match turns.next().await {
                Some(StreamItem::Event(Event::Result(result))) => String::from_utf8(result).unwrap(),
                Some(StreamItem::Event(Event::Error(failure))) => failure.reason().unwrap().to_owned(),
                _ => panic!("the client is asked"),
            },
            Ok(Answer::Events(_) | Answer::Passthrough(_)) => panic!("events"),
        }
    })
}

#[test]
fn a_server_whose_questions_are_refused_asks_no_client_of_a_session() {
    for (method, params, ..) in rows() {
        for (result, expected) in [
            (json!({"content": [], "isError": true}), "questions_refused"),
            (json!({"content": []}), r#"{"content":[]}"#),
        ] {
            for asker in [Asker::legacy(), Asker::modern()] {
                let asker = Asker { capabilities: all(), accepts_requests: true, ..asker };
                let net = asks(&json!([request(method, &params)]), result.clone());
                assert_eq!(ended(&net, &asker, "tools/call", r#"{"name":"t"}"#), expected, "{method}");
                assert_eq!(net.now(), 0, "at once");
                let seen = net.seen();
                let refusals: Vec<_> = seen.iter().filter(|seen| seen.method().is_empty()).collect();
                assert_eq!(refusals.len(), 1);
                assert_eq!(refusals[0].body["error"]["code"], -32601, "the server does not wait");
                let begun = seen.iter().filter(|seen| seen.method() == "initialize");
                assert!(begun.into_iter().all(|seen| seen.body["params"]["capabilities"] == json!({})));
            }
        }
    }
}

#[test]
fn a_server_whose_questions_are_refused_asks_for_no_input() {
    const DECLARED: &str = "io.modelcontextprotocol/clientCapabilities";
    let question = json!({"q": {"method": "elicitation/create", "params": {"message": "Who?"}}});
    let asking = json!({"resultType": "input_required", "inputRequests": question}).to_string();
    let rows = [
        ("tools/call", r#"{"name":"t"}"#, asking.clone()),
        ("prompts/get", r#"{"name":"t"}"#, asking.clone()),
        ("resources/read", r#"{"uri":"t://t"}"#, asking),
        (
            "tools/call",
            r#"{"name":"t"}"#,
            r#"{"resultType":"\u0069nput_required","requestState":"s"}"#.to_owned(),
        ),
        (
            "tasks/get",
            r#"{"taskId":"t"}"#,
            json!({"status": "input_required", "inputRequests": question}).to_string(),
        ),
    ];
    for (method, params, result) in rows {
        for asker in [Asker::legacy(), Asker::modern()] {
            let asker = Asker { capabilities: all(), accepts_requests: true, ..asker };
            let mut params: Value = serde_json::from_str(params).unwrap();
            if asker.protocol.is_stateless() {
                params["_meta"] = json!({DECLARED: all()});
            }
            let net = answers(&result);
            assert_eq!(
                ended(&net, &asker, method, &params.to_string()),
                "questions_refused",
                "{method}: {result}"
            );
            let declared = net.last(method).unwrap().body["params"]["_meta"][DECLARED].clone();
            assert!(
                ["sampling", "elicitation", "roots"].iter().all(|name| declared.get(name).is_none()),
                "{declared}"
            );
            if asker.protocol.is_stateless() {
                assert_eq!(declared, json!({"experimental": {"x": {}}}), "the others are declared");
            }
        }
    }
    let whole = r#"{"content":[{"type":"text","text":"inputRequests"}],"inputRequests":{}}"#;
    assert_eq!(ended(&answers(whole), &Asker::legacy(), "tools/call", r#"{"name":"t"}"#), whole);
}
