//! The methods of the session era: `initialize`, lookup of a request's session, and its end.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use mcp_sieve::{json::Raw, revision::Revision, seal::Key};
use serde_json::{Value, json};

use crate::{
    caller::identity::{Caller, principal},
    host::Host,
    methods::{capabilities, tool_list},
    object::deserialize,
    protocol::{
        client::check_client,
        error::RpcError,
        headers::{self, SESSION_ID},
        log_level::Level,
        message::Message,
        response::{self, Body, ResultShape},
    },
    request::{
        admission, concerns,
        context::{Context, Exchange},
        presets,
    },
    session::state::{Session, unknown},
};

const PURPOSE: &str = "session";

/// Answers `initialize` and opens a session.
pub(crate) async fn initialize<H: Host>(
    exchange: &Exchange<'_, H>,
    message: &Message<'_>,
    id: Raw<'_>,
) -> Result<Response<Body>, RpcError> {
    if headers::value(exchange.request.headers(), SESSION_ID)?.is_some() {
        let message = "a session is not initialized twice; leave the session id out to start another";
        return Err(RpcError::request(StatusCode::BAD_REQUEST, "session_initialized", message));
    }
    let requested = message.text_param("protocolVersion")?;
    let version = Revision::for_session(&requested);
    check_client(message.param("clientInfo"), message.param("capabilities"))?;
    let param = |key: &str| message.param(key).and_then(|raw| deserialize(raw.get()).ok());
    let client: Option<Value> = param("clientInfo");
    let capabilities = param("capabilities").unwrap_or_else(|| json!({}));
    let mut caller = Caller {
        claims: exchange.claims.map(Cow::Borrowed),
        transport: exchange.config.transport,
        client: client.clone(),
        capabilities: capabilities.clone(),
        id: Some(id),
        meta: message.meta.clone(),
        ..Caller::new(exchange.request.headers(), version, &message.method)
    };
    admission::admit(exchange.config, exchange.host, exchange.request, exchange.preset(), &mut caller)
        .await?;
    let principal = caller.principal().map(Into::into);
    let context = Context::new(exchange, message, id, caller, None).await?;
    let concerns = concerns::initialized_with(exchange.config, &context.concerns(), message)?;

    let instructions = tool_list::instructions(&context);
    let out = result(
        id,
        &context.shape(),
        version,
        &capabilities::server_capabilities(&context),
        instructions.as_deref(),
    );

    let number = exchange.host.session_number(exchange.host.random()?);
    let session = Session {
        version: version.date().to_owned(),
        client,
        capabilities,
        principal,
        preset: exchange.preset().map(str::to_owned),
        created: exchange.host.now(),
        level: None,
        concerns,
        subscriptions: Default::default(),
        lists: None,
    };
    exchange.host.save_session(&name(&number), &session).await?;
    let mut response = response::json(out);
    let token = exchange.host.key().seal(PURPOSE, &number);
    let token = HeaderValue::from_str(&token)
        .map_err(|_| RpcError::internal("session", "the session id is no header value"))?;
    response.headers_mut().insert(SESSION_ID, token);
    Ok(response)
}

/// Returns the response to `initialize` for any server.
pub(crate) fn result(
    id: Raw<'_>,
    shape: &ResultShape<'_>,
    version: Revision,
    capabilities: &Value,
    instructions: Option<&str>,
) -> Vec<u8> {
    response::write(id, shape, None, |result| {
        result.text("protocolVersion", version.date());
        result.raw("capabilities", capabilities.to_string().as_bytes());
        result.raw("serverInfo", shape.server);
        if let Some(instructions) = instructions {
            result.text("instructions", instructions);
        }
    })
}

