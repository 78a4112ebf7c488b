//! Functions of middleware servers: the rows of `fixtures/middleware-servers.json`, with servers that are listed first
//! and with servers that are listed by the first call.

use std::cell::RefCell;

use mcp_sieve::{
    Error,
    json::{Entry, Raw},
};
use mcp_sieve_gateway::{
    config::Config,
    middleware::{Chain, Content, Environment, Redactions, Registry, Report},
    remote::{MiddlewareServer, RemoteServers},
};
use serde_json::{Value, json};

use crate::{
    net::{Net, Reply, Seen},
    server::{error, event, last, legacy, modern, response, result, stream},
};

/// Collects the warnings for operators.
#[derive(Default)]
pub struct Warnings(RefCell<Vec<String>>);

impl Environment for Warnings {
    fn now(&self) -> u64 {
        0
    }

    fn warn(&self, problem: &str) {
        self.0.borrow_mut().push(problem.to_owned());
    }
}

/// Returns the servers of a row in the form of a configuration.
pub fn settings(row: &Value) -> Vec<MiddlewareServer> {
    let servers = row["servers"].as_array().unwrap().iter().map(|server| {
        let mut own = json!({"url": format!("http://{}.test/mcp", server["name"].as_str().unwrap())});
        for key in ["timeoutMs", "fallback", "functions"] {
            server.get(key).into_iter().for_each(|value| own[key] = value.clone());
        }
        if server.get("shows").is_some() {
            own["headers"] = json!({"Authorization": "Bearer ${TOKEN}"});
        }
        (server["name"].as_str().unwrap().to_owned(), own)
    });
    let servers: serde_json::Map<_, _> = servers.collect();
    let config = json!({"middleware": {"servers": servers}}).to_string();
    Config::parse(&config).unwrap().middleware.unwrap().servers
}

/// Returns the server of a row that received a request.
fn of_row(seen: &Seen, row: &Value) -> Value {
    let host = seen.url.split(['/', '.']).nth(2).unwrap();
    row["servers"].as_array().unwrap().iter().find(|server| server["name"] == host).unwrap().clone()
}

/// Returns the reply of a server to a request, as the row describes it.
fn reply(seen: &Seen, server: &Value, does: &Value) -> Reply {
    let text = |text: &Value| json!({"content": [{"type": "text", "text": text}]});
    let answer = match does {
        does if does["hang"] == true => return Reply::Hang,
        does if does["close"] == true => return Reply::Lost,
        does if does["error"].is_object() => {
            let status = does["status"].as_u64().unwrap_or(200).try_into().unwrap();
            return error(seen, status, does["error"].clone());
        }
        does if does["status"].is_u64() => {
            let status = does["status"].as_u64().unwrap().try_into().unwrap();
            let mut reply = response(status, "text/plain", "my secret");
            if let (Reply::Response { headers, .. }, Some(location)) = (&mut reply, does["location"].as_str())
            {
                headers.push(("location".to_owned(), location.to_owned()));
            }
            return reply;
        }
        does if does["body"].is_string() => {
            return response(200, "application/json", does["body"].as_str().unwrap());
        }
        does if does["items"].is_u64() => {
            let items = vec![json!({"type": "text", "text": ""}); does["items"].as_u64().unwrap() as usize];
            json!({"content": items})
        }
        does if does["functions"].is_u64() => {
            let functions = 0..does["functions"].as_u64().unwrap();
            json!({"middleware": functions.map(|at| json!({"name": format!("f{at}")})).collect::<Vec<_>>()})
        }
        does if does["bytes"].is_u64() => text(&"x".repeat(does["bytes"].as_u64().unwrap() as usize).into()),
        does if does["result"].is_object() => does["result"].clone(),
        does => text(&does["text"]),
    };
    match server["events"] == true {
        true => stream(vec![
            event(&json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})),
            last(seen, &answer),
        ]),
        false => result(seen, answer),
    }
}

fn answer(seen: &Seen, row: &Value) -> Reply {
    let server = of_row(seen, row);
    let token = server["token"].as_str().map(|token| format!("Bearer {token}"));
    if token.is_some_and(|token| seen.header("authorization") != Some(&token)) {
        return response(401, "text/plain", "");
    }
    let own = {
        let server = server.clone();
        move |seen: &Seen| match seen.method() {
            "middleware/list" if server["list"].is_object() => reply(seen, &server, &server["list"]),
            "middleware/list" => {
                let functions = server.get("lists").cloned();
                result(seen, json!({"middleware": functions.unwrap_or_else(|| json!([{"name": "redact"}]))}))
            }
            "middleware/invoke" => reply(seen, &server, &server["invoke"]),
            method => panic!("{method} is asked of a middleware server"),
        }
    };
    match server["era"] == "session" {
        true => legacy(json!({}), own)(seen),
        false => modern(json!({"contextMiddleware": {}}), own)(seen),
    }
}

