//! Suspended calls: a stateless client and a server that sends requests during a call.

use futures_util::StreamExt;
use mcp_sieve_gateway::{
    server::{Body, Inbound},
    session::{CallHome, MAX_SUSPENDED, SUSPENDED_MS},
};
use serde_json::{Value, json};

use crate::{
    client::{Client, frame, frames_of, json_of, modern, send_as},
    host::World,
};

fn all_capabilities() -> Value {
    json!({"elicitation": {}, "sampling": {}})
}

/// A client: its world, its token, and its capabilities.
struct Caller<'a> {
    world: &'a World,
    token: Option<&'a str>,
    capabilities: Value,
}

impl Caller<'_> {
    fn call(&self, params: Value) -> Value {
        json_of(send_as(self.world, self.token, &modern("tools/call", params, &self.capabilities)).1)
    }

    /// Continues the call that returned `input_required`.
    fn answer(&self, tool: &str, input_required: &Value, answers: Value) -> Value {
        let state = input_required["result"]["requestState"].clone();
        self.call(json!({"name": tool, "requestState": state, "inputResponses": answers}))
    }
}

/// Returns a client without a token.
fn anonymous(world: &World) -> Caller<'_> {
    Caller { world, token: None, capabilities: all_capabilities() }
}

/// The error for a call that has ended.
const EXPIRED: &str = "the call waits no longer for its answers, make it anew";

#[test]
fn a_suspended_call_resumes_with_the_answers_of_the_next_request() {
    let world = World::named("asking");
    let caller = anonymous(&world);
    let input_required = caller.call(json!({"name": "interview"}));
    let result = &input_required["result"];
    assert_eq!(result["resultType"], "input_required");
    let question = json!({"method": "elicitation/create", "params": {"message": "Who?"}});
    assert_eq!(result["inputRequests"], json!({"question-1": question}));
    assert!(result.get("ttlMs").is_none(), "a question is not cached");
    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
    let ended = caller.answer("interview", &input_required, json!({"question-1": answer, "stray": {}}));
    assert_eq!(ended["result"]["answers"], json!([answer]));
    assert_eq!(ended["result"]["resultType"], "complete");
    // The call has ended, so its state is no longer valid.
    let again = caller.answer("interview", &input_required, json!({"question-1": answer}));
    assert_eq!(again["error"]["message"], EXPIRED);
    assert_eq!(again["error"]["data"], json!({"reason": "handle_expired"}));
}

