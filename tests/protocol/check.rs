//! Checks a reply against the row's expectations and the rules for every reply of its era.

use std::collections::BTreeMap;

use mcp_sieve::filter::Selection;
use serde_json::{Value, json, value::RawValue};

use crate::{
    exchange::Reply,
    row::{Expect, Step},
};

/// The arrays of list results, and the member that identifies an item.
const LISTS: [(&str, &str); 8] = [
    ("tools", "name"),
    ("resources", "uri"),
    ("resourceTemplates", "uriTemplate"),
    ("prompts", "name"),
    ("skills", "uri"),
    ("groups", "name"),
    ("tags", "name"),
    ("concerns", "name"),
];
/// The methods whose results have `ttlMs`.
const CACHEABLE: [&str; 8] = [
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "skills/list",
    "skills/get",
];
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

type Checked = Result<(), String>;

/// Checks a reply to a step.
pub fn reply(
    step: &Step,
    sent: Option<&Value>,
    reply: &Reply,
    server: &Value,
    resolve: impl Fn(&Value) -> Value,
) -> Checked {
    let expect = &step.expect;
    let body = String::from_utf8_lossy(&reply.body);
    same("status", &json!(reply.status), &json!(expect.status))
        .map_err(|wrong| format!("{wrong}\n  {body}"))?;
    for (name, value) in &expect.headers {
        same(&format!("header {name}"), &json!(reply.headers.get(name)), &resolve(&json!(value)))?;
    }
    let shown = format!("{:?} {body}", reply.headers);
    for text in &expect.nowhere {
        holds(!shown.contains(text.as_str()), || format!("`{text}` is shown: {shown}"))?;
    }
    session_header(step, reply)?;
    if matches!(reply.status, 202 | 204 | 304) {
        same("content-type", &json!(reply.headers.get("content-type")), &Value::Null)?;
        return same("body", &json!(body), &json!(""));
    }
    let media = expect.media.as_deref().unwrap_or("application/json");
    same("content-type", &json!(reply.headers.get("content-type")), &json!(media))?;
    if let Some(text) = &expect.text {
        same("text", &json!(body), &json!(text))?;
    }
    if let Some(events) = &expect.events {
        return same("events", &json!(messages(&body)), &json!(events));
    }
    if step.verb == "HEAD" {
        return same("body", &json!(body), &json!(""));
    }
    let message = reply.json().ok_or_else(|| format!("no JSON: {body}"))?;
    if let Some(batch) = &expect.batch {
        return same("batch", &message, &json!(batch));
    }
    if step.is_plain() && reply.status == 200 {
        let hash = hash_of_array(&body);
        same("etag", &json!(reply.headers.get("etag")), &json!(format!("\"{hash}\"")))?;
        let message = json!({"result": message});
        return expected(expect, &message, resolve).map_err(|wrong| format!("{wrong}\n  in {body}"));
    }
    if step.is_document() && reply.status == 200 {
        let message = json!({"result": message});
        return expected(expect, &message, resolve).map_err(|wrong| format!("{wrong}\n  in {body}"));
    }
    rpc(expect, sent, &message)?;
    if let Some(result) = message.get("result") {
        of_the_era(step, result, server)?;
        reported(result, &body)?;
    }
    expected(expect, &message, resolve).map_err(|wrong| format!("{wrong}\n  in {body}"))
}

/// Checks the shape of a JSON-RPC response to a request.
fn rpc(expect: &Expect, sent: Option<&Value>, message: &Value) -> Checked {
    same("jsonrpc", &message["jsonrpc"], &json!("2.0"))?;
    let outcome = if expect.error.is_some() { "error" } else { "result" };
    let id = match &expect.id {
        Some(id) => Some(id).filter(|id| !id.is_null()),
        None => sent.and_then(|sent| sent.get("id")),
    };
    same("id", &json!(message.get("id")), &json!(id))?;
    let mut members = vec!["jsonrpc", outcome];
    members.extend(id.map(|_| "id"));
    members.sort_unstable();
    let found: Vec<_> = message.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    let wrong = || format!("members\n  found    {found:?}\n  expected {members:?}\n  in {message}");
    let mut sorted = found.clone();
    sorted.sort_unstable();
    holds(sorted == members, wrong)
}

