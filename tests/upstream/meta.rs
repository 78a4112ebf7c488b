//! Conversion of requests between the eras: the envelope is added or removed, and the rest stays the same.

use http::{HeaderMap, HeaderValue};
use mcp_sieve_gateway::host::Answer;
use serde_json::json;

use crate::{
    ask::{Asker, upstream},
    net::{Net, Seen},
    server::{legacy, modern, result},
};

/// Returns the request that the server receives.
fn forwarded(asker: &Asker, to_modern: bool, method: &str, params: &str) -> Seen {
    let net = if to_modern {
        Net::new(modern(json!({}), |seen| result(seen, json!({}))))
    } else {
        Net::new(legacy(json!({}), |seen| result(seen, json!({}))))
    };
    let answer = net.run(async { asker.ask(&net, &upstream(), method, params).await });
    assert!(matches!(answer, Ok(Answer::Result(_))), "{params}");
    net.seen().pop().unwrap()
}

/// Returns the bytes of its `params`.
fn params(seen: &Seen) -> String {
    let head = format!(r#"{{"jsonrpc":"2.0","id":{},"method":"{}""#, seen.body["id"], seen.method());
    let rest = seen.text.strip_prefix(&head).unwrap();
    rest.strip_prefix(",\"params\":").unwrap_or(rest).strip_suffix('}').unwrap().to_owned()
}

const ENVELOPE: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"z":1.0,"a":{}},"io.modelcontextprotocol/clientInfo":{"version":"2","name":"new"}"#;

