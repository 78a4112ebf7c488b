//! Context middleware: the rows of `fixtures/middleware.json`, and properties of all functions and chains.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "middleware/beside.rs"]
mod beside;
#[path = "middleware/harm_seeking.rs"]
mod harm_seeking;
#[path = "middleware/judge.rs"]
mod judge;
#[cfg(not(target_arch = "wasm32"))]
#[path = "middleware/printed.rs"]
mod printed;
#[path = "middleware/texts.rs"]
mod texts;
#[path = "middleware/tools.rs"]
mod tools;

use std::{cell::RefCell, rc::Rc};

use futures_executor::block_on;
use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve::{
    error::Error,
    json::{Entry, Raw},
    middleware::{
        Arguments, Chain, Content, Document, Documents, Environment, Library, Middleware, Mode, Outcome,
        Record, Redactions, Registry, Report, Zone,
    },
};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

/// The environment that a fixture row describes.
struct World<'a> {
    row: &'a Value,
    library: Option<Library>,
    kept: RefCell<Vec<Value>>,
}

impl<'a> World<'a> {
    fn of(row: &'a Value) -> Self {
        let text = |document: &Value, key: &str| document[key].as_str().unwrap().to_owned();
        let library = row["documents"].as_array().map(|documents| {
            let mut library = Library::new();
            for document in documents {
                let [id, source, title, body] =
                    ["id", "source", "title", "text"].map(|key| text(document, key));
                library.put(Document { id, source, title, text: body }).unwrap();
            }
            library
        });
        Self { row, library, kept: RefCell::default() }
    }
}

impl Environment for World<'_> {
    fn now(&self) -> u64 {
        self.row["now"].as_u64().unwrap_or_default()
    }

    fn zone(&self, name: &str, _: u64) -> Option<Zone> {
        (name == "Europe/Paris").then(|| Zone { ahead: 7200, name: "GMT+2".to_owned() })
    }

    fn tool(&self, name: &str) -> Option<String> {
        self.row["tools"].get(name).map(ToString::to_string)
    }

    fn documents(&self) -> Option<&dyn Documents> {
        self.library.as_ref().map(|library| library as _)
    }

    fn reaches<'a>(&'a self, url: &'a str) -> LocalBoxFuture<'a, Option<bool>> {
        async move { self.row["reaches"].get(url)?.as_bool() }.boxed_local()
    }

    fn record<'a>(&'a self, record: Record<'a>) -> LocalBoxFuture<'a, Result<String, Error>> {
        async move {
            if self.row["keeps"] != true {
                return NoStore.record(record).await;
            }
            let context: Value = serde_json::from_str(record.context).unwrap();
            self.kept.borrow_mut().push(json!({
                "at": record.at, "reason": record.reason, "label": record.label, "context": context,
            }));
            Ok(self.kept.borrow().len().to_string())
        }
        .boxed_local()
    }
}

/// An environment without documents.
struct NoStore;

impl Environment for NoStore {
    fn now(&self) -> u64 {
        0
    }
}

fn value(outcome: &Outcome<'_>) -> Value {
    let mut value = json!({"content": serde_json::from_str::<Value>(&outcome.content.to_json()).unwrap()});
    if let Some(metadata) = &outcome.metadata {
        value["metadata"] = serde_json::from_str(metadata).unwrap();
    }
    value
}

