//! The settings for the concerns of a server: `learn`, `forward`, `ignore`, and other names.

use mcp_sieve::json::Raw;
use mcp_sieve_gateway::{
    Config,
    host::{Call, Caller, Revision},
    server::ReadObject,
    upstream::{Gateway, Served},
};
use serde_json::{Value, json};

use super::{
    config, listed, lists,
    mapped_server::{Form, mapped},
    methods, names, net,
};
use crate::{
    gateway::{Servers, gateway},
    net::{Net, Seen},
    server::result,
};

/// Returns what is served of a server whose tools state values of security, and the values that it was asked to list.
fn stating(config: &Config, tools: Value) -> (Served, Vec<Value>) {
    let behind = mapped(Form::Filter);
    let servers = Servers::default();
    servers.set("a", move |seen: &Seen| match (seen.method(), seen.body["params"]["filter"].is_object()) {
        ("tools/list", false) => result(seen, json!({"tools": tools})),
        ("prompts/list", _) => result(seen, json!({"prompts": []})),
        _ => behind.borrow_mut().answer(seen),
    });
    let net = servers.net();
    let served = listed(&gateway(&config.upstreams), &net, config);
    let asked = |seen: &Seen| seen.body["params"]["filter"]["concerns"]["security"].clone();
    (served, net.seen().iter().map(asked).filter(|value| !value.is_null()).collect())
}

#[test]
fn values_are_not_learned_if_every_primitive_states_one() {
    let tools = json!([
        {"name": "logData", "inputSchema": {"type": "object"}, "_meta": {"concerns": {"security": "low"}}},
        {"name": "encryptData", "inputSchema": {"type": "object"}, "_meta": {"concerns": {"security": "medium"}}}]);
    let config = config(None);
    let (served, asked) = stating(&config, tools);
    assert!(asked.is_empty(), "{asked:?}");
    let names = names(&served.backend, &config, "tools", &json!({"security": "medium"})).0;
    assert_eq!(names, ["encryptData"]);
}

#[test]
fn values_are_learned_for_primitives_beside_those_that_state_them() {
    let tools = json!([
        {"name": "logData", "inputSchema": {"type": "object"}, "_meta": {"concerns": {"security": "low"}}},
        {"name": "encryptData", "inputSchema": {"type": "object"}}]);
    let config = config(None);
    let (served, asked) = stating(&config, tools);
    assert_eq!(asked, ["high", "medium", "low"]);
    // In its own lists, the server has `medium` for `logData`.
    for (value, expected) in [("high", &["encryptData"][..]), ("medium", &[]), ("low", &["logData"])] {
        let names = names(&served.backend, &config, "tools", &json!({"security": value})).0;
        assert_eq!(names, expected, "{value}");
    }
}

#[test]
fn names_of_the_operator_apply_to_learned_values() {
    let server = mapped(Form::Filter);
    let (net, config) = (net(&server), config(Some(json!({"cost": "price", "depth": null}))));
    let served = listed(&gateway(&config.upstreams), &net, &config);
    let cheap = names(&served.backend, &config, "tools", &json!({"price": "minimal"}));
    assert_eq!(cheap.0, ["encryptData", "logData", "validateData", "guessData"]);
    let (_, ignored) = names(&served.backend, &config, "tools", &json!({"cost": "minimal", "depth": 1}));
    assert_eq!(ignored, ["concerns.cost", "concerns.depth"]);
    // A concern that is left out is not listed for.
    assert_eq!(lists(&methods(&net, 0)), 2 + 2 * 5);
}

#[test]
fn concerns_that_are_ignored_do_not_exist() {
    let server = mapped(Form::Filter);
    let (net, config) = (net(&server), config(Some(json!("ignore"))));
    let served = listed(&gateway(&config.upstreams), &net, &config);
    assert!(served.notes.is_empty(), "{:?}", served.notes);
    assert_eq!(methods(&net, 0), ["server/discover", "tools/list", "prompts/list"]);
    let (all, ignored) = names(&served.backend, &config, "tools", &json!({"security": "high"}));
    assert_eq!((all.len(), ignored), (5, vec!["concerns.security".to_owned()]));
}

