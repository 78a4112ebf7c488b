//! Headers that are sent to upstream servers: those of the operator and those of callers.

use http::{HeaderMap, HeaderValue};
use mcp_sieve_gateway::{config, upstream::Upstream};
use serde_json::json;

use crate::{
    ask::{Asker, drain, settings},
    net::{Net, Reply, Seen},
    server::{legacy, result},
};

fn healthy(seen: &Seen) -> Reply {
    result(seen, json!({"tools": [], "content": []}))
}

fn with(headers: &[(&str, &str)], passed: &[&str]) -> config::Upstream {
    config::Upstream {
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        pass_headers: passed.iter().map(|name| (*name).to_owned()).collect(),
        ..settings()
    }
}

/// The environment variables.
fn variable(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("of-news".to_owned()),
        "BROKEN" => Some("two\nlines".to_owned()),
        "EMPTY" => Some(String::new()),
        "BLANK" => Some(" \t".to_owned()),
        _ => None,
    }
}

/// Returns every request of a listing and of a call by a caller with its own headers.
fn seen(settings: &config::Upstream) -> Vec<Seen> {
    let upstream = Upstream::new(settings, &variable).unwrap();
    assert!(!format!("{upstream:?}").contains("of-news"), "the token shows");
    let net = Net::new(legacy(json!({"tools": {}}), healthy));
    let mut asker = Asker::legacy();
    asker.headers = HeaderMap::from_iter([
        (http::header::AUTHORIZATION, HeaderValue::from_static("Bearer of-caller")),
        (http::HeaderName::from_static("x-team"), HeaderValue::from_static("blue")),
    ]);
    net.run(async {
        upstream.lists(&net).await.unwrap();
        drain(&net, asker.ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await).await;
    });
    net.seen()
}

#[test]
fn every_request_carries_the_operators_headers() {
    for seen in
        seen(&with(&[("Authorization", "Bearer ${TOKEN}"), ("X-Price", "5$$ ${TOKEN}/${TOKEN}")], &[]))
    {
        assert_eq!(seen.header("authorization"), Some("Bearer of-news"), "{}", seen.method());
        assert_eq!(seen.header("x-price"), Some("5$ of-news/of-news"), "{}", seen.method());
        assert_eq!(seen.header("x-team"), None, "{}", seen.method());
    }
}

#[test]
fn headers_of_a_caller_go_on_with_its_calls_where_the_operator_says_so() {
    for seen in seen(&settings()) {
        assert_eq!((seen.header("authorization"), seen.header("x-team")), (None, None), "{}", seen.method());
    }
    // The gateway lists for all callers without their headers. Later requests, including the caller's own session, have
    // them.
    let all = seen(&with(&[], &["Authorization", "X-Team", "X-None"]));
    let listed = all.iter().rposition(|seen| seen.method() == "tools/list").unwrap();
    assert_eq!(all.last().unwrap().method(), "tools/call");
    for (at, seen) in all.iter().enumerate() {
        let expected = if at > listed { (Some("Bearer of-caller"), Some("blue")) } else { (None, None) };
        assert_eq!((seen.header("authorization"), seen.header("x-team")), expected, "{}", seen.method());
    }
    // The operator's value serves the lists, and the caller's its calls.
    let all = seen(&with(&[("authorization", "Bearer ${TOKEN}")], &["Authorization"]));
    let listed = all.iter().rposition(|seen| seen.method() == "tools/list").unwrap();
    for (at, seen) in all.iter().enumerate() {
        let expected = if at > listed { "Bearer of-caller" } else { "Bearer of-news" };
        assert_eq!(seen.header("authorization"), Some(expected), "{}", seen.method());
        assert_eq!(seen.headers.get_all("authorization").iter().count(), 1);
    }
}

#[test]
fn headers_that_cannot_be_sent_are_refused() {
    type Row = (&'static [(&'static str, &'static str)], &'static [&'static str], &'static str);
    let rows: [Row; 11] = [
        (&[("X-A", "${NOTHING}")], &[], "header `X-A`: `${NOTHING}` is no variable or secret here"),
        (&[("X-A", "${EMPTY}")], &[], "header `X-A`: `${EMPTY}` is no variable or secret here"),
        (&[("X-A", "Bearer ${BLANK}")], &[], "header `X-A`: `${BLANK}` is no variable or secret here"),
        (&[("X-A", "a ${TOKEN")], &[], "header `X-A`: expected `}` after `${`"),
        (&[("X-A", "5$")], &[], "header `X-A`: expected `${NAME}`, or `$$` for a dollar sign"),
        (&[("X-A", "$TOKEN")], &[], "header `X-A`: expected `${NAME}`, or `$$` for a dollar sign"),
        (&[("X-A", "${BROKEN}")], &[], "header `X-A`: its value has characters that no header may have"),
        (
            &[("Content-Type", "text/plain")],
            &[],
            "header `Content-Type`: it is one of those that the gateway itself writes",
        ),
        (
            &[("Mcp-Session-Id", "1")],
            &[],
            "header `Mcp-Session-Id`: it is one of those that the gateway itself writes",
        ),
        (&[], &["Host"], "header `Host`: it is one of those that the gateway itself writes"),
        (&[], &["mcp-name"], "header `mcp-name`: it is one of those that the gateway itself writes"),
    ];
    for (headers, passed, message) in rows {
        let failure = Upstream::new(&with(headers, passed), &variable).unwrap_err();
        let expected = json!({"code": -32603, "message": format!("upstream `up`: {message}"), "data": {"reason": "config"}});
        assert_eq!(failure.to_json(), expected);
    }
}

/// The same rule decides which headers of the operator and of callers are forwarded.
#[test]
fn headers_of_the_connection_and_of_the_gateway_are_kept_back() {
    let refused = |settings: &config::Upstream| Upstream::new(settings, &variable).is_err();
    for name in [
        "Accept",
        "Connection",
        "Content-Encoding",
        "Content-Language",
        "Content-Length",
        "Content-Type",
        "Host",
        "Keep-Alive",
        "Last-Event-ID",
        "Mcp-Method",
        "MCP-Protocol-Version",
        "Proxy-Connection",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
    ] {
        assert!(refused(&with(&[(name, "a")], &[])) && refused(&with(&[], &[name])), "{name}");
    }
    for name in ["Accept-Language", "Authorization", "Cookie", "Forwarded", "Traceparent", "X-Mcp-Toolsets"] {
        assert!(!refused(&with(&[(name, "a")], &[])) && !refused(&with(&[], &[name])), "{name}");
    }
}
