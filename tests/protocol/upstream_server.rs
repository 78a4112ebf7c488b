//! An upstream server in memory, equivalent to `tests/support/upstream.mjs` over HTTP.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    task::{Poll, Waker},
};

use futures_util::{FutureExt, StreamExt, future, stream};
use mcp_sieve_gateway::{
    error::RpcError,
    host::{Answer, Call, Event, ServerRequest, StreamItem},
    local::TaskPlan,
    session::MAX_EVENT,
};
use serde_json::{Value, json};

/// Number of notifications that `babble` sends before its result.
pub const LINES: usize = 100;

/// Number of notifications that `murmur` sends before its result, and the length of the text of each.
pub const MURMURS: usize = 64;
pub const MURMUR: usize = 16 * 1024;

thread_local! {
    /// The number of notifications that `murmur` has sent on this thread.
    pub static MURMURED: Cell<usize> = const { Cell::new(0) };
    /// Whether the response of `murmur` is being read on this thread.
    pub static MURMURING: Cell<bool> = const { Cell::new(false) };
}

/// The response of `murmur` while it is being read.
struct Murmur;

impl Drop for Murmur {
    fn drop(&mut self) {
        MURMURING.set(false);
    }
}

/// Answers a call; `knows` returns whether a resource exists.
pub fn answer(call: &Call<'_>, knows: impl Fn(&str) -> bool) -> Answer {
    // The arguments may hold a number that this server cannot represent; the gateway forwards it all the same.
    let Ok(params) =
        serde_json::from_str::<Value>(call.params.as_ref().map_or("{}", |params| params.raw().get()))
    else {
        return Answer::Error(RpcError::relayed(-32602, "out of range", None));
    };
    let text = |pointer: &str| params.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let arguments = params.get("arguments").cloned().unwrap_or_else(|| json!({}));
    let name = text("/name");
    let result = match call.method {
        "tools/call" => {
            let mut result =
                json!({"content": [{"type": "text", "text": format!("called {name} with {arguments}")}]});
            match name {
                "refuse" => {
                    let data = json!({"why": "the upstream server says so"});
                    return Answer::Error(RpcError::relayed(-31999, "no such luck", Some(data)));
                }
                "reject" => {
                    let data = arguments.get("why").map(|why| json!({"why": why}));
                    return Answer::Error(RpcError::relayed(-32602, "no such offer", data));
                }
                "stumble" => {
                    result["isError"] = json!(true);
                    result["structuredContent"] = json!({"knee": "scraped"});
                    result["_meta"] = json!({"vendor/seen": text("/_meta/vendor~1trace")});
                }
                "mirror" if arguments["raw"].is_string() => {
                    return Answer::Result(text_of(&arguments, "raw", "").as_bytes().to_vec());
                }
                "mirror" => result = arguments["result"].clone(),
                "narrate" => return narrated(&params, result),
                "quiz" => match params.get("inputResponses") {
                    Some(answers) => {
                        result = json!({"content": [], "answers": answers, "state": params["requestState"]});
                    }
                    None => {
                        let form = text_of(&arguments, "form", r#"{"message":"Who?"}"#);
                        let result = [
                            r#"{"resultType":"input_required","requestState":"sealed","inputRequests":"#,
                            r#"{"who":{"method":"elicitation/create","params":"#,
                            form,
                            "}}}",
                        ];
                        return Answer::Result(result.concat().into_bytes());
                    }
                },
                // Asks for two people, one after the other.
                "pair" => {
                    let mut heard: Vec<Value> =
                        serde_json::from_str(text("/requestState")).unwrap_or_default();
                    heard.extend(params.pointer("/inputResponses/who").cloned());
                    result = match heard.len() {
                        2 => json!({"content": [], "answers": heard}),
                        _ => {
                            json!({"resultType": "input_required", "requestState": json!(heard).to_string(),
                            "inputRequests": {"who": {"method": "elicitation/create",
                                "params": {"message": format!("Who, after {}?", json!(heard))}}}})
                        }
                    };
                }
                "chatter" => {
                    return Answer::Events(
                        stream::iter([log("info"), log("error"), Event::Result(b"{}".to_vec())])
                            .boxed_local(),
                    );
                }
                "gossip" => return gossip(&params),
                "linked" => return linked(),
                "babble" => {
                    let lines = std::iter::repeat_with(|| log("error")).take(LINES);
                    let events = lines.chain([Event::Result(b"{}".to_vec())]).collect::<Vec<_>>();
                    return Answer::Events(stream::iter(events).boxed_local());
                }
                "murmur" => {
                    MURMURED.set(0);
                    MURMURING.set(true);
                    let lines = stream::iter(0..MURMURS).then(async |at| {
                        pause().await;
                        MURMURED.set(at + 1);
                        logged(&"x".repeat(MURMUR))
                    });
                    let lines = lines.chain(stream::iter([Event::Result(b"{}".to_vec())]));
                    let reading = Murmur;
                    return Answer::Events(lines.inspect(move |_| _ = &reading).boxed_local());
                }
                "shout" => {
                    let text = "x".repeat(MAX_EVENT);
                    let result = json!({"text": text}).to_string().into_bytes();
                    return Answer::Events(
                        stream::iter([logged(&text), Event::Result(result)]).boxed_local(),
                    );
                }
                // Long-running tools: a task for a client that supports tasks.
                "report" | "import" | "job" | "secret" if call.task.is_some() => {
                    let plan = TaskPlan::default().with_state(b"begun").with_poll_interval(500);
                    return Answer::Dialog(stream::iter([StreamItem::Task(plan)]).boxed_local());
                }
                "far-legacy" if params.get("task").is_some() || arguments["unasked"] == true => {
                    result = json!({"task": far::begin()});
                }
                "far-modern" if call.task.is_some() || arguments["unasked"] == true => {
                    result = far::begin();
                    result["resultType"] = "task".into();
                }
                // This tool runs only as a task.
                "job" => {
                    return Answer::Dialog(
                        stream::iter([StreamItem::Task(TaskPlan::default())]).boxed_local(),
                    );
                }
                "interview" => return interview(&params, &["elicitation/create"], call.accepts_requests),
                "survey" => {
                    return interview(
                        &params,
                        &["elicitation/create", "sampling/createMessage"],
                        call.accepts_requests,
                    );
                }
                "endless" => {
                    return Answer::Events(
                        stream::iter([log("error")]).chain(stream::pending()).boxed_local(),
                    );
                }
                "silent" => return Answer::Events(stream::pending().boxed_local()),
                _ => {}
            }
            result
        }
        "tasks/get" | "tasks/result" | "tasks/update" | "tasks/cancel" => {
            return far::tasks(call.method, &params);
        }
        "prompts/get" => {
            let text = format!("prompt {name} with {arguments}");
            if name == "mirror" && arguments["raw"].is_string() {
                return Answer::Result(text_of(&arguments, "raw", "").as_bytes().to_vec());
            }
            if name == "mirror" {
                let result = serde_json::from_str::<Value>(text_of(&arguments, "result", "{}")).unwrap();
                return Answer::Result(result.to_string().into_bytes());
            }
            json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]})
        }
        "resources/read" => {
            let uri = text("/uri");
            if uri.starts_with("vague:") {
                return Answer::Error(RpcError::relayed(-32602, "no good", None));
            }
            if uri.starts_with("loud:") {
                let failure = RpcError::relayed(-32002, format!("nothing at {uri}"), None);
                let events = [logged(&format!("reading {uri}")), Event::Error(failure)];
                return Answer::Events(stream::iter(events).boxed_local());
            }
            if uri.starts_with("shared:") {
                let result = json!({"contents": [], "ttlMs": 5_000, "cacheScope": "public"});
                return Answer::Result(result.to_string().into_bytes());
            }
            if !knows(uri) {
                let data = Some(json!({"uri": uri}));
                return Answer::Error(RpcError::relayed(-32002, format!("nothing at {uri}"), data));
            }
            json!({"contents": [{"uri": uri, "text": format!("read {uri}")}]})
        }
        "completion/complete" => {
            let value = text("/argument/value");
            json!({"completion": {"values": [format!("{value}-one"), format!("{value}-two")], "total": 2, "hasMore": false}})
        }
        // A method of another vendor, answered with its own parameters.
        method if method.starts_with("com.example/") => {
            if params.get("fail").is_some() {
                let data = json!({"com.example/why": [1.5]});
                return Answer::Error(RpcError::relayed(-31998, "no preview", Some(data)));
            }
            let mut params = params;
            params.as_object_mut().unwrap().remove("_meta");
            json!({"method": method, "params": params, "_meta": {"com.example/mark": [1, 2]}})
        }
        other => panic!("`{other}` is not forwarded"),
    };
    Answer::Result(result.to_string().into_bytes())
}

