//! One call, in as many rounds as it takes.
//!
//! What a server wants to know of the client it says in its result (revision 2026-07-28, multi round-trip
//! requests). A stateless client reads that itself and calls again. A client with a session knows only
//! requests: it is asked on the open stream, and its answers go into the next round.

use std::rc::Rc;

use futures_util::{FutureExt, StreamExt, future::join_all, stream::LocalBoxStream};
use serde_json::{Map, Value, json};

use super::{
    Answer, Event, Failure, Host, Level, Live,
    emit::{Out, emit},
    errand::Errand,
    questions,
};
use crate::json::{Members, Object};

/// Most rounds of one call.
const MAX_ROUNDS: usize = 32;
const ELICITATION: &str = "elicitation/create";

/// The messages that answer a call, the response last. With a running session its client is asked what
/// the server wants to know.
pub(super) fn answer<H: Host>(
    host: H,
    errand: Errand,
    live: Option<Rc<Live>>,
) -> LocalBoxStream<'static, Event> {
    emit(|out| {
        async move { rounds(host, errand, live, out).await.unwrap_or_else(Event::Error) }.boxed_local()
    })
}

async fn rounds<H: Host>(
    host: H,
    mut errand: Errand,
    live: Option<Rc<Live>>,
    out: Out<Event>,
) -> Result<Event, Failure> {
    for _ in 0..MAX_ROUNDS {
        let result = match round(&host, &errand, &out).await? {
            Ok(result) => result,
            Err(failure) => return Ok(Event::Error(failure)),
        };
        let Some(required) = Required::read(&result).filter(|_| !errand.asker.modern()) else {
            return Ok(Event::Result(result));
        };
        let Some(live) = &live else {
            let message =
                "the server behind has a question to the client, which takes no stream to be asked on";
            return Err(Failure::internal("client_stream", message));
        };
        let methods = required.requests.values().filter_map(|request| request.get("method")?.as_str());
        questions::able(methods, &errand.asker.capabilities)?;
        let answers = required.ask(live, &out).await?;
        errand.params = Some(required.next(errand.params.as_deref(), answers)?);
    }
    Err(Failure::internal("rounds", format!("the server behind asked again after {MAX_ROUNDS} answers")))
}

/// Asks once; notifications go out as they come.
async fn round<H: Host>(
    host: &H,
    errand: &Errand,
    out: &Out<Event>,
) -> Result<Result<Vec<u8>, Failure>, Failure> {
    let caller = errand.caller();
    let mut events = match host.forward(&errand.call(&caller)).await? {
        Answer::Result(result) => return Ok(Ok(result)),
        Answer::Error(failure) => return Ok(Err(failure)),
        Answer::Events(events) => events,
    };
    while let Some(event) = events.next().await {
        match event {
            Event::Notification(message) if hears(errand.asker.level, &message) => {
                out.push(Event::Notification(message));
            }
            Event::Notification(_) => {}
            Event::Result(result) => return Ok(Ok(result)),
            Event::Error(failure) => return Ok(Err(failure)),
        }
    }
    Err(Failure::internal("upstream_cut", "the server behind ended its stream without a response"))
}

/// Whether a client wants a notification: log messages below its level it does not.
fn hears(wanted: Option<Level>, message: &[u8]) -> bool {
    const LOG: &[u8] = b"notifications/message";
    if !message.windows(LOG.len()).any(|window| window == LOG) {
        return true;
    }
    let message: Value = serde_json::from_slice(message).unwrap_or_default();
    if message.get("method").and_then(Value::as_str) != Some("notifications/message") {
        return true;
    }
    let level = message.pointer("/params/level").and_then(Value::as_str).and_then(|name| name.parse().ok());
    wanted.is_some_and(|wanted| level.is_none_or(|level: Level| level >= wanted))
}

/// What a server wants to know before it goes on.
#[derive(Debug)]
struct Required {
    requests: Map<String, Value>,
    state: Option<Value>,
}

impl Required {
    fn read(result: &[u8]) -> Option<Self> {
        let members = Members::parse(std::str::from_utf8(result).ok()?)?;
        if members.get("resultType").and_then(crate::json::text)? != "input_required" {
            return None;
        }
        let value =
            |key: &str| members.get(key).and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
        let requests = match value("inputRequests") {
            Some(Value::Object(requests)) => requests,
            _ => Map::new(),
        };
        Some(Self { requests, state: value("requestState") })
    }

    /// Asks the client everything at once and waits for all of it.
    async fn ask(&self, live: &Rc<Live>, out: &Out<Event>) -> Result<Map<String, Value>, Failure> {
        let mut waiting = Vec::new();
        for (key, request) in &self.requests {
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            let params = request.get("params").cloned().unwrap_or_else(|| json!({}));
            let (message, answer) = live.question(method, &params)?;
            out.push(Event::Notification(message));
            waiting.push(async move {
                match answer.await {
                    // Whoever does not answer a person's question has cancelled it.
                    Err(_) if method == ELICITATION => Ok((key.clone(), json!({"action": "cancel"}))),
                    answer => answer.map(|answer| (key.clone(), answer)),
                }
            });
        }
        join_all(waiting).await.into_iter().collect()
    }

    /// The parameters of the next round.
    fn next(&self, params: Option<&str>, answers: Map<String, Value>) -> Result<String, Failure> {
        let members = params.and_then(Members::parse).unwrap_or_default();
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.keep(&members, &["inputResponses", "requestState"]);
        object.raw("inputResponses", Value::Object(answers).to_string().as_bytes());
        if let Some(state) = &self.state {
            object.raw("requestState", state.to_string().as_bytes());
        }
        object.close();
        String::from_utf8(out)
            .map_err(|error| Failure::internal("encoding", format!("the next round: {error}")))
    }
}
