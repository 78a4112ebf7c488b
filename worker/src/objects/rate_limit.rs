//! Rate limits: requests are counted in a Durable Object for each caller, or by the platform's rate limiter where there
//! is one.

use std::{rc::Rc, time::Duration};

use futures_util::{
    FutureExt, StreamExt,
    future::{AbortHandle, Abortable},
};
use http::{HeaderMap, Request};
use mcp_sieve_gateway::{
    audit::Operation,
    config::{Limits, Rate},
    error::RpcError,
    host::{Clock as _, Observer as _, principal},
    limits::{LEASE_MS, Weight, network},
    server::{Body, Inbound},
    upstream::Fetch,
};
use serde_json::{Map, Value};
use worker::{
    Delay, Env, Method, Result, Stub,
    js_sys::{Array, Function, Object, Promise, Reflect},
    wasm_bindgen::{JsCast, JsValue},
    wasm_bindgen_futures::{JsFuture, spawn_local},
};

use crate::{
    auth::sha256,
    console,
    fetch::EdgeFetch,
    host::EdgeHost,
    objects::{
        rate_counter::{ENTER, Entry, LEAVE, STAY, Verdict},
        send, suspended_calls,
    },
};

/// Interval at which a request renews its lease: twice before the lease ends.
const PULSE: Duration = Duration::from_millis(LEASE_MS / 3);
/// The binding of the platform's rate limiter, which has its own limits.
const BINDING: &str = "SIEVE_RATE";
/// Maximum rate of wrong tokens for the operator's endpoints from one network address, whatever `limits` says. They get
/// 401, and further ones 429.
pub(crate) const WRONG_TOKENS: Rate = Rate { requests: 30, seconds: 60 };
/// The name of a caller without a principal, before its address.
const UNKNOWN: &str = "address ";
/// The header with the network address of the client, which the platform sets.
pub(crate) const ADDRESS: &str = "cf-connecting-ip";

/// Counts a request towards `limits.concurrent` until it is dropped.
pub(crate) struct Permit {
    counter: Rc<Stub>,
    /// `None` once another object took the request over.
    number: Option<u64>,
    fetch: EdgeFetch,
    pulse: AbortHandle,
    /// The permit for the other messages of a batch, whose first was counted by the headers.
    more: Option<Box<Permit>>,
}

impl Permit {
    fn new(counter: Stub, number: u64, fetch: EdgeFetch) -> Self {
        let counter = Rc::new(counter);
        let (pulse, registration) = AbortHandle::new_pair();
        let stub = Rc::clone(&counter);
        let beat = async move {
            loop {
                Delay::from(PULSE).await;
                _ = send(&stub, Method::Post, STAY, Some(number.to_string())).await;
            }
        };
        // It ends with the request, even if the client is gone and the request is never dropped.
        spawn_local(Abortable::new(beat, registration).map(|_| ()));
        Self { counter, number: Some(number), fetch, pulse, more: None }
    }

    /// Returns a permit that also keeps another.
    fn with(mut self, more: Self) -> Self {
        self.more = Some(Box::new(more));
        self
    }

    /// Returns the number of the request and keeps it counted, for the object that takes the request over.
    pub fn hand_over(mut self) -> Option<u64> {
        self.number.take()
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.pulse.abort();
        let Some(number) = self.number.take() else { return };
        let counter = Rc::clone(&self.counter);
        // If this message is lost, the lease of the request expires.
        let leave = async move { _ = send(&counter, Method::Post, LEAVE, Some(number.to_string())).await };
        self.fetch.spawn(leave.boxed_local());
    }
}

/// Returns the name that a caller's requests are counted under: the principal, or the address of a caller without
/// one.
pub(crate) fn caller(headers: &HeaderMap, claims: Option<&Map<String, Value>>) -> String {
    match claims.and_then(principal) {
        Some(principal) => format!("principal {principal}"),
        None => [UNKNOWN, &address(headers)].concat(),
    }
}

/// Returns the name of a caller; `None` if it has neither a principal nor a known address.
pub(crate) fn known_caller(headers: &HeaderMap, claims: Option<&Map<String, Value>>) -> Option<String> {
    Some(caller(headers, claims)).filter(|name| name != UNKNOWN)
}

