//! Forwards calls, gets, reads and completions to their server, and streams the events of the response.

use std::{pin::pin, rc::Rc};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, AbortHandle, Abortable, Either},
    stream::{self, LocalBoxStream},
};
use http::{Response, StatusCode};
use mcp_sieve::{
    catalog::Catalog,
    revision::{Era, Revision},
};

use crate::{
    call::{
        argument_gate,
        chain::CallChain,
        completed_uris::CompletedUris,
        create::TaskDraft,
        expected_digest,
        full_definition::FullDefinition,
        pending::PendingCall,
        reading::{self, Reader},
        result_uris::map_uris,
        rounds, task_eligibility,
    },
    drafts::hints::without_hints,
    host::{Event, Host, audit, request_log::RequestLog},
    protocol::{
        error::RpcError,
        event_id::EventId,
        first_revision::project_notification,
        method::Method,
        response::{self, Body, Cache, ResultShape},
        sse,
    },
    request::{
        context::{Context, Exchange},
        route::Route,
        visibility,
    },
    session::session_streams::SessionStreams,
};

/// Maximum length of a result that passes onto the stream of a session, which keeps it for clients that come back, in bytes.
const MAX_STREAMED: usize = 16 * 1024 * 1024;
/// The attribute of the log that names what read the result of a call.
const READ_BY: &str = "dev.mcpsieve.read_by";

/// Forwards a call, get, read or completion to the server that owns the primitive, if the caller may see it. The
/// response for a hidden primitive is that for one that does not exist.
pub(crate) async fn call<H: Host>(mut context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let mut route = std::mem::replace(&mut context.route, Ok(Route::default()))?;
    expected_digest::check(&context)?;
    route.settle(&context)?;
    if let Some(log) = context.exchange.log.filter(|_| !context.backend.upstreams.is_empty()) {
        log.set_text(&format!("{prefix}.upstream", prefix = Catalog::PREFIX), &route.servers.join(", "));
    }
    let (host, era) = (context.exchange.host.clone(), context.era());
    let live = context.session.as_ref().and_then(|(id, _)| host.live(id));
    let streams = context.streams();
    // A client can be sent requests only if it has a stream and its response arrives at this instance.
    let questions_stream = live.clone().filter(|_| streams && host.resumes());
    let accepts_requests = match era {
        _ if route.masked => false,
        Era::Stateless => {
            context.message.known.is_some_and(Method::may_ask) && host.suspended_calls().is_some()
        }
        Era::Session => questions_stream.is_some(),
    };
    let params = route.params(context.message);
    let params = without_hints(&context.exchange.config.drafts, params);
    let method = context.message.method.as_ref();
    let middleware = context.exchange.config.middleware.as_ref();
    if middleware.is_some_and(|all| all.binds(method, &context.caller.presets)) {
        task_eligibility::check_direct(&context)?;
    }
    let reader = |has_chain, accepts_task| {
        let reader = Reader::find(&context, &route, has_chain, accepts_task);
        if let (Some(reader), Some(log)) = (reader, context.exchange.log) {
            log.set(READ_BY, reader.name());
        }
        reader
    };
    let events = match CallChain::begin(&context, params.as_ref(), &route).await? {
        None => {
            if let Some(refused) = argument_gate::refused(&context, &route, None, params.as_ref()) {
                return refused;
            }
            let origin = TaskDraft::for_call(&context, task_eligibility::requested_task(&context)?)?;
            let accepts_task = origin.as_ref().is_some_and(|origin| origin.request.is_some());
            let passes = reader(false, accepts_task).is_none();
            let params = task_eligibility::params(&context, origin.as_ref(), params);
            let mut pending = PendingCall::new(&context, &route, params, accepts_requests);
            pending.origin = origin;
            pending.passthrough = passes.then(|| reading::terms(&context, is_private(&context)));
            rounds::call_events(host.clone(), pending, questions_stream)
        }
        Some((chain, params)) => {
            if let Some(refused) = argument_gate::refused(&context, &route, Some(&chain), params.as_ref()) {
                return refused;
            }
            _ = reader(true, false);
            let mut pending = PendingCall::new(&context, &route, params, accepts_requests);
            pending.chain = Some(Rc::clone(&chain));
            chain.over(rounds::call_events(host.clone(), pending, questions_stream))
        }
    };
    let events = match route.masked {
        true => silenced(events),
        // A read that may be of a hidden resource is already in the log of denied requests.
        false => {
            let Exchange { config, host, claims, .. } = *context.exchange;
            audit::allowed(config, host, claims, context.message, &route.servers);
            events
        }
    };
    let finish = Finish::new(&context, route)?;
    deliver(context, events, finish, false).await
}