#[test]
fn unanswered_requests_are_sent_again() {
    let world = World::named("asking");
    let caller = anonymous(&world);
    let input_required = caller.call(json!({"name": "survey"}));
    let keys = |result: &Value| -> Vec<String> {
        result["result"]["inputRequests"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(keys(&input_required), ["question-1", "question-2"]);
    let first = caller.answer("survey", &input_required, json!({"question-2": {"role": "assistant"}}));
    assert_eq!(keys(&first), ["question-1"]);
    assert_ne!(first["result"]["requestState"], input_required["result"]["requestState"]);
    let still = caller.answer("survey", &first, json!({}));
    let ended = caller.answer("survey", &still, json!({"question-1": {"action": "decline"}}));
    assert_eq!(ended["result"]["answers"], json!([{"role": "assistant"}, {"action": "decline"}]));
}

#[test]
fn a_request_state_is_valid_only_for_its_request_and_caller() {
    let world = World::named("asking");
    let alice = Caller { token: Some("alice-token"), ..anonymous(&world) };
    let bob = Caller { token: Some("bob-token"), ..anonymous(&world) };
    let input_required = alice.call(json!({"name": "interview", "arguments": {"a": 1}}));
    let answers = json!({"question-1": {"action": "decline"}});
    let again = |caller: &Caller<'_>, change: Value| {
        let mut params = json!({"name": "interview", "arguments": {"a": 1},
            "requestState": input_required["result"]["requestState"], "inputResponses": answers});
        params.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        caller.call(params)
    };
    for refused in [
        again(&bob, json!({})),
        again(&anonymous(&world), json!({})),
        again(&alice, json!({"arguments": {"a": 2}})),
        again(&alice, json!({"name": "survey"})),
    ] {
        assert_eq!(refused["error"]["data"], json!({"reason": "handle_invalid"}), "{refused}");
    }
    let odd = again(&alice, json!({"inputResponses": {"question-1": "me"}}));
    assert_eq!(odd["error"]["message"], "`inputResponses` must be an object whose values are objects");
    // None of them has disturbed the call.
    assert_eq!(again(&alice, json!({}))["result"]["answers"], json!([{"action": "decline"}]));
}

#[test]
fn suspended_calls_expire() {
    let world = World::named("asking");
    let caller = anonymous(&world);
    let (early, late) =
        (caller.call(json!({"name": "interview"})), caller.call(json!({"name": "interview"})));
    let answers = json!({"question-1": {"action": "cancel"}});
    world.start_timers();
    world.advance(SUSPENDED_MS - 1);
    assert_eq!(
        caller.answer("interview", &early, answers.clone())["result"]["answers"],
        json!([{"action": "cancel"}])
    );
    world.advance(1);
    assert_eq!(
        caller.answer("interview", &late, answers)["error"]["data"],
        json!({"reason": "handle_expired"})
    );
}

#[test]
fn the_number_of_suspended_calls_is_limited() {
    let world = World::named("asking");
    let caller = anonymous(&world);
    let suspended: Vec<Value> =
        (0..MAX_SUSPENDED).map(|_| caller.call(json!({"name": "interview"}))).collect();
    let refused = caller.call(json!({"name": "interview"}));
    assert_eq!(refused["error"]["data"], json!({"reason": "parked_limit"}));
    assert_eq!(
        refused["error"]["message"],
        "64 calls are waiting for their clients already, try again later"
    );
    caller.answer("interview", &suspended[0], json!({"question-1": {"action": "decline"}}));
    assert_eq!(caller.call(json!({"name": "interview"}))["result"]["resultType"], "input_required");
}

#[test]
fn a_client_without_a_capability_gets_an_error_that_names_it() {
    let world = World::named("asking");
    let input_required = anonymous(&world).call(json!({"name": "survey"}));
    let caller = Caller { capabilities: json!({"sampling": {}}), ..anonymous(&world) };
    let refused = caller.call(json!({"name": "survey"}));
    assert_eq!(refused["error"]["code"], -32021);
    assert_eq!(refused["error"]["data"], json!({"requiredCapabilities": {"elicitation": {}}}));
    // The client can continue without declaring its capabilities again.
    let answers = json!({"question-1": {"action": "decline"}, "question-2": {}});
    assert!(caller.answer("survey", &input_required, answers)["result"]["answers"].is_array());
}

#[test]
fn a_host_that_suspends_no_calls_accepts_no_requests_of_servers() {
    let world = World::named("asking");
    world.can_suspend.set(false);
    assert_eq!(anonymous(&world).call(json!({"name": "interview"}))["error"]["message"], "no interview");
}

#[test]
fn progress_has_the_token_of_the_current_request() {
    let world = World::named("asking");
    let with = |token: Option<&str>, params: Value| {
        let mut request = modern("tools/call", params, &all_capabilities());
        let mut body: Value = serde_json::from_slice(request.body()).unwrap();
        token.into_iter().for_each(|token| body["params"]["_meta"]["progressToken"] = json!(token));
        *request.body_mut() = body.to_string().into_bytes();
        send_as(&world, None, &request).1
    };
    let resume = |token: Option<&str>| {
        let input_required = json_of(with(Some("first"), json!({"name": "interview"})));
        let state = input_required["result"]["requestState"].clone();
        let answers = json!({"question-1": {"action": "decline"}});
        with(token, json!({"name": "interview", "requestState": state, "inputResponses": answers}))
    };
    let frames: Vec<Vec<u8>> = world.run(frames_of(resume(Some("second"))).collect());
    let progress = frame(&frames[0]).data.unwrap();
    assert_eq!(progress["params"], json!({"progressToken": "second", "progress": 2}));
    assert!(matches!(resume(None), Body::Json(_)), "nobody asked for progress");
}

#[test]
fn a_client_with_a_session_receives_requests_on_its_stream() {
    let client = Client::open("2025-06-18", &json!({"elicitation": {}}));
    let mut frames = frames_of(client.call(1, "interview"));
    let question = client.next(&mut frames).unwrap().data.unwrap();
    client.answer(&question, json!({"result": {"action": "accept", "content": {}}}));
    let rest = client.rest(frames);
    assert_eq!(rest[0]["result"]["answers"], json!([{"action": "accept", "content": {}}]));
    // The client's rejection is passed on to the server.
    let mut frames = frames_of(client.call(2, "interview"));
    let question = client.next(&mut frames).unwrap().data.unwrap();
    client.answer(&question, json!({"error": {"code": -1, "message": "no"}}));
    assert_eq!(client.rest(frames)[0]["result"]["answers"], json!([{"code": -1, "message": "no"}]));
}

#[test]
fn a_request_is_routed_to_the_instance_of_its_call() {
    let world = World::named("asking");
    let key = mcp_sieve::seal::Key::new(b"the key of the corpus").unwrap();
    let place = |method: &str, params: Value, capabilities: Value| {
        Inbound::read(&modern(method, params, &capabilities)).suspended_call(&key)
    };
    assert_eq!(place("tools/call", json!({"name": "t"}), all_capabilities()), Some(CallHome::Any));
    assert_eq!(place("resources/read", json!({"uri": "t:"}), json!({"roots": {}})), Some(CallHome::Any));
    assert_eq!(place("tools/call", json!({"name": "t"}), json!({})), None);
    assert_eq!(place("tools/call", json!({"name": "t"}), json!({"tasks": {}})), None);
    assert_eq!(place("tools/list", json!({}), all_capabilities()), None);
    let input_required = anonymous(&world).call(json!({"name": "interview"}));
    let state = input_required["result"]["requestState"].clone();
    let known = place("tools/call", json!({"name": "interview", "requestState": state}), json!({}));
    assert_eq!(known, Some(CallHome::Known("here".to_owned())));
    let foreign = place("tools/call", json!({"name": "interview", "requestState": "sealed"}), json!({}));
    assert_eq!(foreign, None);
}
