//! The sign-in of a holder to a server: begun on the page, finished at its callback, and ended.
//!
//! Every step is stored before the next begins. A pending sign-in is taken from the storage before its code is sent, so
//! that no code is sent twice.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::FutureExt;
use mcp_sieve_gateway::{
    error::RpcError,
    sign_in::{Connection, open, seal},
    upstream::Identity,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    HolderConnections, Request,
    client::{self, callback_url},
    clients::{Preparation, Prepared},
    oauth::{self, Begun, Tokens},
    settings::Server,
    store::Row,
};
use crate::{auth::sha256, clock, signing_key};

/// Lifetime of a pending sign-in, in milliseconds.
pub(crate) const PENDING_MS: u64 = 10 * 60 * 1000;
/// Maximum number of pending sign-ins of one holder. Beyond it the oldest ends.
const MAX_PENDING: u64 = 8;
/// The purpose for which the key of pending sign-ins is derived.
const PURPOSE: &str = "pending sign-in";

/// A sign-in whose browser is at the authorization server.
#[derive(Serialize, Deserialize)]
struct Pending {
    server_url: String,
    prepared: Prepared,
    redirect: String,
    verifier: String,
    scopes: Option<Vec<String>>,
}

/// What the page shows of a connection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Connected {
    /// When the holder signed in, in milliseconds since 1970.
    pub since: u64,
    pub issuer: String,
    pub scope: Option<String>,
}

/// Returns a random `state`, which cannot be guessed.
pub(crate) fn random_state() -> Result<String, RpcError> {
    let random = signing_key::random::<32>();
    random.map(|bytes| URL_SAFE_NO_PAD.encode(bytes)).map_err(|error| client::lost(&error))
}

/// Returns the error for a callback that belongs to no sign-in of this holder.
pub(crate) fn foreign_state() -> RpcError {
    let message = "this sign-in was not begun here by you, was used already, or has ended: begin it again";
    RpcError::internal("sign_in_state", message)
}

/// Returns the value of a parameter that a URL has exactly once.
pub(crate) fn parameter(url: &str, name: &str) -> Option<String> {
    let url = worker::Url::parse(url).ok()?;
    let mut values = url.query_pairs().filter(|(key, _)| key == name);
    let value = values.next()?.1.into_owned();
    values.next().is_none().then_some(value)
}

impl HolderConnections {
    /// Begins a sign-in, and returns the address of the authorization server to which the browser is sent.
    pub async fn begin(&self, server: &Server, origin: &str) -> Result<String, RpcError> {
        let redirect = callback_url(origin, &server.name);
        // A browser that comes back to begin again may have been refused as an unknown client.
        let again = self.store().has_pending(&server.name, clock::now())?;
        let wanted = Preparation {
            server: Some(server.name.clone()),
            redirect: redirect.clone(),
            origin: origin.to_owned(),
            again,
        };
        let request = Request::Prepare(wanted);
        let prepared: Prepared = client::ask(&self.connections.env, Identity::GATEWAY, &request).await?;
        let scopes = server.scopes(prepared.discovery.scopes.as_ref());
        let state = random_state()?;
        let Prepared { discovery, client } = &prepared;
        let input = json!({
            "server": discovery.server,
            "client": client,
            "redirectUri": redirect,
            "resource": discovery.resource,
            "scopes": scopes,
            "state": state,
        });
        let begun: Begun = oauth::step("begin", &input).await?;
        let (name, now) = (sha256(state.as_bytes()), clock::now());
        let pending =
            Pending { server_url: server.url.clone(), prepared, redirect, verifier: begun.verifier, scopes };
        let json = serde_json::to_vec(&pending).unwrap_or_default();
        let sealed = seal(self.key(), PURPOSE, &[&self.holder, &server.name, &name], &json);
        let row = Row { name: &name, sealed: &sealed, until: now + PENDING_MS };
        self.store().add_pending(row, &server.name, now, MAX_PENDING)?;
        Ok(begun.url)
    }

