//! The protected-resource metadata of the server to which callers' tokens are passed (RFC 9728). It is returned unchanged,
//! because the tokens are meant for that server.

use std::time::Duration;

use futures_util::{
    FutureExt, StreamExt,
    future::{Either, select},
};
use http::{StatusCode, Uri, header};
use mcp_sieve_gateway::{
    auth::METADATA_PATH,
    config::{AuthKind, Config},
    error::RpcError,
    server::Body,
    upstream::Fetch as _,
};
use worker::Delay;

use crate::fetch::EdgeFetch;

/// Maximum time for a request to the server.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum length of the metadata, in bytes.
const MAX_METADATA: usize = 64 * 1024;

/// Returns the metadata of the first server whose `auth` is `pass`; `None` if there is no such server, or it has none.
pub(super) async fn read(config: &Config) -> Option<http::Response<Body>> {
    let mut servers = config.upstream_settings().iter();
    let server = servers.find(|server| server.auth.kind == AuthKind::Pass)?;
    let uri: Uri = server.url.parse().ok()?;
    let origin = format!("{}://{}", uri.scheme_str()?, uri.authority()?.as_str());
    for path in [[METADATA_PATH, uri.path()].concat(), METADATA_PATH.to_owned()] {
        let found = fetch([&origin, path.as_str()].concat()).boxed_local();
        if let Either::Left((Some(json), _)) = select(found, Delay::from(PATIENCE)).await {
            return response(json).ok();
        }
    }
    None
}

/// Returns the body at an address, if it is JSON of a size that metadata has.
async fn fetch(url: String) -> Option<Vec<u8>> {
    let request = http::Request::get(url).header(header::ACCEPT, "application/json").body(Vec::new()).ok()?;
    let (head, mut chunks) = EdgeFetch::default().fetch(request).await.ok()?.into_parts();
    let media = head.headers.get(header::CONTENT_TYPE)?.to_str().ok()?.to_ascii_lowercase();
    if head.status != StatusCode::OK || !media.starts_with("application/json") {
        return None;
    }
    let mut json = Vec::new();
    while let Some(chunk) = chunks.next().await {
        json.extend_from_slice(&chunk.ok()?);
        if json.len() > MAX_METADATA {
            return None;
        }
    }
    Some(json)
}

fn response(json: Vec<u8>) -> Result<http::Response<Body>, RpcError> {
    let response = http::Response::builder()
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::CACHE_CONTROL, "no-cache")
        .header(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*")
        .body(Body::Json(json));
    response.map_err(|error| RpcError::internal("encoding", error.to_string()))
}
