//! Calls of a local server, step after step.

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve::{
    Kind,
    catalog::Lists,
    json::{self, Members, Raw},
    seal::Key,
};

use crate::small_collect::small_collect;
use serde_json::{Map, Value, json};

use crate::{
    gateway::local::{
        reply::{Continue, Input, InputRequest, Progress, Reply},
        server::LocalServer,
    },
    host::{Answer, Call, Event, StreamItem, TaskPlan, local_request::LocalRequest},
    protocol::{error::RpcError, generate::generate, method::Method},
};

/// Maximum number of steps of one request.
pub const MAX_STEPS: u32 = 10_000;

/// Longest delay before a step of work that is no task, in milliseconds: 24 days, the longest that timers of JavaScript
/// take.
const MAX_WAIT_MS: u64 = i32::MAX as u64;

/// A function that waits for a number of milliseconds.
pub type Sleep = fn(u64) -> LocalBoxFuture<'static, ()>;

/// Answers a call with a local server, step after step.
pub fn answer(own: Rc<dyn LocalServer>, key: &Key, now: u64, rest: Sleep, call: &Call<'_>) -> Answer {
    if call.method == Method::GetSkill.name() {
        return skill(&*own, call);
    }
    let (ask, out) = match LocalRequest::read(call, key, now) {
        Ok(ask) => ask,
        Err(failure) => return Answer::Error(failure),
    };
    // A call that requests a task gets one, however short its work is.
    let at_once = ask.task.is_some() && !call.caller.protocol.is_stateless();
    let key = key.clone();
    let turns = generate(move |turns| {
        out.set(turns);
        async move {
            if at_once {
                return StreamItem::Task(TaskPlan::default());
            }
            let ended = match work(&*own, rest, ask, &key, now).await {
                Ok(Done::Result(result)) => Event::Result(result.to_string().into_bytes()),
                Ok(Done::Task(plan)) => return StreamItem::Task(plan),
                Err(failure) => Event::Error(failure),
            };
            StreamItem::Event(ended)
        }
        .boxed_local()
    });
    Answer::Dialog(turns)
}

/// Returns the entry of a skill from the lists.
fn skill(own: &dyn LocalServer, call: &Call<'_>) -> Answer {
    let uri = call.params.as_ref().and_then(|params| params.get("uri")).and_then(json::Raw::text);
    let text = own.lists();
    let lists = Lists::read(&text);
    let skills = lists.iter().flat_map(|lists| lists.primitives(Kind::Skill));
    let is_named = |skill: &Raw<'_>| {
        let named = Members::read(*skill).and_then(|skill| skill.get("uri")).and_then(json::Raw::text);
        named.is_some() && named == uri
    };
    match skills.into_iter().find(is_named) {
        Some(skill) => Answer::Result(["{\"skill\":", skill.get(), "}"].concat().into_bytes()),
        None => Answer::Error(RpcError::params("there is no such skill")),
    }
}

/// The result of the work that is done while the request is open.
enum Done {
    Result(Value),
    Task(TaskPlan),
}

/// Runs steps until there is a result, a question to the client, or a task.
async fn work(
    own: &dyn LocalServer,
    rest: Sleep,
    mut ask: LocalRequest,
    key: &Key,
    now: u64,
) -> Result<Done, RpcError> {
    for _ in 0..MAX_STEPS {
        match own.answer(ask.clone()).await?.checked()? {
            Reply::Result(result) => return Ok(Done::Result(result)),
            Reply::Input(input) => return required(input, &ask, key, now).map(Done::Result),
            Reply::Task(plan) => return Ok(Done::Task(plan)),
            Reply::Continue(more) if ask.task.is_some() => return Ok(Done::Task(more.into())),
            Reply::Continue(Continue { state, wait_ms, progress }) => {
                if let Some(Progress { done, total, message }) = progress {
                    ask.sender.progress(done, total, Some(&message));
                }
                // Answers are passed to one step only. A server that needs them later puts them in its state.
                ask = LocalRequest { state: Some(state), answers: Map::new(), ..ask };
                if wait_ms > 0 {
                    rest(wait_ms.min(MAX_WAIT_MS)).await;
                }
            }
        }
    }
    Err(RpcError::internal("steps", format!("the work is not done after {MAX_STEPS} steps")))
}

/// Returns the `InputRequiredResult`, if the client can answer all questions.
fn required(input: Input, ask: &LocalRequest, key: &Key, now: u64) -> Result<Value, RpcError> {
    input.able(&ask.capabilities)?;
    let mut result = json!({"resultType": "input_required"});
    let requests = input.requests.into_iter();
    let requests = requests
        .map(|(key, InputRequest { method, params })| (key, json!({"method": method, "params": params})));
    let requests: Map<String, Value> = small_collect(requests);
    if let Some(object) = result.as_object_mut() {
        if !requests.is_empty() {
            object.insert("inputRequests".to_owned(), Value::Object(requests));
        }
        if let Some(state) = input.state {
            object.insert("requestState".to_owned(), ask.sealer(key, now).close(&state).into());
        }
    }
    Ok(result)
}
