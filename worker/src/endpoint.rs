use std::{rc::Rc, time::Duration};

use futures_util::StreamExt;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use mcp_sieve::mcp::{
    Body, RpcError, SuspendedCalls, Weight, auth, check_host, handle, home, plain, turn_away,
};
use worker::{Context, Date, Delay, Env, Headers, Request, Response, ResponseBuilder, Result};

use crate::{
    body,
    host::EdgeHost,
    identity::Claims,
    isolate::Isolate,
    limits::{self, Pass},
    objects, rooms,
    session::Home,
};

/// Longest time that the platform waits, in milliseconds.
const LONGEST_MS: f64 = i32::MAX as f64;

/// Answers one request at the MCP endpoint: here, or where its session lives or its call waits. Whatever goes
/// wrong is JSON: a client reads the era of a server from its errors.
pub(crate) async fn serve(request: Request, env: &Env, context: Context) -> Result<Response> {
    // The runtime hands a path over as it was written, and resolves its dots on the way to an object.
    if request.url().is_ok_and(|url| url.path() != request.path()) {
        let nothing = "nothing is served at this path";
        return write(RpcError::request(StatusCode::NOT_FOUND, "path", nothing).into_response());
    }
    let isolate = match Isolate::of(env).await {
        Ok(isolate) => isolate,
        Err(failure) => return write(failure.into_response()),
    };
    let head = match head(&request) {
        Ok(head) => head,
        Err(failure) => return write(failure.into_response()),
    };
    // The body goes on unread; the session's object asks all that is asked here before it reads it.
    if let Some(session) = home(&isolate.key, head.headers()) {
        return objects::session(env, &session)?.fetch_with_request(request).await;
    }
    let context = Some(Rc::new(context));
    respond(request, head, &EdgeHost { context, ..EdgeHost::new(isolate, env) }).await
}

/// Answers one request in this place, the home of its session.
pub(crate) async fn answer(request: Request, env: &Env, home: Rc<Home>) -> Result<Response> {
    match Isolate::of(env).await.and_then(|isolate| Ok((isolate, head(&request)?))) {
        Ok((isolate, head)) => {
            respond(request, head, &EdgeHost { home: Some(home), ..EdgeHost::new(isolate, env) }).await
        }
        Err(failure) => write(failure.into_response()),
    }
}

/// Answers one request in this place, where its call can wait.
pub(crate) async fn answer_in_room(
    request: Request,
    env: &Env,
    parked: Rc<SuspendedCalls>,
) -> Result<Response> {
    match Isolate::of(env).await.and_then(|isolate| Ok((isolate, head(&request)?))) {
        Ok((isolate, mut head)) => {
            if let Some(url) = rooms::url(head.headers()) {
                *head.uri_mut() = url;
            }
            respond(request, head, &EdgeHost { parked: Some(parked), ..EdgeHost::new(isolate, env) }).await
        }
        Err(failure) => write(failure.into_response()),
    }
}

/// Answers one request. Whatever its head says is decided before its body is read.
async fn respond(mut request: Request, head: http::Request<()>, host: &EdgeHost) -> Result<Response> {
    let config = &host.isolate.config;
    let (claims, pass) = admit(host, &head).await;
    let known = claims.as_ref().map(Option::as_deref).map_err(Clone::clone);
    if let Some(response) = turn_away(config, host, known.clone(), &head).await {
        body::pass(&mut request, &host.isolate).await;
        return write(response);
    }
    let claims = known.as_ref().copied().unwrap_or_default();
    let caller = limits::caller(head.headers(), claims);
    let read = body::read(&mut request, &head, &host.isolate, &caller).await;
    let head = head.into_parts().0;
    let (request, lease) = match read {
        Ok((body, lease)) => (http::Request::from_parts(head, body), lease),
        Err(failure) => {
            let request = http::Request::from_parts(head, Vec::new());
            return write(handle(config, host, Err(failure), &request).await);
        }
    };
    let (known, pass) = match limits::complete(host, &request, claims, pass).await {
        Ok(pass) => (Ok(claims), pass),
        Err(failure) => (Err(failure), None),
    };
    if known.is_ok()
        && let Some(name) = rooms::find(host, claims, &request)
    {
        return rooms::enter(&host.env, &name, request, lease, pass).await;
    }
    let response = handle(config, host, known, &request).await;
    drop(lease);
    let expires = claims.and_then(|claims| claims.get("exp")?.as_f64());
    write(limits::hold(lapse(host, &request, expires, response), pass))
}