    /// Finishes a sign-in with the address to which the browser was sent back.
    ///
    /// # Errors
    /// `sign_in_state` if no sign-in of this holder to this server is pending under its `state`.
    pub async fn finish(&self, server: &Server, callback: &str) -> Result<(), RpcError> {
        let state = parameter(callback, "state").ok_or_else(foreign_state)?;
        let name = sha256(state.as_bytes());
        let taken = self.store().take_pending(&name, &server.name, clock::now())?;
        let opened = taken
            .and_then(|sealed| open(self.key(), PURPOSE, &[&self.holder, &server.name, &name], &sealed))
            .and_then(|json| serde_json::from_slice::<Pending>(&json).ok());
        let pending = opened.filter(|pending| pending.server_url == server.url).ok_or_else(foreign_state)?;
        let Pending { prepared: Prepared { discovery, client }, redirect, verifier, scopes, .. } = pending;
        let input = json!({
            "server": discovery.server,
            "client": client,
            "redirectUri": redirect,
            "resource": discovery.resource,
            "verifier": verifier,
            "state": state,
            "callback": callback,
        });
        let finished = oauth::step::<Tokens>("finish", &input).boxed_local().await;
        if finished.as_ref().is_err_and(|failure| failure.reason() == Some("sign_in_client")) {
            self.forget_client(&discovery.issuer, &client).await;
        }
        let tokens = finished?;
        let now = clock::now();
        let connection = Connection {
            server_url: server.url.clone(),
            expires: tokens.expires(now),
            access: tokens.access,
            refresh: tokens.refresh,
            scope: tokens.scope.or(scopes.map(|scopes| scopes.join(" "))),
            issuer: discovery.issuer,
            as_server: discovery.server,
            client,
            resource: discovery.resource,
            since: now,
            obtained: now,
            refreshing: None,
        };
        let sealed = connection.seal(self.key(), &self.holder, &server.name);
        self.store().save_connection(&self.holder, &server.name, &sealed).await?;
        self.lists_may_differ(&server.name).await;
        Ok(())
    }

    /// Deletes the connection to a server, and then revokes its tokens. Returns whether the authorization server took that;
    /// one that revokes no tokens counts as well.
    pub async fn disconnect(&self, server: &Server) -> Result<bool, RpcError> {
        self.store().drop_pending(&server.name)?;
        let found = self.open(server).await?;
        self.store().remove_connection(&self.holder, &server.name).await?;
        self.lists_may_differ(&server.name).await;
        let Some((Connection { as_server, client, access, refresh, .. }, _)) = found else { return Ok(true) };
        let client = server.current_client(&client);
        let tokens = [(refresh.as_deref(), "refresh_token"), (Some(access.as_str()), "access_token")];
        Ok(oauth::revoke(&as_server, &client, tokens).boxed_local().await.is_ok())
    }

    /// Returns the connection to a server, if it can still be used.
    pub async fn connected(&self, server: &Server) -> Result<Option<Connected>, RpcError> {
        let Some((connection, _)) = self.open(server).await? else { return Ok(None) };
        let Connection { since, issuer, scope, expires, refresh, refreshing, .. } = connection;
        let lasts = expires.is_none_or(|end| end > clock::now());
        // A token that is being refreshed now may be followed by another.
        let is_refreshed = refreshing.is_some() && self.connections.tokens.has(&server.name);
        let is_usable = lasts || refresh.is_some() || is_refreshed;
        Ok(is_usable.then_some(Connected { since, issuer, scope }))
    }

    /// Returns the connections to several servers, by name.
    pub async fn state(&self, servers: &[Server]) -> Result<Value, RpcError> {
        let mut found = serde_json::Map::new();
        for server in servers {
            found.insert(server.name.clone(), json!(self.connected(server).await?));
        }
        Ok(found.into())
    }
}

#[cfg(test)]
mod tests {
    use super::parameter;

    #[test]
    fn a_repeated_parameter_counts_for_none() {
        let url = "https://gateway.example/connect/a/callback?code=1&state=a%20b&x=1&x=2";
        assert_eq!(parameter(url, "state").as_deref(), Some("a b"));
        assert_eq!(parameter(url, "x"), None);
        assert_eq!(parameter(url, "y"), None);
        assert_eq!(parameter("no url", "y"), None);
    }
}
