//! Fetches the keys of authorization servers, asks them about opaque tokens, and verifies signatures.

use std::time::Duration;

use futures_util::{
    StreamExt,
    future::{Either, select},
};
use http::{Request, StatusCode, header, response::Parts};
use mcp_sieve_gateway::{
    auth::{FetchedKeys, Jwk, KeyProvider, MAX_INTROSPECTION, MAX_JWKS, Token, introspection_request},
    config::{Introspection, KeySource},
    upstream::Fetch,
};
use worker::{Delay, Env};

use super::signature::ImportedKeys;
use crate::{clock, console, deployment::variable, fetch::EdgeFetch};

/// Maximum time for a request to an authorization server.
const PATIENCE: Duration = Duration::from_secs(5);
/// The KV namespace.
const NAMESPACE: &str = "SIEVE_JWKS";

/// The authorization servers, as a Worker with these bindings reaches them.
pub(crate) struct EdgeKeys<'a>(pub &'a Env);

impl KeyProvider for EdgeKeys<'_> {
    type Imported = ImportedKeys;

    fn now(&self) -> u64 {
        clock::now()
    }

    async fn fetch(&self, source: &KeySource) -> Result<FetchedKeys, String> {
        let local = |json: Vec<u8>| FetchedKeys { json, cache_control: None };
        match source {
            KeySource::Inline(json) => Ok(local(json.clone().into_bytes())),
            KeySource::Kv(name) => {
                let lost = |error: &dyn std::fmt::Display| format!("{NAMESPACE}: {error}");
                let namespace = self.0.kv(NAMESPACE).map_err(|error| lost(&error))?;
                let found = namespace.get(name).bytes().await.map_err(|error| lost(&error))?;
                found.map(local).ok_or_else(|| format!("{NAMESPACE} has no `{name}`"))
            }
            KeySource::Url(url) => {
                let request =
                    Request::get(url).header(header::ACCEPT, "application/jwk-set+json, application/json");
                let request = request.body(Vec::new()).map_err(|error| error.to_string())?;
                let (head, json) = in_time(url, request, MAX_JWKS).await?;
                let kept = head.headers.get(header::CACHE_CONTROL).and_then(|value| value.to_str().ok());
                Ok(FetchedKeys { json, cache_control: kept.map(str::to_owned) })
            }
        }
    }

    async fn introspect(&self, endpoint: &Introspection, token: &str) -> Result<Vec<u8>, String> {
        let request = introspection_request(endpoint, token, &|name| variable(self.0, name))?;
        in_time(&endpoint.url, request, MAX_INTROSPECTION).await.map(|(_, json)| json)
    }

    async fn verify(&self, imported: &ImportedKeys, index: usize, key: &Jwk, token: &Token<'_>) -> bool {
        imported.verify(index, key, token).await
    }

    fn note(&self, note: &str) {
        console::warn(note);
    }
}

/// Sends a request to the authorization server, and returns the head and the body of a successful response. Reading ends
/// one byte over `max`, which is enough to be refused.
async fn in_time(url: &str, request: Request<Vec<u8>>, max: usize) -> Result<(Parts, Vec<u8>), String> {
    let fetched = Box::pin(fetch(url, request, max));
    match select(fetched, Delay::from(PATIENCE)).await {
        Either::Left((fetched, _)) => fetched,
        Either::Right(_) => Err(format!("{url} takes longer than {PATIENCE:?}")),
    }
}

async fn fetch(url: &str, request: Request<Vec<u8>>, max: usize) -> Result<(Parts, Vec<u8>), String> {
    let lost = |_| format!("{url} cannot be reached");
    let response = EdgeFetch::default().fetch(request).await.map_err(lost)?;
    if response.status() != StatusCode::OK {
        return Err(format!("{url} answers {}", response.status()));
    }
    let (head, mut chunks) = response.into_parts();
    let mut body = Vec::new();
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk.map_err(lost)?);
        if body.len() > max {
            break;
        }
    }
    Ok((head, body))
}