/// Returns whether no cache may give the result to other callers. Functions may put handles or pseudonyms of one caller
/// into it.
fn is_private<H: Host>(context: &Context<'_, H>) -> bool {
    context.cache(0).private || context.exchange.config.middleware.is_some()
}

/// Drops what a server sends before its response.
fn silenced(events: Events) -> Events {
    events.filter(|event| future::ready(!matches!(event, Event::Notification(_)))).boxed_local()
}

/// Responds with events that may come late. In a session whose client accepts a stream, the stream is opened at once.
pub(crate) async fn attend<H: Host>(
    context: Context<'_, H>,
    events: Events,
) -> Result<Response<Body>, RpcError> {
    let finish = Finish::new(&context, Route::default())?;
    deliver(context, events, finish, true).await
}

/// Responds with the events of a request. `at_once` opens the stream of a session before the first event.
async fn deliver<H: Host>(
    context: Context<'_, H>,
    events: Events,
    finish: Finish,
    at_once: bool,
) -> Result<Response<Body>, RpcError> {
    let (host, era) = (context.exchange.host.clone(), context.era());
    let live = context.session.as_ref().and_then(|(id, _)| host.live(id));
    let streams = context.streams();
    let log = context.exchange.log;
    let Some(live) = live else { return respond_without_session(&host, events, streams, finish, log).await };
    let (handle, registration) = AbortHandle::new_pair();
    let running = live.run(context.id, handle.clone())?;
    let events = Abortable::new(events, registration).boxed_local();
    if let Some(place) = context.exchange.batch.filter(|_| streams) {
        // The batch owns the stream, which stays open for its other requests. It reads all results.
        let events = events.filter(|event| future::ready(!matches!(event, Event::Paused(_))));
        let messages = events.map(move |event| {
            let last = event.is_last();
            (finish.message(event), last)
        });
        let work = Rc::clone(place).carry(messages.boxed_local(), handle);
        host.spawn(work.map(move |()| drop(running)).boxed_local());
        return Ok(response::accepted());
    }
    let prime = era == Era::Session && context.caller.protocol >= Revision::V2025_11_25;
    let (events, silent) = match at_once && streams {
        true => (events, false),
        false => match begin(&host, events, streams.then_some(SILENT_MS)).await {
            None => return Ok(response::events(stream::empty().boxed_local())),
            Some(Beginning::Whole(Event::Passthrough(response))) => {
                response.hold(running);
                return Ok(response::passthrough(response));
            }
            Some(Beginning::Whole(event)) => {
                note_reader(log, &event);
                return finish.whole(event);
            }
            Some(Beginning::Stream { events, silent }) => (events, silent),
        },
    };
    let stream = live.open(context.id.get())?;
    let frames = live.follow(EventId { stream, event: stream }, prime);
    let frames = if silent { sse::begun(frames) } else { frames };
    let pump = pump(Rc::clone(&live), stream, events, handle, finish);
    // A lost connection does not cancel the call, because the client may resume the stream.
    host.spawn(
        async move {
            pump.await;
            drop(running)
        }
        .boxed_local(),
    );
    Ok(response::events(sse::keep_alive(&host, frames)))
}

