//! A client with the stateless revision, and a server that sends requests during a call.

use futures_util::StreamExt;
use mcp_sieve::mcp::{Body, CallHome, Inbound, MAX_SUSPENDED, SUSPENDED_MS};
use serde_json::{Value, json};

use crate::{
    client::{Client, frame, frames_of, json_of, modern, send_as},
    host::World,
};

fn all() -> Value {
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

    /// Continues the call that asked `asked`.
    fn answer(&self, tool: &str, asked: &Value, answers: Value) -> Value {
        let state = asked["result"]["requestState"].clone();
        self.call(json!({"name": tool, "requestState": state, "inputResponses": answers}))
    }
}

/// Returns a client without a token.
fn stranger(world: &World) -> Caller<'_> {
    Caller { world, token: None, capabilities: all() }
}

/// The error for a call that has ended.
const EXPIRED: &str = "the call waits no longer for its answers, make it anew";

#[test]
fn a_question_goes_out_in_a_result_and_its_answer_comes_in_the_next_request() {
    let world = World::named("asking");
    let caller = stranger(&world);
    let asked = caller.call(json!({"name": "interview"}));
    let result = &asked["result"];
    assert_eq!(result["resultType"], "input_required");
    let question = json!({"method": "elicitation/create", "params": {"message": "Who?"}});
    assert_eq!(result["inputRequests"], json!({"question-1": question}));
    assert!(result.get("ttlMs").is_none(), "a question is not kept");
    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
    let ended = caller.answer("interview", &asked, json!({"question-1": answer, "stray": {}}));
    assert_eq!(ended["result"]["answers"], json!([answer]));
    assert_eq!(ended["result"]["resultType"], "complete");
    // The call has ended, so its state is no longer valid.
    let again = caller.answer("interview", &asked, json!({"question-1": answer}));
    assert_eq!(again["error"]["message"], EXPIRED);
    assert_eq!(again["error"]["data"], json!({"reason": "handle_expired"}));
}