#[test]
fn to_a_handshake_server_the_envelope_stays_behind() {
    let rows = [
        (
            format!(
                r#"{{ "name":"t","arguments":{{"b":1.0, "a":12345678901234567890123.50}},"_meta":{{{ENVELOPE}}}}}"#
            ),
            r#"{"name":"t","arguments":{"b":1.0, "a":12345678901234567890123.50}}"#,
        ),
        (
            format!(
                r#"{{"_meta":{{"progressToken":"p\u0031",{ENVELOPE},"io.modelcontextprotocol/logLevel":"debug","traceparent":"00-1","com.example/k":[ 1 ]}},"name":"t"}}"#
            ),
            r#"{"name":"t","_meta":{"progressToken":"p\u0031","traceparent":"00-1","com.example/k":[ 1 ]}}"#,
        ),
        (r#"{ "name" : "t" }"#.to_owned(), r#"{ "name" : "t" }"#),
        (
            r#"{"name":"t","_meta":{ "progressToken":1}}"#.to_owned(),
            r#"{"name":"t","_meta":{ "progressToken":1}}"#,
        ),
        (r#"{"_meta":7}"#.to_owned(), r#"{"_meta":7}"#),
        (String::new(), ""),
    ];
    for (request, expected) in rows {
        for asker in [Asker::modern(), Asker::legacy()] {
            let seen = forwarded(&asker, false, "tools/call", &request);
            assert_eq!(params(&seen), expected, "{request}");
        }
    }
}

#[test]
fn to_a_stateless_server_the_envelope_names_the_caller() {
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    let none = format!(r#"{version},"io.modelcontextprotocol/clientCapabilities":{{"sampling":{{}}}}"#);
    let old = format!(r#"{none},"io.modelcontextprotocol/clientInfo":{{"name":"old","version":"1"}}"#);
    let nameless = || Asker { client: None, ..Asker::legacy() };
    let rows = [
        (Asker::legacy(), String::new(), format!(r#"{{"_meta":{{{old}}}}}"#)),
        (nameless(), String::new(), format!(r#"{{"_meta":{{{none}}}}}"#)),
        (
            Asker::legacy(),
            r#"{ "name":"t","arguments":{"b":1.0, "a":12345678901234567890123.50},"_meta":{"progressToken":"p\u0031","traceparent":"00-1"}}"#.to_owned(),
            format!(
                r#"{{"name":"t","arguments":{{"b":1.0, "a":12345678901234567890123.50}},"_meta":{{"progressToken":"p\u0031","traceparent":"00-1",{old}}}}}"#
            ),
        ),
        (
            Asker::modern(),
            format!(
                r#"{{"name":"t","_meta":{{"io.modelcontextprotocol/logLevel":"info",{ENVELOPE},"k":1}},"requestState":"s"}}"#
            ),
            format!(
                r#"{{"name":"t","requestState":"s","_meta":{{"io.modelcontextprotocol/logLevel":"info","k":1,{ENVELOPE}}}}}"#
            ),
        ),
    ];
    for (asker, request, expected) in rows {
        assert_eq!(params(&forwarded(&asker, true, "tools/call", &request)), expected, "{request}");
    }
}

/// A task that the server began would be unknown to the gateway, and its result would be lost.
#[test]
fn a_client_of_tasks_is_announced_only_if_the_call_takes_a_task() {
    let envelope = |extensions: &str| {
        let capabilities = format!(r#"{{"z":1.0{extensions}}}"#);
        ENVELOPE.replace(r#"{"z":1.0,"a":{}}"#, &capabilities)
    };
    let rows = [
        (r#","extensions":{"io.modelcontextprotocol/tasks":{}}"#, r#","extensions":{}"#),
        (
            r#","extensions":{"com.example/a":{"b":1},"io.modelcontextprotocol/tasks":{}},"k":{}"#,
            r#","k":{},"extensions":{"com.example/a":{"b":1}}"#,
        ),
        (r#","extensions":{"com.example/a": {}}"#, r#","extensions":{"com.example/a": {}}"#),
    ];
    let request = |extensions: &str| format!(r#"{{"name":"t","_meta":{{{}}}}}"#, envelope(extensions));
    for (declared, forwarded_as) in rows {
        let seen = forwarded(&Asker::modern(), true, "tools/call", &request(declared));
        assert_eq!(params(&seen), request(forwarded_as), "{declared}");
    }
}

#[test]
fn what_a_request_is_about_stands_in_its_headers() {
    let rows = [
        ("tools/call", r#"{"name":"get-sum"}"#, Some("get-sum")),
        ("prompts/get", r#"{"name":"simple"}"#, Some("simple")),
        ("resources/read", r#"{"uri":"demo://a?b=%20#c"}"#, Some("demo://a?b=%20#c")),
        ("completion/complete", r#"{"name":"t"}"#, None),
        ("tools/call", "{}", None),
        ("tools/call", r#"{"name":7}"#, None),
        ("tools/call", r#"{"name":"größer"}"#, Some("=?base64?Z3LDtsOfZXI=?=")),
        ("tools/call", r#"{"name":"gr\u00f6\u00dfer"}"#, Some("=?base64?Z3LDtsOfZXI=?=")),
        ("tools/call", r#"{"name":"a\nb"}"#, Some("=?base64?YQpi?=")),
        ("tools/call", r#"{"name":" a"}"#, Some("=?base64?IGE=?=")),
        ("tools/call", r#"{"name":""}"#, Some("=?base64??=")),
        ("tools/call", r#"{"name":"=?base64?YQ==?="}"#, Some("=?base64?PT9iYXNlNjQ/WVE9PT89?=")),
        ("tools/call", r#"{"name":"=?base64?YQ=="}"#, Some("=?base64?YQ==")),
    ];
    for (method, request, expected) in rows {
        let seen = forwarded(&Asker::legacy(), true, method, request);
        assert_eq!(seen.header("mcp-name"), expected, "{method} {request}");
        assert_eq!(seen.header("mcp-method"), Some(method));
        assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
        let seen = forwarded(&Asker::legacy(), false, method, request);
        assert_eq!((seen.header("mcp-name"), seen.header("mcp-method")), (None, None), "{method} {request}");
    }
}

#[test]
fn marked_arguments_are_repeated_in_headers_as_they_are_sent() {
    let mark = |name: &str| json!({"type": "string", "x-mcp-header": name});
    let schema = json!({"type": "object", "properties": {
        "region": mark("Region"), "plain": {"type": "string"},
        "count": {"type": "integer", "x-mcp-header": "Count"}, "dry": {"type": "boolean", "x-mcp-header": "Dry"},
        "where": {"type": "object", "properties": {"city": mark("City")}}}});
    let other = json!({"type": "object", "properties": {"region": mark("Elsewhere")}});
    // A tool with an invalid mark is ignored, and the next one with its name applies.
    let wrong = json!({"type": "object", "properties": {"region": mark("not a token")}});
    let tools = json!([{"name": "t", "inputSchema": wrong}, {"name": "t", "inputSchema": schema},
        {"name": "t", "inputSchema": other}, {"name": "u"}]);
    let rows = [
        (r#"{"name":"t","arguments":{"region":"eu","plain":"x"}}"#, vec![("region", "eu")]),
        (
            r#"{"name":"t","arguments":{"region":"größer","count":-7,"dry":false,"where":{"city":"Bern"}}}"#,
            vec![("city", "Bern"), ("count", "-7"), ("dry", "false"), ("region", "=?base64?Z3LDtsOfZXI=?=")],
        ),
        (r#"{"name":"t","arguments":{"region":null,"count":[1],"where":7}}"#, vec![]),
        (r#"{"name":"t"}"#, vec![]),
        (r#"{"name":"u","arguments":{"region":"eu"}}"#, vec![]),
        // An argument that a middleware chain has changed.
        (r#"{"name":"t","arguments":{"region":"[EMAIL_1]"}}"#, vec![("region", "[EMAIL_1]")]),
    ];
    let mut headers = HeaderMap::new();
    headers.insert("mcp-param-region", HeaderValue::from_static("the caller's"));
    headers.insert("mcp-param-made-up", HeaderValue::from_static("the caller's"));
    let modern_caller = Asker { headers, ..Asker::modern() };
    for (request, expected) in rows {
        let listed = tools.clone();
        let net = Net::new(modern(json!({"tools": {}}), move |seen| {
            result(seen, json!({"tools": listed, "content": []}))
        }));
        let sent = |asker: &Asker| {
            net.run(async {
                let upstream = upstream();
                upstream.lists(&net).await.unwrap();
                asker.ask(&net, &upstream, "tools/call", request).await.unwrap();
            });
            let seen = net.seen().pop().unwrap();
            let mut marked: Vec<(String, String)> = seen
                .headers
                .iter()
                .filter_map(|(name, value)| {
                    let mark = name.as_str().strip_prefix("mcp-param-")?;
                    Some((mark.to_owned(), value.to_str().unwrap().to_owned()))
                })
                .collect();
            marked.sort();
            marked
        };
        let expected: Vec<(String, String)> =
            expected.into_iter().map(|(mark, value)| (mark.to_owned(), value.to_owned())).collect();
        assert_eq!(sent(&Asker::legacy()), expected, "{request}");
        assert_eq!(sent(&modern_caller), expected, "{request}");
    }
}

#[test]
fn a_marked_argument_that_is_given_twice_is_refused() {
    let city = json!({"type": "string", "x-mcp-header": "City"});
    let schema =
        json!({"type": "object", "properties": {"where": {"type": "object", "properties": {"city": city}}}});
    let tools = json!([{"name": "t", "inputSchema": schema}]);
    let net = Net::new(modern(json!({"tools": {}}), move |seen| {
        result(seen, json!({"tools": tools, "content": []}))
    }));
    let upstream = upstream();
    net.run(upstream.lists(&net)).unwrap();
    for (arguments, twice) in [
        (r#"{"where":{"city":"a","c\u0069ty":"b"}}"#, "city"),
        (r#"{"where":{"city":"a"},"where":{}}"#, "where"),
    ] {
        let params = format!(r#"{{"name":"t","arguments":{arguments}}}"#);
        let failure =
            net.run(Asker::legacy().ask(&net, &upstream, "tools/call", &params)).err().unwrap().to_json();
        let message = format!("`{twice}` occurs twice, expected each member once");
        assert_eq!(
            failure,
            json!({"code": -32602, "message": message, "data": {"reason": "repeated_member"}})
        );
    }
    // Arguments without a header are not checked.
    let params = r#"{"name":"t","arguments":{"a":1,"a":2,"where":{"city":"Bern"}}}"#;
    net.run(Asker::legacy().ask(&net, &upstream, "tools/call", params)).unwrap();
    let seen = net.seen().pop().unwrap();
    assert!(seen.text.contains(r#""arguments":{"a":1,"a":2,"where""#), "{}", seen.text);
    assert_eq!(seen.header("mcp-param-city"), Some("Bern"));
}

#[test]
fn headers_of_a_caller_do_not_go_along() {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("mcp-param-region", "eu"),
        ("mcp-param-tenant", "=?base64?w7w=?="),
        ("mcp-session-id", "the caller's"),
        ("authorization", "Bearer the-callers"),
        ("cookie", "a=b"),
        ("mcp-name", "other"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let asker = Asker { headers, ..Asker::modern() };
    let seen = forwarded(&asker, true, "tools/call", r#"{"name":"t"}"#);
    let mut names: Vec<&str> = seen.headers.keys().map(http::HeaderName::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["accept", "content-type", "mcp-method", "mcp-name", "mcp-protocol-version"]);
    assert_eq!(seen.header("mcp-name"), Some("t"));
    let seen = forwarded(&asker, false, "tools/call", r#"{"name":"t"}"#);
    assert_eq!(seen.header("mcp-param-region"), None);
    assert_eq!(seen.header("mcp-session-id"), Some("session-1"));
    assert_eq!(seen.header("authorization"), None);
}
