//! A corpus of malfunctioning servers: each is rejected with its own error, and the next request succeeds.
//!
//! A row of `fixtures/upstream.json` is a server of one `era` (`legacy` if absent). It works except for its `reply` to
//! the method `at` (`*`: all methods; absent: the list or call that is requested). `error` is the error that the caller
//! gets for `ask`, which is `lists` or a `call`. Rows with `problems` have none: the answer is accepted, and `problems`
//! are the reasons of the lists that are incomplete. A reply is `lost`, or `hang`s, or has `status`, `type` (its content
//! type), `headers` and a `body` in pieces. A piece is a text with `$id` for the request's id and `$n` for the number
//! of replies so far, `{"wait": ms}`, `{"hang": true}` or `{"reset": true}`. In messages, `$timeoutMs` and
//! `$callTimeoutMs` stand for the runner's settings.

use mcp_sieve_gateway::{
    config::{Capabilities, Upstream as Settings},
    error::RpcError,
    host::{Answer, Event},
    upstream::Upstream,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    ask::{Asker, drain, settings},
    net::{Net, Piece, Reply, Seen},
    server::{legacy, modern, result},
};

#[derive(Deserialize)]
struct Corpus {
    settings: Value,
    rows: Vec<Row>,
}

#[derive(Deserialize, Clone)]
struct Row {
    name: String,
    ask: String,
    era: Option<String>,
    at: Option<String>,
    reply: Value,
    #[serde(default)]
    error: Value,
    problems: Option<Vec<String>>,
}

fn corpus() -> Corpus {
    serde_json::from_str(include_str!("../fixtures/upstream.json")).unwrap()
}

/// Returns the reply that a row describes.
fn written(reply: &Value, seen: &Seen, count: usize) -> Reply {
    if reply["lost"] == true {
        return Reply::Lost;
    }
    if reply["hang"] == true {
        return Reply::Hang;
    }
    let text = |text: &str| {
        text.replace("$id", &seen.body["id"].to_string()).replace("$n", &count.to_string()).into_bytes()
    };
    let body = reply["body"].as_array().unwrap().iter().map(|piece| match piece {
        Value::String(piece) => Piece::Bytes(text(piece)),
        piece if piece["hang"] == true => Piece::Hang,
        piece if piece["reset"] == true => Piece::Reset,
        piece => Piece::Wait(piece["wait"].as_u64().unwrap()),
    });
    let mut headers = Vec::new();
    if let Some(media) = reply["type"].as_str() {
        headers.push(("content-type".to_owned(), media.to_owned()));
    }
    for (name, value) in reply["headers"].as_object().into_iter().flatten() {
        headers.push((name.clone(), value.as_str().unwrap().to_owned()));
    }
    let status = reply["status"].as_u64().unwrap().try_into().unwrap();
    Reply::Response { status, headers, body: body.collect() }
}

/// Returns a server that works except for the one reply of the row.
fn server(row: &Row) -> impl Fn(&Seen) -> Reply + 'static {
    let row = row.clone();
    let method = if row.ask == "lists" { "tools/list" } else { "tools/call" };
    let at = row.at.clone().unwrap_or_else(|| method.to_owned());
    let healthy = |seen: &Seen| result(seen, json!({"tools": [], "content": []}));
    let capabilities = json!({"tools": {}});
    let count = std::cell::Cell::new(0);
    let in_era: Box<dyn Fn(&Seen) -> Reply> = match row.era.as_deref() {
        Some("modern") => Box::new(modern(capabilities, healthy)),
        _ => Box::new(legacy(capabilities, healthy)),
    };
    move |seen| {
        if at != "*" && at != seen.method() {
            return in_era(seen);
        }
        count.set(count.get() + 1);
        written(&row.reply, seen, count.get())
    }
}

/// Returns the client for the server `up`, which is listed with capabilities too.
fn upstream() -> Upstream {
    let settings = Settings { capabilities: Capabilities::default(), ..settings() };
    Upstream::new(&settings, &|_| None).unwrap()
}