pub fn net(row: &Value) -> Net {
    let row = row.clone();
    Net::new(move |seen| answer(seen, &row))
}

/// Returns the number of calls of each server.
fn calls(net: &Net, row: &Value) -> Value {
    let mut counts = serde_json::Map::new();
    for server in row["servers"].as_array().unwrap() {
        counts.insert(server["name"].as_str().unwrap().to_owned(), json!(0));
    }
    for seen in net.seen().iter().filter(|seen| seen.method() == "middleware/invoke") {
        let count = &mut counts[of_row(seen, row)["name"].as_str().unwrap()];
        *count = json!(count.as_u64().unwrap() + 1);
    }
    Value::Object(counts)
}

fn token(row: &Value) -> impl Fn(&str) -> Option<String> {
    let shows = row["servers"].as_array().unwrap().iter().find_map(|server| server["shows"].as_str());
    let shows = shows.map(str::to_owned);
    move |name| shows.clone().filter(|_| name == "TOKEN")
}

#[test]
fn the_rows_hold() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../fixtures/middleware-servers.json")).unwrap();
    for row in &rows {
        for eager in [true, false] {
            run(row, eager);
        }
    }
}

/// Runs a row; `eager` is whether the servers are listed before the first call.
fn run(row: &Value, eager: bool) {
    let name = format!("{} (listed first: {eager})", row["name"]);
    let net = net(row);
    let servers = RemoteServers::new(&settings(row), &token(row), &net).unwrap();
    let mut registry = Registry::built_in();
    if eager {
        let added = net.run(servers.add_to(&mut registry));
        if let Some(expected) = row.get("connect") {
            check_error(&added.unwrap_err(), expected, &name);
            return;
        }
        added.unwrap();
    } else if row.get("connect").is_some() {
        return;
    }
    let steps = row["steps"].to_string();
    let chain = Chain::read(&Entry::root(Raw::parse(&steps).unwrap())).unwrap();
    servers.add_named(chain.steps.iter().map(|step| step.function.as_str()), &mut registry).unwrap();
    chain.check(&registry).unwrap();
    let context = row.get("context").cloned();
    let context = context.unwrap_or_else(|| json!([{"type": "text", "text": "my secret"}])).to_string();
    let mut reports: Vec<Report> = Vec::new();
    let mut handles = Redactions::default();
    let warnings = Warnings::default();
    let content = Content::read(Raw::parse(&context).unwrap()).unwrap();
    let ran = net.run(chain.run(&registry, content, &mut handles, &warnings, &mut reports));
    match (ran, row.get("error")) {
        (Ok(ran), None) => {
            let content: Value = serde_json::from_str(&ran.content.to_json()).unwrap();
            match row["size"].as_u64() {
                Some(size) => assert_eq!(content[0]["text"].as_str().unwrap().len() as u64, size, "{name}"),
                None => assert_eq!(content, row["content"], "{name}"),
            }
            assert_eq!(
                ran.refusal.as_ref().map(|refusal| &*refusal.reason),
                row["refusal"].as_str(),
                "{name}"
            );
            if let Some(metadata) = row.get("metadata") {
                let told: Value = serde_json::from_str(&ran.metadata[0].1).unwrap();
                assert_eq!((ran.metadata[0].0.as_str(), &told), ("first/redact", metadata), "{name}");
            }
        }
        (Err(error), Some(expected)) => {
            check_error(&error, &json!({"code": "middleware_failed", "includes": expected}), &name);
        }
        (ran, _) => panic!("{name}: {ran:?}"),
    }
    assert_eq!(calls(&net, row), row["calls"], "{name}");
    if let Some(sent) = row.get("sent") {
        assert_eq!(net.last("middleware/invoke").unwrap().body["params"]["arguments"], *sent, "{name}");
    }
    let warnings = warnings.0.into_inner();
    assert_eq!(
        warnings.len() as u64,
        row["warnings"].as_u64().unwrap_or(row.get("error").is_some().into()),
        "{name}"
    );
    assert!(
        warnings.iter().all(|warning| warning.starts_with("first/redact: middleware server `")),
        "{name}"
    );
    let known = format!("{servers:?} {registry:?} {reports:?} {warnings:?}");
    assert!(!known.contains("my secret") && !known.contains("sesame"), "{known}");
}

/// Compares an error with the expected one, and asserts that it reveals no secrets.
fn check_error(error: &Error, expected: &Value, name: &str) {
    let message = error.to_string();
    assert_eq!(error.code(), expected["code"], "{name}");
    for part in expected["includes"].as_array().unwrap() {
        assert!(message.contains(part.as_str().unwrap()), "{name}: {message}");
    }
    for secret in ["secret", "sesame", "test/", "http:"] {
        assert!(!message.contains(secret), "{name}: {message}");
    }
}
