//! Tasks in both eras, in conversations that take longer than those of the rows.

use std::rc::Rc;

use http::Method;
use mcp_sieve::{
    mcp::{MAX_LOOKED, PollTurns, TaskStore},
    task::{Event, MAX_QUESTIONS, Refusal, Task},
};
use serde_json::{Value, json};

use crate::{
    behind::far,
    client::{Client, Frames, frame, frames_of, json_of, modern, request, send_as},
    host::World,
    store::Store,
};

const EXTENSION: &str = "io.modelcontextprotocol/tasks";
const RELATED: &str = "io.modelcontextprotocol/related-task";

/// Returns a fixture world with an empty task store.
pub fn world(name: &str) -> (World, Rc<Store>) {
    let (world, store) = (World::named(name), Rc::<Store>::default());
    world.store.replace(Some(Rc::clone(&store)));
    (world, store)
}

/// Returns the event that completes a task.
fn done(text: &str, is_error: bool) -> Event {
    let mut result = json!({"content": [{"type": "text", "text": text}], "_meta": {"vendor/kept": 1}});
    if is_error {
        result["isError"] = json!(true);
    }
    Event::Complete { result: result.to_string(), is_error }
}

/// Returns the event in which a task asks the client.
fn ask(keys: &[&str]) -> Event {
    let question = json!({"method": "elicitation/create", "params": {"message": "Who?"}}).to_string();
    Event::Ask(keys.iter().map(|key| ((*key).to_owned(), question.clone())).collect())
}

/// A caller with or without a session.
pub struct Caller<'a> {
    world: &'a World,
    token: Option<&'static str>,
    session: Option<String>,
    member: bool,
}

impl<'a> Caller<'a> {
    /// Opens a session.
    pub fn legacy(world: &'a World, version: &str, token: Option<&'static str>) -> Self {
        let mut caller = Self { world, token, session: None, member: false };
        let params = json!({"protocolVersion": version, "capabilities": {"elicitation": {}}, "clientInfo": {"name": "c", "version": "1"}});
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let (head, _) = send_as(world, token, &request(Method::POST, &[], &body));
        caller.session = Some(head.headers["mcp-session-id"].to_str().unwrap().to_owned());
        caller
    }

    /// Returns a caller without a session.
    pub fn modern(world: &'a World, token: Option<&'static str>) -> Self {
        Self { world, token, session: None, member: false }
    }

    pub fn open(&self, method: &str, params: Value) -> mcp_sieve::mcp::Body {
        let mut sent = match &self.session {
            Some(session) => {
                let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
                request(Method::POST, &[("mcp-session-id", session)], &body)
            }
            None => {
                let id = params["taskId"].as_str().map(str::to_owned);
                let capabilities = json!({"elicitation": {}, "extensions": {EXTENSION: {}}});
                let mut sent = modern(method, params, &capabilities);
                id.iter().for_each(|id| _ = sent.headers_mut().insert("mcp-name", id.parse().unwrap()));
                sent
            }
        };
        if self.member {
            sent.headers_mut().insert("x-member", "yes".parse().unwrap());
        }
        send_as(self.world, self.token, &sent).1
    }

    pub fn ask(&self, method: &str, params: Value) -> Value {
        json_of(self.open(method, params))
    }

    /// Starts a task and returns its id.
    pub fn begin(&self, tool: &str) -> String {
        let params = match self.session {
            Some(_) => json!({"name": tool, "task": {"ttl": 60_000}}),
            None => json!({"name": tool}),
        };
        let begun = self.ask("tools/call", params);
        let result = &begun["result"];
        let task = if self.session.is_some() { &result["task"] } else { result };
        task["taskId"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned()
    }

    fn listed(&self, params: Value) -> Vec<String> {
        ids(&self.list(params))
    }

    fn list(&self, params: Value) -> Value {
        let method = if self.session.is_some() { "tasks/list" } else { "dev.mcpsieve/tasks/query" };
        self.ask(method, params)
    }
}

fn ids(reply: &Value) -> Vec<String> {
    let tasks = reply["result"]["tasks"].as_array().unwrap_or_else(|| panic!("{reply}"));
    tasks.iter().map(|task| task["taskId"].as_str().unwrap().to_owned()).collect()
}

/// Updates a task at the time of the world.
fn progress(world: &World, store: &Rc<Store>, id: &str) {
    let task = store.tasks.borrow().values().find(|task| task.id == id).cloned().unwrap();
    store.clock.set(world.clock.get());
    let event = Event::Progress(Some("x".into()));
    world.run(crate::store::Shared(Rc::clone(store)).apply(&task.owner, &task.id, event)).unwrap();
}

/// Waits for the next message of a stream.
fn next(world: &World, frames: &mut Frames) -> Value {
    loop {
        let bytes = world.run(futures_util::StreamExt::next(frames)).expect("another frame");
        if let Some(data) = frame(&bytes).data {
            return data;
        }
    }
}

#[test]
fn a_call_with_task_is_answered_at_once_and_its_result_is_waited_for() {
    let (world, store) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let begun = caller
        .ask("tools/call", json!({"name": "report", "arguments": {"of": "May"}, "task": {"ttl": 60_000}}));
    let task = begun["result"]["task"].clone();
    let id = task["taskId"].as_str().unwrap();
    let expected = json!({"taskId": id, "status": "working", "createdAt": "2027-01-15T08:00:00.000Z",
        "lastUpdatedAt": "2027-01-15T08:00:00.000Z", "ttl": 60_000, "pollInterval": 500});
    assert_eq!(task, expected);
    assert!(id.len() >= 22, "{id}");
    let work = store.work.borrow()[0].1.clone().unwrap();
    assert_eq!(
        (work.params["arguments"].clone(), work.state),
        (json!({"of": "May"}), Some(b"begun".to_vec()))
    );
    assert_eq!(caller.ask("tasks/get", json!({"taskId": id}))["result"], expected);

    let mut frames = frames_of(caller.open("tasks/result", json!({"taskId": id})));
    world.pass(10);
    store.clock.set(world.clock.get());
    assert_eq!(store.happen("report", done("all of May", false)), Ok(true));
    let answer = next(&world, &mut frames);
    let result = json!({"content": [{"type": "text", "text": "all of May"}],
        "_meta": {"vendor/kept": 1, RELATED: {"taskId": id}}});
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 7, "result": result}));
    let told = caller.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(told["result"]["status"], "completed");
    assert_eq!(told["result"]["lastUpdatedAt"], "2027-01-15T08:00:00.010Z");
    assert_eq!(store.happen("report", Event::Progress(Some("more".into()))), Err(Refusal::Ended));
}

#[test]
fn a_tool_is_called_the_way_it_says() {
    let (world, _) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let call = |params: Value| caller.ask("tools/call", params)["error"]["code"].clone();
    assert_eq!(call(json!({"name": "quick", "task": {}})), -32601);
    assert_eq!(call(json!({"name": "job"})), -32601);
    assert_eq!(call(json!({"name": "job", "task": 1})), -32602);
    assert_eq!(call(json!({"name": "job", "task": {"ttl": "long"}})), -32602);
    assert_eq!(call(json!({"name": "report"})), Value::Null);
    assert_eq!(call(json!({"name": "secret", "task": {}})), -32602, "what is hidden is unknown");
    // Older clients do not support tasks.
    let older = Caller::legacy(&world, "2025-06-18", None);
    assert!(older.ask("tools/call", json!({"name": "report", "task": {}}))["result"]["content"].is_array());
    assert_eq!(older.ask("tasks/list", json!({}))["error"]["code"], -32601);
}

#[test]
fn an_error_of_the_tool_has_failed_in_one_era_and_completed_in_the_other() {
    let (world, store) = world("tasks");
    let (legacy, modern) = (
        Caller::legacy(&world, "2025-11-25", Some("alice-token")),
        Caller::modern(&world, Some("alice-token")),
    );
    let id = legacy.begin("import");
    store.happen("import", done("no", true)).unwrap();
    assert_eq!(legacy.ask("tasks/get", json!({"taskId": id}))["result"]["status"], "failed");
    let got = modern.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(got["result"]["status"], "completed");
    assert_eq!(got["result"]["result"]["isError"], true);
    assert_eq!(legacy.listed(json!({"filter": {"status": ["failed"]}})), [id.as_str()]);
    assert_eq!(modern.listed(json!({"filter": {"status": ["completed"]}})), [id.as_str()]);
    assert!(modern.listed(json!({"filter": {"status": ["failed"]}})).is_empty());
}