/// Returns the error that the caller gets.
fn failure(net: &Net, row: &Row) -> RpcError {
    net.run(async {
        let upstream = upstream();
        if row.ask == "lists" {
            return upstream.lists(net).await.expect_err(&row.name);
        }
        let answer = Asker::legacy().ask(net, &upstream, "tools/call", r#"{"name":"t"}"#).await;
        match drain(net, answer).await.pop() {
            Some((_, Event::Error(failure))) => failure,
            other => panic!("{}: expected an error, got {:?}", row.name, other),
        }
    })
}

/// Returns the rows of answers that are refused, or of those that are tolerated.
fn rows(tolerated: bool) -> impl Iterator<Item = Row> {
    corpus().rows.into_iter().filter(move |row| row.problems.is_some() == tolerated)
}

/// Returns the error that the row expects.
fn expected(row: &Row) -> Value {
    let used = settings();
    let text = row.error.to_string().replace("$timeoutMs", &used.timeout_ms.to_string());
    serde_json::from_str(&text.replace("$callTimeoutMs", &used.call_timeout_ms.to_string())).unwrap()
}

#[test]
fn every_bad_answer_has_its_reason_and_words() {
    for row in rows(false) {
        let net = Net::new(server(&row));
        let mut failure = failure(&net, &row);
        // Callers do not get the words for the operator.
        if let Some(Value::Object(data)) = &mut failure.data {
            data.remove("operator");
        }
        assert_eq!(failure.to_json(), expected(&row), "{}", row.name);
        let body = failure.to_json().to_string();
        assert!(!body.contains("secret"), "{}: words of the body in {body}", row.name);
    }
}

#[test]
fn what_official_clients_accept_is_accepted() {
    for row in rows(true) {
        let net = Net::new(server(&row));
        net.run(async {
            let upstream = upstream();
            if row.ask == "lists" {
                let listing = upstream.lists(&net).await.expect(&row.name);
                let reasons: Vec<_> = listing.problems.into_iter().map(|problem| problem.reason).collect();
                assert_eq!(Some(reasons), row.problems, "{}", row.name);
                assert!(listing.lists.contains(r#"{"tools":[]}"#), "{}: {}", row.name, listing.lists);
            } else {
                let answer = Asker::legacy().ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await;
                let last = drain(&net, answer).await.pop();
                assert!(matches!(last, Some((_, Event::Result(_)))), "{}: {last:?}", row.name);
            }
        });
    }
}

#[test]
fn a_redirect_that_is_not_followed_names_its_target_for_the_operator() {
    let row = rows(false).find(|row| row.name == "a redirect").unwrap();
    let failure = failure(&Net::new(server(&row)), &row);
    assert_eq!(
        failure.operator_text(),
        "upstream `up` answered `tools/list` with HTTP 302, a redirect: `http://127.0.0.1:9/mcp` leads to \
         `http://127.0.0.1:9/`, set `url` to the address of the MCP server"
    );
}

#[test]
fn the_corpus_runs_under_the_settings_of_these_tests() {
    let used = settings();
    assert_eq!(corpus().settings, json!({"name": used.name, "maxPages": used.max_pages}));
}

#[test]
fn names_in_the_corpus_are_unique() {
    let mut names = std::collections::BTreeSet::new();
    for row in corpus().rows {
        assert!(names.insert(row.name.clone()), "`{}` twice", row.name);
    }
}

#[test]
fn what_goes_wrong_once_is_not_remembered() {
    for row in corpus().rows {
        let bad = server(&row);
        let well = legacy(json!({"tools": {}}), |seen| result(seen, json!({"tools": [], "content": []})));
        let broken = std::rc::Rc::new(std::cell::Cell::new(true));
        let switch = std::rc::Rc::clone(&broken);
        let net = Net::new(move |seen| if switch.get() { bad(seen) } else { well(seen) });
        net.run(async {
            let upstream = upstream();
            let asker = Asker::legacy();
            let _ = upstream.lists(&net).await;
            drain(&net, asker.ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await).await;
            broken.set(false);
            let listing = upstream.lists(&net).await;
            assert!(listing.is_ok(), "{}: {listing:?}", row.name);
            let answer = asker.ask(&net, &upstream, "tools/call", r#"{"name":"t"}"#).await;
            assert!(matches!(answer, Ok(Answer::Result(_))), "{}", row.name);
        });
    }
}
