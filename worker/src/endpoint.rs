use std::{rc::Rc, time::Duration};

use futures_util::StreamExt;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use mcp_sieve::mcp::{Body, Failure, MAX_BODY, Parked, Weight, handle, home, identity, plain};
use worker::{Context, Date, Delay, Env, Headers, Request, Response, ResponseBuilder, Result};

use crate::{
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
pub(crate) async fn serve(mut request: Request, env: &Env, context: Context) -> Result<Response> {
    // The runtime hands a path over as it was written, and resolves its dots on the way to an object.
    if request.url().is_ok_and(|url| url.path() != request.path()) {
        let nothing = "nothing is served at this path";
        return write(Failure::request(StatusCode::NOT_FOUND, "path", nothing).into_response());
    }
    let isolate = match Isolate::of(env).await {
        Ok(isolate) => isolate,
        Err(failure) => return write(failure.into_response()),
    };
    if let Some(session) = home(&isolate.key, &headers(&request)) {
        return objects::session(env, &session)?.fetch_with_request(request).await;
    }
    match read(&mut request).await {
        Ok(request) => match rooms::find(&isolate, env, &request).await {
            Some(name) => rooms::enter(env, &name, &request).await,
            None => {
                let context = Some(Rc::new(context));
                respond(&request, &EdgeHost { context, ..EdgeHost::new(isolate, env) }).await
            }
        },
        Err(failure) => write(failure.into_response()),
    }
}

/// Answers one request in this place, the home of its session.
pub(crate) async fn answer(mut request: Request, env: &Env, home: Rc<Home>) -> Result<Response> {
    match asked(&mut request, env).await {
        Ok((request, isolate)) => {
            respond(&request, &EdgeHost { home: Some(home), ..EdgeHost::new(isolate, env) }).await
        }
        Err(failure) => write(failure.into_response()),
    }
}

/// Answers one request in this place, where its call can wait.
pub(crate) async fn answer_in_room(mut request: Request, env: &Env, parked: Rc<Parked>) -> Result<Response> {
    match asked(&mut request, env).await {
        Ok((mut request, isolate)) => {
            if let Some(url) = rooms::url(request.headers()) {
                *request.uri_mut() = url;
            }
            respond(&request, &EdgeHost { parked: Some(parked), ..EdgeHost::new(isolate, env) }).await
        }
        Err(failure) => write(failure.into_response()),
    }
}

async fn respond(request: &http::Request<Vec<u8>>, host: &EdgeHost) -> Result<Response> {
    let (claims, pass) = admit(host, request).await;
    let claims = claims.as_ref().map(Option::as_deref).map_err(Clone::clone);
    let expires = claims.as_ref().ok().copied().flatten().and_then(|claims| claims.get("exp")?.as_f64());
    let response = handle(&host.isolate.config, host, claims, request).await;
    write(limits::hold(lapse(host, request, expires, response), pass))
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
    request: &http::Request<Vec<u8>>,
) -> (std::result::Result<Option<Claims<'a>>, Failure>, Option<Pass>) {
    // A browser asks whether it may call before it shows any token.
    if request.method() == http::Method::OPTIONS {
        return (Ok(None), None);
    }
    let claims = host.isolate.identify(&host.env, request).await;
    // Whoever shows a bad token is counted by address, like whoever shows none.
    match limits::enter(host, request, claims.as_ref().ok().and_then(Option::as_deref)).await {
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
    let document = asked.ok().and_then(|asked| identity::metadata(&config.config, &asked));
    match document {
        Some(document) => write(document),
        None => Response::error("no tokens are taken here", 404),
    }
}

/// Answers one request for a list as a plain resource. No session has a part in it.
pub(crate) async fn list(mut request: Request, env: &Env, context: Context) -> Result<Response> {
    let answered = match asked(&mut request, env).await {
        Ok((request, isolate)) => {
            let context = Some(Rc::new(context));
            let host = EdgeHost { context, ..EdgeHost::new(Rc::clone(&isolate), env) };
            let (claims, pass) = admit(&host, &request).await;
            let claims = claims.as_ref().map(Option::as_deref).map_err(Clone::clone);
            limits::hold(plain(&isolate.config, &host, claims, &request).await, pass)
        }
        Err(failure) => failure.by_status().into_response(),
    };
    write(answered)
}

async fn asked(
    request: &mut Request,
    env: &Env,
) -> std::result::Result<(http::Request<Vec<u8>>, Rc<Isolate>), Failure> {
    Ok((read(request).await?, Isolate::of(env).await?))
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

/// The request with its body, which is read no further than the limit.
pub(crate) async fn read(request: &mut Request) -> std::result::Result<http::Request<Vec<u8>>, Failure> {
    let broken = |error: worker::Error| {
        Failure::request(StatusCode::BAD_REQUEST, "body", format!("the request cannot be read: {error}"))
    };
    let mut built = http::Request::builder().method(request.method().as_ref()).uri(request.inner().url());
    if let Some(all) = built.headers_mut() {
        *all = headers(request);
    }
    let mut body = Vec::new();
    if request.inner().body().is_some() {
        let mut pieces = request.stream().map_err(broken)?;
        while let Some(piece) = pieces.next().await {
            body.extend_from_slice(&piece.map_err(broken)?);
            // One byte over is enough for the core to refuse it.
            if body.len() > MAX_BODY {
                break;
            }
        }
    }
    built.body(body).map_err(|error| {
        Failure::request(StatusCode::BAD_REQUEST, "request", format!("the request cannot be read: {error}"))
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
