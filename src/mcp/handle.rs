use http::{Method, Request, Response, StatusCode, header};
use serde_json::{Map, Value};

use super::{
    Caller, Failure, Host, Session, audit, batch, checks, concerns,
    context::{Asked, Context},
    envelope::{self, Era},
    handshake, headers, identity, listen,
    message::{Incoming, Message, Post},
    methods, origin,
    reply::{self, Body},
    seen::{self, Seen},
};
use crate::{config::Config, json::Raw};

/// Largest request body that is read, in bytes.
pub const MAX_BODY: usize = 4 * 1024 * 1024;
/// The verbs of the endpoint.
const ALLOW: &str = "GET, POST, DELETE, OPTIONS";

/// Answers one HTTP request at the MCP endpoint.
///
/// `claims` are those of a token that the face has verified, or its refusal of one. Never fails: what goes
/// wrong is a response, and always JSON, since clients tell the eras apart by it.
pub async fn handle<H: Host>(
    config: &Config,
    host: &H,
    claims: Result<Option<&Map<String, Value>>, Failure>,
    request: &Request<Vec<u8>>,
) -> Response<Body> {
    let seen = config.log.then(Seen::default);
    // Also where a face looks at no token: what requires one is not open.
    let claims = claims.and_then(|claims| identity::admit(config, request, claims));
    origin::guard(config, host, request, async || match claims {
        Ok(claims) => {
            answer(&Asked { config, host, claims, request, batch: None, seen: seen.as_ref() }).await
        }
        Err(failure) => {
            audit::note(host, None, request.method().as_str(), &failure);
            reply::refusal(&failure, None)
        }
    })
    .await
}

async fn answer<H: Host>(asked: &Asked<'_, H>) -> Response<Body> {
    let answered = match *asked.request.method() {
        Method::POST => post(asked).await,
        Method::GET => listen::feed(asked).await,
        Method::DELETE => handshake::end(asked).await,
        _ => return reply::not_allowed(ALLOW),
    };
    answered.unwrap_or_else(|failure| {
        audit::note(asked.host, asked.claims, asked.request.method().as_str(), &failure);
        reply::refusal(&failure, None)
    })
}

/// Fails only where no id can be given with the refusal.
async fn post<H: Host>(asked: &Asked<'_, H>) -> Result<Response<Body>, Failure> {
    let (headers, body) = (asked.request.headers(), asked.request.body());
    let media = headers::value(headers, header::CONTENT_TYPE.as_str())?.unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    if !media.eq_ignore_ascii_case("application/json") {
        let message = format!("content type `{media}`, expected `application/json`");
        return Err(Failure::request(StatusCode::UNSUPPORTED_MEDIA_TYPE, "content_type", message));
    }
    if body.len() > MAX_BODY {
        let message = format!("the body is larger than {MAX_BODY} bytes");
        return Err(Failure::request(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message));
    }
    let message = match Post::read(body)? {
        Post::Batch(elements) => return batch::answer(asked, &elements).await,
        Post::One(Incoming::Message(message)) => message,
        Post::One(Incoming::Response { id, answer }) => {
            let (session, _) = handshake::session(asked).await?;
            asked.host.live(&session).into_iter().for_each(|live| live.answered(&id, answer.clone()));
            return Ok(reply::accepted());
        }
    };
    let since = asked.host.now();
    let answered = match message.id {
        Some(id) => request(asked, &message, id).await,
        None => notification(asked, &message).await,
    };
    seen::told(asked, &message, since, &answered);
    Ok(answered.unwrap_or_else(|failure| {
        audit::note(asked.host, asked.claims, &message.method, &failure);
        reply::refusal(&failure, message.id)
    }))
}

async fn notification<H: Host>(
    asked: &Asked<'_, H>,
    message: &Message<'_>,
) -> Result<Response<Body>, Failure> {
    if let Era::Legacy = envelope::classify(message, asked.request.headers())? {
        let (session, _) = handshake::session(asked).await?;
        noticed(asked, &session, message).await;
    }
    Ok(reply::accepted())
}

/// What a notification in a session does.
pub(super) async fn noticed<H: Host>(asked: &Asked<'_, H>, session: &str, message: &Message<'_>) {
    match message.method.as_ref() {
        "notifications/cancelled" => listen::cancelled(asked, session, message.param("requestId")),
        "notifications/initialized" => concerns::initialized(asked, session, message).await,
        _ => {}
    }
}

async fn request<H: Host>(
    asked: &Asked<'_, H>,
    message: &Message<'_>,
    id: Raw<'_>,
) -> Result<Response<Body>, Failure> {
    let headers = asked.request.headers();
    match envelope::classify(message, headers)? {
        Era::Modern(client) => {
            let mut caller = Caller {
                claims: asked.claims,
                client: client.info,
                capabilities: client.capabilities,
                level: client.level,
                id: Some(id),
                meta: message.meta.clone(),
                ..Caller::new(headers, client.version, &message.method)
            };
            checks::admit(asked.config, asked.host, asked.preset(), &mut caller).await?;
            methods::answer(Context::new(asked, message, id, caller, None).await?).await
        }
        Era::Legacy if message.method == "initialize" => handshake::initialize(asked, message, id).await,
        Era::Legacy => in_session(asked, message, id, handshake::session(asked).await?).await,
    }
}

/// Answers a request of a session.
pub(super) async fn in_session<H: Host>(
    asked: &Asked<'_, H>,
    message: &Message<'_>,
    id: Raw<'_>,
    (name, session): (String, Session),
) -> Result<Response<Body>, Failure> {
    // Says that this server is there, whatever is behind it.
    if message.method == "ping" {
        return Ok(reply::json(reply::empty(id)));
    }
    let caller = handshake::caller(asked, &session, &message.method)?;
    let caller = Caller { id: Some(id), meta: message.meta.clone(), ..caller };
    methods::answer(Context::new(asked, message, id, caller, Some((name, session))).await?).await
}