/// Returns the actual result if it differs from the expected one of the row.
fn differs(row: &Value, registry: &Registry) -> Option<String> {
    let world = World::of(row);
    let arguments = row.get("arguments").map(ToString::to_string);
    let context = row["context"].to_string();
    let function = row["function"].as_str().unwrap();
    let found = block_on(registry.invoke(function, arguments.as_deref(), &context, &world));
    let found = match (found, row.get("error")) {
        (Err(error), Some(expected)) => {
            let found = json!({"code": error.code(), "path": error.path(), "message": error.to_string()});
            let same = expected.as_object().unwrap().iter().all(|(key, value)| found[key] == *value);
            return (!same).then(|| found.to_string());
        }
        (Ok(outcome), None) => value(&outcome),
        (Ok(outcome), Some(_)) => return Some(value(&outcome).to_string()),
        (Err(error), None) => return Some(error.to_string()),
    };
    let whole = row.get("result").is_none_or(|result| *result == found);
    let mut parts = row["at"].as_object().into_iter().flatten();
    let parts = parts.all(|(at, value)| found.pointer(at).unwrap_or(&Value::Null) == value);
    let kept = row.get("kept").is_none_or(|kept| *kept == Value::from(world.kept.take()));
    (!whole || !parts || !kept).then(|| found.to_string())
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn rows() {
    let files = [
        include_str!("fixtures/middleware.json"),
        include_str!("fixtures/middleware-pii.json"),
        include_str!("fixtures/middleware-secrets.json"),
        include_str!("fixtures/middleware-moderation.json"),
    ];
    let rows = files.iter().flat_map(|rows| serde_json::from_str::<Vec<Value>>(rows).unwrap());
    let registry = Registry::built_in();
    let failed: Vec<String> = rows
        .filter_map(|row| Some(format!("{}: found {}", row["name"], differs(&row, &registry)?)))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Tests custom policies and patterns, and configurations that are rejected.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn own_policies_and_patterns() {
    let fixture: Value = serde_json::from_str(include_str!("fixtures/middleware-own.json")).unwrap();
    let built = |policies: Option<&Value>, patterns: Option<&Value>| {
        let [policies, patterns] = [policies, patterns].map(|own| own.map(ToString::to_string));
        Registry::built_in_with(policies.as_deref(), patterns.as_deref())
    };
    let registry = built(fixture.get("policies"), fixture.get("patterns")).unwrap();
    let rows = fixture["rows"].as_array().unwrap().iter();
    let mut failed: Vec<String> =
        rows.filter_map(|row| Some(format!("{}: found {}", row["name"], differs(row, &registry)?))).collect();
    for row in fixture["refused"].as_array().unwrap() {
        let error = built(row.get("policies"), row.get("patterns")).expect_err(&row["name"].to_string());
        let found = json!({"code": error.code(), "path": error.path(), "message": error.to_string()});
        if found != row["error"] {
            failed.push(format!("{}: found {found}", row["name"]));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A custom function that converts every text to capitals except `keep`. It fails or refuses if the text asks for it.
#[derive(Debug)]
struct Shout(&'static str);

impl Middleware for Shout {
    fn name(&self) -> &str {
        self.0
    }

    fn description(&self) -> &str {
        "Puts texts in capitals."
    }

    fn input_schema(&self) -> &str {
        r#"{"type":"object","properties":{"keep":{"type":"string"},"redactions":{"type":"object","additionalProperties":{"type":"string"}}}}"#
    }

    fn apply<'a>(
        &'a self,
        mut context: Content<'a>,
        arguments: &'a Arguments<'a>,
        _: &'a dyn Environment,
    ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>> {
        async move {
            let keep = arguments.text("keep").unwrap_or_default();
            let (mut count, mut whole) = (0, String::new());
            context.rewrite(&mut |_, text| {
                whole.push_str(text);
                count += 1;
                (text != keep).then(|| text.to_uppercase())
            });
            if whole.contains("broken") {
                return Ok(Outcome { metadata: Some("[]".to_owned()), ..Outcome::new(context) });
            }
            let carried = arguments.members("redactions").map_or(0, |map| map.0.len());
            let outcome = Outcome::new(context).with_metadata(|metadata| {
                metadata.raw("texts", count.to_string().as_bytes());
                metadata.raw("carried", carried.to_string().as_bytes());
                metadata.raw("redactions", format!(r#"{{"[T_{}]":"secret"}}"#, carried + 1).as_bytes());
            });
            Ok(if whole.contains("forbidden") {
                outcome.refuse("loud", "a word that is not said")
            } else {
                outcome
            })
        }
        .boxed_local()
    }
}

/// Returns the built-in functions and two instances of [`Shout`].
fn shouting() -> Registry {
    let mut registry = Registry::built_in();
    registry.add(Rc::new(Shout("shout"))).unwrap();
    registry.add(Rc::new(Shout("again"))).unwrap();
    registry
}

/// The result of a chain, with its reports and its placeholders.
struct Went {
    result: Result<mcp_sieve::middleware::ChainResult, Error>,
    reports: Vec<Report>,
    handles: Redactions,
}

/// Checks a chain, and runs it on a context.
fn went(chain: &str, context: &str) -> Went {
    let read = Chain::read(&Entry::root(Raw::parse(chain).unwrap())).unwrap();
    read.check(&shouting()).unwrap();
    unchecked(chain, context)
}

/// Runs a chain on a context.
fn unchecked(chain: &str, context: &str) -> Went {
    let registry = shouting();
    let chain = Chain::read(&Entry::root(Raw::parse(chain).unwrap())).unwrap();
    let content = Content::read(Raw::parse(context).unwrap()).unwrap();
    let (mut reports, mut handles) = (Vec::new(), Redactions::default());
    let row = Value::Null;
    let world = World::of(&row);
    let result = block_on(chain.run(&registry, content, &mut handles, &world, &mut reports));
    Went { result, reports, handles }
}

/// A context with two texts.
const TWO: &str = r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#;

/// M-4: names are unique. A schema that cannot be enforced is rejected.
#[test]
fn a_registry_is_told_what_it_cannot_hold() {
    #[derive(Debug)]
    struct Odd(&'static str);
    impl Middleware for Odd {
        fn name(&self) -> &str {
            self.0
        }
        fn description(&self) -> &str {
            ""
        }
        fn input_schema(&self) -> &str {
            r#"{"type":"object","minProperties":1}"#
        }
        fn apply<'a>(
            &'a self,
            context: Content<'a>,
            _: &'a Arguments<'a>,
            _: &'a dyn Environment,
        ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>> {
            async move { Ok(Outcome::new(context)) }.boxed_local()
        }
    }
    let mut registry = shouting();
    let mut refusal = |function: Rc<dyn Middleware>| registry.add(function).unwrap_err().to_string();
    assert_eq!(refusal(Rc::new(Shout("shout"))), "there is a function `shout` already");
    assert_eq!(refusal(Rc::new(Shout(""))), "the name of a function is empty");
    assert_eq!(refusal(Rc::new(Odd("odd"))), "inputSchema.minProperties: an unknown keyword");
    let mut names: Vec<&str> = registry.names().collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// M-3: the contents of `middleware/list`; M-5: `inputSchema` has the type `object`, and enums and defaults.
#[test]
fn every_function_is_listed_with_its_schema() {
    let mut out = Vec::new();
    Registry::built_in().list(&mut out);
    let listed: Vec<Value> = serde_json::from_slice(&out).unwrap();
    let names: Vec<&str> = listed.iter().map(|function| function["name"].as_str().unwrap()).collect();
    for name in
        ["timestamp_injector", "tool_filter", "document_retrieval", "hallucination_check", "context_logger"]
    {
        assert!(names.contains(&name), "{name}");
    }
    for function in &listed {
        assert_eq!(function["inputSchema"]["type"], "object");
        assert!(!function["description"].as_str().unwrap().is_empty());
    }
    let redaction = listed.iter().find(|function| function["name"] == "pii_redaction").unwrap();
    let aggressiveness = &redaction["inputSchema"]["properties"]["aggressiveness"];
    assert_eq!(
        [&aggressiveness["type"], &aggressiveness["enum"], &aggressiveness["default"]],
        [&json!("string"), &json!(["standard", "strict"]), &json!("standard")]
    );
}

/// Searching for quotations is bounded, and the rest is reported as unchecked.
#[test]
fn what_is_not_searched_is_counted_and_not_flagged() {
    let given = "what was given ".repeat(70_000);
    let (quoted, named) = ("\"words that were never given\" ".repeat(100), "`no_tool`".to_owned());
    let arguments = json!({"given": [given], "tools": [], "checks": ["quotations", "tools"]}).to_string();
    let context = json!([{"type": "text", "text": quoted + &named}]).to_string();
    let registry = Registry::built_in();
    let outcome = block_on(registry.invoke("hallucination_check", Some(&arguments), &context, &NoStore));
    let metadata = &value(&outcome.unwrap())["metadata"];
    assert_eq!(metadata["findings"].as_array().unwrap().len(), 63);
    assert_eq!([&metadata["unchecked"], &metadata["rerun"]], [&json!(38), &json!(true)]);
}

/// M-55: an application or a gateway runs chains; M-46: the values of placeholders stay with the runner of the chain.
#[test]
fn a_chain_hands_on_contexts_and_handles() {
    let went = went(r#"["shout",{"use":"again","arguments":{"keep":"A"}}]"#, TWO);
    let ran = went.result.unwrap();
    assert_eq!(ran.content.to_json(), r#"[{"type":"text","text":"A"},{"type":"text","text":"B"}]"#);
    assert_eq!(
        ran.metadata,
        [
            ("shout".to_owned(), r#"{"texts":2,"carried":0}"#.to_owned()),
            ("again".to_owned(), r#"{"texts":2,"carried":1}"#.to_owned()),
        ]
    );
    assert_eq!(went.handles.to_json(), r#"{"[T_1]":"secret","[T_2]":"secret"}"#);
    assert_eq!(format!("{:?}", went.handles), "Redactions(..)");
    let [first, second] = &went.reports[..] else { panic!() };
    assert_eq!(
        (first.bytes, first.items, first.changed, first.ended.as_deref()),
        ([52, 52], [2, 2], true, None)
    );
    assert!(!second.changed);
}

/// M-36: one chain restores what another has redacted, without the values in its configuration.
#[test]
fn chains_redact_and_restore() {
    let registry = Registry::built_in();
    let chain = |source: &str| {
        let chain = Chain::read(&Entry::root(Raw::parse(source).unwrap())).unwrap();
        chain.check(&registry).unwrap();
        chain
    };
    let (out, back) = (chain(r#"["pii_redaction"]"#), chain(r#"["pii_restoration"]"#));
    let context = r#"[{"type":"text","text":"Mail jane@example.com"}]"#;
    let (mut handles, mut reports) = (Redactions::default(), Vec::new());
    let content = Content::read(Raw::parse(context).unwrap()).unwrap();
    let sent = block_on(out.run(&registry, content, &mut handles, &NoStore, &mut reports)).unwrap();
    assert_eq!(sent.content.to_json(), r#"[{"type":"text","text":"Mail [EMAIL_1]"}]"#);
    assert!(sent.metadata.iter().all(|(_, metadata)| !metadata.contains("jane")));
    let handles = &mut Redactions::read(handles.to_json()).unwrap();
    let came = block_on(back.run(&registry, sent.content, handles, &NoStore, &mut reports)).unwrap();
    assert_eq!(came.content.to_json(), context);
}

/// M-32: a function after another records the context that it left, with the reason why it changed.
#[test]
fn a_chain_records_why_a_context_changed() {
    let registry = Registry::built_in();
    let source = r#"["pii_redaction",{"use":"context_logger","arguments":{"reason":"pii_redaction","label":"turn 1"}}]"#;
    let chain = Chain::read(&Entry::root(Raw::parse(source).unwrap())).unwrap();
    chain.check(&registry).unwrap();
    let (row, mut handles, mut reports) =
        (json!({"keeps": true, "now": 7}), Redactions::default(), Vec::new());
    let world = World::of(&row);
    let context = r#"[{"type":"text","text":"Mail jane@example.com"}]"#;
    let content = Content::read(Raw::parse(context).unwrap()).unwrap();
    let sent = block_on(chain.run(&registry, content, &mut handles, &world, &mut reports)).unwrap();
    let redacted = r#"[{"type":"text","text":"Mail [EMAIL_1]"}]"#;
    assert_eq!(sent.content.to_json(), redacted);
    let redacted: Value = serde_json::from_str(redacted).unwrap();
    let record = json!({"at": 7, "reason": "pii_redaction", "label": "turn 1", "context": redacted});
    assert_eq!(Value::from(world.kept.take()), json!([record]));
    assert!(sent.metadata.iter().all(|(_, metadata)| !metadata.contains("jane")));
}

/// M-45: functions see only the last items.
#[test]
fn a_chain_sees_the_last_items_only() {
    let went = went(r#"{"steps":["shout"],"last":1}"#, TWO);
    let ran = went.result.unwrap();
    assert_eq!(ran.content.to_json(), r#"[{"type":"text","text":"a"},{"type":"text","text":"B"}]"#);
    assert_eq!(went.reports[0].items, [1, 1]);
}

/// A function that fails ends the chain unless `failOpen` is set; M-46: metadata is checked to be an object; M-47: results
/// of functions are validated.
#[test]
fn a_chain_fails_closed() {
    let broken = r#"[{"type":"text","text":"broken"}]"#;
    let failed = went(r#"["shout","again"]"#, broken);
    let error = failed.result.unwrap_err();
    assert_eq!(error.to_string(), "result.metadata: the metadata of a function is no object");
    assert_eq!(error.code(), "middleware_failed");
    assert_eq!(
        failed.reports.iter().map(|report| report.ended.as_deref()).collect::<Vec<_>>(),
        [Some("middleware_failed")]
    );

    let open = went(r#"[{"use":"shout","failOpen":true},"timestamp_injector"]"#, broken);
    assert!(open.result.unwrap().content.to_json().ends_with(r#"\n\nbroken"}]"#));
    assert_eq!(open.reports.len(), 2);
}

/// A function may repeat the value of a known handle, and no function may change it.
#[test]
fn a_known_handle_keeps_its_value() {
    #[derive(Debug)]
    struct Returns(&'static str);
    impl Middleware for Returns {
        fn name(&self) -> &str {
            "returns"
        }
        fn description(&self) -> &str {
            ""
        }
        fn apply<'a>(
            &'a self,
            context: Content<'a>,
            _: &'a Arguments<'a>,
            _: &'a dyn Environment,
        ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>> {
            let metadata = Some(format!(r#"{{"redactions":{}}}"#, self.0));
            async move { Ok(Outcome { metadata, ..Outcome::new(context) }) }.boxed_local()
        }
    }
    let run = |returned: &'static str, steps: &str| {
        let mut registry = Registry::new();
        registry.add(Rc::new(Returns(returned))).unwrap();
        let chain = Chain::read(&Entry::root(Raw::parse(steps).unwrap())).unwrap();
        let mut handles = Redactions::read(r#"{"EMAIL_1":"jane@example.com","A":"\u00e9"}"#).unwrap();
        let content = Content::read(Raw::parse(TWO).unwrap()).unwrap();
        let ran = block_on(chain.run(&registry, content, &mut handles, &NoStore, &mut Vec::new()));
        (ran.map(drop).map_err(|error| (error.code(), error.to_string())), handles.to_json().to_owned())
    };
    let known = r#"{"EMAIL_1":"jane@example.com","A":"\u00e9""#;
    let changed = "returns: the function returned another value for a known handle".to_owned();
    for returned in [
        r#"{"EMAIL_1":"attacker@example.com"}"#,
        r#"{"[EMAIL_1]":"attacker@example.com"}"#,
        r#"{"B":"new","EMAIL_1":"jane@example.com","B":"another"}"#,
    ] {
        let (ran, handles) = run(returned, r#"["returns"]"#);
        assert_eq!(ran, Err(("middleware_failed", changed.clone())), "{returned}");
        assert_eq!(handles, format!("{known}}}"));
    }
    let (ran, handles) = run(r#"{"EMAIL_1":1}"#, r#"[{"use":"returns","failOpen":true}]"#);
    assert_eq!((ran, handles), (Ok(()), format!("{known}}}")));
    let (ran, handles) = run(r#"{"B":"new","A":"é","[EMAIL_1]":"jane@example.com"}"#, r#"["returns"]"#);
    assert_eq!((ran, handles), (Ok(()), format!(r#"{known},"B":"new"}}"#)));
}

/// Arguments that a function rejects with every context are found when the chain is checked.
#[test]
fn a_chain_checks_arguments_beyond_the_schema() {
    let registry = shouting();
    let checked = |source: &str| {
        let chain = Chain::read(&Entry::root(Raw::parse(source).unwrap())).unwrap();
        chain.check(&registry).map_err(|error| (error.code(), error.to_string()))
    };
    let step = |function: &str, arguments: &str| {
        format!(r#"{{"use":"{function}","arguments":{arguments},"failOpen":true}}"#)
    };
    for (function, arguments, problem) in [
        ("pii_redaction", r#"{"types":["EMIAL"]}"#, "types[0]: there is no type `EMIAL`"),
        ("pii_redaction", r#"{"actions":{"EMIAL":"mask"}}"#, "actions.EMIAL: there is no type `EMIAL`"),
        (
            "pii_redaction",
            r#"{"actions":{"*":"hash"}}"#,
            "key: expected 16 to 256 bytes, with which the action `hash` hashes",
        ),
        (
            "secret_detection",
            r#"{"replacement":"hash"}"#,
            "key: expected 16 to 256 bytes, with which the action `hash` hashes",
        ),
    ] {
        let step = step(function, arguments);
        let refused = |place: &str| Err(("config", format!("{place}.arguments.{problem}")));
        assert_eq!(checked(&format!("[{step}]")), refused("[0]"));
        assert_eq!(checked(&format!(r#"{{"steps":["shout",{step}],"last":1}}"#)), refused("steps[1]"));
    }
    let unknown = checked(&format!("[{}]", step("content_moderation", r#"{"policies":["violins"]}"#)));
    assert!(unknown.unwrap_err().1.starts_with("[0].arguments.policies[0]: there is no policy `violins`"));
    // A step is the name of a function, or names it in `use`: it has no member `name`.
    let none = |place: &str| Err(("config", format!("{place}: there is no function `sing`")));
    assert_eq!(checked(r#"["shout","sing"]"#), none("[1]"));
    assert_eq!(checked(r#"{"steps":[{"use":"sing"}],"last":1}"#), none("steps[0]"));
    // Only a gateway has pseudonyms, and a check knows no gateway.
    assert_eq!(checked(r#"[{"use":"secret_detection","arguments":{"replacement":"pseudonym"}}]"#), Ok(()));
}

/// `failOpen` covers neither arguments that a function rejects nor a function that does not exist.
#[test]
fn a_step_that_cannot_run_fails_closed() {
    for (step, code) in [
        (r#"{"use":"pii_redaction","arguments":{"types":["EMIAL"]},"failOpen":true}"#, "arguments_invalid"),
        (r#"{"use":"pii_redaction","arguments":{"level":1},"failOpen":true}"#, "arguments_invalid"),
        (
            r#"{"use":"timestamp_injector","arguments":{"timeZone":"Mars"},"failOpen":true}"#,
            "arguments_invalid",
        ),
        (r#"{"use":"pii_reduction","failOpen":true}"#, "unknown_middleware"),
    ] {
        let went = unchecked(&format!("[{step}]"), TWO);
        assert_eq!(went.result.unwrap_err().code(), code, "{step}");
        assert_eq!(went.reports[0].ended.as_deref(), Some(code));
    }
}

/// A refusal ends the chain even with `failOpen`; M-56: in audit mode it is only reported.
#[test]
fn a_chain_refuses() {
    let forbidden = r#"[{"type":"text","text":"forbidden"}]"#;
    let refused = went(r#"[{"use":"shout","failOpen":true},"again"]"#, forbidden);
    let ran = refused.result.unwrap();
    assert_eq!(ran.refusal.unwrap().reason, "loud");
    assert_eq!(ran.content.to_json(), forbidden);
    assert_eq!(refused.reports.len(), 1);
    assert_eq!(refused.reports[0].ended.as_deref(), Some("loud"));

    let audited = went(r#"[{"use":"shout","mode":"audit"}]"#, forbidden);
    let ran = audited.result.unwrap();
    assert!(ran.refusal.is_none());
    assert_eq!(ran.content.to_json(), forbidden);
    assert_eq!((audited.reports[0].mode, audited.reports[0].ended.as_deref()), (Mode::Audit, Some("loud")));
    assert_eq!(audited.handles, Redactions::default());
}

/// M-10: unchanged items keep their original bytes.
#[test]
fn bytes_stay_as_they_came() {
    let items = [
        r#"{ "type" : "hologram", "n": 1.50, "n": 2, "name":"\ud83d\ude00" }"#,
        r#"{"type":"image","data":"AA\/\/","mimeType":"image\/png"}"#,
        r#"{"type":"text","text":"keep me","_meta":{"x":1e3}}"#,
        r#"{"type":"resource","resource":{"blob":"AA==","uri":"a:b"}}"#,
    ];
    let context = format!("[{}]", items.join(","));
    let outcome = block_on(shouting().invoke("shout", Some(r#"{"keep":"keep me"}"#), &context, &NoStore));
    assert_eq!(outcome.unwrap().content.to_json(), context);
}

/// M-11: tool calls and tool results are content, and every text in them is found.
#[test]
fn texts_are_found_where_they_stand() {
    let context = r#"[{"type":"tool_use","id":"a","name":"n","input":{"q":["x",{"k":"y"}],"n":1.0}},
        {"type":"tool_result","toolUseId":"a","content":[{"type":"text","text":"z"},{"type":"image","data":"aa"}],
         "structuredContent":{"s":"w"}},
        {"type":"dev.mcpsieve/tool_call","name":"n","arguments":{"q":"x"}},
        {"type":"dev.mcpsieve/tool_result","content":"v"},
        {"type":"resource","resource":{"uri":"u:u","text":"t"}},{"type":"resource_link","uri":"u","name":"l"}]"#;
    let outcome = block_on(shouting().invoke("shout", None, context, &NoStore)).unwrap();
    let found: Value = serde_json::from_str(&outcome.content.to_json()).unwrap();
    assert_eq!(
        found,
        json!([
            {"type":"tool_use","id":"a","name":"n","input":{"q":["X",{"k":"Y"}],"n":1.0}},
            {"type":"tool_result","toolUseId":"a","content":[{"type":"text","text":"Z"},{"type":"image","data":"aa"}],
             "structuredContent":{"s":"W"}},
            {"type":"dev.mcpsieve/tool_call","name":"n","arguments":{"q":"X"}},
            {"type":"dev.mcpsieve/tool_result","content":"V"},
            {"type":"resource","resource":{"uri":"u:u","text":"T"}},{"type":"resource_link","uri":"u","name":"l"}
        ])
    );
    assert!(outcome.content.to_json().contains("1.0"));
}

/// Returns a context of 3.6 MB that repeats `piece`.
fn crowded(piece: &str) -> String {
    format!(r#"[{{"type":"text","text":"{}"}}]"#, piece.repeat(3_600_000 / piece.len()))
}

/// Limits apply to the context received. Placeholders may make it larger, and it is still sent on and back.
#[test]
fn handles_do_not_count_towards_limits() {
    use mcp_sieve::middleware::{MAX_CONTEXT, MAX_RESULT};
    let registry = Registry::built_in();
    let chain = |source: &str| Chain::read(&Entry::root(Raw::parse(source).unwrap())).unwrap();
    let [out, back] = [r#"["pii_redaction","secret_detection"]"#, r#"["pii_restoration"]"#].map(chain);
    let (given, mut handles) = (crowded("born 1.1.19 dob 2/3/"), Redactions::default());
    let go = |chain: &Chain, context: &str, handles: &mut Redactions| {
        let content = Content::read(Raw::parse(context).unwrap())?;
        let ran = block_on(chain.run(&registry, content, handles, &NoStore, &mut Vec::new()));
        ran.map(|ran| ran.content.to_json())
    };
    let seen = go(&out, &given, &mut handles).unwrap();
    assert!(seen.len() > MAX_CONTEXT, "{}", seen.len());
    assert!(go(&out, &seen, &mut handles).unwrap() == seen);
    assert!(go(&back, &seen, &mut handles).unwrap() == given);
    let large = format!(r#"[{{"type":"text","text":"{}"}}]"#, "[PERSON_1]".repeat(MAX_RESULT / 10));
    let refusal = go(&back, &large, &mut handles).unwrap_err().to_string();
    assert_eq!(refusal, "context: the context is larger than 33554432 bytes");
}

/// A few placeholders cannot expand to more than the limit.
#[test]
fn what_is_restored_has_a_limit() {
    let redactions = json!({"redactions": {"A_1": "a".repeat(1 << 20)}}).to_string();
    let restored = |count: usize| {
        let context = json!([{"type": "text", "text": "[A_1]".repeat(count)}]).to_string();
        block_on(Registry::built_in().invoke("pii_restoration", Some(&redactions), &context, &NoStore))
    };
    assert_eq!(restored(30).unwrap().content.size(), (30 << 20) + r#"{"type":"text","text":""}"#.len());
    let error = restored(400_000).unwrap_err();
    assert_eq!(error.to_string(), "the restored context is larger than 33554432 bytes");
    assert_eq!(error.code(), "middleware_failed");
    // Known placeholders are scanned as the values they stand for, and many of them do not exceed the limit either.
    let context = json!([{"type": "text", "text": "[A_1]".repeat(400_000)}]).to_string();
    let kept = block_on(Registry::built_in().invoke("pii_redaction", Some(&redactions), &context, &NoStore));
    assert!(kept.unwrap().content.to_json() == context);
}

/// A context that is too large is rejected before any function sees it.
#[test]
fn a_context_has_limits() {
    use mcp_sieve::middleware::{MAX_CONTEXT, MAX_ITEMS};
    let refusal = |context: &str| {
        block_on(shouting().invoke("timestamp_injector", None, context, &NoStore)).unwrap_err().to_string()
    };
    let many = format!("[{}]", vec![r#"{"type":"x"}"#; MAX_ITEMS + 1].join(","));
    assert_eq!(refusal(&many), "context: the context has more than 4096 items");
    let large = format!(r#"[{{"type":"x","a":"{}"}}]"#, "a".repeat(MAX_CONTEXT));
    assert_eq!(refusal(&large), "context: the context is larger than 4194304 bytes");
    for kind in ["text", "hologram"] {
        let half = format!(r#"[{{"type":"{kind}","text":"\ud800"}}]"#);
        assert_eq!(refusal(&half), "context[0]: expected text that is Unicode");
    }
}
