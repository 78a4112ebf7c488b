//! Runs a call over several rounds, in which the server asks the client for input.
//!
//! A server asks for the client's input in its result (revision 2026-07-28, multi round-trip requests). A stateless
//! client reads that result and calls again. A client with a session cannot: it is sent requests on the open stream,
//! and its responses go into the next round.

use std::{pin::pin, rc::Rc, task::Poll};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, LocalBoxFuture, join_all},
    stream::{FuturesUnordered, LocalBoxStream},
};
use mcp_sieve::{
    json::{Members, Object, Raw},
    revision::Revision,
};

use crate::object::{OwnedObject, ReadObject, deserialize};
use serde_json::{Map, Value};

use crate::{
    call::{
        chain::{CallChain, Direction},
        client_requests, create,
        notifications::{Notification, elicitation},
        pending::PendingCall,
        suspend,
    },
    host::{
        Answer, Event, Host, Passthrough, Reply, ServerRequest, StreamItem, store::TaskWork,
        suspended_calls::SUSPENDED_MS,
    },
    protocol::{
        error::RpcError,
        generate::{Emitter, generate},
        request_state,
    },
    session::session_streams::SessionStreams,
};

/// Maximum number of rounds of one call.
const MAX_ROUNDS: usize = 32;
const ELICITATION: &str = "elicitation/create";

/// The end of a call: its result, or the server's error.
pub(crate) type CallResult = Result<CallEnd, RpcError>;

/// The result of a call.
pub(crate) enum CallEnd {
    /// Its JSON.
    Result(Vec<u8>),
    /// The complete response, which nothing has read.
    Passthrough(Passthrough),
}

/// Returns the events of a call, its response last. `live` is the session whose client can be sent the server's
/// requests.
pub(crate) fn call_events<H: Host>(
    host: H,
    pending: PendingCall,
    live: Option<Rc<SessionStreams>>,
) -> LocalBoxStream<'static, Event> {
    generate(|out| {
        async move {
            let ended = match pending.caller.protocol.is_stateless() {
                true => suspend::run_call(&host, &pending, &out).await,
                false => rounds(&host, pending, live, &out).await,
            };
            match ended {
                Ok(Ok(CallEnd::Result(result))) => Event::Result(result),
                Ok(Ok(CallEnd::Passthrough(response))) => Event::Passthrough(response),
                Ok(Err(failure)) | Err(failure) => Event::Error(failure),
            }
        }
        .boxed_local()
    })
}

async fn rounds<H: Host>(
    host: &H,
    mut pending: PendingCall,
    live: Option<Rc<SessionStreams>>,
    out: &Emitter<Event>,
) -> Result<CallResult, RpcError> {
    for _ in 0..MAX_ROUNDS {
        let turns = open(host, &pending).await?;
        let result = match converse(host, turns, &pending, live.as_ref(), out).await? {
            Ok(CallEnd::Result(result)) => result,
            ended => return Ok(ended),
        };
        let Some(required) = InputRequired::read(&result) else {
            return Ok(Ok(CallEnd::Result(result)));
        };
        let Some(live) = &live else {
            let message = match host.resumes() {
                true => {
                    "the upstream server sends the client a request during the call, and the client accepts no event stream"
                }
                false => {
                    "the upstream server sends the client a request during the call, and the answer would not reach the call; a handler that sends requests has to run in a Durable Object"
                }
            };
            return Err(RpcError::internal("client_stream", message));
        };
        let requests: Map<String, Value> = deserialize(required.requests.text()).unwrap_or_default();
        let requests = requests.values().filter_map(|request| {
            let params = request.get("params").unwrap_or(&Value::Null);
            Some((request.get("method")?.as_str()?, params))
        });
        client_requests::able(requests, &pending.caller.capabilities)?;
        let answers = required.ask(live, pending.chain.as_deref(), out).await?;
        pending.params = Some(Rc::new(required.next(pending.params.as_deref(), &answers)?));
    }
    Err(RpcError::internal(
        "rounds",
        format!("the upstream server sent another request after {MAX_ROUNDS} answers"),
    ))
}

/// Sends the call to its server and returns the server's events.
pub(crate) async fn open<H: Host>(
    host: &H,
    pending: &PendingCall,
) -> Result<LocalBoxStream<'static, StreamItem>, RpcError> {
    let caller = pending.calling();
    let one = |event: Event| future::ready(StreamItem::Event(event)).into_stream().boxed_local();
    // Only the server receives the values of pseudonyms; the stored call keeps the pseudonyms.
    let opened =
        pending.chain.as_ref().map(|chain| chain.open(pending.params.as_deref())).transpose()?.flatten();
    let opened = pending.filled(opened)?;
    let call = pending.call(&caller, opened.as_ref());
    let turns = match host.forward(&call).await? {
        Answer::Result(result) => one(Event::Result(result)),
        Answer::Error(failure) => one(Event::Error(failure)),
        Answer::Passthrough(response) => return Ok(one(Event::Passthrough(response))),
        Answer::Events(events) => events.map(StreamItem::Event).boxed_local(),
        Answer::Dialog(turns) => turns,
    };
    Ok(match &pending.origin {
        Some(origin) => origin.begun(host, work(pending)?, pending, turns),
        None => create::without_tasks(host, pending, turns),
    })
}

