//! The MCP endpoint: answers requests here, or in the Durable Object of their session or call.

use std::rc::Rc;

use futures_util::FutureExt;
use http::StatusCode;
use mcp_sieve_gateway::{
    auth,
    config::Limits,
    error::RpcError,
    server::{AcceptedHead, Body, Inbound, check_host, handle_plain_list},
    session::{SuspendedCalls, stored_id},
};
use worker::{Context, Env, Request, Response, Result};

use super::{
    answer_cache::{CacheableRequest, KeptAnswer},
    body::{self, Source},
    convert::{head, head_text, write},
    passed_metadata,
};
use crate::{
    auth::Claims,
    clock,
    deployment::Deployment,
    host::EdgeHost,
    objects::{
        lost,
        rate_limit::{self, Permit},
        session_home::SessionStore,
        session_id, session_object, suspended_calls,
    },
    plan::Plan,
};

/// The answer to a request: one of the protocol core, or a response of the platform that is passed on unread.
pub(crate) enum Reply {
    Core(http::Response<Body>),
    Platform(Response),
}

impl Reply {
    /// Returns the response for the platform.
    pub fn write(self) -> Result<Response> {
        match self {
            Self::Core(response) => write(response),
            Self::Platform(response) => Ok(response),
        }
    }
}

/// Answers one request at the MCP endpoint: here, or in the Durable Object of its session or of its suspended call.
/// Every failure is JSON, since clients read the era of a server from its errors.
pub(crate) async fn serve(request: Request, env: &Env, context: Context) -> Result<Response> {
    // The runtime passes a path as it was written, but resolves its dot segments on the way to a Durable Object.
    if request.url().is_ok_and(|url| url.path() != request.path()) {
        let nothing = "nothing is served at this path";
        return write(RpcError::request(StatusCode::NOT_FOUND, "path", nothing).into_response());
    }
    let deployment = match Deployment::load(env).await {
        Ok(deployment) => deployment,
        Err(failure) => return write(failure.by_status().into_response()),
    };
    let head = match head(&request) {
        Ok(head) => head,
        Err(failure) => return write(failure.into_response()),
    };
    // The body is passed on unread. The session's object repeats every check that is made here before it reads the
    // body.
    let session = stored_id(&deployment.key, head.headers());
    if let Some((object, _)) = session.as_deref().and_then(session_id::parse) {
        let sent = async { session_object(env, object)?.fetch_with_request(request).await };
        return match sent.await {
            Err(error) => write(lost("the session", &error).into_response()),
            answered => answered,
        };
    }
    let context = Some(Rc::new(context));
    let host = EdgeHost { context, ..EdgeHost::new(deployment, env) };
    respond(Source::from(&request), head, None, &host).await?.write()
}

/// Answers one request without a session, whose body the entry has read or begun to read. `text` is its head as the
/// entry wrote it.
pub(crate) async fn answer_read(
    head: http::Request<()>,
    text: &str,
    body: Source,
    env: &Env,
    context: Context,
    plan: Rc<Plan>,
) -> Result<Reply> {
    match Deployment::load(env).await {
        Ok(deployment) => {
            let context = Some(Rc::new(context));
            let host = EdgeHost { context, plan: Some(plan), ..EdgeHost::new(deployment, env) };
            respond(body, head, Some(text), &host).await
        }
        // Without the id of the request, which nothing has read, only the status marks it as failed.
        Err(failure) => Ok(Reply::Core(failure.by_status().into_response())),
    }
}

/// Answers one request in the Durable Object of its session.
pub(crate) async fn answer(request: Request, env: &Env, sessions: &SessionStore) -> Result<Response> {
    match Deployment::load(env).await.and_then(|deployment| Ok((deployment, head(&request)?))) {
        Ok((deployment, head)) => {
            let id = stored_id(&deployment.key, head.headers());
            let place = id.as_deref().and_then(session_id::parse).map(|(_, place)| place);
            let home = place.map(|place| sessions.home(place));
            let host = EdgeHost { home, ..EdgeHost::new(deployment, env) };
            respond(Source::from(&request), head, None, &host).await?.write()
        }
        Err(failure) => write(failure.into_response()),
    }
}

/// Answers one request in a Durable Object in which its call can be suspended.
pub(crate) async fn answer_suspended(
    request: Request,
    env: &Env,
    suspended_calls: Rc<SuspendedCalls>,
) -> Result<Response> {
    match Deployment::load(env).await.and_then(|deployment| Ok((deployment, head(&request)?))) {
        Ok((deployment, mut head)) => {
            if let Some(url) = suspended_calls::url(head.headers()) {
                *head.uri_mut() = url;
            }
            let host = EdgeHost { suspended_calls: Some(suspended_calls), ..EdgeHost::new(deployment, env) };
            respond(Source::from(&request), head, None, &host).await?.write()
        }
        Err(failure) => write(failure.into_response()),
    }
}

/// Writes the kept answer to a request, if there is one of the current catalog.
pub(crate) fn kept<T>(head: &str, body: &[u8], write: impl FnOnce(&KeptAnswer) -> T) -> Option<T> {
    let deployment = Deployment::built()?;
    let mut answers = deployment.answers.borrow_mut();
    answers.get(&deployment.current(clock::now())?, head, body).map(write)
}

/// Keeps the answer to a request, if every caller gets it. If `limits` count requests, no answer is kept.
fn keep(host: &EdgeHost, head: &str, inbound: &Inbound<'_>, response: &http::Response<Body>) {
    let Some(backend) = host.keepable.take() else { return };
    let (Some(id), Body::Json(json)) = (inbound.id_range(), response.body()) else { return };
    if response.status() == StatusCode::OK && host.deployment.config.limits == Limits::default() {
        let request = CacheableRequest { head, body: inbound.request().body(), id };
        let headers = head_text(response.headers());
        host.deployment.answers.borrow_mut().keep(&backend, &request, &headers, json);
    }
}