/// Returns the session of a request, preceded by its id in the store.
///
/// # Errors
/// 400 without the header, 404 if it names no session of this caller. An id that was not sealed here is rejected
/// without access to storage.
pub(crate) async fn session<H: Host>(exchange: &Exchange<'_, H>) -> Result<(String, Session), RpcError> {
    let id = stored_name(exchange)?;
    let session = exchange.host.load_session(&id).await?.ok_or_else(unknown)?;
    let principal = exchange.claims.and_then(principal);
    // A session is bound to its preset as well as to its caller.
    match session.principal.as_deref() == principal.as_deref()
        && session.preset.as_deref() == exchange.preset()
    {
        true => Ok((id, session)),
        false => Err(unknown().denied("session_stolen")),
    }
}

/// Returns the caller for a request of a session.
///
/// # Errors
/// 404 if the session's preset does not apply to the caller any more.
pub(crate) fn caller<'a, H>(
    exchange: &Exchange<'a, H>,
    session: &Session,
    method: &'a str,
) -> Result<Caller<'a>, RpcError> {
    let version = Revision::from_date(&session.version).unwrap_or(Revision::LATEST_WITH_SESSIONS);
    let mut caller = Caller {
        claims: exchange.claims.map(Cow::Borrowed),
        transport: exchange.config.transport,
        client: session.client.clone(),
        capabilities: session.capabilities.clone(),
        // The default until the client sets a level.
        level: session.level.as_deref().map_or(Some(Level::Info), |name| name.parse().ok()),
        ..Caller::new(exchange.request.headers(), version, method)
    };
    presets::bind(exchange.config, exchange.preset(), &mut caller).map_err(|_| unknown())?;
    Ok(caller)
}

/// Answers `DELETE` by ending the session, and those at upstream servers that belong to its client.
pub(crate) async fn end<H: Host>(exchange: &Exchange<'_, H>) -> Result<Response<Body>, RpcError> {
    let (id, _) = session(exchange).await?;
    exchange.host.live(&id).into_iter().for_each(|live| live.end());
    let held = exchange.host.end_session(&id).await?;
    exchange.request.headers().get(SESSION_ID).iter().for_each(|session| exchange.host.end_sessions(session));
    if !held {
        return Err(unknown());
    }
    let mut response = Response::new(Body::Empty);
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}

/// Handles `notifications/roots/list_changed` by notifying the upstream servers.
pub(crate) fn roots_changed<H: Host>(exchange: &Exchange<'_, H>, id: &str) {
    let can_be_asked = exchange.host.live(id).is_some_and(|streams| streams.has_feed());
    if let Some(session) = exchange.request.headers().get(SESSION_ID) {
        exchange.host.roots_changed(session, can_be_asked);
    }
}

fn stored_name<H>(exchange: &Exchange<'_, H>) -> Result<String, RpcError>
where
    H: Host,
{
    let token =
        headers::value(exchange.request.headers(), SESSION_ID)?.ok_or_else(|| without_session(exchange))?;
    let number = exchange.host.key().open(PURPOSE, &token);
    let number = number.ok_or_else(|| unknown().denied("session_invalid"))?;
    Ok(name(&number))
}

/// Returns the error for a request without the header of a session: as for `initialize`, 401 if the caller needs a token, and
/// otherwise 400.
fn without_session<H: Host>(exchange: &Exchange<'_, H>) -> RpcError {
    let (headers, version) = (exchange.request.headers(), Revision::LATEST_WITH_SESSIONS);
    let caller = Caller {
        claims: exchange.claims.map(Cow::Borrowed),
        transport: exchange.config.transport,
        ..Caller::new(headers, version, "initialize")
    };
    admission::missing_token(exchange.config, exchange.host, exchange.request, &caller).unwrap_or_else(|| {
        let message = format!("header {SESSION_ID} is missing; `initialize` returns it");
        RpcError::request(StatusCode::BAD_REQUEST, "session_required", message)
    })
}

/// Returns the id under which the store has the session that a request names, if the token was sealed here. Requests of
/// one session are handled by one instance, which this id selects.
pub fn stored_id(key: &Key, headers: &HeaderMap) -> Option<String> {
    let token = headers::value(headers, SESSION_ID).ok()??;
    key.open(PURPOSE, &token).map(|number| name(&number))
}

/// Returns the store's id of a session: the number in the token, encoded.
fn name(number: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(number)
}
