//! Lists as plain HTTP resources for clients without MCP: `GET /catalog/tools?groups=issues`.
//!
//! `GET /catalog/read-only/tools` returns the list bounded by the preset `read-only`. The body is `{"tools":[…]}`, with
//! all pages of the list joined in one array. Its bytes and its `resultHash` are those of `tools/list`, and the `ETag`
//! is that hash. Visibility is decided as for `tools/list`.

use std::borrow::Cow;

use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header::CACHE_CONTROL};
use mcp_sieve::{
    Error, Kind,
    catalog::Catalog,
    filter::{Narrowing, Selection},
    json::Object,
    revision::Revision,
};
use serde_json::{Map, Value};

use crate::{
    backend::guarded_catalog::Backend,
    caller::identity::Caller,
    config::Config,
    host::{Freshness, Host, audit},
    http::{
        conditional::{tagged, without_body},
        cors,
    },
    protocol::{
        endpoint::PLAIN_PATH,
        error::RpcError,
        headers,
        response::{self, Body},
    },
    request::{admission, auth, toolset_headers, visibility},
};

/// Answers one HTTP request below [`PLAIN_PATH`].
///
/// `claims` are those of the token that the entry point verified, or the error with which it rejected the token. Like
/// [`handle`](crate::server::handle), the function never fails: errors are returned as JSON responses.
pub async fn handle_plain_list<H: Host>(
    config: &Config,
    host: &H,
    claims: Result<Option<&Map<String, Value>>, RpcError>,
    request: &Request<Vec<u8>>,
) -> Response<Body> {
    cors::guard(config, host, request, async || {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return response::not_allowed(headers::READ_METHODS);
        }
        let claims = claims.and_then(|claims| auth::admit(config, request, claims));
        let who = claims.as_ref().ok().copied().flatten();
        let answered = match claims {
            Ok(claims) => answer(config, host, claims, request).await,
            Err(failure) => Err(failure),
        };
        if let Err(failure) = &answered {
            audit::note(host, who, request.method().as_str(), failure);
        }
        let response = answered.unwrap_or_else(|failure| response::refusal(&failure.by_status(), None));
        if *request.method() == Method::HEAD { without_body(response) } else { response }
    })
    .await
}

async fn answer<H: Host>(
    config: &Config,
    host: &H,
    claims: Option<&Map<String, Value>>,
    request: &Request<Vec<u8>>,
) -> Result<Response<Body>, RpcError> {
    cors::check_rebinding(request, config)?;
    let (preset, kind) = kind(request.uri().path())?;
    let protocol = protocol(request.headers())?;
    let mut caller = Caller {
        claims: claims.map(Cow::Borrowed),
        transport: config.transport,
        ..Caller::new(request.headers(), protocol, kind.list_method())
    };
    admission::admit(config, host, request, preset, &mut caller).await?;
    let backend = host.caller_backend(Freshness::List, &caller, None).await?;
    let (list, hash) = listed(config, &backend, &caller, kind, request.uri().query().unwrap_or_default())?;
    let mut response = tagged(response::json(list), hash, request.headers());
    let headers = response.headers_mut();
    // Lists have a `ttlMs` of 0, so a cache has to revalidate each time.
    let private = backend.depends_on_caller()
        || toolset_headers::are_present(request.headers())
        || admission::is_gated(config, host, claims.is_some());
    let kept = if private { "private, no-cache" } else { "public, no-cache" };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(kept));
    Ok(response)
}

/// Returns the preset that a path names, if any, and the kind of the list.
fn kind(path: &str) -> Result<(Option<&str>, Kind), RpcError> {
    let rest = path.strip_prefix(PLAIN_PATH).unwrap_or_default();
    let (preset, name) = rest.rsplit_once('/').map_or((None, rest), |(preset, name)| (Some(preset), name));
    let kind = Kind::from_list_key(name).ok_or_else(|| {
        let message = format!("no list `{name}`, expected {}", Error::one_of(&Kind::ALL.map(Kind::list_key)));
        RpcError::request(StatusCode::NOT_FOUND, "list", message)
    })?;
    Ok((preset, kind))
}

/// Returns the revision that policies see: the one in the header, otherwise the newest.
fn protocol(given: &HeaderMap) -> Result<Revision, RpcError> {
    match headers::value(given, headers::PROTOCOL_VERSION)? {
        Some(date) => Revision::from_date(&date).ok_or_else(|| RpcError::version(&date, &Revision::dates())),
        None => Ok(Revision::V2026_07_28),
    }
}

/// Returns the list of a kind as the caller sees it, filtered by the query, and the hash of its array. Fields of the
/// query that have no effect are reported after the list.
fn listed(
    config: &Config,
    backend: &Backend,
    caller: &Caller<'_>,
    kind: Kind,
    query: &str,
) -> Result<(Vec<u8>, u128), RpcError> {
    let (view, url, ignored) = visibility::look(config, &backend.guarded, &backend.declared, caller, query)?;
    let mut narrowing = Narrowing::default();
    visibility::add_url(config, &view, &url, &mut narrowing);
    let mut selection = Selection::default();
    let bits = view.select(&narrowing, kind, &mut selection);

    let mut out = format!("{{\"{}\":", kind.list_key()).into_bytes();
    let start = out.len();
    out.push(b'[');
    let shown = (bits, narrowing.fields());
    backend.definitions.write_page(view.catalog(), kind, shown, 0, usize::MAX, &mut out);
    out.push(b']');
    let text = out.get(start..).unwrap_or_default();
    let hash = backend.definitions.page_hash(view.catalog(), kind, shown, 0, usize::MAX, text);
    if !ignored.is_empty() {
        let mut result = Object::resume(&mut out);
        let meta = result.value("_meta");
        let mut meta = Object::open(meta);
        let report = meta.value(Catalog::FILTER_REPORT_KEY);
        let mut report = Object::open(report);
        report.filter_report(&ignored, &[]);
        report.close();
        meta.close();
    }
    out.push(b'}');
    Ok((out, hash))
}