/// Returns an argument that is a text.
fn text_of<'a>(arguments: &'a Value, name: &str, otherwise: &'a str) -> &'a str {
    arguments[name].as_str().unwrap_or(otherwise)
}

fn log(level: &str) -> Event {
    let params = json!({"level": level, "data": level});
    Event::Notification(
        json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
            .to_string()
            .into_bytes(),
    )
}

/// Sends every notification that a server can send, requested or not.
fn gossip(params: &Value) -> Answer {
    let token = &params["_meta"]["progressToken"];
    let said = [
        ("progress", json!({"progressToken": token, "progress": 1})),
        ("progress", json!({"progressToken": "another caller's", "progress": 1})),
        ("progress", json!({"progress": 1})),
        ("message", json!({"level": "error", "data": "x"})),
        ("message", json!({"level": "debug", "data": "x"})),
        ("resources/updated", json!({"uri": "doc://open"})),
        ("resources/updated", json!({"uri": "doc://payroll"})),
        ("resources/updated", json!({"uri": "DOC://payroll"})),
        ("resources/updated", json!({"uri": "doc://unlisted"})),
        ("resources/updated", json!({})),
        ("tools/list_changed", json!({})),
        ("resources/list_changed", json!({})),
        ("prompts/list_changed", json!({})),
        ("tasks/status", json!({"taskId": "far-1", "status": "working"})),
        ("tasks", json!({"taskId": "far-1", "status": "working"})),
        ("cancelled", json!({"requestId": 1})),
        ("elicitation/complete", json!({"elicitationId": "another call's"})),
        ("made/up", json!({"text": "x"})),
    ];
    let said = said.map(|(method, params)| {
        let method = format!("notifications/{method}");
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string();
        Event::Notification(message.into_bytes())
    });
    Answer::Events(stream::iter(said.into_iter().chain([Event::Result(b"{}".to_vec())])).boxed_local())
}