/// Ends what only listens when the token of whoever listens does: they may come again with another.
fn lapse(
    host: &EdgeHost,
    request: &http::Request<Vec<u8>>,
    expires: Option<f64>,
    response: http::Response<Body>,
) -> http::Response<Body> {
    let (Some(auth), Some(expires)) = (&host.isolate.config.auth, expires) else { return response };
    if Weight::of(request).busy {
        return response;
    }
    let left = (expires + auth.clock_skew as f64) * 1000.0 - Date::now().as_millis() as f64;
    let over = Delay::from(Duration::from_millis(left.clamp(0.0, LONGEST_MS) as u64));
    response.map(|body| match body {
        Body::Events(events) => Body::Events(events.take_until(over).boxed_local()),
        whole => whole,
    })
}

/// Who sent a request, and that it is under way; or why it is not answered.
async fn admit<'a>(
    host: &'a EdgeHost,
    head: &http::Request<()>,
) -> (std::result::Result<Option<Claims<'a>>, RpcError>, Option<Pass>) {
    // A browser asks whether it may call before it shows any token.
    if head.method() == http::Method::OPTIONS {
        return (Ok(None), None);
    }
    let claims = host.isolate.identify(&host.env, head).await;
    // Whoever shows a bad token is counted by address, like whoever shows none.
    match limits::enter(host, head, claims.as_ref().ok().and_then(Option::as_deref)).await {
        Ok(pass) => (claims, pass),
        Err(failure) => (Err(failure), None),
    }
}

/// Says where tokens for this server are to be got.
pub(crate) async fn metadata(request: Request, env: &Env) -> Result<Response> {
    let config = match Isolate::of(env).await {
        Ok(isolate) => isolate,
        Err(failure) => return write(failure.into_response()),
    };
    let asked =
        http::Request::builder().method(request.method().as_ref()).uri(request.inner().url()).body(());
    let document = asked.ok().and_then(|asked| auth::metadata(&config.config, &asked));
    write(document.unwrap_or_else(|| auth::no_metadata(config.takes_tokens())))
}

/// Answers one request for a list as a plain resource. No session has a part in it, and no body is read.
pub(crate) async fn list(request: Request, env: &Env, context: Context) -> Result<Response> {
    let asked = Isolate::of(env).await.and_then(|isolate| Ok((isolate, head(&request)?)));
    let answered = match asked {
        Ok((isolate, head)) => {
            let context = Some(Rc::new(context));
            let host = EdgeHost { context, ..EdgeHost::new(Rc::clone(&isolate), env) };
            let (claims, pass) = admit(&host, &head).await;
            let claims = claims.as_ref().map(Option::as_deref).map_err(Clone::clone);
            limits::hold(plain(&isolate.config, &host, claims, &head.map(|()| Vec::new())).await, pass)
        }
        Err(failure) => failure.by_status().into_response(),
    };
    write(answered)
}

/// The headers that can be read; what is no text is refused where it matters, by the core.
pub(crate) fn headers(request: &Request) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in request.headers() {
        let value: Vec<u8> = value.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::from_bytes(&value)) {
            headers.append(name, value);
        }
    }
    headers
}

/// Why a request that calls this server by another name than its own is not answered, if it is not. Where no
/// configuration can be read no name is known.
pub(crate) async fn other_name(request: &Request, env: &Env) -> Option<RpcError> {
    let isolate = Isolate::of(env).await.ok()?;
    if isolate.config.hosts.is_empty() {
        return None;
    }
    head(request).and_then(|head| check_host(&head, &isolate.config)).err()
}

/// Returns all of a request but its body.
pub(crate) fn head(request: &Request) -> std::result::Result<http::Request<()>, RpcError> {
    let mut built = http::Request::builder().method(request.method().as_ref()).uri(request.inner().url());
    if let Some(all) = built.headers_mut() {
        *all = headers(request);
    }
    built.body(()).map_err(|error| {
        RpcError::request(StatusCode::BAD_REQUEST, "request", format!("the request cannot be read: {error}"))
    })
}

pub(crate) fn write(response: http::Response<Body>) -> Result<Response> {
    let (head, body) = response.into_parts();
    let headers = Headers::from(&head.headers);
    let builder = ResponseBuilder::new().with_status(head.status.as_u16()).with_headers(headers);
    match body {
        Body::Empty => Ok(builder.empty()),
        Body::Json(json) => Ok(builder.fixed(json)),
        Body::Events(events) => builder.from_stream(events.map(Ok::<_, worker::Error>)),
    }
}
