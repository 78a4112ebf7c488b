//! The middleware functions that process calls and their results, as the operator's configuration sets. Clients cannot
//! change it.
//!
//! A call with such functions cannot become a task, and its client receives no notifications during it: both would
//! carry content that no function has processed. A request of the server to the client, and the client's response, are
//! processed like the call.

use std::{cell::RefCell, fmt, rc::Rc};

use futures_util::{StreamExt, stream::LocalBoxStream};
use http::StatusCode;
use mcp_sieve::json::{self, Members, Object, Raw};

use crate::object::OwnedObject;
use serde_json::{Value, json};

use crate::{
    call::{
        call_environment::CallEnvironment,
        content_view::{
            CALL, ContentView, STATE, apart, beside, besides, has_broken_key, is_protocol_param,
            is_protocol_result, merge, misshapen, repeats, with_beside_last,
        },
        pseudonyms::CallPseudonyms,
        round_handles::RoundHandles,
    },
    host::{
        Event, Host,
        runtime::{FunctionRun, MiddlewareRuntime},
    },
    middleware::{Chain, Content, Mode, Redactions, Report},
    protocol::{
        error::{INVALID_PARAMS, RpcError},
        request_state,
    },
    request::{context::Context, route::Route},
};

/// Maximum length, in characters, of a URI in the log.
const MAX_NOTED: usize = 200;

/// The function name in the audit trail for the opening of pseudonyms.
const OPENED: &str = "pseudonyms";

/// The middleware of one call, from its arguments to its result.
pub(crate) struct CallChain {
    runtime: MiddlewareRuntime,
    method: String,
    principal: Option<String>,
    out: Vec<Chain>,
    back: Vec<Chain>,
    /// The redacted values behind the handles of this call. They are dropped with the call, unless its client carries
    /// them to the next round.
    handles: RefCell<Redactions>,
    rounds: RoundHandles,
    /// The pseudonyms for values in the result, if a function creates some.
    pseudonyms: Option<Rc<CallPseudonyms>>,
}

impl fmt::Debug for CallChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallChain").field("method", &self.method).finish_non_exhaustive()
    }
}

/// Logs that no function processes the requested file of a skill.
fn note_skill_file<H: Host>(context: &Context<'_, H>) {
    let uri = context.message.text_param("uri").unwrap_or_default();
    let uri: String = uri.chars().take(MAX_NOTED).collect();
    let uri = uri.escape_debug();
    let note = format!("middleware: `{uri}` is a file of a skill, which no function may change");
    context.exchange.host.note(&note);
}

/// The direction in which content is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// To the server.
    Out,
    /// To the client.
    Back,
}

impl CallChain {
    /// Processes the parameters of a call with the functions that apply to it. Returns the chain and the new
    /// parameters, or `None` if no function applies. Files of skills are not processed, because a host rejects a skill
    /// whose files differ from their digests.
    ///
    /// # Errors
    /// A function that failed or refused the call.
    pub async fn begin<H: Host>(
        context: &Context<'_, H>,
        params: Option<&OwnedObject>,
        route: &Route,
    ) -> Result<Option<(Rc<Self>, Option<OwnedObject>)>, RpcError> {
        let method = context.message.method.as_ref();
        let Some(middleware) = &context.exchange.config.middleware else { return Ok(None) };
        let presets = &context.caller.presets;
        let mandates: Vec<_> = middleware.chains_for(method, presets).collect();
        if mandates.is_empty() {
            return Ok(None);
        }
        if route.of_skill {
            note_skill_file(context);
            return Ok(None);
        }
        let none = || RpcError::internal("middleware", "there are no functions that calls could go through");
        let runtime = context.exchange.host.middleware_runtime().ok_or_else(none)?;
        let principal = context.caller.principal();
        let pseudonyms = mandates.iter().any(|mandate| mandate.response.pseudonymous_step().is_some());
        let pseudonyms = pseudonyms.then(|| {
            let (key, now) = (context.exchange.host.key(), runtime.environment.now());
            let hours = middleware.pseudonym_hours;
            Rc::new(CallPseudonyms::new(key, &route.servers, principal.as_deref(), hours, now))
        });
        let read = params.map(OwnedObject::read);
        let members = read.as_ref().map(|read| read.members().clone()).unwrap_or_default();
        let about = request_state::about_members(principal.as_deref().unwrap_or_default(), method, &members);
        let rounds = RoundHandles::new(context.exchange.host.key(), context.exchange.host.now(), about);
        let token = members.get(STATE).and_then(json::Raw::text);
        let earlier = token.map(|token| rounds.open(&token)).transpose()?.flatten();
        let (handles, state) = match earlier {
            Some(earlier) => earlier,
            None => (Redactions::default(), members.get(STATE).map(|state| state.get().to_owned())),
        };
        let chain = Rc::new(Self {
            runtime,
            pseudonyms,
            method: method.to_owned(),
            principal: principal.map(Into::into),
            out: mandates.iter().map(|mandate| mandate.request.clone()).collect(),
            back: mandates.iter().map(|mandate| mandate.response.clone()).collect(),
            handles: RefCell::new(handles),
            rounds,
        });
        let params = chain.process_params(members, state).await?;
        Ok(Some((chain, params)))
    }

