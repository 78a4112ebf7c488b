//! The request handler of the MCP endpoint: checks headers, parses the body and answers each message.

use std::borrow::Cow;

use futures_util::FutureExt;
use http::{HeaderValue, Method as Verb, Request, Response};
use mcp_sieve::json::Raw;
use serde_json::{Map, Value};

use crate::{
    caller::identity::Caller,
    config::Config,
    host::{Host, audit, request_log::RequestLog},
    http::{cors, expiry::end_with_token, intake::check_head},
    methods::{self, initialize, listen},
    protocol::{
        envelope::{self, Sender},
        error::RpcError,
        message::{Incoming, Message, Post},
        method::Method,
        response::{self, Body},
    },
    request::{
        admission, auth, concerns,
        context::{Context, Exchange},
        discovery::{self, DiscoveredCell, DiscoveryCall},
        log_line,
    },
    server::{batch, dispatch, inbound::Inbound, server_card},
    session::state::Session,
};

/// The HTTP methods of the endpoint.
const ALLOW: &str = "GET, POST, DELETE, OPTIONS";

/// Answers one HTTP request at the MCP endpoint.
///
/// `claims` are those of the token that the entry point verified, or the error with which it rejected the token. The
/// function never fails: errors are returned as responses, always with JSON, since clients distinguish the protocol
/// eras by it.
pub async fn handle<H: Host>(
    config: &Config,
    host: &H,
    claims: Result<Option<&Map<String, Value>>, RpcError>,
    inbound: &Inbound<'_>,
) -> Response<Body> {
    match AcceptedHead::read(config, host, claims, inbound.request()) {
        Ok(head) => head.answer(config, host, inbound).await,
        Err(response) => *response,
    }
}

/// A request that passed the checks of its head. An entry point that reads bodies itself checks the head first, so that
/// a refused request costs no memory.
#[derive(Debug)]
pub struct AcceptedHead<'a> {
    claims: Option<&'a Map<String, Value>>,
    /// The origin of the page that may read the response.
    origin: Option<HeaderValue>,
}

impl<'a> AcceptedHead<'a> {
    /// Checks the head of a request: its origin, token, method, media type and length. `claims` are as for [`handle`].
    ///
    /// # Errors
    /// Returns the response if the head alone decides it: a refusal, a response to a preflight, or a server card.
    pub fn read<H: Host, B>(
        config: &Config,
        host: &H,
        claims: Result<Option<&'a Map<String, Value>>, RpcError>,
        request: &Request<B>,
    ) -> Result<Self, Box<Response<Body>>> {
        if let Some(card) = server_card::answer(config, host, &claims, request) {
            return Err(Box::new(card));
        }
        let origin = cors::check(request, config)
            .map_err(|failure| Box::new(refuse(host, request.method(), HeadError::RpcError(failure))))?;
        // A browser sends the preflight before any token.
        let mut response = match *request.method() {
            Verb::OPTIONS => cors::preflight(request.headers()),
            _ => match admit(config, claims, request) {
                Ok(claims) => return Ok(Self { claims, origin }),
                Err(refusal) => refuse(host, request.method(), refusal),
            },
        };
        if let Some(origin) = origin {
            cors::grant(&mut response, origin);
        }
        Err(Box::new(response))
    }

    /// Returns the claims of the caller's token.
    pub fn claims(&self) -> Option<&'a Map<String, Value>> {
        self.claims
    }

    /// Answers the request after its body has been read.
    pub async fn answer<H: Host>(self, config: &Config, host: &H, inbound: &Inbound<'_>) -> Response<Body> {
        let (claims, request) = (self.claims, inbound.request());
        let log = config.log.then(RequestLog::default);
        let (log, discovered) = (log.as_ref(), &DiscoveredCell::default());
        let exchange = Exchange { config, host, claims, request, batch: None, log, discovered };
        let mut response = answer(&exchange, inbound).await;
        if inbound.weight().busy == 0 {
            response = end_with_token(config, host, claims, response);
        }
        if let Some(origin) = self.origin {
            cors::grant(&mut response, origin);
        }
        response
    }

    /// Refuses the request for a reason outside its head, such as a body that cannot be read or a rate limit.
    pub fn refuse<H: Host>(self, host: &H, method: &Verb, failure: RpcError) -> Response<Body> {
        let mut response = refuse(host, method, HeadError::RpcError(failure));
        if let Some(origin) = self.origin {
            cors::grant(&mut response, origin);
        }
        response
    }
}

/// The reason why a request is refused by its head.
enum HeadError {
    Verb,
    RpcError(RpcError),
}

/// Checks the head of a request (token, method, media type and length) and returns the claims of its caller.
fn admit<'a, B>(
    config: &Config,
    claims: Result<Option<&'a Map<String, Value>>, RpcError>,
    request: &Request<B>,
) -> Result<Option<&'a Map<String, Value>>, HeadError> {
    // This check also applies if the entry point verifies no tokens: an endpoint that requires them must not be open.
    let claims =
        claims.and_then(|claims| auth::admit(config, request, claims)).map_err(HeadError::RpcError)?;
    match *request.method() {
        Verb::POST => check_head(request.headers()).map_err(HeadError::RpcError)?,
        Verb::GET | Verb::DELETE => {}
        _ => return Err(HeadError::Verb),
    }
    Ok(claims)
}

fn refuse<H: Host>(host: &H, method: &Verb, refusal: HeadError) -> Response<Body> {
    match refusal {
        HeadError::Verb => response::not_allowed(ALLOW),
        HeadError::RpcError(failure) => {
            audit::note(host, None, method.as_str(), &failure);
            response::refusal(&failure, None)
        }
    }
}