/// Checks the members that every result of an era has, and those that none has.
fn of_the_era(step: &Step, result: &Value, server: &Value) -> Checked {
    let info = result.pointer(&format!("/_meta/{}", SERVER_INFO.replace('/', "~1")));
    match step.era.as_deref() {
        None => Ok(()),
        Some("2026-07-28") => {
            same("resultType", &result["resultType"], &json!("complete"))?;
            same("serverInfo", &json!(info), server)?;
            if CACHEABLE.contains(&step.method.as_str()) {
                holds(result["ttlMs"].is_u64(), || format!("no ttlMs in {result}"))?;
                let scope = result["cacheScope"].as_str();
                holds(matches!(scope, Some("public" | "private")), || format!("no cacheScope in {result}"))?;
            }
            Ok(())
        }
        Some(_) => {
            let foreign =
                ["resultType", "ttlMs", "cacheScope"].into_iter().find(|key| result.get(key).is_some());
            holds(foreign.is_none() && info.is_none(), || format!("not of this era: {result}"))
        }
    }
}

/// Checks that a filter report has all its members and the hash of the list.
fn reported(result: &Value, body: &str) -> Checked {
    let Some(report) = result.pointer("/_meta/dev.mcpsieve~1filter") else { return Ok(()) };
    // Tasks change on their own, so their report has no hashes of a list.
    if result.get("tasks").is_some() {
        return Ok(());
    }
    let keys: Vec<_> = report.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    let mut keys: Vec<_> =
        keys.into_iter().filter(|key| !matches!(*key, "url" | "limited" | "unknown")).collect();
    keys.sort_unstable();
    let whole = keys == ["applied", "catalogHash", "filterHash", "ignored", "matched", "resultHash", "total"];
    holds(whole, || format!("an odd report: {report}"))?;
    for key in ["catalogHash", "filterHash", "resultHash"] {
        let hash = report[key].as_str().unwrap_or_default();
        let hex = hash.len() == 32 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        holds(hex, || format!("{key} is no hash: {hash}"))?;
    }
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(body).unwrap();
    same("resultHash", &report["resultHash"], &json!(hash_of_array(members["result"].get())))
}

/// Returns the hash of the text of the array in a list result.
fn hash_of_array(result: &str) -> String {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(result).unwrap();
    let array = LISTS.iter().find_map(|(key, _)| members.get(*key)).unwrap();
    format!("{:032x}", Selection::result_hash(array.get().as_bytes()))
}

/// Checks that a session id is sent with a successful `initialize`, and with nothing else.
fn session_header(step: &Step, reply: &Reply) -> Checked {
    let opened = step.method == "initialize" && step.expect.status == 200 && step.expect.error.is_none();
    match reply.headers.get("mcp-session-id") {
        Some(id) if opened => {
            let visible = id.len() >= 22 && id.bytes().all(|b| (0x21..=0x7e).contains(&b));
            holds(visible, || format!("an odd session id: {id}"))
        }
        Some(id) => Err(format!("a session id out of place: {id}")),
        None => holds(!opened, || "no session id".to_owned()),
    }
}

/// Checks a message against the expectations of a row.
fn expected(expect: &Expect, message: &Value, resolve: impl Fn(&Value) -> Value) -> Checked {
    if let Some(error) = &expect.error {
        same("error", &message["error"], &resolve(error))?;
    }
    if let Some(result) = &expect.result {
        same("result", &message["result"], &resolve(result))?;
    }
    if let Some(names) = &expect.names {
        same("names", &json!(listed(&message["result"])), &json!(names))?;
    }
    for (pointer, value) in &expect.at {
        let found = message.pointer(pointer).ok_or_else(|| format!("{pointer} is not there"))?;
        same(pointer, found, &resolve(value))?;
    }
    for (pointer, value) in &expect.not {
        let found = message.pointer(pointer).ok_or_else(|| format!("{pointer} is not there"))?;
        holds(*found != resolve(value), || format!("{pointer} is still {found}"))?;
    }
    for pointer in &expect.absent {
        holds(message.pointer(pointer).is_none(), || format!("{pointer} is there"))?;
    }
    Ok(())
}

/// Returns the names in a list result.
fn listed(result: &Value) -> Option<Vec<&str>> {
    let (list, key) = LISTS.iter().find_map(|(list, key)| Some((result.get(list)?.as_array()?, key)))?;
    list.iter().map(|item| item[key].as_str()).collect()
}

/// Returns the messages in an event stream.
fn messages(stream: &str) -> Vec<Value> {
    let data =
        |event: &str| -> String { event.lines().filter_map(|line| line.strip_prefix("data: ")).collect() };
    stream
        .split("\n\n")
        .map(data)
        .filter(|data| !data.is_empty())
        .map(|data| serde_json::from_str(&data).unwrap())
        .collect()
}

fn same(what: &str, found: &Value, expected: &Value) -> Checked {
    holds(found == expected, || format!("{what}\n  found    {found}\n  expected {expected}"))
}

fn holds(truth: bool, wrong: impl FnOnce() -> String) -> Checked {
    if truth { Ok(()) } else { Err(wrong()) }
}