#[test]
fn questions_without_an_answer_are_asked_again() {
    let world = World::named("asking");
    let caller = stranger(&world);
    let asked = caller.call(json!({"name": "survey"}));
    let keys = |asked: &Value| -> Vec<String> {
        asked["result"]["inputRequests"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(keys(&asked), ["question-1", "question-2"]);
    let first = caller.answer("survey", &asked, json!({"question-2": {"role": "assistant"}}));
    assert_eq!(keys(&first), ["question-1"]);
    assert_ne!(first["result"]["requestState"], asked["result"]["requestState"]);
    let still = caller.answer("survey", &first, json!({}));
    let ended = caller.answer("survey", &still, json!({"question-1": {"action": "decline"}}));
    assert_eq!(ended["result"]["answers"], json!([{"role": "assistant"}, {"action": "decline"}]));
}

#[test]
fn a_state_holds_for_its_own_request_and_caller() {
    let world = World::named("asking");
    let alice = Caller { token: Some("alice-token"), ..stranger(&world) };
    let bob = Caller { token: Some("bob-token"), ..stranger(&world) };
    let asked = alice.call(json!({"name": "interview", "arguments": {"a": 1}}));
    let answers = json!({"question-1": {"action": "decline"}});
    let again = |caller: &Caller<'_>, change: Value| {
        let mut params = json!({"name": "interview", "arguments": {"a": 1},
            "requestState": asked["result"]["requestState"], "inputResponses": answers});
        params.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        caller.call(params)
    };
    for refused in [
        again(&bob, json!({})),
        again(&stranger(&world), json!({})),
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
fn a_call_waits_so_long_and_no_longer() {
    let world = World::named("asking");
    let caller = stranger(&world);
    let (early, late) =
        (caller.call(json!({"name": "interview"})), caller.call(json!({"name": "interview"})));
    let answers = json!({"question-1": {"action": "cancel"}});
    world.pass(0); // the clocks are set
    world.pass(SUSPENDED_MS - 1);
    assert_eq!(
        caller.answer("interview", &early, answers.clone())["result"]["answers"],
        json!([{"action": "cancel"}])
    );
    world.pass(1);
    assert_eq!(
        caller.answer("interview", &late, answers)["error"]["data"],
        json!({"reason": "handle_expired"})
    );
}

#[test]
fn so_many_calls_wait_and_no_more() {
    let world = World::named("asking");
    let caller = stranger(&world);
    let asked: Vec<Value> = (0..MAX_SUSPENDED).map(|_| caller.call(json!({"name": "interview"}))).collect();
    let refused = caller.call(json!({"name": "interview"}));
    assert_eq!(refused["error"]["data"], json!({"reason": "parked_limit"}));
    assert_eq!(
        refused["error"]["message"],
        "64 calls are waiting for their clients already, try again later"
    );
    caller.answer("interview", &asked[0], json!({"question-1": {"action": "decline"}}));
    assert_eq!(caller.call(json!({"name": "interview"}))["result"]["resultType"], "input_required");
}

#[test]
fn a_client_that_says_it_cannot_be_asked_any_more_is_told_what_it_lacks() {
    let world = World::named("asking");
    let asked = stranger(&world).call(json!({"name": "survey"}));
    let caller = Caller { capabilities: json!({"sampling": {}}), ..stranger(&world) };
    let refused = caller.call(json!({"name": "survey"}));
    assert_eq!(refused["error"]["code"], -32021);
    assert_eq!(refused["error"]["data"], json!({"requiredCapabilities": {"elicitation": {}}}));
    // The client can continue without declaring its capabilities again.
    let answers = json!({"question-1": {"action": "decline"}, "question-2": {}});
    assert!(caller.answer("survey", &asked, answers)["result"]["answers"].is_array());
}

#[test]
fn where_no_call_can_wait_the_server_knows_that_nobody_can_be_asked() {
    let world = World::named("asking");
    world.suspends.set(false);
    assert_eq!(stranger(&world).call(json!({"name": "interview"}))["error"]["message"], "no interview");
}

#[test]
fn progress_goes_by_the_token_of_the_request_under_way() {
    let world = World::named("asking");
    let with = |token: Option<&str>, params: Value| {
        let mut request = modern("tools/call", params, &all());
        let mut body: Value = serde_json::from_slice(request.body()).unwrap();
        token.into_iter().for_each(|token| body["params"]["_meta"]["progressToken"] = json!(token));
        *request.body_mut() = body.to_string().into_bytes();
        send_as(&world, None, &request).1
    };
    let go_on = |token: Option<&str>| {
        let asked = json_of(with(Some("first"), json!({"name": "interview"})));
        let state = asked["result"]["requestState"].clone();
        let answers = json!({"question-1": {"action": "decline"}});
        with(token, json!({"name": "interview", "requestState": state, "inputResponses": answers}))
    };
    let frames: Vec<Vec<u8>> = world.run(frames_of(go_on(Some("second"))).collect());
    let told = frame(&frames[0]).data.unwrap();
    assert_eq!(told["params"], json!({"progressToken": "second", "progress": 2}));
    assert!(matches!(go_on(None), Body::Json(_)), "nobody asked for progress");
}

#[test]
fn a_client_with_a_session_is_asked_on_its_stream() {
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
fn a_request_is_handled_where_its_call_can_wait() {
    let world = World::named("asking");
    let key = mcp_sieve::seal::Key::new(b"the key of the corpus").unwrap();
    let place = |method: &str, params: Value, capabilities: Value| {
        Inbound::read(&modern(method, params, &capabilities)).suspended_call(&key)
    };
    assert_eq!(place("tools/call", json!({"name": "t"}), all()), Some(CallHome::Any));
    assert_eq!(place("resources/read", json!({"uri": "t:"}), json!({"roots": {}})), Some(CallHome::Any));
    assert_eq!(place("tools/call", json!({"name": "t"}), json!({})), None);
    assert_eq!(place("tools/call", json!({"name": "t"}), json!({"tasks": {}})), None);
    assert_eq!(place("tools/list", json!({}), all()), None);
    let asked = stranger(&world).call(json!({"name": "interview"}));
    let state = asked["result"]["requestState"].clone();
    let known = place("tools/call", json!({"name": "interview", "requestState": state}), json!({}));
    assert_eq!(known, Some(CallHome::Known("here".to_owned())));
    let foreign = place("tools/call", json!({"name": "interview", "requestState": "sealed"}), json!({}));
    assert_eq!(foreign, None);
}
