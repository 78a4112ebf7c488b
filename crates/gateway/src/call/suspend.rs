//! Calls of stateless clients to servers that send requests during a call. The call is suspended between the result
//! that carries the server's requests and the client's next request, which carries the responses.

use std::{cell::LazyCell, collections::BTreeMap, rc::Rc};

use futures_util::{
    FutureExt, StreamExt,
    future::{AbortHandle, Abortable},
};
use mcp_sieve::json::{self, Members, Object, Raw};
use serde_json::Value;

use crate::{
    call::{
        call_home::PURPOSE,
        client_requests,
        pending::PendingCall,
        rounds::{self, CallEnd, CallResult},
    },
    host::{
        Event, Host, ServerRequest, StreamItem,
        suspended_calls::{self, SUSPENDED_MS, SuspendedCall, Timer},
    },
    object::{deserialize, deserialize_bytes},
    protocol::{
        error::RpcError,
        generate::Emitter,
        request_state::{self, StateSealer},
    },
};

/// Starts or resumes a call, and runs it until it ends or the server sends a request.
pub(crate) async fn run_call<H: Host>(
    host: &H,
    pending: &PendingCall,
    out: &Emitter<Event>,
) -> Result<CallResult, RpcError> {
    let params = pending.params.as_ref().map(|params| params.read().members().clone()).unwrap_or_default();
    let now = host.now();
    // Sealing hashes all parameters, and few calls are ever suspended.
    let seal = LazyCell::new(|| {
        let about = match &pending.chain {
            // Functions may have another result for the same parameters in each round.
            Some(chain) => chain.about(),
            None => {
                let principal = pending.caller.principal().unwrap_or_default();
                request_state::about_members(&principal, &pending.method, &params)
            }
        };
        StateSealer::new(host.key(), PURPOSE, now, about)
    });
    let token = params.get("requestState").and_then(json::Raw::text);
    // A state that was not sealed here belongs to the server.
    let ours = token.filter(|token| request_state::peek(host.key(), PURPOSE, token).is_some());
    let (call, resumed) = match ours {
        Some(token) => {
            let answers = answers(params.get("inputResponses"))?;
            let place = host.suspended_calls().ok_or_else(suspended_calls::gone)?;
            let mut call = place.take(&seal.open(&token)?)?;
            call.answer(answers).await;
            (call, true)
        }
        None => {
            let turns = rounds::open(host, pending).await?;
            (SuspendedCall { turns, requests: BTreeMap::new(), request_count: 0, timer: None }, false)
        }
    };
    let token = params.get("_meta").and_then(Members::read).and_then(|meta| meta.get("progressToken"));
    run_until_suspended(
        host,
        pending,
        call,
        &seal,
        |event| if resumed { with_current_token(event, token) } else { Some(event) },
        out,
    )
    .await
}

async fn run_until_suspended<H: Host>(
    host: &H,
    pending: &PendingCall,
    mut call: SuspendedCall,
    seal: &LazyCell<StateSealer, impl FnOnce() -> StateSealer>,
    rewrite: impl Fn(Event) -> Option<Event>,
    out: &Emitter<Event>,
) -> Result<CallResult, RpcError> {
    loop {
        let turn = match call.requests.is_empty() {
            true => call.turns.next().await,
            // Further requests that are already available go out with the first.
            false => match call.turns.next().now_or_never() {
                Some(turn) => turn,
                None => return suspend(host, call, seal).map(|result| Ok(CallEnd::Result(result))),
            },
        };
        match turn {
            None | Some(StreamItem::Task(_)) => return Err(rounds::cut()),
            Some(StreamItem::Event(event)) => {
                if let Some(outcome) = rewrite(event).and_then(|event| rounds::pass(event, pending, &[], out))
                {
                    return Ok(outcome);
                }
            }
            Some(StreamItem::Request(request)) => {
                // The capabilities may have changed since the call began.
                client_requests::able_text(&request.method, &request.params, &pending.caller.capabilities)?;
                call.request_count += 1;
                call.requests.insert(format!("question-{}", call.request_count), request);
            }
        }
    }
}

/// Suspends the call and returns the result that carries its open requests.
fn suspend<H: Host>(host: &H, mut call: SuspendedCall, seal: &StateSealer) -> Result<Vec<u8>, RpcError> {
    let place = host.suspended_calls().ok_or_else(suspended_calls::gone)?;
    let number = host.random()?;
    let mut result = Vec::new();
    let mut object = Object::open(&mut result);
    object.text("resultType", "input_required");
    let mut requests = Object::open(object.value("inputRequests"));
    for (key, ServerRequest { method, params, .. }) in &call.requests {
        let mut request = Object::open(requests.value(key));
        request.text("method", method);
        request.raw("params", params.as_bytes());
        request.close();
    }
    requests.close();
    let (handle, registration) = AbortHandle::new_pair();
    call.timer = Some(Timer(handle));
    let state = place.suspend(number, call)?;
    let (clock, place) = (host.clone(), Rc::clone(&place));
    let late = async move {
        clock.sleep(SUSPENDED_MS).await;
        place.expire(&number);
    };
    host.spawn(Abortable::new(late, registration).map(|_| ()).boxed_local());
    object.text("requestState", &seal.close(&state));
    object.close();
    Ok(result)
}

/// Returns the text of the client's responses, by their keys.
fn answers(raw: Option<Raw<'_>>) -> Result<Vec<(String, String)>, RpcError> {
    let Some(raw) = raw else { return Ok(Vec::new()) };
    request_state::input_responses(raw)
        .ok_or_else(|| RpcError::params("`inputResponses` must be an object whose values are objects"))
}

/// Returns an event for the current request: progress gets this request's token, or is dropped without one.
fn with_current_token(event: Event, token: Option<Raw<'_>>) -> Option<Event> {
    const PROGRESS: &str = "notifications/progress";
    let Event::Notification(message) = &event else { return Some(event) };
    let mut message: Value = deserialize_bytes(message).unwrap_or_default();
    if message.get("method").and_then(Value::as_str) != Some(PROGRESS) {
        return Some(event);
    }
    let token: Value = deserialize(token?.get()).ok()?;
    *message.pointer_mut("/params/progressToken")? = token;
    Some(Event::Notification(message.to_string().into_bytes()))
}
