//! Lists are read to their last page, byte for byte.

use mcp_sieve::{
    Kind,
    catalog::{Assignments, Catalog, Lists, Source},
};
use mcp_sieve_gateway::{
    config,
    upstream::{ListProblem, Listing, MAX_ANSWER, MAX_CURSOR, MAX_LISTS, Upstream},
};
use serde_json::{Value, json};

use crate::{
    ask::{settings, upstream},
    net::{Net, Piece, Reply, Seen},
    server::{error, event, last, legacy, modern, response, result, stream},
};

fn all() -> Value {
    json!({"tools": {}, "resources": {}, "prompts": {}, "completions": {}})
}

fn listed(net: &Net) -> Listing {
    net.run(async { upstream().lists(net).await.unwrap() })
}

/// Returns a result whose text is sent unchanged.
fn verbatim(seen: &Seen, text: &str) -> Reply {
    let body = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{text}}}"#, seen.body["id"]);
    response(200, "application/json; charset=utf-8", body)
}

#[test]
fn every_kind_is_listed_in_order_and_untouched() {
    let net = Net::new(legacy(all(), |seen| match seen.method() {
        "tools/list" => verbatim(
            seen,
            r#"{"_meta":{}, "tools": [ {"name":"b","x":1.0,"inputSchema":{"type":"object"}} ,{"name":"a"}]}"#,
        ),
        "resources/list" => verbatim(seen, r#"{"resources":[{"uri":"u:1","name":"","\u0065":1e400}]}"#),
        "resources/templates/list" => {
            verbatim(seen, r#"{"resourceTemplates":[{"uriTemplate":"u:{id}","name":"t"}]}"#)
        }
        _ => verbatim(seen, r#"{"prompts":[],"tools":[{"name":"smuggled"}],"nextCursor":null}"#),
    }));
    let listing = listed(&net);
    assert_eq!(
        listing.lists,
        concat!(
            r#"[{"tools":[ {"name":"b","x":1.0,"inputSchema":{"type":"object"}} ,{"name":"a"}]},"#,
            r#"{"resources":[{"uri":"u:1","name":"","\u0065":1e400}]},"#,
            r#"{"resourceTemplates":[{"uriTemplate":"u:{id}","name":"t"}]},{"prompts":[]}]"#
        )
    );
    assert!(listing.features.completions);
    let lists = Lists::read(&listing.lists).unwrap();
    assert_eq!(Kind::ALL.map(|kind| lists.primitives(kind).len()), [1, 1, 1, 0, 0]);
}

#[test]
fn a_definition_that_nests_too_deeply_costs_itself_alone() {
    let tool = |name: &str, levels: usize| {
        let deep = ["[".repeat(levels - 1), "]".repeat(levels - 1)].concat();
        format!(
            r#"{{"name":"{name}","description":"cut \ud83d","inputSchema":{{"type":"object"}},"x":{deep}}}"#
        )
    };
    let tools = [("a", 65), ("b", 123), ("c", 122), ("d", 100_000), ("e", 3)]
        .map(|(name, levels)| tool(name, levels));
    let sent = tools.join(",");
    for batch in [false, true] {
        let sent = sent.clone();
        let net = Net::new(legacy(all(), move |seen| match seen.method() {
            "tools/list" if batch => {
                let body = format!(
                    r#"[{{"jsonrpc":"2.0","id":{},"result":{{"tools":[{sent}]}}}}]"#,
                    seen.body["id"]
                );
                response(200, "application/json", body)
            }
            "tools/list" => verbatim(seen, &format!(r#"{{"tools":[{sent}]}}"#)),
            "resources/list" => verbatim(seen, r#"{"resources":[{"uri":"u:1","name":"n"}]}"#),
            "resources/templates/list" => verbatim(seen, r#"{"resourceTemplates":[]}"#),
            _ => verbatim(seen, r#"{"prompts":[]}"#),
        }));
        let listing = listed(&net);
        let lists = Lists::read(&listing.lists).unwrap();
        let kept: Vec<&str> = lists.primitives(Kind::Tool).iter().map(|tool| tool.get()).collect();
        assert_eq!(kept, [&*tools[0], &*tools[2], &*tools[4]]);
        assert_eq!(lists.primitives(Kind::Resource).len(), 1);
        let source = Source { server: "s", lists };
        let catalog = Catalog::compile(&[source], &Assignments::default());
        let reports: Vec<String> =
            catalog.reports().iter().map(|report| format!("{}: {}", report.name, report.problem)).collect();
        assert_eq!(reports, ["b", "d"].map(|name| format!("{name}: nests deeper than 122 levels: left out")));
    }
}

#[test]
fn a_list_that_is_null_is_empty_and_takes_no_other_along() {
    let net = Net::new(legacy(all(), |seen| match seen.method() {
        "tools/list" => verbatim(seen, r#"{"tools":null,"nextCursor":null,"_meta":null,"ttlMs":"soon"}"#),
        "prompts/list" => verbatim(seen, r#"{"prompts":[{"name":"p","title":null}],"nextCursor":null}"#),
        "resources/list" => verbatim(seen, r#"{"resources":[null]}"#),
        _ => verbatim(seen, r#"{"resourceTemplates":null}"#),
    }));
    let listing = listed(&net);
    let lists = Lists::read(&listing.lists).unwrap();
    assert_eq!(Kind::ALL.map(|kind| lists.primitives(kind).len()), [0, 0, 0, 1, 0]);
    assert_eq!(lists.primitives(Kind::Prompt)[0].get(), r#"{"name":"p"}"#);
}

#[test]
fn only_what_is_declared_is_asked_for() {
    let every = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
    // A server that announces no list may have forgotten to.
    let all = r#"[{"tools":[]},{"resources":[]},{"resourceTemplates":[]},{"prompts":[]}]"#;
    let rows = [
        (json!({}), every.to_vec(), all),
        (json!({"tools": null, "logging": {}}), every.to_vec(), all),
        (json!({"prompts": {"listChanged": true}}), vec!["prompts/list"], r#"[{"prompts":[]}]"#),
        (
            json!({"resources": {}}),
            vec!["resources/list", "resources/templates/list"],
            r#"[{"resources":[]},{"resourceTemplates":[]}]"#,
        ),
    ];
    for (capabilities, methods, lists) in rows {
        let everything = json!({"tools": [], "resources": [], "resourceTemplates": [], "prompts": []});
        let name = capabilities.to_string();
        let net = Net::new(modern(capabilities, move |seen| result(seen, everything.clone())));
        let listing = listed(&net);
        assert_eq!((listing.lists.as_str(), listing.features.completions), (lists, false), "{name}");
        let requested: Vec<String> =
            net.methods().into_iter().skip(1).filter(|method| method != "initialize").collect();
        assert_eq!(requested, methods, "{name}");
    }
}

#[test]
fn a_server_without_templates_has_none() {
    for status in [200, 404] {
        let net = Net::new(modern(json!({"resources": {}}), move |seen| match seen.method() {
            "resources/list" => result(seen, json!({"resources": []})),
            _ => error(seen, status, json!({"code": -32601, "message": "Method not found"})),
        }));
        assert_eq!(listed(&net).lists, r#"[{"resources":[]}]"#);
    }
    let net = Net::new(modern(json!({"tools": {}}), |seen| {
        error(seen, 404, json!({"code": -32601, "message": "Method not found"}))
    }));
    let failure = net.run(async { upstream().lists(&net).await.unwrap_err() });
    // The server's own error would be taken for the answer to a request of the caller.
    assert_eq!(failure.reason(), Some("upstream_refused"), "declared tools must be there");
    for kind in ["prompts", "resources"] {
        let net = Net::new(modern(json!({"tools": {}, kind: {}}), |seen| match seen.method() {
            "tools/list" => result(seen, json!({"tools": []})),
            _ => error(seen, 404, json!({"code": -32601, "message": "Method not found"})),
        }));
        assert_eq!(listed(&net).lists, r#"[{"tools":[]}]"#, "frameworks declare {kind} that nothing lists");
    }
}

#[test]
fn pages_are_followed_by_their_cursors() {
    let pages = |seen: &Seen| match seen.body["params"].get("cursor").and_then(Value::as_str) {
        None => verbatim(seen, r#"{"tools":[{"name":"a"}],"nextCursor":"\u00fc 2"}"#),
        Some("ü 2") => verbatim(seen, r#"{"tools":[],"nextCursor":"3"}"#),
        Some("3") => verbatim(seen, r#"{"tools":[{"name":"a"}]}"#),
        Some(other) => panic!("cursor {other}"),
    };
    let expected = r#"[{"tools":[{"name":"a"}]},{"tools":[]},{"tools":[{"name":"a"}]}]"#;
    assert_eq!(listed(&Net::new(legacy(json!({"tools": {}}), pages))).lists, expected);
    let net = Net::new(modern(json!({"tools": {}}), pages));
    assert_eq!(listed(&net).lists, expected);
    for seen in net.seen()[1..].iter().filter(|seen| seen.method() == "tools/list") {
        assert!(seen.body["params"]["_meta"].is_object(), "a page without the envelope: {}", seen.text);
    }
}

#[test]
fn an_empty_cursor_is_followed_once() {
    let pages = |seen: &Seen| match seen.body["params"].get("cursor").and_then(Value::as_str) {
        None => verbatim(seen, r#"{"tools":[{"name":"a"}],"nextCursor":""}"#),
        Some("") => verbatim(seen, r#"{"tools":[{"name":"b"}]}"#),
        Some(other) => panic!("cursor {other}"),
    };
    let tools = json!({"tools": {}});
    let expected = r#"[{"tools":[{"name":"a"}]},{"tools":[{"name":"b"}]}]"#;
    assert_eq!(listed(&Net::new(legacy(tools.clone(), pages))).lists, expected);
    assert_eq!(listed(&Net::new(modern(tools.clone(), pages))).lists, expected);
    // Most servers that write one have a single page, or refuse it.
    let one = r#"[{"tools":[{"name":"a"}]}]"#;
    let same = |seen: &Seen| verbatim(seen, r#"{"tools":[{"name":"a"}],"nextCursor":""}"#);
    let net = Net::new(legacy(tools.clone(), same));
    let listing = listed(&net);
    assert_eq!((listing.lists.as_str(), listing.problems.len()), (one, 0));
    assert_eq!(net.methods().iter().filter(|method| *method == "tools/list").count(), 2);
    let refused = listed(&Net::new(legacy(tools, move |seen| match seen.body["params"].get("cursor") {
        None => same(seen),
        Some(_) => error(seen, 200, json!({"code": -32602, "message": "Invalid cursor"})),
    })));
    assert_eq!((refused.lists.as_str(), refused.problems.len()), (one, 0));
}

#[test]
fn the_last_allowed_page_may_be_the_last() {
    let net = Net::new(legacy(json!({"tools": {}}), |seen| {
        let page: u32 = seen.body["params"]["cursor"].as_str().map_or(1, |cursor| cursor.parse().unwrap());
        match page {
            4 => result(seen, json!({"tools": []})),
            page => result(seen, json!({"tools": [], "nextCursor": (page + 1).to_string()})),
        }
    }));
    assert_eq!(listed(&net).lists.matches("tools").count(), settings().max_pages);
}

#[test]
fn lists_are_kept_as_long_as_the_shortest_page_allows() {
    let page = |ttl: Value| json!({"tools": [], "prompts": [], "ttlMs": ttl, "cacheScope": "public"});
    let capabilities = || json!({"tools": {}, "prompts": {}});
    let rows = [
        (json!(5000), json!(9000), 5000),
        (json!(9000), json!(0), 0),
        (json!(700), json!(null), 700),
        (json!(null), json!(null), 60_000),
        (json!(-1), json!("5"), 60_000),
    ];
    for (first, second, expected) in rows {
        let (one, two) = (page(first.clone()), page(second.clone()));
        let net = Net::new(modern(capabilities(), move |seen| match seen.method() {
            "tools/list" => result(seen, one.clone()),
            _ => result(seen, two.clone()),
        }));
        assert_eq!(listed(&net).ttl_ms, expected, "{first} and {second}");
    }
    let net = Net::new(legacy(capabilities(), move |seen| result(seen, page(json!(5)))));
    assert_eq!(listed(&net).ttl_ms, 60_000, "the handshake era has no such member");
}

#[test]
fn a_list_may_come_as_a_stream() {
    let net = Net::new(legacy(json!({"tools": {}}), |seen| {
        let noise = event(&json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}));
        let other = Piece::Bytes(b"event: other\ndata: not for us\n\n".to_vec());
        let priming = Piece::Bytes(b"id: 1\ndata:\n\n".to_vec());
        stream(vec![priming, noise, other, Piece::Wait(300), last(seen, &json!({"tools": [{"name": "a"}]}))])
    }));
    assert_eq!(listed(&net).lists, r#"[{"tools":[{"name":"a"}]}]"#);
}

#[test]
fn a_batch_may_hold_the_response() {
    let net = Net::new(legacy(json!({"tools": {}}), |seen| {
        let result = json!({"jsonrpc": "2.0", "id": seen.body["id"], "result": {"tools": []}});
        let note = json!({"jsonrpc": "2.0", "method": "notifications/message"});
        response(200, "application/json", json!([note, result]).to_string())
    }));
    assert_eq!(listed(&net).lists, r#"[{"tools":[]}]"#);
}

/// Returns a page of about `bytes` bytes.
fn heavy(seen: &Seen, bytes: usize, next: Option<usize>) -> Reply {
    let cursor = next.map_or_else(|| "null".to_owned(), |next| format!("\"{next}\""));
    let text = format!(r#"{{"nextCursor":{cursor},"tools":["{}"]}}"#, "x".repeat(bytes));
    verbatim(seen, &text)
}

#[test]
fn lists_have_a_largest_size() {
    let patient = config::Upstream { max_pages: 1000, ..settings() };
    let listed = |net: &Net| {
        let upstream = Upstream::new(&patient, &|_| None).unwrap();
        net.run(async { upstream.lists(net).await })
    };
    let page = MAX_ANSWER - 1000;
    let net = Net::new(legacy(json!({"tools": {}}), move |seen| {
        let at = seen.body["params"]["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
        heavy(seen, page, Some(at + 1))
    }));
    let partial = listed(&net).unwrap();
    assert_eq!(partial.lists.matches(r#"{"tools":"#).count(), MAX_LISTS / page, "the pages before it stay");
    let problem = ListProblem {
        list: "tools/list".to_owned(),
        reason: "upstream_too_large".to_owned(),
        message: format!("upstream `up` lists more than {MAX_LISTS} bytes"),
        kept: false,
    };
    assert_eq!(partial.problems, [problem]);
    let sent = net.methods().iter().filter(|method| *method == "tools/list").count();
    assert_eq!(sent, MAX_LISTS / page + 1);
    let net = Net::new(legacy(json!({"tools": {}}), |seen| heavy(seen, MAX_ANSWER, None)));
    assert_eq!(
        listed(&net).unwrap_err().to_json(),
        json!({"code": -32603, "data": {"reason": "upstream_too_large"},
            "message": format!("upstream `up` sent more than {MAX_ANSWER} bytes in answer to `tools/list`")})
    );
}

#[test]
fn cursors_have_a_largest_size_and_count_as_lists() {
    let patient = config::Upstream { max_pages: 10_000, ..settings() };
    let listed = |bytes: usize| {
        let net = Net::new(legacy(json!({"tools": {}}), move |seen| {
            let id = seen.body["id"].to_string();
            let cursor = ["x".repeat(bytes - id.len()), id].concat();
            verbatim(seen, &format!(r#"{{"tools":[],"nextCursor":"{cursor}"}}"#))
        }));
        let upstream = Upstream::new(&patient, &|_| None).unwrap();
        let listing = net.run(async { upstream.lists(&net).await.unwrap() });
        let pages = net.methods().iter().filter(|method| *method == "tools/list").count();
        let [problem] = <[_; 1]>::try_from(listing.problems).unwrap();
        (pages, problem.reason, problem.message)
    };
    let too_large = |words: String| ("upstream_too_large".to_owned(), format!("upstream `up` {words}"));
    let (reason, words) = too_large(format!("lists more than {MAX_LISTS} bytes"));
    // An empty list takes two bytes. The cursor that fills the room is still followed.
    assert_eq!(listed(MAX_CURSOR), (MAX_LISTS / (MAX_CURSOR + 2) + 2, reason, words));
    let (reason, words) =
        too_large(format!("sent a cursor of more than {MAX_CURSOR} bytes in answer to `tools/list`"));
    assert_eq!(listed(MAX_CURSOR + 1), (1, reason, words));
}

/// Earlier servers have never heard of a request before the handshake.
#[test]
fn a_server_that_fails_before_the_handshake_is_asked_for_one() {
    for reply in [
        response(500, "text/plain", "oops"),
        response(202, "text/plain", ""),
        response(200, "text/html", "<p>hello"),
        stream(vec![]),
    ] {
        let server = legacy(json!({"tools": {}}), |seen| result(seen, json!({"tools": []})));
        let net = Net::new(move |seen| match seen.method() {
            "server/discover" => reply.clone(),
            _ => server(seen),
        });
        assert_eq!(listed(&net).lists, r#"[{"tools":[]}]"#);
    }
}