/// A client's response, and the function that sends it to the server.
type Answered = (Reply, Result<String, RpcError>);

/// Runs one round: forwards the server's notifications, and sends its requests to the client of a session.
async fn converse<H: Host>(
    host: &H,
    mut turns: LocalBoxStream<'static, StreamItem>,
    pending: &PendingCall,
    live: Option<&Rc<SessionStreams>>,
    out: &Emitter<Event>,
) -> Result<CallResult, RpcError> {
    let chain = pending.chain.as_deref();
    let (mut replies, mut elicitations) = (FuturesUnordered::new(), Vec::new());
    let mut answers: FuturesUnordered<LocalBoxFuture<'static, Answered>> = FuturesUnordered::new();
    loop {
        let next = future::poll_fn(|context| {
            while let Poll::Ready(Some(())) = replies.poll_next_unpin(context) {}
            if let Poll::Ready(Some(answered)) = answers.poll_next_unpin(context) {
                return Poll::Ready(Err(answered));
            }
            turns.poll_next_unpin(context).map(Ok)
        });
        let turn = match next.await {
            Ok(turn) => turn,
            // Responses are processed in turn, because the functions share the handles of the call.
            Err((reply, answer)) => {
                replies.push(reply(treated(chain, answer).await?));
                continue;
            }
        };
        match turn {
            // Tasks are converted to the caller's format before this point.
            None | Some(StreamItem::Task(_)) => return Err(cut()),
            // Earlier revisions have no way to make a client reconnect later.
            Some(StreamItem::Event(Event::Paused(retry_ms))) => {
                if live.is_some() && pending.caller.protocol >= Revision::V2025_11_25 {
                    out.push(Event::Paused(retry_ms));
                }
            }
            Some(StreamItem::Event(event)) => {
                if let Some(outcome) = pass(event, pending, &elicitations, out) {
                    answer_later(host, answers, pending.chain.clone());
                    return Ok(outcome);
                }
            }
            Some(StreamItem::Request(request)) => {
                elicitations.extend(elicitation(&request));
                let ServerRequest { method, params, reply } = request;
                // Without a stream, the call has declared that its client accepts no requests.
                let Some(live) = live else { continue };
                let params = match chain {
                    Some(chain) => chain.json(Direction::Back, &params).await?,
                    None => params,
                };
                let (message, answer) = live.create_request(&method, params.as_bytes())?;
                out.push(Event::Notification(message));
                answers.push(async move { (reply, answer.await) }.boxed_local());
            }
        }
    }
}

/// Returns a client's answer as the middleware of the call treats it.
async fn treated(
    chain: Option<&CallChain>,
    answer: Result<String, RpcError>,
) -> Result<Result<String, RpcError>, RpcError> {
    Ok(match (chain, answer) {
        (None, answer) => answer,
        (Some(chain), Ok(answer)) => Ok(chain.json(Direction::Out, &answer).await?),
        (Some(chain), Err(failure)) => Err(chain.failure(Direction::Out, failure).await),
    })
}

/// Sends the answers that a client gives after the end of the call to the server, which may use them in its session.
fn answer_later<H: Host>(
    host: &H,
    mut answers: FuturesUnordered<LocalBoxFuture<'static, Answered>>,
    chain: Option<Rc<CallChain>>,
) {
    if answers.is_empty() {
        return;
    }
    let clock = host.clone();
    let all = async move {
        while let Some((reply, answer)) = answers.next().await {
            if let Ok(answer) = treated(chain.as_deref(), answer).await {
                reply(answer).await;
            }
        }
    };
    let timed = async move { _ = future::select(pin!(all), pin!(clock.sleep(SUSPENDED_MS))).await };
    host.spawn(timed.boxed_local());
}

/// Forwards a notification that [reaches](Notification::reaches) the caller. Returns the result or error that ends the
/// call.
pub(crate) fn pass(
    event: Event,
    pending: &PendingCall,
    question_ids: &[String],
    out: &Emitter<Event>,
) -> Option<CallResult> {
    match event {
        Event::Result(result) => return Some(Ok(CallEnd::Result(result))),
        Event::Passthrough(response) => return Some(Ok(CallEnd::Passthrough(response))),
        Event::Error(failure) => return Some(Err(failure)),
        Event::Paused(_) => {}
        Event::Notification(message) => {
            let muted = pending.chain.as_ref().is_some_and(|chain| chain.mutes());
            if !muted && Notification::read(&message).reaches(pending, question_ids) {
                out.push(Event::Notification(message));
            }
        }
    }
    None
}