/// Asks the client to open a page, and reports this page and that of another call as completed.
fn linked() -> Answer {
    let reply = Box::new(|_| future::ready(()).boxed_local());
    let params =
        json!({"mode": "url", "elicitationId": "e-1", "url": "https://example.com/", "message": "Visit"});
    let params = params.to_string();
    let question =
        StreamItem::Request(ServerRequest { method: "elicitation/create".to_owned(), params, reply });
    let complete = |id: &str| {
        let params = json!({"elicitationId": id});
        let message =
            json!({"jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": params});
        StreamItem::Event(Event::Notification(message.to_string().into_bytes()))
    };
    let end = StreamItem::Event(Event::Result(b"{}".to_vec()));
    Answer::Dialog(stream::iter([question, complete("e-2"), complete("e-1"), end]).boxed_local())
}

/// Sends progress first if the caller has a progress token.
fn narrated(params: &Value, result: Value) -> Answer {
    let result = result.to_string().into_bytes();
    let Some(token) = params.pointer("/_meta/progressToken") else { return Answer::Result(result) };
    let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress",
        "params": {"progressToken": token, "progress": 1, "total": 2}});
    let events = vec![Event::Notification(progress.to_string().into_bytes()), Event::Result(result)];
    Answer::Events(stream::iter(events).boxed_local())
}

/// Waits once, as a server's connection does between two pieces.
async fn pause() {
    let mut waited = false;
    future::poll_fn(|context| match std::mem::replace(&mut waited, true) {
        true => Poll::Ready(()),
        false => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}

/// Returns a log message with this text.
fn logged(text: &str) -> Event {
    let params = json!({"level": "error", "data": text});
    let message = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params});
    Event::Notification(message.to_string().into_bytes())
}