async fn answer<H: Host>(exchange: &Exchange<'_, H>, inbound: &Inbound<'_>) -> Response<Body> {
    let answered = match (inbound.post(), exchange.request.method()) {
        (Some(Ok(body)), _) => answer_post(exchange, body).await,
        (Some(Err(failure)), _) => Err(failure),
        (None, &Verb::GET) => listen::feed(exchange).boxed_local().await,
        (None, &Verb::DELETE) => initialize::end(exchange).boxed_local().await,
        (None, _) => return response::not_allowed(ALLOW),
    };
    answered.unwrap_or_else(|failure| {
        audit::note(exchange.host, exchange.claims, exchange.request.method().as_str(), &failure);
        response::refusal(&failure, None)
    })
}

/// Answers a POST. Returns an error only if the response cannot carry the id of a request.
async fn answer_post<H: Host>(
    exchange: &Exchange<'_, H>,
    body: &Post<'_>,
) -> Result<Response<Body>, RpcError> {
    let message = match body {
        Post::Batch(elements) => return batch::answer_batch(exchange, elements).boxed_local().await,
        Post::One(Incoming::Message(message)) => message,
        Post::One(Incoming::Response { id, answer }) => {
            let (session, _) = initialize::session(exchange).boxed_local().await?;
            exchange.host.live(&session).into_iter().for_each(|live| live.answered(id, answer.clone()));
            return Ok(response::accepted());
        }
    };
    let since = exchange.host.now();
    let answered = match message.id {
        Some(id) => answer_request(exchange, message, id).await,
        None => answer_notification(exchange, message).boxed_local().await,
    };
    log_line::write(exchange, message, since, &answered);
    let response = answered.unwrap_or_else(|failure| {
        let about = (message, discovery::called(exchange.discovered));
        audit::refused(exchange.config, exchange.host, exchange.claims, about, &failure);
        response::refusal(&failure, message.id)
    });
    let response = response::settled(response);
    Ok(match exchange.prefers_events() {
        true => response::as_event(response),
        false => response,
    })
}

/// Carries out a notification, which gets 202.
async fn answer_notification<H: Host>(
    exchange: &Exchange<'_, H>,
    message: &Message<'_>,
) -> Result<Response<Body>, RpcError> {
    if let Sender::Session = envelope::classify(message, exchange.request.headers())? {
        let (session, _) = initialize::session(exchange).await?;
        process_notification(exchange, &session, message).await;
    }
    Ok(response::accepted())
}

/// Carries out a notification in a session.
pub(crate) async fn process_notification<H: Host>(
    exchange: &Exchange<'_, H>,
    session: &str,
    message: &Message<'_>,
) {
    match message.method.as_ref() {
        "notifications/cancelled" => listen::cancelled(exchange, session, message.param("requestId")),
        "notifications/roots/list_changed" => initialize::roots_changed(exchange, session),
        "notifications/initialized" => concerns::initialized(exchange, session, message).await,
        _ => {}
    }
}

/// Answers one request.
async fn answer_request<H: Host>(
    exchange: &Exchange<'_, H>,
    message: &Message<'_>,
    id: Raw<'_>,
) -> Result<Response<Body>, RpcError> {
    let headers = exchange.request.headers();
    match envelope::classify(message, headers)? {
        Sender::Stateless(client) => {
            let mut caller = Caller {
                claims: exchange.claims.map(Cow::Borrowed),
                transport: exchange.config.transport,
                client: client.info,
                capabilities: client.capabilities,
                level: client.level,
                id: Some(id),
                meta: message.meta.clone(),
                ..Caller::new(headers, client.version, &message.method)
            };
            admission::admit(
                exchange.config,
                exchange.host,
                exchange.request,
                exchange.preset(),
                &mut caller,
            )
            .await?;
            serve(exchange, message, id, caller, None).await
        }
        Sender::Session if message.known == Some(Method::Initialize) => {
            initialize::initialize(exchange, message, id).boxed_local().await
        }
        Sender::Session => {
            async { in_session(exchange, message, id, initialize::session(exchange).await?).await }
                .boxed_local()
                .await
        }
    }
}

/// Answers a request of a session.
pub(crate) async fn in_session<H: Host>(
    exchange: &Exchange<'_, H>,
    message: &Message<'_>,
    id: Raw<'_>,
    (name, session): (String, Session),
) -> Result<Response<Body>, RpcError> {
    // `ping` asks only whether this server responds, so it needs no upstream server.
    if message.known == Some(Method::Ping) {
        return Ok(response::json(response::empty(id)));
    }
    let caller = initialize::caller(exchange, &session, &message.method)?;
    let caller = Caller { id: Some(id), meta: message.meta.clone(), ..caller };
    serve(exchange, message, id, caller, Some((name, session))).await
}

/// Answers a request. If it calls a tool through a discovery tool, it is answered as a call of that tool.
async fn serve<H: Host>(
    exchange: &Exchange<'_, H>,
    message: &Message<'_>,
    id: Raw<'_>,
    caller: Caller<'_>,
    session: Option<(String, Session)>,
) -> Result<Response<Body>, RpcError> {
    let query = exchange.request.uri().query().unwrap_or_default();
    match discovery::read_call(exchange.config, &caller, query, message, exchange.discovered)? {
        DiscoveryCall::None => {
            dispatch::dispatch(Context::new(exchange, message, id, caller, session).await?).await
        }
        DiscoveryCall::Call(params) => {
            let message = &message.with_params(Raw::known(&params));
            async { dispatch::dispatch(Context::new(exchange, message, id, caller, session).await?).await }
                .boxed_local()
                .await
        }
        DiscoveryCall::Refused(answer) => {
            let context = Context::new(exchange, message, id, caller, session).boxed_local().await?;
            Ok(methods::discovery::result(&context, &answer))
        }
    }
}