/// Answers one request. All decisions on its head are made before its body is read. `text` is the head as the entry
/// wrote it, if the answer may be kept.
async fn respond(
    source: Source,
    head: http::Request<()>,
    text: Option<&str>,
    host: &EdgeHost,
) -> Result<Reply> {
    let config = &host.deployment.config;
    host.note_origin(&head);
    let (claims, pass) = admit(host, &head).await;
    let known = claims.as_ref().map(Option::as_deref).map_err(Clone::clone);
    let accepted = match AcceptedHead::read(config, host, known, &head) {
        Ok(accepted) => accepted,
        Err(response) => {
            body::pass(source, &host.deployment).boxed_local().await;
            return Ok(Reply::Core(*response));
        }
    };
    let claims = accepted.claims();
    let caller = rate_limit::caller(head.headers(), claims);
    let read = body::read(source, &head, &host.deployment, &caller).await;
    let head = head.into_parts().0;
    let (body, lease) = match read {
        Ok(read) => read,
        Err(failure) => return Ok(Reply::Core(accepted.refuse(host, &head.method, failure))),
    };
    let request = http::Request::from_parts(head, body);
    let inbound = Inbound::read(&request);
    let pass = match rate_limit::complete(host, &inbound, claims, pass).await {
        Ok(pass) => pass,
        Err(failure) => return Ok(Reply::Core(accepted.refuse(host, request.method(), failure))),
    };
    if let Some(name) = suspended_calls::find_object(host, claims, &inbound) {
        let forwarded = suspended_calls::forward(host, &name, claims, request, lease, pass);
        return forwarded.boxed_local().await.map(Reply::Platform);
    }
    let response = accepted.answer(config, host, &inbound).await;
    if let Some(text) = text {
        keep(host, text, &inbound, &response);
    }
    drop(lease);
    Ok(Reply::Core(rate_limit::hold_request(host, &inbound, response, pass)))
}

/// Returns the claims of the caller and a permit for the request, or refuses the request.
async fn admit<'a>(
    host: &'a EdgeHost,
    head: &http::Request<()>,
) -> (std::result::Result<Option<Claims<'a>>, RpcError>, Option<Permit>) {
    // A browser's preflight request has no token.
    if head.method() == http::Method::OPTIONS {
        return (Ok(None), None);
    }
    let claims = match suspended_calls::verified_claims(host, head.headers()) {
        Some(claims) => Ok(Some(Claims::Owned(claims))),
        None => host.deployment.identify(&host.env, head).await,
    };
    // A caller with a bad token is counted by address, like one without a token.
    match rate_limit::enter(host, head, claims.as_ref().ok().and_then(Option::as_deref)).await {
        Ok(pass) => (claims, pass),
        Err(failure) => (Err(failure), None),
    }
}

/// Returns the protected-resource metadata, with the authorization server that issues tokens for this server, or that of the
/// server to which callers' tokens are passed.
pub(crate) async fn metadata(request: Request, env: &Env) -> Result<Response> {
    let config = match Deployment::load(env).await {
        Ok(deployment) => deployment,
        Err(failure) => return write(failure.by_status().into_response()),
    };
    let document = head(&request).ok().and_then(|head| auth::metadata(&config.config, &head));
    let document = match document {
        Some(document) => Some(document),
        None => passed_metadata::read(&config.config).await,
    };
    write(document.unwrap_or_else(|| auth::no_metadata(config.takes_tokens())))
}

/// Answers one request for a list as a plain resource, without a session and a body.
pub(crate) async fn list(
    head: std::result::Result<http::Request<()>, RpcError>,
    env: &Env,
    context: Context,
) -> http::Response<Body> {
    let loaded = Deployment::load(env).await.and_then(|deployment| Ok((deployment, head?)));
    match loaded {
        Ok((deployment, head)) => {
            let context = Some(Rc::new(context));
            let host = EdgeHost { context, ..EdgeHost::new(Rc::clone(&deployment), env) };
            let (claims, pass) = admit(&host, &head).await;
            let claims = claims.as_ref().map(Option::as_deref).map_err(Clone::clone);
            rate_limit::hold(
                handle_plain_list(&deployment.config, &host, claims, &head.map(|()| Vec::new())).await,
                pass,
            )
        }
        Err(failure) => failure.by_status().into_response(),
    }
}

/// Answers one request for the catalog of server cards, if cards are served.
pub(crate) async fn card_catalog(request: &Request, env: &Env) -> Result<Option<Response>> {
    let Ok(deployment) = Deployment::load(env).await else { return Ok(None) };
    if deployment.config.drafts.server_card.is_none() {
        return Ok(None);
    }
    let head = match head(request) {
        Ok(head) => head,
        Err(failure) => return write(failure.into_response()).map(Some),
    };
    let host = EdgeHost::new(deployment, env);
    let (claims, pass) = admit(&host, &head).await;
    let claims = claims.as_ref().map(Option::as_deref).map_err(Clone::clone);
    let response = AcceptedHead::read(&host.deployment.config, &host, claims, &head).err();
    response.map(|response| write(rate_limit::hold(*response, pass))).transpose()
}

/// Returns the refusal of a request whose `Host` is none of this server's names. If the configuration cannot be read,
/// no request is refused.
pub(crate) async fn other_name(request: &Request, env: &Env) -> Option<RpcError> {
    let deployment = Deployment::load(env).await.ok()?;
    if deployment.config.hosts.is_empty() {
        return None;
    }
    head(request).and_then(|head| check_host(&head, &deployment.config)).err()
}