#[test]
fn concerns_that_are_forwarded_are_declared_and_filter_nothing() {
    let server = mapped(Form::Filter);
    let (net, config) = (net(&server), config(Some(json!("forward"))));
    let served = listed(&gateway(&config.upstreams), &net, &config);
    assert!(served.notes.is_empty(), "{:?}", served.notes);
    assert_eq!(methods(&net, 0), ["server/discover", "tools/list", "prompts/list"]);
    let (all, ignored) = names(&served.backend, &config, "tools", &json!({"security": "high"}));
    assert_eq!((all.len(), ignored), (5, vec![]));
}

#[test]
fn other_settings_are_refused() {
    for setting in [json!("teach"), json!(1), json!(["learn"])] {
        let file = json!({"upstream": {"url": "http://a/mcp", "concerns": setting}});
        let refused = Config::parse(&file.to_string()).unwrap_err().to_string();
        assert_eq!(
            refused,
            "upstream.concerns: expected one of `learn`, `forward`, `ignore`, or an object of new names"
        );
    }
}

/// Calls a tool as a caller with these concerns.
fn call(net: &Net, gateway: &Gateway, concerns: &str) {
    let headers = http::HeaderMap::new();
    let caller =
        Caller { concerns: concerns.into(), ..Caller::new(&headers, Revision::V2026_07_28, "tools/call") };
    let params = r#"{"name":"logData","_meta":{"concerns":{"cost":"minimal"},"own":1}}"#;
    let call = Call {
        method: "tools/call",
        params: Raw::parse(params).ok().and_then(ReadObject::read),
        servers: &["a".to_owned()],
        caller: &caller,
        accepts_requests: false,
        streams: None,
        task: None,
        passthrough: None,
    };
    assert!(net.run(gateway.forward(net, &call)).is_ok());
}

#[test]
fn forwarded_concerns_are_in_each_request_and_begin_a_session() {
    let wanted = r#"{"security":"high"}"#;
    for (form, setting) in [(Form::Meta, "forward"), (Form::Update, "forward"), (Form::Meta, "learn")] {
        let server = mapped(form);
        let (net, config) = (net(&server), config(Some(json!(setting))));
        let gateway = gateway(&config.upstreams);
        listed(&gateway, &net, &config);
        let sessions = net.methods().iter().filter(|method| *method == "initialize").count();
        call(&net, &gateway, wanted);
        let sent = net.last("tools/call").unwrap().body["params"]["_meta"].clone();
        let expected = match setting {
            "forward" => json!({"security": "high"}),
            _ => json!({"cost": "minimal"}),
        };
        assert_eq!((&sent["concerns"], &sent["own"]), (&expected, &json!(1)), "{form:?} {setting}");
        assert_eq!(sent["dev.mcpsieve/concerns"].is_object(), setting == "forward", "{form:?}");
        let begun = net.seen().into_iter().filter(|seen| seen.method() == "initialize").skip(sessions);
        let begun: Vec<Value> = begun.map(|seen| seen.body["params"]["concerns"].clone()).collect();
        if form == Form::Update {
            assert_eq!(begun, std::slice::from_ref(&expected));
            let noted = net.last("notifications/initialized").unwrap();
            assert_eq!(noted.body["params"], json!({"concerns": expected}));
        } else {
            assert_eq!(begun, [Value::Null; 0]);
        }
    }
}

/// Returns the servers of a gateway whose stateless requests share sessions.
fn one_user(config: &Config) -> Vec<mcp_sieve_gateway::config::Upstream> {
    let mut config = config.clone();
    config.serve_one_user();
    config.upstreams
}

#[test]
fn forwarded_concerns_of_different_callers_are_in_different_sessions() {
    let server = mapped(Form::Update);
    let (net, config) = (net(&server), config(Some(json!("forward"))));
    let gateway = gateway(&one_user(&config));
    listed(&gateway, &net, &config);
    let sessions =
        [r#"{"security":"high"}"#, r#"{"security":"low"}"#, r#"{"security":"high"}"#, ""].map(|concerns| {
            call(&net, &gateway, concerns);
            net.last("tools/call").unwrap().header("mcp-session-id").unwrap().to_owned()
        });
    let [one, other, again, none] = &sessions;
    assert_eq!(one, again);
    assert!(one != other && none != one && none != other, "{sessions:?}");
}