/// Behaves as a server with sessions: it sends its requests to the client during the call, all at once, and continues
/// when it has every response.
fn interview(params: &Value, methods: &[&'static str], asks: bool) -> Answer {
    if !asks {
        let data = json!({"why": "nobody can be asked"});
        return Answer::Error(RpcError::relayed(-31998, "no interview", Some(data)));
    }
    let form = text_of(&params["arguments"], "form", r#"{"message":"Who?"}"#).to_owned();
    let heard: Rc<RefCell<(Vec<String>, Option<Waker>)>> = Rc::default();
    let questions: Vec<StreamItem> = methods
        .iter()
        .map(|method| {
            let heard = Rc::clone(&heard);
            let reply = Box::new(move |answer: Result<String, RpcError>| {
                let mut heard = heard.borrow_mut();
                heard.0.push(answer.unwrap_or_else(|failure| failure.to_json().to_string()));
                heard.1.take().into_iter().for_each(Waker::wake);
                future::ready(()).boxed_local()
            });
            let params = form.clone();
            StreamItem::Request(ServerRequest { method: (*method).to_owned(), params, reply })
        })
        .collect();
    let progress = params.pointer("/_meta/progressToken").map(|token| {
        let params = json!({"progressToken": token, "progress": 2});
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}).to_string()
    });
    let wanted = methods.len();
    let rest = stream::once(future::poll_fn(move |context| {
        let mut heard = heard.borrow_mut();
        heard.1 = Some(context.waker().clone());
        if heard.0.len() < wanted { Poll::Pending } else { Poll::Ready(heard.0.clone()) }
    }));
    let rest = rest.flat_map(move |answers| {
        // The answers are repeated as the server received them.
        let result = [r#"{"content":[],"answers":["#, &answers.join(","), "]}"].concat().into_bytes();
        let progress = progress.clone().map(|message| Event::Notification(message.into_bytes()));
        stream::iter(progress.into_iter().chain([Event::Result(result)]).map(StreamItem::Event))
    });
    Answer::Dialog(stream::iter(questions).chain(rest).boxed_local())
}

/// An upstream server with its own tasks; the first two calls create `far-1` and `far-2`.
pub mod far {
    use std::cell::RefCell;

    use futures_util::{StreamExt, stream};
    use mcp_sieve_gateway::{error::RpcError, host::Answer};
    use serde_json::{Value, json};

    thread_local! {
        /// The tasks of the server.
        static TASKS: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
        /// The requests that the server received.
        pub static REQUESTS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    /// Creates a task and returns it.
    pub fn begin() -> Value {
        TASKS.with_borrow_mut(|tasks| {
            let id = format!("far-{}", tasks.len() + 1);
            tasks.push(json!({"taskId": id, "status": "working", "createdAt": "2027-01-01T00:00:00Z",
                "lastUpdatedAt": "2027-01-01T00:00:00Z", "ttl": null, "ttlMs": null}));
            tasks.last().unwrap().clone()
        })
    }

    /// Updates the members of a task, given its number.
    pub fn become_(number: usize, what: Value) {
        TASKS.with_borrow_mut(|tasks| {
            let task = tasks[number - 1].as_object_mut().unwrap();
            what.as_object()
                .unwrap()
                .iter()
                .for_each(|(key, value)| _ = task.insert(key.clone(), value.clone()));
        });
    }

    /// Answers a request about a task.
    pub fn tasks(method: &str, params: &Value) -> Answer {
        REQUESTS.with_borrow_mut(|requests| requests.push(format!("{method} {params}")));
        TASKS.with_borrow_mut(|tasks| {
            let Some(task) = tasks.iter_mut().find(|task| task["taskId"] == params["taskId"]) else {
                return Answer::Error(RpcError::relayed(
                    -32602,
                    format!("no such task: {}", params["taskId"]),
                    None,
                ));
            };
            // A state with its own order of members.
            if let Some(text) = task.get("verbatim").and_then(Value::as_str) {
                return Answer::Result(text.as_bytes().to_vec());
            }
            if task.get("silent").is_some() {
                return Answer::Events(stream::pending().boxed_local());
            }
            // What the gateway's client of a server makes of a task that asks, if the operator refuses its questions.
            if task.get("asks").is_some() {
                return Answer::Error(RpcError::internal("questions_refused", "it asks the client"));
            }
            if let Some(code) = task.get("refusal").and_then(Value::as_i64) {
                return Answer::Error(RpcError::relayed(
                    code,
                    format!("busy with {}", params["taskId"]),
                    None,
                ));
            }
            let result = match method {
                "tasks/result" => match task.get("error") {
                    Some(error) => {
                        let code = error["code"].as_i64().unwrap();
                        return Answer::Error(RpcError::relayed(
                            code,
                            error["message"].as_str().unwrap(),
                            None,
                        ));
                    }
                    None => {
                        let mut result = task["result"].clone();
                        result["_meta"] =
                            json!({"io.modelcontextprotocol/related-task": {"taskId": task["taskId"]}});
                        result
                    }
                },
                "tasks/cancel" => {
                    task["status"] = "cancelled".into();
                    task.clone()
                }
                "tasks/update" => {
                    task["status"] = "working".into();
                    json!({})
                }
                _ => task.clone(),
            };
            Answer::Result(result.to_string().into_bytes())
        })
    }
}