/// Responds without a session: if the client closes the stream, the request is cancelled.
async fn respond_without_session<H: Host>(
    host: &H,
    events: LocalBoxStream<'static, Event>,
    streams: bool,
    finish: Finish,
    log: Option<&RequestLog>,
) -> Result<Response<Body>, RpcError> {
    match begin(host, events, streams.then_some(WATCHED_MS)).await {
        None => Err(RpcError::internal("upstream_cut", "the upstream server sent no response")),
        Some(Beginning::Whole(event)) => {
            note_reader(log, &event);
            finish.whole(event)
        }
        Some(Beginning::Stream { events, silent }) => {
            let frames = events.flat_map(move |event| match event {
                Event::Passthrough(response) => sse::passthrough(response),
                event => future::ready(sse::frame(None, &finish.message(event))).into_stream().boxed_local(),
            });
            let frames = frames.boxed_local();
            let frames = if silent { sse::begun(frames) } else { frames };
            Ok(response::events(sse::watched(host, frames)))
        }
    }
}

type Events = LocalBoxStream<'static, Event>;

/// Maximum time, in milliseconds, until the response of a client that accepts a stream begins. Proxies close
/// connections on which nothing arrives.
const SILENT_MS: u64 = 5_000;
/// The same for a call that ends when its client leaves: on some platforms, only a response that has begun shows that,
/// and it is to be noticed within a second.
const WATCHED_MS: u64 = 900;

/// The beginning of a response.
enum Beginning {
    /// The whole response.
    Whole(Event),
    /// A stream, with all its events. `silent` states that none has arrived yet.
    Stream { events: Events, silent: bool },
}

/// Waits for the first event, or until `silent_ms` milliseconds have passed. Without them the client accepts no stream,
/// and everything before the response is dropped.
async fn begin<H: Host>(host: &H, mut events: Events, silent_ms: Option<u64>) -> Option<Beginning> {
    let mut late = pin!(async {
        match silent_ms {
            Some(ms) => host.sleep(ms).await,
            None => future::pending().await,
        }
    });
    loop {
        let event = match future::select(events.next(), late.as_mut()).await {
            Either::Left((event, _)) => event?,
            Either::Right(_) => return Some(Beginning::Stream { events, silent: true }),
        };
        match event {
            Event::Notification(_) | Event::Paused(_) if silent_ms.is_some() => {
                let events = stream::iter([event]).chain(events).boxed_local();
                return Some(Beginning::Stream { events, silent: false });
            }
            Event::Notification(_) | Event::Paused(_) => {}
            last => return Some(Beginning::Whole(last)),
        }
    }
}

/// Writes events to a session's stream until they end.
async fn pump(
    live: Rc<SessionStreams>,
    stream: u64,
    mut events: Events,
    request: AbortHandle,
    finish: Finish,
) {
    while let Some(event) = events.next().await {
        if let Event::Paused(retry_ms) = event {
            live.pause(stream, retry_ms);
            continue;
        }
        let last = event.is_last();
        live.room(stream, &request).await;
        let message = match event {
            // What a client may fetch again is kept whole.
            Event::Passthrough(response) => match response.collect(MAX_STREAMED, too_long).await {
                Ok(message) => message,
                Err(failure) => finish.message(Event::Error(failure)),
            },
            event => finish.message(event),
        };
        if live.send(stream, message, last).is_err() || last {
            return;
        }
    }
    // The call was cancelled, so the stream ends without a response. If this write fails, the session is lost anyway.
    let _ = live.send(stream, Vec::new(), true);
}

/// Notes in the log that the reply was read, if nothing else did.
fn note_reader(log: Option<&RequestLog>, event: &Event) {
    if let Some(log) = log.filter(|_| !matches!(event, Event::Passthrough(_))) {
        log.set_missing(READ_BY, reading::REPLY);
    }
}

/// Returns the error for a response that is too long for the stream of a session.
fn too_long() -> RpcError {
    let message = format!("the upstream server sent a result of more than {MAX_STREAMED} bytes on a stream");
    RpcError::internal("upstream_too_large", message)
}

/// Converts events to messages in the format of the caller's era.
struct Finish {
    /// The request's id, as JSON.
    id: String,
    era: Era,
    server: Vec<u8>,
    stale: Vec<u8>,
    /// The method of the request, if the caller speaks the first revision.
    first_revision: Option<Method>,
    cache: Option<Cache>,
    /// Whether not every caller may get the result.
    private: bool,
    /// The requested URI, for a read.
    uri: Option<String>,
    /// The route of the request. A hidden resource is reported as not found, whatever the server responds to the
    /// request sent in its place.
    route: Route,
    /// Whether nothing may be hidden from the caller.
    open: bool,
    /// The filter of completion values, if they could name hidden skills.
    completed: Option<CompletedUris>,
    /// The full definition of the called tool, if the caller's list has it in a shorter form.
    definition: Option<FullDefinition>,
}