/// Every result of the stateless revision has a `resultType`, also that within a task. Sessions do not define it.
#[test]
fn the_result_in_a_task_has_a_type_in_the_stateless_revision() {
    let (world, store) = world("tasks");
    let (legacy, modern) = (
        Caller::legacy(&world, "2025-11-25", Some("alice-token")),
        Caller::modern(&world, Some("alice-token")),
    );
    let local = legacy.begin("import");
    let mut frames =
        frames_of(modern.open("subscriptions/listen", json!({"notifications": {"taskIds": [local]}})));
    next(&world, &mut frames);
    next(&world, &mut frames);
    store.happen("import", done("yes", false)).unwrap();
    let typed = json!({"resultType": "complete", "content": [{"type": "text", "text": "yes"}],
        "_meta": {"vendor/kept": 1}});
    assert_eq!(next(&world, &mut frames)["params"]["result"], typed);
    assert_eq!(modern.ask("tasks/get", json!({"taskId": local}))["result"]["result"], typed);

    let [old, new] = ["far-legacy", "far-modern"].map(|tool| legacy.begin(tool));
    far::become_(1, json!({"status": "completed", "result": {"content": []}}));
    far::become_(2, json!({"status": "completed", "result": {"content": [], "resultType": "complete"}}));
    for id in [&local, &old, &new] {
        let got = modern.ask("tasks/get", json!({"taskId": id}));
        assert_eq!(got["result"]["result"]["resultType"], "complete", "{got}");
        let mut frames = frames_of(legacy.open("tasks/result", json!({"taskId": id})));
        let got = next(&world, &mut frames);
        assert!(got["result"]["content"].is_array() && got["result"]["resultType"].is_null(), "{got}");
    }
}

#[test]
fn what_failed_is_answered_with_its_error() {
    let (world, store) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let id = caller.begin("job");
    store
        .happen("job", Event::Fail(json!({"code": -31000, "message": "broke", "data": [1]}).to_string()))
        .unwrap();
    let mut frames = frames_of(caller.open("tasks/result", json!({"taskId": id})));
    assert_eq!(next(&world, &mut frames)["error"], json!({"code": -31000, "message": "broke", "data": [1]}));
}

#[test]
fn a_task_asks_its_client_on_the_stream_that_waits_for_it() {
    let (world, store) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let id = caller.begin("import");
    store.happen("import", ask(&["who"])).unwrap();
    assert_eq!(caller.ask("tasks/get", json!({"taskId": id}))["result"]["status"], "input_required");
    let mut frames = frames_of(caller.open("tasks/result", json!({"taskId": id})));
    let question = next(&world, &mut frames);
    assert_eq!(question["params"], json!({"message": "Who?", "_meta": {RELATED: {"taskId": id}}}));
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}});
    send_as(
        &world,
        None,
        &request(Method::POST, &[("mcp-session-id", caller.session.as_deref().unwrap())], &answer),
    );
    let told = || caller.ask("tasks/get", json!({"taskId": id}))["result"]["status"].clone();
    world.settle(std::future::pending::<()>());
    assert_eq!(told(), "working");
    store.happen("import", done("imported", false)).unwrap();
    assert_eq!(next(&world, &mut frames)["result"]["content"][0]["text"], "imported");
    assert_eq!(store.happen("import", ask(&["who"])), Err(Refusal::Ended));
}

/// Opens `tasks/result` of a task that asks its client, and reads the first question.
fn waiting(world: &World, caller: &Caller<'_>, id: &str) -> (Frames, Value) {
    let mut frames = frames_of(caller.open("tasks/result", json!({"taskId": id})));
    let question = next(world, &mut frames);
    (frames, question)
}

/// Sends the client's response to a question.
fn respond(world: &World, caller: &Caller<'_>, question: &Value, response: Value) {
    let mut message = json!({"jsonrpc": "2.0", "id": question["id"]});
    message.as_object_mut().unwrap().extend(response.as_object().unwrap().clone());
    let headers = [("mcp-session-id", caller.session.as_deref().unwrap())];
    send_as(world, caller.token, &request(Method::POST, &headers, &message));
    world.settle(std::future::pending::<()>());
}

#[test]
fn a_wait_for_an_answer_ends_with_the_task() {
    let begun = || {
        let (world, store) = world("tasks");
        let world: &'static World = Box::leak(Box::new(world));
        let caller = Caller::legacy(world, "2025-11-25", Some("alice-token"));
        let id = caller.begin("import");
        store.happen("import", ask(&["who"])).unwrap();
        let (frames, _) = waiting(world, &caller, &id);
        (world, store, caller, id, frames)
    };
    let (world, _, caller, id, mut frames) = begun();
    caller.ask("tasks/cancel", json!({"taskId": id}));
    assert_eq!(next(world, &mut frames)["error"]["code"], -32602, "cancelled elsewhere");

    let (world, store, _, id, mut frames) = begun();
    let modern = Caller::modern(world, Some("alice-token"));
    modern.ask("tasks/update", json!({"taskId": id, "inputResponses": {"who": {"action": "accept"}}}));
    store.happen("import", done("imported", false)).unwrap();
    assert_eq!(next(world, &mut frames)["result"]["content"][0]["text"], "imported", "answered elsewhere");

    let (world, _, _, id, mut frames) = begun();
    world.settle(std::future::pending::<()>());
    world.pass(60_000);
    let error = next(world, &mut frames)["error"].clone();
    assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!(format!("Unknown task: {id}"))));
}