    /// Processes the parameters of the call. `state` is the server's own request state, which replaces the client's.
    async fn process_params(
        &self,
        mut members: Members<'_>,
        state: Option<String>,
    ) -> Result<Option<OwnedObject>, RpcError> {
        let given = besides(&members, &|key, _| !is_protocol_param(key));
        let unreadable = |failure: RpcError| RpcError::params(failure.message);
        let content = match given.is_empty() {
            true => None,
            false => Some(self.run_chains(Direction::Out, beside(CALL, &given).map_err(unreadable)?).await?),
        };
        let processed = match content.as_ref().map(apart) {
            None => Members::default(),
            Some((rest, processed)) => processed.filter(|_| rest.is_empty()).ok_or_else(misshapen)?,
        };
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        members.0.retain(|(key, _)| key != STATE);
        merge(&mut object, &members, &processed, &|key, value| is_protocol_param(key).then_some(value));
        state.iter().for_each(|state| object.raw(STATE, state.as_bytes()));
        object.close();
        Ok(std::str::from_utf8(&out).ok().and_then(OwnedObject::parse))
    }

    /// Replaces pseudonyms in the parameters of the call with their values, as the last step before the call is sent.
    /// Returns `None` if nothing changes.
    ///
    /// # Errors
    /// The errors of [`CallPseudonyms::open`].
    pub fn open(&self, params: Option<&OwnedObject>) -> Result<Option<OwnedObject>, RpcError> {
        let Some((opened, count)) = self.opened(params)? else { return Ok(None) };
        let report = Report {
            function: OPENED.to_owned(),
            mode: Mode::Enforce,
            bytes: [params.map_or(0, |params| params.text().len()), opened.text().len()],
            items: [count; 2],
            changed: true,
            ended: None,
        };
        self.note(&report, 0);
        Ok(Some(opened))
    }

    /// Returns the parameters of the call with the values of pseudonyms, and their number, without a line in the audit
    /// trail; `None` if there are none.
    ///
    /// # Errors
    /// The errors of [`CallPseudonyms::open`].
    pub fn opened(&self, params: Option<&OwnedObject>) -> Result<Option<(OwnedObject, usize)>, RpcError> {
        let (Some(pseudonyms), Some(params)) = (&self.pseudonyms, params) else { return Ok(None) };
        let Some((opened, count)) = pseudonyms.open(&self.method, params.text())? else { return Ok(None) };
        OwnedObject::parse(&opened).map(|opened| Some((opened, count))).ok_or_else(misshapen)
    }

    fn note(&self, report: &Report, ms: u64) {
        let (method, principal) = (self.method.as_str(), self.principal.as_deref());
        self.runtime.trail.note(&FunctionRun { mount: "gateway", method, principal, report, ms });
    }

    /// Returns whether notifications before the result are dropped, because no function processes them.
    pub fn mutes(&self) -> bool {
        self.back.iter().any(|chain| !chain.steps.is_empty())
    }

    /// Returns the hash of the call over all its rounds, from its parameters before any function.
    pub fn about(&self) -> [u8; 32] {
        self.rounds.about
    }

