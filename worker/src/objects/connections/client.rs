//! Requests to the objects of holders, for the rest of the Worker.

use http::HeaderValue;
use mcp_sieve_gateway::{
    config::{Auth, AuthKind, Config},
    error::RpcError,
    sign_in::Ticket,
    upstream::{Identity, Listing, Upstream},
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use worker::{Env, Method, Stub};

use super::{
    Request, lists::ListsRequest, settings::client_json, sign_in::Connected, tokens::sign_in_needed,
};
use crate::{
    auth::sha256,
    clock, console,
    deployment::Deployment,
    http::percent,
    objects::{
        self, failure_from_json,
        listeners::{self, News},
    },
};

/// The binding of the objects.
pub(crate) const BINDING: &str = "CONNECTIONS";
/// The path below which callers sign in.
pub(crate) const PAGE_PATH: &str = "/connect/";
/// The path of the client metadata document.
pub(crate) const DOCUMENT_PATH: &str = "/connect/client.json";

/// Returns the value of `Authorization` for a request to a server, in the name of a caller or of the gateway. `refused` is
/// a value that the server has just refused.
///
/// # Errors
/// `upstream_sign_in` if the caller has to sign in first, and a `sign_in_…` code if no token can be had now.
pub(crate) async fn authorization(
    env: &Env,
    identity: Option<&Identity>,
    server: &str,
    refused: Option<&HeaderValue>,
) -> Result<HeaderValue, RpcError> {
    let deployment = Deployment::load(env).await?;
    let kind =
        deployment.sign_in_servers.iter().find(|known| known.name == server).map(|known| known.auth.kind);
    let holder = match kind {
        Some(AuthKind::ClientCredentials) => Identity::GATEWAY,
        Some(_) => identity.map(|identity| identity.holder.as_str()).ok_or_else(|| sign_in_needed(server))?,
        None => {
            return Err(RpcError::internal("config", format!("the server `{server}` requests no tokens")));
        }
    };
    let subject = match kind {
        Some(AuthKind::Exchange) => {
            let subject = identity.and_then(|identity| identity.subject.as_ref()?.to_str().ok());
            Some(subject.ok_or_else(|| sign_in_needed(server))?.to_owned())
        }
        _ => None,
    };
    let refused = refused.map(|value| sha256(value.as_bytes()));
    let request = Request::Token { server: server.to_owned(), refused, subject };
    let value: String = ask(env, holder, &request).await?;
    let mut value = HeaderValue::try_from(value)
        .map_err(|_| RpcError::internal("sign_in_token", "the token cannot be sent in a header"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// Returns whether a caller has signed in to a server.
///
/// # Errors
/// If the object of the caller does not answer.
pub(crate) async fn is_connected(env: &Env, identity: &Identity, server: &str) -> Result<bool, RpcError> {
    connected(env, &identity.holder, server).await.map(|connected| connected.is_some())
}

/// Returns the lists of a server to a caller, which the object of the caller keeps.
///
/// # Errors
/// `upstream_sign_in` if the caller has to sign in first, and the errors of [`Upstream::lists`].
pub(crate) async fn lists(env: &Env, identity: &Identity, upstream: &Upstream) -> Result<Listing, RpcError> {
    let body = serde_json::to_string(&ListsRequest::new(identity, upstream.name())).unwrap_or_default();
    let stub = object(env, &identity.holder).await?;
    let sent = async {
        let response = objects::send(&stub, Method::Post, super::LISTS, Some(body)).await?;
        let status = response.status_code();
        Ok::<_, worker::Error>((status, objects::read_long(response).await?))
    };
    match sent.await.map_err(|error| lost(&error))? {
        (200, bytes) => upstream.read_listing(&bytes).map_err(|error| lost(&error.to_string().into())),
        (_, bytes) => Err(failure_from_json(&serde_json::from_slice(&bytes).unwrap_or_default())),
    }
}

/// Reports that a server announced changed lists to a caller: to the object that keeps them, or else to this caller's
/// listeners. A failure is logged.
pub(crate) async fn lists_changed(env: &Env, deployment: &Deployment, identity: &Identity, server: &str) {
    let is_kept = deployment.sign_in_servers.iter().any(|known| known.name == server);
    let reported = match is_kept {
        true => {
            let changed = Request::Changed(server.to_owned());
            ask::<Value>(env, &identity.holder, &changed).await.map(drop)
        }
        false => {
            deployment
                .gateway
                .iter()
                .for_each(|gateway| gateway.expire_caller(&identity.holder, Some(server)));
            let news = News::of_holder(&identity.holder, server);
            listeners::send_news(env, &news).await.map_err(|error| lost(&error))
        }
    };
    if let Err(failure) = reported {
        console::warn(&format!("lists of `{server}`: {}", failure.message));
    }
}

/// Returns the connection of a holder to a server, as the page shows it.
///
/// # Errors
/// As [`is_connected`].
pub(crate) async fn connected(env: &Env, holder: &str, server: &str) -> Result<Option<Connected>, RpcError> {
    ask(env, holder, &Request::Connected(server.to_owned())).await
}

/// Returns the address at which a caller signs in to a server. Its ticket names the caller, and ends.
pub(crate) fn sign_in_url(deployment: &Deployment, origin: &str, holder: &str, server: &str) -> String {
    let ticket = Ticket::seal(&deployment.key, holder, server, clock::now());
    [&page_url(origin, server), "?ticket=", &ticket].concat()
}

/// Returns the address of the page of a server.
pub(crate) fn page_url(origin: &str, server: &str) -> String {
    [origin, PAGE_PATH, &percent::encode(server)].concat()
}

/// Returns the redirect URI of sign-ins to a server.
pub(crate) fn callback_url(origin: &str, server: &str) -> String {
    [&page_url(origin, server), "/callback"].concat()
}

/// Returns the gateway's own authorization server, at which a browser proves who its user is.
pub(crate) fn own_issuer(config: &Config) -> Option<&str> {
    config.auth.as_ref().and_then(Auth::sign_in).map(|issuer| issuer.issuer.as_str())
}

/// Returns the client of the file at the gateway's own authorization server.
///
/// # Errors
/// `upstream_variable` if a variable of it is not set.
pub(super) fn own_client(config: &Config, env: &Env) -> Result<Option<Value>, RpcError> {
    let client = config.auth.as_ref().and_then(Auth::sign_in).and_then(|issuer| issuer.client.as_ref());
    client.map(|client| client_json("auth", client, env)).transpose()
}

/// Sends a request to the object of a holder.
///
/// # Errors
/// What the object returns; `config` if the binding is missing, and `storage_unavailable` if the object cannot be reached.
pub(crate) async fn ask<T: DeserializeOwned>(
    env: &Env,
    holder: &str,
    request: &Request,
) -> Result<T, RpcError> {
    let body = serde_json::json!({"holder": holder, "request": request}).to_string();
    let stub = object(env, holder).await?;
    let sent = async { objects::send(&stub, Method::Post, "/", Some(body)).await?.json::<Value>().await };
    let mut reply = sent.await.map_err(|error| lost(&error))?;
    if let Some(failure) = reply.get("failure") {
        return Err(failure_from_json(failure));
    }
    let ok = reply.get_mut("ok").map(Value::take).unwrap_or_default();
    serde_json::from_value(ok).map_err(|error| lost(&error.into()))
}

/// Returns the object of a holder. The platform shows the names of objects, so they are digests under a key that only the
/// deployment has, and that stays when `SIEVE_KEY` changes.
async fn object(env: &Env, holder: &str) -> Result<Stub, RpcError> {
    let Ok(namespace) = env.durable_object(BINDING) else {
        let message = "a server whose `auth` requests tokens needs the Durable Object binding CONNECTIONS of the class \
                       ConnectionsObject: add both to wrangler.jsonc, with a migration";
        return Err(RpcError::internal("config", message));
    };
    let key = Deployment::load(env).await?.connection_names(env).await?;
    let digest = key.derived(&["connections of ", holder].concat()).next().unwrap_or_default();
    namespace.get_by_name(&sha256(&digest)).map_err(|error| lost(&error))
}

/// Returns the failure of an object that cannot be reached.
pub(super) fn lost(error: &worker::Error) -> RpcError {
    objects::lost("the connections", error)
}