/// A question is sent once, whatever else changes meanwhile.
#[test]
fn each_answer_is_applied_as_it_comes() {
    let (world, store) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let id = caller.begin("import");
    store.happen("import", ask(&["who", "whom"])).unwrap();
    let (mut frames, first) = waiting(&world, &caller, &id);
    let second = next(&world, &mut frames);
    store.happen("import", Event::Progress(Some("half".to_owned()))).unwrap();
    respond(&world, &caller, &second, json!({"result": {"action": "accept"}}));
    // Of two responses, the first counts.
    respond(&world, &caller, &second, json!({"result": {"action": "decline"}}));
    let answers = || -> Vec<Option<String>> {
        store.named("import").questions.iter().map(|question| question.answer.clone()).collect()
    };
    assert_eq!(answers(), [None, Some(r#"{"action":"accept"}"#.to_owned())]);
    respond(&world, &caller, &first, json!({"error": {"code": -1, "message": "no"}}));
    assert_eq!(answers()[0].as_deref(), Some(r#"{"action":"cancel"}"#), "a refused elicitation is cancelled");
    store.happen("import", done("imported", false)).unwrap();
    assert_eq!(next(&world, &mut frames)["result"]["content"][0]["text"], "imported");
}

/// Only an elicitation can be cancelled. The task still waits, so the client may try again.
#[test]
fn a_refused_request_of_another_kind_ends_the_wait_with_the_refusal() {
    let (world, store) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let id = caller.begin("import");
    let roots = json!({"method": "roots/list", "params": {}}).to_string();
    store.happen("import", Event::Ask(vec![("roots".to_owned(), roots)])).unwrap();
    let (mut frames, question) = waiting(&world, &caller, &id);
    assert_eq!(question["method"], "roots/list");
    respond(&world, &caller, &question, json!({"error": {"code": -31005, "message": "private"}}));
    let error = next(&world, &mut frames)["error"].clone();
    assert_eq!((&error["code"], &error["message"]), (&json!(-31005), &json!("private")));
    assert_eq!(caller.ask("tasks/get", json!({"taskId": id}))["result"]["status"], "input_required");
}

#[test]
fn cancelling_is_final_there_and_idempotent_here() {
    let (world, store) = world("tasks");
    let (legacy, modern) = (
        Caller::legacy(&world, "2025-11-25", Some("alice-token")),
        Caller::modern(&world, Some("alice-token")),
    );
    let id = legacy.begin("report");
    assert_eq!(legacy.ask("tasks/cancel", json!({"taskId": id}))["result"]["status"], "cancelled");
    assert_eq!(legacy.ask("tasks/cancel", json!({"taskId": id}))["error"]["code"], -32602);
    let again = modern.ask("tasks/cancel", json!({"taskId": id}));
    assert_eq!(again["result"]["resultType"], "complete");
    assert_eq!(store.happen("report", done("late", false)), Err(Refusal::Ended));
    let mut frames = frames_of(legacy.open("tasks/result", json!({"taskId": id})));
    assert_eq!(next(&world, &mut frames)["error"]["code"], -32602);
}

#[test]
fn the_extension_is_for_clients_that_declare_it() {
    let (world, store) = world("tasks");
    let caller = Caller::modern(&world, None);
    let begun = caller.ask("tools/call", json!({"name": "import"}));
    let id = begun["result"]["taskId"].as_str().unwrap().to_owned();
    assert_eq!(begun["result"]["resultType"], "task");
    assert_eq!(begun["result"]["ttlMs"], 604_800_000);
    assert_eq!(begun["result"]["pollIntervalMs"], 500);
    let plain = |method: &str, params: Value| {
        let mut sent = modern(method, params.clone(), &json!({}));
        if let Some(id) = params["taskId"].as_str() {
            sent.headers_mut().insert("mcp-name", id.parse().unwrap());
        }
        send_as(&world, None, &sent)
    };
    for method in ["tasks/get", "tasks/update", "tasks/cancel", "dev.mcpsieve/tasks/query"] {
        let (head, body) = plain(method, json!({"taskId": id}));
        let error = &json_of(body)["error"];
        assert_eq!((head.status.as_u16(), &error["code"]), (400, &json!(-32021)), "{method}");
        assert_eq!(error["data"], json!({"requiredCapabilities": {"extensions": {EXTENSION: {}}}}));
    }
    assert_eq!(json_of(plain("tools/call", json!({"name": "job"})).1)["error"]["code"], -32021);
    assert!(
        json_of(plain("tools/call", json!({"name": "report", "task": {}})).1)["result"]["content"].is_array()
    );
    for method in ["tasks/list", "tasks/result"] {
        let (head, body) = plain(method, json!({"taskId": id}));
        assert_eq!(
            (head.status.as_u16(), &json_of(body)["error"]["code"]),
            (404, &json!(-32601)),
            "T-37: {method}"
        );
    }

    store.happen("import", ask(&["a", "b"])).unwrap();
    let got = caller.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(got["result"]["inputRequests"]["a"]["method"], "elicitation/create");
    let answered = json!({"taskId": id, "inputResponses": {"a": {"action": "accept"}, "z": {}}});
    assert!(caller.ask("tasks/update", answered)["result"]["status"].is_null());
    let got = caller.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(got["result"]["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), ["b"]);
    assert_eq!(got["result"]["status"], "input_required");
    caller.ask(
        "tasks/update",
        json!({"taskId": id, "inputResponses": {"a": {"action": "decline"}, "b": {"action": "accept"}}}),
    );
    let got = caller.ask("tasks/get", json!({"taskId": id}));
    assert_eq!(
        (&got["result"]["status"], &got["result"]["inputRequests"]),
        (&json!("working"), &Value::Null)
    );
    let kept = store.tasks.borrow().values().next().unwrap().questions.clone();
    assert_eq!(kept[0].answer.as_deref(), Some(r#"{"action":"accept"}"#));
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let unknown = caller.ask(method, json!({"taskId": "nobody", "inputResponses": {}}));
        assert_eq!(unknown["error"]["code"], -32602, "{method}");
    }
    assert_eq!(
        caller.ask("tasks/update", json!({"taskId": id, "inputResponses": {"a": 1}}))["error"]["code"],
        -32602
    );
    // The header must name the task of the request.
    let mut sent = modern("tasks/get", json!({"taskId": id}), &json!({"extensions": {EXTENSION: {}}}));
    sent.headers_mut().insert("mcp-name", "another".parse().unwrap());
    assert_eq!(json_of(send_as(&world, None, &sent).1)["error"]["code"], -32020);
}

#[test]
fn nobody_reads_the_tasks_of_others() {
    let (world, _) = world("tasks");
    let tokens = [None, Some("alice-token"), Some("bob-token")];
    let sessions: Vec<_> =
        tokens.iter().chain([&None]).map(|token| Caller::legacy(&world, "2025-11-25", *token)).collect();
    let begun: Vec<String> = sessions.iter().map(|caller| caller.begin("report")).collect();
    for (at, caller) in sessions.iter().enumerate() {
        assert_eq!(caller.listed(json!({})), [begun[at].as_str()], "T-19");
        for (other, id) in begun.iter().enumerate() {
            let got = caller.ask("tasks/get", json!({"taskId": id}));
            assert_eq!(got["error"]["code"] == -32602, at != other, "{got}");
            assert_eq!(caller.listed(json!({"taskIds": [id]})).len(), usize::from(at == other), "T-24");
            if at != other {
                assert_eq!(caller.ask("tasks/cancel", json!({"taskId": id}))["error"]["code"], -32602);
            }
        }
    }
    // A token identifies the same caller in every session and era.
    let alice = Caller::modern(&world, Some("alice-token"));
    assert_eq!(alice.listed(json!({})), [begun[1].as_str()]);
    let stranger = Caller::modern(&world, None);
    let refused = stranger.list(json!({}));
    assert_eq!(refused["error"]["data"]["reason"], "task_ids_required");
    let own = stranger.begin("report");
    assert_eq!(stranger.listed(json!({"filter": {"taskIds": [own, begun[0], begun[1]]}})), [own]);
}

#[test]
fn a_task_of_what_is_hidden_is_neither_listed_nor_got() {
    let (world, _) = world("tasks");
    let mut caller = Caller::legacy(&world, "2025-11-25", None);
    caller.member = true;
    let id = caller.begin("secret");
    assert_eq!(caller.listed(json!({})), [id.as_str()]);
    caller.member = false;
    assert!(caller.listed(json!({})).is_empty(), "T-35");
    assert!(caller.listed(json!({"filter": {"taskIds": [id]}})).is_empty(), "T-35");
    let words = |id: &str| {
        caller.ask("tasks/get", json!({"taskId": id}))["error"]["message"].as_str().unwrap().replace(id, "ID")
    };
    assert_eq!(words(&id), words("AAAAAAAAAAAAAAAAAAAAAA"));
}

/// T-35 in the stateless revision.
#[test]
fn a_task_of_what_is_hidden_is_hidden_without_a_session_too() {
    let (world, _) = world("tasks");
    let mut caller = Caller::modern(&world, Some("alice-token"));
    caller.member = true;
    let id = caller.begin("secret");
    assert_eq!(caller.listed(json!({})), [id.as_str()]);
    caller.member = false;
    assert!(caller.listed(json!({})).is_empty());
    assert!(caller.listed(json!({"filter": {"taskIds": [id]}})).is_empty());
    let words = |id: &str| {
        caller.ask("tasks/get", json!({"taskId": id}))["error"]["message"].as_str().unwrap().replace(id, "ID")
    };
    assert_eq!(words(&id), words("AAAAAAAAAAAAAAAAAAAAAA"));
}

/// T-34, and T-27, in the stateless revision: concerns come with each request, by each of its channels.
#[test]
fn a_stateless_list_of_tasks_is_filtered_by_the_concerns_of_its_request() {
    let (world, _) = world("concern-tasks");
    let caller = Caller::modern(&world, Some("alice-token"));
    let [report, import, job] = ["report", "import", "job"].map(|tool| {
        world.pass(1_000);
        caller.begin(tool)
    });
    assert_eq!(caller.listed(json!({})), [&*job, &import, &report]);
    let (low, high) = ([&*job, &report], [&*job, &import]);
    assert_eq!(caller.listed(json!({"filter": {"concerns": {"cost": "low"}}})), low);
    assert_eq!(caller.listed(json!({"_meta": {"concerns": {"cost": "high"}}})), high);
    let updated = caller.ask("updateConcerns", json!({"concerns": {"cost": "high"}}));
    let reference = &updated["result"]["concernsRef"];
    assert!(reference.is_string(), "{updated}");
    assert_eq!(caller.listed(json!({"filter": {"concernsRef": reference}})), high);
    assert_eq!(caller.listed(json!({})), [&*job, &import, &report], "no request changes the next");
    let late = caller.list(json!({"filter": {"createdAfter": "yesterday"}}));
    let malformed = json!({"reason": "time_format", "field": "filter.createdAfter"});
    assert_eq!((&late["error"]["code"], &late["error"]["data"]), (&json!(-32602), &malformed));
}

/// The policy shows the tool to calls alone. A caller that may make a call may follow its task.
#[test]
fn a_task_is_shown_to_callers_that_may_call_its_tool() {
    let (world, _) = world("called-tasks");
    let legacy = Caller::legacy(&world, "2025-11-25", None);
    let id = legacy.begin("report");
    assert_eq!(legacy.listed(json!({})), [id.as_str()]);
    assert_eq!(legacy.ask("tasks/cancel", json!({"taskId": id}))["result"]["status"], "cancelled");

    let modern = Caller::modern(&world, None);
    let id = modern.begin("report");
    assert_eq!(modern.listed(json!({"filter": {"taskIds": [id]}})), [id.as_str()]);
    let selectors = json!({"notifications": {"taskIds": [id]}});
    let mut frames = frames_of(modern.open("subscriptions/listen", selectors));
    assert_eq!(next(&world, &mut frames)["params"]["notifications"], json!({"taskIds": [id]}));

    let (world, store) = self::world("called-tasks");
    let client = Client::of(world.clone(), "2025-11-25", &json!({}));
    let mut feed = client.get(None);
    client.next(&mut feed).unwrap();
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "report", "task": {}}});
    client.post(&call);
    drop(world.settle(async { futures_util::StreamExt::next(&mut feed).await }));
    store.happen("report", Event::Progress(Some("half".to_owned()))).unwrap();
    assert_eq!(next(&world, &mut feed)["params"]["statusMessage"], "half");
}

/// T-21: a client filters the tasks of its server. `tests/wrap-tasks.test.mjs` tests the other direction.
#[test]
fn lists_are_filtered_as_asked_in_pages_that_belong_together() {
    let (world, store) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let mut begun = Vec::new();
    for tool in ["report", "import", "report", "import", "report"] {
        begun.push(caller.begin(tool));
        world.pass(1_000);
    }
    let newest: Vec<String> = begun.iter().rev().cloned().collect();
    let all = |filter: Value| {
        let (mut found, mut cursor) = (Vec::new(), None::<String>);
        loop {
            let mut params = filter.clone();
            cursor.iter().for_each(|cursor| params["cursor"] = json!(cursor));
            let page = caller.list(params);
            let listed = ids(&page);
            assert!(listed.len() <= 2);
            found.extend(listed);
            match page["result"]["nextCursor"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => return found,
            }
        }
    };
    assert_eq!(all(json!({})), newest, "T-18");
    // T-23: a client without task filters receives the whole list, and no report of a filter.
    let whole = caller.list(json!({}));
    assert_eq!(ids(&whole), newest[..2]);
    let rest = caller.list(json!({"cursor": whole["result"]["nextCursor"]}));
    assert_eq!((ids(&rest), &rest["result"]["_meta"]), (newest[2..4].to_vec(), &Value::Null));
    assert_eq!(all(json!({"orderBy": "createdAt", "order": "asc"})), begun);
    let at = |second: u32| format!("2027-01-15T09:00:0{second}+01:00");
    assert_eq!(all(json!({"filter": {"createdAfter": at(1), "order": "asc"}})), begun[2..]);
    assert_eq!(all(json!({"filter": {"createdAfter": at(1), "createdBefore": at(3)}})), begun[2..3]);
    assert!(all(json!({"filter": {"createdAfter": at(3), "createdBefore": at(1)}})).is_empty(), "T-29");
    assert_eq!(
        all(json!({"filter": {"concerns": {"cost": "high"}}})),
        [begun[3].as_str(), &begun[1]],
        "T-34"
    );
    assert_eq!(
        all(json!({"filter": {"where": "group:office createdAt<2027-01-15T08:00:01Z"}})),
        [begun[0].as_str()]
    );
    assert_eq!(all(json!({"filter": {"methods": ["tools/call", "x"], "status": []}})), newest, "T-26");
    assert!(all(json!({"filter": {"methods": ["prompts/get"]}})).is_empty(), "T-25");
    assert!(all(json!({"filter": {"status": ["sleeping"]}})).is_empty(), "T-25");

    // A task that changes meanwhile counts as new, and is on no later page.
    let first = caller.list(json!({"order": "asc"}));
    assert_eq!(ids(&first), begun[..2]);
    let cursor = first["result"]["nextCursor"].clone();
    world.pass(1_000);
    progress(&world, &store, &begun[2]);
    assert_eq!(ids(&caller.list(json!({"order": "asc", "cursor": cursor}))), begun[3..]);
    // T-31: a cursor belongs to its order and its filter.
    let filtered = json!({"order": "asc", "filter": {"methods": ["tools/call"]}, "cursor": cursor});
    for other in [json!({"order": "desc", "cursor": cursor}), filtered] {
        let reply = caller.list(other.clone());
        assert_eq!(reply["error"]["data"]["reason"], "cursor_filter_mismatch", "{other}");
    }
    assert_eq!(ids(&caller.list(json!({})))[0], begun[2], "T-38: the latest change first");
    let spoilt = caller.list(json!({"cursor": "x"}));
    assert_eq!(spoilt["error"]["data"]["reason"], "invalid_cursor");
    let twice = caller.list(json!({"order": "asc", "filter": {"order": "desc"}}));
    assert_eq!(twice["error"]["data"]["reason"], "filter_type", "T-20");
    assert_eq!(caller.list(json!({"order": "asc", "filter": {"order": "asc"}}))["error"], Value::Null);
    let late = caller.list(json!({"filter": {"createdAfter": "yesterday"}}));
    let malformed = json!({"reason": "time_format", "field": "filter.createdAfter"});
    assert_eq!((&late["error"]["code"], &late["error"]["data"]), (&json!(-32602), &malformed), "T-27");
}

/// C-55: concerns are declared at initialization, and both lists are filtered by the session's concerns, with values
/// from an internal mapping (`plain`) and from `_meta.concerns` (`report`, `import`). C-43: `tasks/list` as well.
#[test]
fn a_session_filters_tools_and_tasks_by_its_concerns() {
    let (world, _) = world("concern-tasks");
    let mut caller = Caller::modern(&world, None);
    let post = |caller: &Caller<'_>, message: &Value| {
        let session: Vec<(&str, &str)> =
            caller.session.iter().map(|session| ("mcp-session-id", session.as_str())).collect();
        send_as(&world, None, &request(Method::POST, &session, message))
    };
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let (head, body) = post(&caller, &initialize);
    let declared = json!([{"name": "cost", "values": ["low", "high"]}]);
    assert_eq!(json_of(body)["result"]["capabilities"]["concerns"], declared);
    caller.session = Some(head.headers["mcp-session-id"].to_str().unwrap().to_owned());

    let tools = |caller: &Caller<'_>| -> Vec<String> {
        let reply = caller.ask("tools/list", json!({}));
        let tools = reply["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let everything = tools(&caller);
    let without = |left_out: &[&str]| -> Vec<String> {
        everything.iter().filter(|name| !left_out.contains(&name.as_str())).cloned().collect()
    };
    let [report, import, plain, job] = ["report", "import", "plain", "job"].map(|tool| {
        world.pass(1_000);
        caller.begin(tool)
    });
    assert_eq!(caller.listed(json!({})), [&*job, &plain, &import, &report]);

    let configured = json!({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {"concerns": {"cost": "low"}}});
    post(&caller, &configured);
    assert_eq!(tools(&caller), without(&["import", "plain"]));
    assert_eq!(caller.listed(json!({})), [&*job, &report]);

    caller.ask("updateConcerns", json!({"concerns": {"cost": "high"}}));
    assert_eq!(tools(&caller), without(&["report"]));
    assert_eq!(caller.listed(json!({})), [&*job, &plain, &import]);
    assert_eq!(
        caller.listed(json!({"filter": {"concerns": {"cost": null}}})),
        [&*job, &plain, &import, &report]
    );
}

/// The concerns of a URL apply to tasks as to any other list, and its other fields do not.
#[test]
fn the_concerns_of_a_url_narrow_lists_of_tasks() {
    let (world, _) = world("concern-tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let [report, import, plain, job] = ["report", "import", "plain", "job"].map(|tool| {
        world.pass(1_000);
        caller.begin(tool)
    });
    let session = caller.session.clone().unwrap();
    let listed = |query: &str, params: Value| {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tasks/list", "params": params});
        let mut sent = request(Method::POST, &[("mcp-session-id", &session)], &body);
        *sent.uri_mut() = format!("http://127.0.0.1/mcp?{query}").parse().unwrap();
        ids(&json_of(send_as(&world, None, &sent).1))
    };
    assert_eq!(listed("concern.cost=low", json!({})), [&*job, &report]);
    assert_eq!(listed("concern.cost=high", json!({})), [&*job, &plain, &import]);
    assert_eq!(listed("concern.cost=high", json!({"filter": {"concerns": {"cost": "low"}}})), [&*job]);
    assert_eq!(listed("groups=none&tags=none", json!({})), [&*job, &plain, &import, &report]);
}

/// T-36: a condition that must read tasks reads a limited number per page, and the next page continues after them.
#[test]
fn a_page_reads_a_limited_number_of_tasks() {
    let (world, store) = world("concern-tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let id = caller.begin("report");
    let ((owner, _), task) =
        store.tasks.borrow().first_key_value().map(|(key, task)| (key.clone(), task.clone())).unwrap();
    let copies = (0..MAX_LOOKED + 500).map(|at| {
        let id = format!("copy-{at:05}");
        ((owner.clone(), id.clone()), Task { id, created: task.created - at as u64 - 1, ..task.clone() })
    });
    store.tasks.borrow_mut().extend(copies);
    // Only the oldest task matches the filter.
    let oldest = store.tasks.borrow().values().min_by_key(|task| task.created).cloned().unwrap();
    store.tasks.borrow_mut().get_mut(&(owner, oldest.id.clone())).unwrap().name = "plain".to_owned();
    let filter = json!({"where": "name:plain", "orderBy": "createdAt"});
    let first = caller.list(json!({"filter": filter}));
    assert_eq!(ids(&first), [] as [&str; 0], "{id} is none of them");
    let next = first["result"]["nextCursor"].clone();
    assert!(next.is_string(), "{first}");
    let second = caller.list(json!({"filter": filter, "cursor": next}));
    assert_eq!((ids(&second), second["result"].get("nextCursor")), (vec![oldest.id], None));
}

#[test]
fn what_is_served_is_what_is_advertised() {
    let (world, store) = world("few-criteria");
    let capabilities = |world: &World| {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        json_of(send_as(world, None, &request(Method::POST, &[], &body)).1)["result"]["capabilities"].clone()
    };
    let filter = json!({"status": true, "createdAt": {"before": true}, "order": {"by": ["createdAt"], "direction": []}});
    let calls = json!({"tools": {"call": {}}});
    assert_eq!(
        capabilities(&world)["tasks"],
        json!({"list": {"filter": filter}, "cancel": {}, "requests": calls})
    );
    let caller = Caller::legacy(&world, "2025-11-25", None);
    // The task that was created first is the one that was updated last.
    let begun = [caller.begin("report"), {
        world.pass(1_000);
        caller.begin("import")
    }];
    world.pass(1_000);
    progress(&world, &store, &begun[0]);
    let asked = json!({"taskIds": [begun[0]], "createdAfter": "2030-01-01", "order": "asc", "orderBy": "lastUpdatedAt",
        "methods": ["x"], "status": ["working"]});
    let reply = caller.list(json!({"filter": asked}));
    assert_eq!(ids(&reply), begun, "{reply}");
    let newest_first = [&begun[1], &begun[0]];
    for (criteria, expected) in [
        (json!({}), begun.each_ref()),
        (json!({"order": "asc"}), begun.each_ref()),
        (json!({"orderBy": "lastUpdatedAt", "order": "asc"}), begun.each_ref()),
        (json!({"orderBy": "createdAt"}), newest_first),
        (json!({"orderBy": "createdAt", "order": "asc"}), newest_first),
    ] {
        let listed = caller.listed(json!({"filter": criteria}));
        assert_eq!(listed.iter().collect::<Vec<_>>(), expected, "T-33: {criteria}");
    }
    let ignored = &reply["result"]["_meta"]["dev.mcpsieve/filter"]["ignored"];
    let fields: Vec<_> =
        ignored.as_array().unwrap().iter().map(|part| part["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["methods", "taskIds", "createdAfter", "orderBy", "order"]);
    let whole = World::named("tasks");
    whole.store.replace(None);
    assert_eq!(capabilities(&whole)["tasks"], Value::Null, "T-3: no tasks, no capability");
    whole.store.replace(Some(Rc::default()));
    let both = json!({"before": true, "after": true});
    let order = json!({"by": ["createdAt", "lastUpdatedAt"], "direction": ["asc", "desc"]});
    assert_eq!(
        capabilities(&whole)["tasks"]["list"]["filter"],
        json!({"methods": ["tools/call"], "taskIds": true,
        "status": true, "createdAt": both, "lastUpdatedAt": both, "order": order}),
        "T-1, T-3"
    );
    let found = Caller::modern(&whole, None).ask("server/discover", json!({}));
    let capabilities = &found["result"]["capabilities"];
    assert_eq!((&capabilities["tasks"], &capabilities["extensions"][EXTENSION]), (&Value::Null, &json!({})));
    assert_eq!(capabilities["extensions"]["dev.mcpsieve/tasks"]["method"], "dev.mcpsieve/tasks/query");
}

/// T-5: each criterion is declared, or missing or `false`, by itself, and is applied exactly if it is declared. T-6: one
/// that is not declared is ignored and reported, and the others still apply.
#[test]
fn each_criterion_is_supported_by_itself() {
    const BEGIN: &str = "2027-01-15T08:00:00Z";
    const SECOND: &str = "2027-01-15T08:00:01Z";
    const LAST: &str = "2027-01-15T08:00:02Z";
    let sides = json!({"before": true, "after": true});
    let all = json!({"methods": ["tools/call"], "taskIds": true, "status": true, "createdAt": sides,
        "lastUpdatedAt": sides, "order": {"by": ["createdAt", "lastUpdatedAt"], "direction": ["asc", "desc"]}});
    // Two tasks: `first` is created before `second`, and completed after that.
    let begin = |support: &Value| {
        let worlds: Value = serde_json::from_str(include_str!("../fixtures/protocol-worlds.json")).unwrap();
        let config = serde_json::Map::from_iter([("tasks".to_owned(), json!({"filter": support}))]);
        let (world, store) =
            (World::listing(worlds["tasks"]["lists"].clone(), config), Rc::<Store>::default());
        world.store.replace(Some(Rc::clone(&store)));
        let caller = Caller::legacy(&world, "2025-11-25", None);
        let first = caller.begin("report");
        world.pass(1_000);
        let second = caller.begin("import");
        world.pass(1_000);
        store.clock.set(world.clock.get());
        store.happen("report", done("done", false)).unwrap();
        let session = caller.session.clone();
        (world, session, first, second)
    };
    // The path of the flag, the criterion, and the tasks that it selects, by their numbers.
    let criteria: [(&str, &str, Value, &[usize]); 9] = [
        ("/methods", "methods", json!(["x"]), &[]),
        ("/taskIds", "taskIds", Value::Null, &[0]),
        ("/status", "status", json!(["working"]), &[1]),
        ("/createdAt/before", "createdBefore", json!(SECOND), &[0]),
        ("/createdAt/after", "createdAfter", json!(BEGIN), &[1]),
        ("/lastUpdatedAt/before", "lastUpdatedBefore", json!(LAST), &[1]),
        ("/lastUpdatedAt/after", "lastUpdatedAfter", json!(SECOND), &[0]),
        ("/order/by", "orderBy", json!("createdAt"), &[1, 0]),
        ("/order/direction", "order", json!("asc"), &[1, 0]),
    ];
    for (path, criterion, value, selected) in criteria {
        let flag = all.pointer(path).unwrap();
        let (parent, key) = path.rsplit_once('/').unwrap();
        let mut supports = vec![(all.clone(), true)];
        let mut only = json!({});
        match parent {
            "" => only[key] = flag.clone(),
            parent => only[&parent[1..]] = json!({key: flag}),
        }
        supports.push((only, true));
        let mut without = all.clone();
        without.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key);
        supports.push((without.clone(), false));
        if flag == true {
            without.pointer_mut(parent).unwrap()[key] = json!(false);
            supports.push((without, false));
        }
        for (support, supported) in supports {
            let (world, session, first, second) = begin(&support);
            let caller = Caller { world: &world, token: None, session, member: false };
            let value = if value.is_null() { json!([first]) } else { value.clone() };
            let tasks = [&first, &second];
            let listed = |filter: Value| {
                let reply = caller.list(json!({ "filter": filter }));
                let ignored = reply["result"]["_meta"]["dev.mcpsieve/filter"]["ignored"].clone();
                let fields: Vec<String> =
                    ignored.as_array().unwrap().iter().map(|part| part["field"].to_string()).collect();
                let places =
                    ids(&reply).iter().map(|id| tasks.iter().position(|task| *task == id).unwrap()).collect();
                (places, fields.join(" "))
            };
            let (found, ignored): (Vec<usize>, String) = listed(json!({criterion: value}));
            if supported {
                assert_eq!(found, selected, "{criterion} {support}");
                assert!(!ignored.contains(&format!("\"{criterion}\"")), "{criterion} {support}: {ignored}");
                continue;
            }
            assert_eq!((found, ignored), (vec![0, 1], format!("\"{criterion}\"")), "{criterion} {support}");
            let (rest, kept) = if criterion == "taskIds" {
                (json!({"taskIds": value, "status": ["working"]}), 1)
            } else {
                (json!({criterion: value, "taskIds": [second]}), 1)
            };
            assert_eq!(listed(rest).0, [kept], "T-6: the rest applies without {criterion}");
        }
    }
}

/// T-32: of several methods, those that the capability does not list select nothing and are reported.
#[test]
fn the_capability_limits_the_methods_of_a_filter() {
    let (world, _) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let begun = caller.begin("report");
    let listed = |methods: Value| {
        let reply = caller.list(json!({"filter": {"methods": methods}}));
        let report = &reply["result"]["_meta"]["dev.mcpsieve/filter"];
        (ids(&reply), report["applied"]["methods"].clone(), report["ignored"].clone())
    };
    let not_served = |field: &str| json!([{"field": field, "reason": "not served"}]);
    let calls = json!(["tools/call"]);
    assert_eq!(listed(json!(["tools/call"])), (vec![begun.clone()], calls.clone(), json!([])));
    assert_eq!(listed(json!(["tools/call", "prompts/get"])), (vec![begun], calls, not_served("methods[1]")));
    assert_eq!(listed(json!(["prompts/get"])), (vec![], Value::Null, not_served("methods[0]")));
}

#[test]
fn changes_are_told_on_a_subscription_and_on_the_stream_of_a_session() {
    let (world, store) = world("tasks");
    let caller = Caller::modern(&world, None);
    let id = caller.begin("report");
    let selectors = json!({"notifications": {"taskIds": [id, "nobody"]}});
    let mut frames = frames_of(caller.open("subscriptions/listen", selectors));
    let acknowledged = next(&world, &mut frames);
    assert_eq!(acknowledged["params"]["notifications"], json!({"taskIds": [id]}));
    let told = next(&world, &mut frames);
    assert_eq!(
        (&told["method"], &told["params"]["status"]),
        (&json!("notifications/tasks"), &json!("working"))
    );
    assert_eq!(told["params"]["_meta"], json!({"io.modelcontextprotocol/subscriptionId": 0}));
    store.happen("report", done("told", false)).unwrap();
    let told = next(&world, &mut frames);
    assert_eq!((&told["params"]["status"], &told["params"]["taskId"]), (&json!("completed"), &json!(id)));
    assert_eq!(told["params"]["result"]["content"][0]["text"], "told");

    let client = Client::of(world.clone(), "2025-11-25", &json!({}));
    let mut feed = client.get(None);
    assert_eq!(client.next(&mut feed).unwrap().data, None, "the first event only has an id");
    client.post(
        &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "import", "task": {}}}),
    );
    drop(world.settle(async { futures_util::StreamExt::next(&mut feed).await }));
    store.happen("import", Event::Progress(Some("half".to_owned()))).unwrap();
    let told = next(&world, &mut feed);
    assert_eq!(told["method"], "notifications/tasks/status");
    assert_eq!(
        (&told["params"]["statusMessage"], &told["params"]["status"]),
        (&json!("half"), &json!("working"))
    );
}

#[test]
fn what_has_expired_is_gone() {
    let (world, _) = world("tasks");
    let caller = Caller::legacy(&world, "2025-11-25", None);
    let id = caller.begin("report");
    world.pass(59_999);
    assert_eq!(caller.listed(json!({})), [id.as_str()]);
    world.pass(1);
    assert!(caller.listed(json!({})).is_empty());
    assert_eq!(caller.ask("tasks/get", json!({"taskId": id}))["error"]["code"], -32602);
}

#[test]
fn tasks_of_a_server_behind_are_read_under_names_of_ours() {
    let (world, _) = world("tasks");
    let tokens = [Some("alice-token"), Some("bob-token")];
    let [alice, bob] = tokens.map(|token| Caller::legacy(&world, "2025-11-25", token));
    let (first, second) = (alice.begin("far-legacy"), bob.begin("far-legacy"));
    assert!(![&first, &second].iter().any(|id| id.starts_with("far")));
    assert_eq!(bob.ask("tasks/get", json!({"taskId": first}))["error"]["code"], -32602);
    assert_eq!(alice.ask("tasks/get", json!({"taskId": "far-2"}))["error"]["code"], -32602);
    assert_eq!(alice.ask("tasks/get", json!({"taskId": first}))["result"]["status"], "working");
    assert_eq!((alice.listed(json!({})), bob.listed(json!({}))), (vec![first.clone()], vec![second.clone()]));

    // The gateway filters the server's tasks, whether or not the server filters them.
    far::become_(1, json!({"status": "completed", "result": {"content": [], "structuredContent": {"n": 1}}}));
    far::become_(2, json!({"status": "failed", "error": {"code": -31000, "message": "broke"}}));
    assert_eq!(alice.listed(json!({"filter": {"status": ["completed"]}})), [first.as_str()]);
    assert!(bob.listed(json!({"filter": {"status": ["completed", "working"]}})).is_empty());
    let mut frames = frames_of(alice.open("tasks/result", json!({"taskId": first})));
    let expected =
        json!({"content": [], "structuredContent": {"n": 1}, "_meta": {RELATED: {"taskId": first}}});
    assert_eq!(next(&world, &mut frames)["result"], expected);
    let modern = Caller::modern(&world, Some("alice-token"));
    let got = modern.ask("tasks/get", json!({"taskId": first}));
    assert_eq!(got["result"]["result"]["structuredContent"], json!({"n": 1}));
    assert!(!got.to_string().contains("far-1"), "{got}");
    let mut frames = frames_of(bob.open("tasks/result", json!({"taskId": second})));
    assert_eq!(next(&world, &mut frames)["error"]["code"], -31000);
    let third = alice.begin("far-legacy");
    assert_eq!(alice.ask("tasks/cancel", json!({"taskId": third}))["result"]["status"], "cancelled");
    assert!(far::ASKED.with_borrow(|asked| asked.contains(&r#"tasks/cancel {"taskId":"far-3"}"#.to_owned())));
    // The server declares no filtering, so it never receives a filter.
    assert!(!far::ASKED.with_borrow(|asked| asked.iter().any(|asked| asked.contains("filter"))));
}

/// Returns whether the server received the cancellation of its task with this number.
fn cancelled_there(number: usize) -> bool {
    let cancelled = format!(r#"tasks/cancel {{"taskId":"far-{number}"}}"#);
    far::ASKED.with_borrow(|asked| asked.contains(&cancelled))
}

#[test]
fn a_task_that_cannot_be_stored_is_cancelled_at_its_server() {
    let (world, store) = world("tasks");
    store.full.set(true);
    let caller = Caller::modern(&world, None);
    for (at, tool) in ["far-modern", "far-legacy"].into_iter().enumerate() {
        let refused = caller.ask("tools/call", json!({"name": tool}));
        assert_eq!(refused["error"]["data"]["reason"], "task_limit", "{tool}");
        assert!(cancelled_there(at + 1), "{tool}");
    }
}

/// A server with sessions asks in `tasks/result`, which clients of the stateless revision do not have.
#[test]
fn a_question_that_a_stateless_client_cannot_get_ends_the_task() {
    let (world, _) = world("tasks");
    let alice = Some("alice-token");
    let (legacy, modern) = (Caller::legacy(&world, "2025-11-25", alice), Caller::modern(&world, alice));
    let ids = [modern.begin("far-legacy"), legacy.begin("far-legacy")];
    [1, 2].into_iter().for_each(|at| far::become_(at, json!({"status": "input_required"})));
    let got = ids.each_ref().map(|id| modern.ask("tasks/get", json!({"taskId": id}))["result"].clone());
    assert_eq!(got[0]["status"], "failed");
    assert_eq!(got[0]["error"]["data"]["reason"], "client_stream");
    assert!(cancelled_there(1));
    // The session that began the other task can answer.
    assert_eq!(got[1]["status"], "input_required");
    assert!(!cancelled_there(2));
}

/// A client could not reach the task of a server that it did not request.
#[test]
fn a_task_that_was_not_requested_is_an_error_and_is_cancelled_at_its_server() {
    let (world, _) = world("tasks");
    let session = Caller::legacy(&world, "2025-11-25", None);
    let mut begun = 0;
    for tool in ["far-legacy", "far-modern"] {
        let params = json!({"name": tool, "arguments": {"unasked": true}});
        let stateless = json_of(send_as(&world, None, &modern("tools/call", params.clone(), &json!({}))).1);
        for answer in [stateless, session.ask("tools/call", params)] {
            if answer["error"]["data"]["reason"] == "task_support" || answer["error"]["code"] == -32021 {
                continue;
            }
            begun += 1;
            assert_eq!(answer["error"]["data"]["reason"], "task_unrequested", "{tool}: {answer}");
            assert!(!answer.to_string().contains("far-1") && cancelled_there(begun), "{tool}");
        }
    }
    assert_eq!(begun, 2);
}

#[test]
fn errors_do_not_name_the_task_of_the_server_behind() {
    let (world, _) = world("tasks");
    let alice = Some("alice-token");
    let (legacy, modern) = (Caller::legacy(&world, "2025-11-25", alice), Caller::modern(&world, alice));
    let id = modern.begin("far-modern");
    far::become_(1, json!({"refusal": -31007}));
    for (caller, method) in [(&modern, "tasks/cancel"), (&legacy, "tasks/cancel"), (&modern, "tasks/update")]
    {
        let refused = caller.ask(method, json!({"taskId": id, "inputResponses": {}}))["error"].clone();
        let message = format!("the upstream server answered `{method}` with an error");
        assert_eq!(refused, json!({"code": -31007, "message": message}));
    }
    // A task that has ended meanwhile cannot be cancelled.
    far::become_(1, json!({"refusal": null, "taskId": "another"}));
    let refused = legacy.ask("tasks/cancel", json!({"taskId": id}))["error"]["message"].clone();
    assert_eq!(refused, format!("Cannot cancel task {id}: it is `failed` already"));
    let got = modern.ask("tasks/get", json!({"taskId": id}))["result"].clone();
    assert_eq!(got["error"]["message"], "the upstream server answered `tasks/get` with an error");
    assert!(!got.to_string().contains("far-1"), "{got}");
}

#[test]
fn the_message_of_a_task_that_ended_at_its_server_is_that_of_the_end() {
    let (world, _) = world("tasks");
    let caller = Caller::modern(&world, Some("alice-token"));
    let ends = [
        (json!({"status": "completed", "result": {"content": []}}), json!(null)),
        (
            json!({"status": "completed", "result": {"content": []}, "statusMessage": "all done"}),
            json!("all done"),
        ),
        (json!({"status": "cancelled"}), json!(null)),
        (json!({"status": "failed", "error": {"code": -31000, "message": "broke"}}), json!("broke")),
    ];
    for (at, (end, message)) in ends.into_iter().enumerate() {
        let id = caller.begin("far-modern");
        let message_of = |state: Value| {
            far::become_(at + 1, state);
            caller.ask("tasks/get", json!({"taskId": id}))["result"]["statusMessage"].clone()
        };
        assert_eq!(message_of(json!({"statusMessage": "half"})), "half");
        far::become_(at + 1, json!({"statusMessage": null}));
        assert_eq!(message_of(end), message, "{at}");
    }
}

#[test]
fn a_server_behind_may_ask_again_and_again_but_not_everything_at_once() {
    let (world, _) = world("tasks");
    let caller = Caller::modern(&world, Some("alice-token"));
    let id = caller.begin("far-modern");
    let ask = |keys: std::ops::Range<usize>| {
        let question = json!({"method": "elicitation/create", "params": {"message": "Who?"}});
        let asked: serde_json::Map<_, _> = keys.map(|at| (format!("q{at}"), question.clone())).collect();
        far::become_(1, json!({"status": "input_required", "inputRequests": asked}));
        caller.ask("tasks/get", json!({"taskId": id}))["result"].clone()
    };
    for at in 0..=MAX_QUESTIONS {
        assert_eq!(ask(at..at + 1)["status"], "input_required", "{at}");
        let answers = json!({format!("q{at}"): {"action": "accept"}});
        caller.ask("tasks/update", json!({"taskId": id, "inputResponses": answers}));
    }
    let got = ask(100..101 + MAX_QUESTIONS);
    assert_eq!(
        (&got["status"], &got["error"]["data"]["reason"]),
        (&json!("failed"), &json!("task_questions"))
    );
    assert!(far::ASKED.with_borrow(|asked| asked.contains(&r#"tasks/cancel {"taskId":"far-1"}"#.to_owned())));
}

/// The state at the server decides which tasks a list holds. A Worker may send a limited number of requests, so a list
/// asks for the newest 300.
#[test]
fn open_tasks_of_servers_behind_are_refreshed_before_a_list() {
    const OPEN: usize = 320;
    let (world, _) = world("tasks");
    let caller = Caller::modern(&world, Some("alice-token"));
    (1..=OPEN).for_each(|at| {
        caller.begin(if at % 2 == 0 { "far-modern" } else { "far-legacy" });
        far::become_(at, json!({"status": "completed", "result": {"content": []}}));
    });
    let polled = || {
        far::ASKED.with_borrow(|asked| asked.iter().filter(|asked| asked.starts_with("tasks/get")).count())
    };
    for expected in [300, OPEN] {
        caller.list(json!({}));
        assert_eq!(polled(), expected);
    }
    let listed = |status: &str| {
        let (mut found, mut params) = (0, json!({"filter": {"status": [status]}}));
        loop {
            let page = caller.list(params.clone());
            found += ids(&page).len();
            match page["result"]["nextCursor"].as_str() {
                Some(next) => params["cursor"] = json!(next),
                None => return found,
            }
        }
    };
    assert_eq!((listed("working"), listed("completed")), (0, OPEN));
}

#[test]
fn a_list_waits_five_seconds_for_servers_behind() {
    let (world, _) = world("tasks");
    let caller = Caller::modern(&world, Some("alice-token"));
    let ids = [caller.begin("far-modern"), caller.begin("far-modern")];
    far::become_(1, json!({"silent": true}));
    far::become_(2, json!({"status": "completed", "result": {"content": []}}));
    let capabilities = json!({"extensions": {EXTENSION: {}}});
    let sent = modern("dev.mcpsieve/tasks/query", json!({}), &capabilities);
    let claims = &world.tokens["alice-token"];
    let mut reply = std::pin::pin!(world.handle(Ok(Some(claims)), &sent));
    for ms in [0, 4_999] {
        world.pass(ms);
        assert!(world.settle(reply.as_mut()).is_none(), "{ms}");
    }
    world.pass(1);
    let listed = json_of(world.run(reply).into_parts().1);
    let status = |id: &String| {
        let tasks = listed["result"]["tasks"].as_array().unwrap();
        tasks.iter().find(|task| task["taskId"] == **id).unwrap()["status"].clone()
    };
    assert_eq!(ids.each_ref().map(status), ["working", "completed"]);
}

/// The server of a task sees as many polls as of one stream.
#[test]
fn streams_of_one_upstream_task_share_its_polls() {
    let (world, _) = world("tasks");
    let caller = Caller::modern(&world, None);
    let id = caller.begin("far-modern");
    let listen = || {
        let selectors = json!({"notifications": {"taskIds": [id]}});
        let mut frames = frames_of(caller.open("subscriptions/listen", selectors));
        next(&world, &mut frames);
        next(&world, &mut frames);
        frames
    };
    let mut streams: Vec<Frames> = (0..5).map(|_| listen()).collect();
    let polls = || {
        far::ASKED.with_borrow(|asked| asked.iter().filter(|asked| asked.starts_with("tasks/get")).count())
    };
    let before = polls();
    let mut step = |ms: u64| {
        world.pass(ms);
        let told = streams.iter_mut().map(|frames| world.settle(futures_util::StreamExt::next(frames)));
        told.flatten().count()
    };
    for (ms, polled) in [(0, 0), (1_000, 1), (1_000, 2), (1_000, 3)] {
        assert_eq!((step(ms), polls() - before), (0, polled));
    }
    far::become_(1, json!({"status": "completed", "result": {"content": []}}));
    assert_eq!((step(1_000), polls() - before), (5, 4), "each is told what one has found");
}

#[test]
fn a_turn_lasts_for_the_pause_whatever_the_clock_does() {
    let turns = PollTurns::default();
    let taken = [(5_000, true), (5_999, false), (6_000, true), (9, true), (10, false), (1_009, true)];
    for (now, expected) in taken {
        assert_eq!(turns.take("task", now, 1_000), expected, "{now}");
    }
    // Beyond the limit no turn is recorded, so that each stream polls.
    (0..20_000).for_each(|at| assert!(turns.take(&format!("task {at}"), 2_000, 1_000)));
    assert!(!turns.take("task 0", 2_500, 1_000));
    assert!(turns.take("task 19999", 2_500, 1_000));
}

#[test]
fn each_era_reads_tasks_of_a_server_of_the_other() {
    let (world, store) = world("tasks");
    let legacy = Caller::legacy(&world, "2025-11-25", Some("alice-token"));
    let modern = Caller::modern(&world, Some("alice-token"));
    // A tool of 2025-11-25 that runs only as a task is called with `task`.
    let there = modern.begin("far-legacy");
    assert_eq!(modern.ask("tasks/get", json!({"taskId": there}))["result"]["status"], "working");
    let here = legacy.begin("far-modern");
    far::become_(
        2,
        json!({"status": "input_required", "inputRequests":
        {"who": {"method": "elicitation/create", "params": {"message": "Who?"}}}}),
    );
    let got = modern.ask("tasks/get", json!({"taskId": here}));
    assert_eq!(got["result"]["inputRequests"]["who"]["params"], json!({"message": "Who?"}));
    modern.ask("tasks/update", json!({"taskId": here, "inputResponses": {"who": {"action": "accept"}}}));
    let told = r#"tasks/update {"inputResponses":{"who":{"action":"accept"}},"taskId":"far-2"}"#.to_owned();
    assert!(
        far::ASKED.with_borrow(|asked| asked.contains(&told)),
        "{:?}",
        far::ASKED.with_borrow(Clone::clone)
    );
    let mut frames = frames_of(legacy.open("tasks/result", json!({"taskId": here})));
    world.settle(std::future::pending::<()>());
    far::become_(2, json!({"status": "completed", "result": {"content": [], "isError": true}}));
    world.pass(1_000);
    assert_eq!(next(&world, &mut frames)["result"]["isError"], true);
    assert_eq!(legacy.listed(json!({"filter": {"status": ["failed"]}})), [here.as_str()]);
    // A question that the server withdraws is open no longer.
    let asking = legacy.begin("far-modern");
    let who = json!({"who": {"method": "elicitation/create", "params": {"message": "Who?"}}});
    far::become_(3, json!({"status": "input_required", "inputRequests": who}));
    let status = |id: &str| legacy.ask("tasks/get", json!({"taskId": id}))["result"]["status"].clone();
    assert_eq!(status(&asking), "input_required");
    far::become_(3, json!({"status": "working", "inputRequests": null}));
    assert_eq!(status(&asking), "working");
    // An error that does not concern the task changes nothing.
    far::become_(3, json!({"refusal": -32603}));
    assert_eq!(status(&asking), "working");
    // A server with sessions sends its questions in `tasks/result`.
    let waiting = legacy.begin("far-legacy");
    far::become_(4, json!({"status": "input_required", "statusMessage": "your turn"}));
    let got = legacy.ask("tasks/get", json!({"taskId": waiting}));
    assert_eq!(
        (&got["result"]["status"], &got["result"]["statusMessage"]),
        (&json!("input_required"), &json!("your turn"))
    );
    // A result that cannot be stored makes the task fail, and no other.
    store.room.set(1_000);
    let large = legacy.begin("far-modern");
    far::become_(5, json!({"status": "completed", "result": {"content": [], "text": "x".repeat(1_000)}}));
    assert!(legacy.listed(json!({"filter": {"status": ["failed"]}})).contains(&large));
    let got = modern.ask("tasks/get", json!({"taskId": large}));
    assert_eq!(got["result"]["error"]["data"]["reason"], "task_too_large", "{got}");
    store.room.set(0);
    // Without a token, a query states ids.
    let stranger = Caller::modern(&world, None);
    let strange = stranger.begin("far-modern");
    far::become_(6, json!({"status": "completed", "result": {"content": []}}));
    let queried = stranger.list(json!({"filter": {"taskIds": [strange]}}));
    assert_eq!(queried["result"]["tasks"][0]["status"], "completed", "{queried}");
    // A server that creates no task has done the work at once.
    let done = legacy.begin("plain");
    assert_eq!(legacy.ask("tasks/get", json!({"taskId": done}))["result"]["status"], "completed");
    // If the server loses a task, it counts as failed.
    let lost = legacy.begin("far-modern");
    far::become_(7, json!({"taskId": "another"}));
    assert_eq!(legacy.ask("tasks/get", json!({"taskId": lost}))["result"]["status"], "failed");
}

/// The capability printed in the proposal is the default of a server without configuration.
#[test]
fn the_printed_capability_is_the_default() {
    let (world, _) = world("tasks");
    let rows = crate::proposals::row::of("002");
    let row = rows.iter().find(|row| row.name == "002 server capability").unwrap();
    let Some(printed) = crate::proposals::printed_json() else { return };
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let reply = json_of(send_as(&world, None, &request(Method::POST, &[], &body)).1);
    let [declared, printed] =
        [&reply["result"], &printed[&row.sha256]].map(|side| side["capabilities"]["tasks"]["list"].clone());
    assert_eq!(declared, printed);
}