impl Finish {
    fn new<H: Host>(context: &Context<'_, H>, route: Route) -> Result<Self, RpcError> {
        let reads = context.message.known == Some(Method::ReadResource);
        Ok(Self {
            id: context.id.get().to_owned(),
            era: context.era(),
            server: context.shape().server.to_vec(),
            stale: context.shape().stale.to_vec(),
            first_revision: context.shape().first_revision,
            // The content of a read may be private to the caller.
            cache: reads.then_some(Cache { ttl_ms: 0, private: true }),
            private: is_private(context),
            uri: if reads { Some(context.message.text_param("uri")?.into_owned()) } else { None },
            route,
            open: !visibility::restricts(&context.backend, &context.caller),
            completed: CompletedUris::read(context),
            definition: FullDefinition::find(context),
        })
    }

    /// Returns whether an error of the server becomes the gateway's own for a missing resource, so that nothing tells a
    /// hidden one from one that does not exist. Where nothing may be hidden from the caller, errors pass as they are,
    /// unless they name a resource by another URI than the caller does.
    fn replaces(&self, failure: &RpcError) -> bool {
        // An invalid primitive is hidden too.
        let route = &self.route;
        let passes = self.open && !route.hidden && !route.renames() && route.servers.len() == 1;
        !passes && failure.is_resource_not_found(self.route.uniform)
    }

    fn failure(&self, failure: RpcError) -> RpcError {
        let failure = match &self.definition {
            Some(definition) => definition.add_to_error(failure),
            None => failure,
        };
        match &self.uri {
            Some(uri) if self.replaces(&failure) => RpcError::resource(uri, self.era),
            // Clients with a session interpret other statuses as transport errors.
            _ if self.era == Era::Session => RpcError { status: StatusCode::OK, ..failure },
            _ => failure,
        }
    }

    /// Returns the event in the form that the caller may see.
    fn for_caller(&self, event: Event) -> Event {
        match (event, &self.uri) {
            (Event::Result(_), Some(uri)) if self.route.hidden => {
                Event::Error(RpcError::resource(uri, self.era))
            }
            (Event::Result(result), Some(_)) if self.route.renames() => {
                Event::Result(map_uris(&result, "contents", &|uri| Some(self.route.public(uri))))
            }
            (Event::Result(result), None) => match &self.completed {
                Some(completed) => Event::Result(completed.filter(&result)),
                None => Event::Result(result),
            },
            (event, _) => event,
        }
    }

    fn message(&self, event: Event) -> Vec<u8> {
        match self.for_caller(event) {
            Event::Notification(message) => match self.first_revision {
                Some(_) => project_notification(message),
                None => message,
            },
            // Only the client of a session is notified, by closing its connection.
            Event::Paused(_) => Vec::new(),
            Event::Error(failure) => response::error(&self.failure(failure), Some(&self.id)),
            // It is sent as it is.
            Event::Passthrough(_) => Vec::new(),
            Event::Result(result) => {
                let result = match &self.definition {
                    Some(definition) => definition.add_to_result(result),
                    None => result,
                };
                let mut out = response::start(&self.id);
                let shape = ResultShape {
                    era: self.era,
                    server: &self.server,
                    stale: &self.stale,
                    first_revision: self.first_revision,
                };
                shape.adopt(&mut out, &result, self.cache, self.private);
                response::close(&mut out);
                out
            }
        }
    }

    /// Returns the response on its own, with its HTTP status.
    fn whole(&self, event: Event) -> Result<Response<Body>, RpcError> {
        match self.for_caller(event) {
            Event::Error(failure) => Err(self.failure(failure)),
            Event::Passthrough(response) => Ok(response::passthrough(response)),
            event => Ok(response::json(self.message(event))),
        }
    }
}