/// Counts a request before its body is read, under the name of its caller. A request that was forwarded to the object
/// of its call is counted already.
///
/// # Errors
/// 429 beyond what the operator allows. If the counter cannot be reached, the request passes.
pub(crate) async fn enter(
    host: &EdgeHost,
    head: &Request<()>,
    claims: Option<&Map<String, Value>>,
) -> std::result::Result<Option<Permit>, RpcError> {
    let limits = host.deployment.config.limits;
    if limits == Limits::default() {
        return Ok(None);
    }
    // Behind a pointer, as below: most deployments set no limits.
    enter_within(host, limits, head, claims).boxed_local().await
}

async fn enter_within(
    host: &EdgeHost,
    limits: Limits,
    head: &Request<()>,
    claims: Option<&Map<String, Value>>,
) -> std::result::Result<Option<Permit>, RpcError> {
    if host.suspended_calls.is_some() {
        return Ok(suspended_calls::permit_number(head.headers()).and_then(|number| {
            let counter = counter(host, &caller(head.headers(), claims)).ok()?;
            Some(Permit::new(counter, number, host.net()))
        }));
    }
    let counted = count(host, limits, head, claims, Weight::of_head(head)).await;
    counted.map_err(|seconds| refuse(host, head, claims, seconds))
}

/// Counts what only the body shows: the other messages of a batch, and whether a message does more than listen.
///
/// # Errors
/// As [`enter`].
pub(crate) async fn complete(
    host: &EdgeHost,
    inbound: &Inbound<'_>,
    claims: Option<&Map<String, Value>>,
    pass: Option<Permit>,
) -> std::result::Result<Option<Permit>, RpcError> {
    let limits = host.deployment.config.limits;
    if limits == Limits::default() || host.suspended_calls.is_some() {
        return Ok(pass);
    }
    complete_within(host, limits, inbound, claims, pass).boxed_local().await
}

async fn complete_within(
    host: &EdgeHost,
    mut limits: Limits,
    inbound: &Inbound<'_>,
    claims: Option<&Map<String, Value>>,
    pass: Option<Permit>,
) -> std::result::Result<Option<Permit>, RpcError> {
    // The platform's rate limiter counts requests, and has counted this one.
    if limiter(&host.env).is_some() {
        limits.rate = None;
    }
    let (request, weight) = (inbound.request(), inbound.weight());
    let head = Weight::of_head(request);
    let pass = pass.filter(|_| weight.busy > 0);
    match weight.rest(head, &limits) {
        None => Ok(pass),
        Some(rest) => {
            let counted = count(host, limits, request, claims, rest).await;
            let both = |more| match (pass, more) {
                (Some(pass), Some(more)) => Some(pass.with(more)),
                (pass, more) => pass.or(more),
            };
            counted.map(both).map_err(|seconds| refuse(host, request, claims, seconds))
        }
    }
}

/// Returns the refusal of a request beyond the limits, and records it in the operator's log.
fn refuse<B>(
    host: &EdgeHost,
    request: &Request<B>,
    claims: Option<&Map<String, Value>>,
    seconds: u64,
) -> RpcError {
    let (who, method) = (claims.and_then(principal), request.method().as_str());
    host.record(Operation::new(host.now(), who.as_deref(), method, None, "rate_limited"));
    RpcError::too_many_requests(seconds)
}

/// Returns the network address of the client; empty if the platform does not set it.
fn address(headers: &HeaderMap) -> String {
    headers.get(ADDRESS).and_then(|value| value.to_str().ok()).map(network).unwrap_or_default()
}

