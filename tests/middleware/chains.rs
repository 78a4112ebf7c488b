//! Chains: contexts, handles and reports.

use std::rc::Rc;

use futures_executor::block_on;
use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve::{
    Error,
    json::{Entry, Raw},
};
use mcp_sieve_gateway::middleware::{
    Arguments, Chain, Content, Environment, Middleware, Outcome, Redactions, Registry,
};
use serde_json::{Value, json};

use super::{
    chain_run::{TWO, run_chain},
    shout::shouting,
    world::{NoStore, World},
};

/// M-55: an application or a gateway runs chains; M-46: the values of placeholders stay with the runner of the chain.
#[test]
fn a_chain_hands_on_contexts_and_handles() {
    let went = run_chain(r#"["shout",{"use":"again","arguments":{"keep":"A"}}]"#, TWO);
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
    let world = World::from_row(&row);
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
    let went = run_chain(r#"{"steps":["shout"],"last":1}"#, TWO);
    let ran = went.result.unwrap();
    assert_eq!(ran.content.to_json(), r#"[{"type":"text","text":"a"},{"type":"text","text":"B"}]"#);
    assert_eq!(went.reports[0].items, [1, 1]);
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