/// Returns the client's answer to a request of the server. A missing answer to an elicitation counts as cancelled.
pub(crate) fn or_cancelled(method: &str, answer: Result<String, RpcError>) -> Result<String, RpcError> {
    match answer {
        Err(_) if method == ELICITATION => Ok(r#"{"action":"cancel"}"#.to_owned()),
        answer => answer,
    }
}

pub(crate) fn cut() -> RpcError {
    RpcError::internal("upstream_cut", "the upstream server ended its stream without a response")
}

/// A result in which a server asks for input before it continues.
#[derive(Debug)]
struct InputRequired {
    requests: OwnedObject,
    state: Option<Value>,
}

impl InputRequired {
    fn read(result: &[u8]) -> Option<Self> {
        let members = Members::parse(std::str::from_utf8(result).ok()?)?;
        if members.get("resultType").and_then(mcp_sieve::json::Raw::text)? != "input_required" {
            return None;
        }
        // Numbers that are out of range fail here, as in a server's own requests.
        let value = |key: &str| members.get(key).and_then(|raw| deserialize::<Value>(raw.get()).ok());
        let requests = value("inputRequests").and_then(|_| members.get("inputRequests"));
        let requests = requests.and_then(ReadObject::read).map(|requests| requests.keep());
        Some(Self { requests: requests.or_else(|| OwnedObject::parse("{}"))?, state: value("requestState") })
    }

    /// Sends all requests to the client at once and waits for all responses. Returns the text of an object that has them
    /// by their keys.
    async fn ask(
        &self,
        live: &Rc<SessionStreams>,
        chain: Option<&CallChain>,
        out: &Emitter<Event>,
    ) -> Result<String, RpcError> {
        let treated = match chain {
            Some(chain) => Some(chain.json(Direction::Back, self.requests.text()).await?),
            None => None,
        };
        let requests = Members::parse(treated.as_deref().unwrap_or_else(|| self.requests.text()));
        let mut waiting = Vec::new();
        for (key, request) in requests.unwrap_or_default().0 {
            let request = Members::read(request).unwrap_or_default();
            let method = request.get("method").and_then(mcp_sieve::json::Raw::text).unwrap_or_default();
            let params = request.get("params").map_or("{}", Raw::get);
            let (message, answer) = live.create_request(&method, params.as_bytes())?;
            out.push(Event::Notification(message));
            waiting.push(async move {
                or_cancelled(&method, answer.await).map(|answer| (key.into_owned(), answer))
            });
        }
        let answers = join_all(waiting).await.into_iter().collect::<Result<Vec<(String, String)>, _>>()?;
        let answers = request_state::responses_text(&answers);
        match chain {
            Some(chain) => chain.json(Direction::Out, &answers).await,
            None => Ok(answers),
        }
    }

    /// Returns the parameters of the next round.
    fn next(&self, params: Option<&OwnedObject>, answers: &str) -> Result<OwnedObject, RpcError> {
        let read = params.map(OwnedObject::read);
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        let members = read.as_ref().map(ReadObject::members);
        members.into_iter().for_each(|members| object.keep(members, &["inputResponses", "requestState"]));
        object.raw("inputResponses", answers.as_bytes());
        if let Some(state) = &self.state {
            object.raw("requestState", state.to_string().as_bytes());
        }
        object.close();
        let next = std::str::from_utf8(&out).ok().and_then(OwnedObject::parse);
        next.ok_or_else(|| RpcError::internal("encoding", "the parameters of the next round cannot be read"))
    }
}

/// Returns a function that creates the stored work of a call that becomes a task.
fn work(call: &PendingCall) -> Result<impl Fn() -> TaskWork + 'static, RpcError> {
    // The server of a task gets its parameters again, and must find its bound arguments.
    let filled = call.filled(None)?.map(Rc::new);
    let (params, capabilities) = (filled.or_else(|| call.params.clone()), call.caller.capabilities.clone());
    let principal: Option<String> = call.calling().principal().map(Into::into);
    let claims = call.caller.claims.as_deref().cloned();
    Ok(move || {
        let params = params.as_ref().and_then(|params| deserialize(params.text()).ok());
        TaskWork {
            params: params.unwrap_or_default(),
            capabilities: capabilities.clone(),
            principal: principal.clone(),
            claims: claims.clone(),
            state: None,
            wait_ms: 0,
        }
    })
}