/// Counts a wrong token for an operator's endpoint by the client's address. Beyond [`WRONG_TOKENS`], returns the
/// seconds after which the client may try again.
pub(crate) async fn wrong_token(env: &Env, headers: &HeaderMap) -> Option<u64> {
    let key = sha256(format!("wrong token {}", address(headers)).as_bytes());
    let entry = Entry {
        limits: Limits { rate: Some(WRONG_TOKENS), concurrent: None },
        weight: Weight { messages: 1, busy: 0 },
    };
    let verdict = async {
        let counter = env.durable_object("LIMITS")?.get_by_name(&key)?;
        send(&counter, Method::Post, ENTER, Some(serde_json::to_string(&entry)?)).await?.json().await
    };
    match verdict.await {
        Ok(Verdict::Pass(_)) => None,
        Ok(Verdict::Wait(seconds)) => Some(seconds),
        Err(error) => {
            console::error(&format!("limits: {error}"));
            None
        }
    }
}

/// Counts a weight under the name of a caller.
///
/// # Errors
/// The seconds after which the request may be sent again.
async fn count<B>(
    host: &EdgeHost,
    limits: Limits,
    request: &Request<B>,
    claims: Option<&Map<String, Value>>,
    weight: Weight,
) -> std::result::Result<Option<Permit>, u64> {
    let caller = caller(request.headers(), claims);
    match ask(host, limits, &caller, weight).boxed_local().await {
        Ok(verdict) => verdict,
        Err(error) => {
            console::error(&format!("limits: {error}"));
            Ok(None)
        }
    }
}

async fn ask(
    host: &EdgeHost,
    mut limits: Limits,
    caller: &str,
    weight: Weight,
) -> Result<std::result::Result<Option<Permit>, u64>> {
    if let (Some(rate), Some(limiter)) = (limits.rate, limiter(&host.env)) {
        if !within(&limiter, &sha256(caller.as_bytes())).await? {
            return Ok(Err(rate.seconds.into()));
        }
        limits.rate = None;
    }
    if limits.rate.is_none() && (limits.concurrent.is_none() || weight.busy == 0) {
        return Ok(Ok(None));
    }
    let counter = counter(host, caller)?;
    let entry = serde_json::to_string(&Entry { limits, weight })?;
    let verdict: Verdict = send(&counter, Method::Post, ENTER, Some(entry)).await?.json().await?;
    Ok(match verdict {
        Verdict::Pass(number) => Ok(number.map(|number| Permit::new(counter, number, host.net()))),
        Verdict::Wait(seconds) => Err(seconds),
    })
}

fn counter(host: &EdgeHost, caller: &str) -> Result<Stub> {
    host.env.durable_object("LIMITS")?.get_by_name(&sha256(caller.as_bytes()))
}

fn limiter(env: &Env) -> Option<JsValue> {
    Reflect::get(env, &BINDING.into()).ok().filter(|binding| !binding.is_undefined())
}

/// Asks the platform's rate limiter.
async fn within(limiter: &JsValue, key: &str) -> Result<bool> {
    let options = Object::new();
    Reflect::set(&options, &"key".into(), &key.into())?;
    // A value that is no function fails when it is called.
    let limit: Function = Reflect::get(limiter, &"limit".into())?.unchecked_into();
    let outcome = Promise::resolve(&Reflect::apply(&limit, limiter, &Array::of1(&options))?);
    Ok(Reflect::get(&JsFuture::from(outcome).await?, &"success".into())?.is_truthy())
}

/// Keeps the permit of a request until its response was sent, or in a session until the request has ended.
pub(crate) fn hold_request(
    host: &EdgeHost,
    inbound: &Inbound<'_>,
    response: http::Response<Body>,
    pass: Option<Permit>,
) -> http::Response<Body> {
    match (&host.home, pass) {
        (Some(home), Some(pass)) => {
            home.live.hold(&inbound.busy_ids(), Rc::new(pass));
            response
        }
        (_, pass) => hold(response, pass),
    }
}

/// Keeps the permit of a request until its response was sent.
pub(crate) fn hold(response: http::Response<Body>, pass: Option<Permit>) -> http::Response<Body> {
    let Some(pass) = pass else { return response };
    response.map(|body| match body {
        Body::Events(events) => {
            let held = events.map(move |event| {
                let _held = &pass;
                event
            });
            Body::Events(held.boxed_local())
        }
        Body::Passthrough(response) => {
            response.hold(pass);
            Body::Passthrough(response)
        }
        whole => whole,
    })
}