    /// Returns the events of the call with its response processed.
    pub fn over(self: Rc<Self>, events: LocalBoxStream<'static, Event>) -> LocalBoxStream<'static, Event> {
        let event = async |chain: Rc<Self>, event| match event {
            // What goes through functions is read.
            Event::Notification(_) | Event::Paused(_) | Event::Passthrough(_) => event,
            Event::Result(result) => match chain.result(result).await {
                Ok(result) => Event::Result(result),
                Err(failure) => Event::Error(failure),
            },
            Event::Error(failure) if chain.mutes() => {
                Event::Error(chain.failure(Direction::Back, failure).await)
            }
            Event::Error(_) => event,
        };
        events.then(move |item| event(Rc::clone(&self), item)).boxed_local()
    }

    /// Processes a server's request to the client, or the client's response to it.
    ///
    /// # Errors
    /// A function that failed or refused the content.
    pub async fn value(&self, way: Direction, value: Value) -> Result<Value, RpcError> {
        serde_json::from_str(&self.json(way, &value.to_string()).await?).map_err(|_| misshapen())
    }

    /// Processes a value as its text, in which members keep their order.
    ///
    /// # Errors
    /// The errors of [`CallChain::value`].
    pub async fn json(&self, way: Direction, value: &str) -> Result<String, RpcError> {
        let part = Raw::parse(value).map_err(|_| misshapen())?;
        let content = self.run_chains(way, beside(CALL, &[("value", part)])?).await?;
        let (rest, processed) = apart(&content);
        let processed = processed.filter(|_| rest.is_empty()).and_then(|processed| processed.get("value"));
        processed.map(|raw| raw.get().to_owned()).ok_or_else(misshapen)
    }

    /// Processes the message and data of an error like a response. Returns another error if that fails.
    pub async fn failure(&self, way: Direction, failure: RpcError) -> RpcError {
        let content = json!({"message": failure.message, "data": failure.data});
        let processed = async {
            let processed = self.value(way, content).await?;
            let message = processed.get("message").and_then(Value::as_str).ok_or_else(misshapen)?.to_owned();
            let data = processed.get("data").filter(|data| !data.is_null()).cloned();
            Ok(RpcError { message, data, ..failure.clone() })
        };
        processed.await.unwrap_or_else(|failed: RpcError| failed)
    }

    async fn result(&self, result: Vec<u8>) -> Result<Vec<u8>, RpcError> {
        let source = std::str::from_utf8(&result).map_err(|_| misshapen())?;
        let is_broken = has_broken_key(source);
        let source = if is_broken { Raw::known(source).well_formed() } else { source.into() };
        let members = Members::parse(&source).ok_or_else(misshapen)?;
        let kind = members.get("resultType").and_then(json::Raw::text);
        if kind.as_deref() == Some("task") || members.get("task").is_some() {
            let message = "what becomes a task cannot go through the functions that this call has to";
            return Err(RpcError::internal("middleware", message));
        }
        let asks = kind.as_deref() == Some("input_required");
        let processed = if self.mutes() { self.process_result(&members, is_broken).await? } else { None };
        let result = processed.unwrap_or(result);
        if asks { self.carried(result) } else { Ok(result) }
    }

    /// Returns a result that asks the client for input, with the handles of this round.
    fn carried(&self, result: Vec<u8>) -> Result<Vec<u8>, RpcError> {
        let handles = self.handles.borrow();
        if *handles == Redactions::default() {
            return Ok(result);
        }
        let members = std::str::from_utf8(&result).ok().and_then(Members::parse).ok_or_else(misshapen)?;
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        object.keep(&members, &[STATE]);
        object.text(STATE, &self.rounds.close(&handles, members.get(STATE)));
        object.close();
        Ok(out)
    }

    /// Processes the content and the other members of a result. Returns `None` for one with a broken key in which nothing
    /// changes: it would be written with another key.
    async fn process_result(
        &self,
        members: &Members<'_>,
        is_broken: bool,
    ) -> Result<Option<Vec<u8>>, RpcError> {
        let view = ContentView::out(&self.method, members)?;
        let before = is_broken.then(|| view.content.clone());
        let content = self.run_chains(Direction::Back, view.content).await?;
        if before.is_some_and(|before| before == content) && !repeats(members) {
            return Ok(None);
        }
        let (items, processed) = apart(&content);
        let processed = processed.ok_or_else(misshapen)?;
        let array = view.slots.fill(&items, processed.get(view.member))?;
        let mut out = Vec::new();
        let array = Raw::parse(&array).map_err(|_| misshapen())?;
        let mut object = Object::open(&mut out);
        merge(&mut object, members, &processed, &|key, value| match key {
            _ if key == view.member => Some(array),
            _ => is_protocol_result(members, key, value).then_some(value),
        });
        if members.get(view.member).is_none() && !items.is_empty() {
            object.raw(view.member, array.get().as_bytes());
        }
        object.close();
        Ok(Some(out))
    }

    /// Runs the functions of a direction on content.
    async fn run_chains(
        &self,
        way: Direction,
        mut content: Content<'static>,
    ) -> Result<Content<'static>, RpcError> {
        for chain in if way == Direction::Out { &self.out } else { &self.back } {
            content = self.run_chain(way, chain, content).await?;
        }
        Ok(content)
    }

    /// Runs the functions of one chain and writes their reports to the audit trail.
    ///
    /// # Errors
    /// A function that failed or refused the content.
    async fn run_chain(
        &self,
        way: Direction,
        chain: &Chain,
        content: Content<'static>,
    ) -> Result<Content<'static>, RpcError> {
        let MiddlewareRuntime { registry, environment, .. } = &self.runtime;
        let pseudonyms = self.pseudonyms.clone().filter(|_| way == Direction::Back);
        let call_environment = CallEnvironment { environment: &**environment, pseudonyms };
        let (begun, mut reports) = (environment.now(), Vec::new());
        let mut handles = self.handles.take();
        let ran = match chain.last {
            None => chain.run(registry, content, &mut handles, &call_environment, &mut reports).await,
            // The operator counts the blocks of a result; the item with its other members is seen in addition.
            Some(last) => {
                let (chain, content) = (
                    Chain { last: Some(last.saturating_add(1)), ..chain.clone() },
                    with_beside_last(content),
                );
                chain.run(registry, content, &mut handles, &call_environment, &mut reports).await
            }
        };
        self.handles.replace(handles);
        let ms = environment.now().saturating_sub(begun);
        reports.iter().for_each(|report| self.note(report, ms));
        // The report for the operator has the details of a failure; the client only learns that there was one.
        let failed =
            |_| RpcError::internal("middleware", "a function that this call goes through has failed");
        let ran = ran.map_err(failed)?;
        match ran.refusal {
            None => Ok(ran.content),
            Some(refusal) => Err(RpcError::new(
                StatusCode::OK,
                INVALID_PARAMS,
                format!("refused: {}", refusal.message),
                json!({"reason": "middleware_refused", "refusal": refusal.reason}),
            )),
        }
    }
}
