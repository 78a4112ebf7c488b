//! What sign-ins of all callers share, kept in the object of the gateway: the authorization servers that were found, and
//! the clients that were registered with them.

use futures_util::FutureExt;
use mcp_sieve_gateway::{
    error::RpcError,
    sign_in::{open, seal},
    upstream::Identity,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    HolderConnections, Request, client,
    oauth::{self, Discovery},
    settings::Server,
    store::Row,
};
use crate::clock;

/// Lifetime, in milliseconds, of a discovery. A server that changes its authorization server is noticed after it.
const DISCOVERY_MS: u64 = 10 * 60 * 1000;
/// Minimum time, in milliseconds, after which a client is registered anew once more.
const RENEWAL_MS: u64 = 10 * 60 * 1000;
/// The purpose for which the key of registered clients is derived.
const PURPOSE: &str = "registered client";

/// What a sign-in is prepared for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Preparation {
    /// The upstream server; `None` for the identification of a browser at the gateway's own authorization server.
    pub server: Option<String>,
    pub redirect: String,
    /// The origin at which the page is served.
    pub origin: String,
    /// Whether an earlier sign-in went nowhere, so that nothing that is kept should be trusted.
    pub again: bool,
}

/// The authorization server and the client for a sign-in.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Prepared {
    pub discovery: Discovery,
    pub client: Value,
}

impl HolderConnections {
    /// Returns the authorization server of an upstream server.
    pub async fn find_issuer(&self, server: &Server) -> Result<Discovery, RpcError> {
        if &*self.holder == Identity::GATEWAY {
            return self.discover(Some(server), false).await;
        }
        client::ask(&self.connections.env, Identity::GATEWAY, &Request::Discover(server.name.clone())).await
    }

    /// Makes the gateway register anew with an authorization server that does not know this client.
    pub async fn forget_client(&self, issuer: &str, known: &Value) {
        let id = known.get("id").and_then(Value::as_str).unwrap_or_default();
        let request = Request::Forget { issuer: issuer.to_owned(), id: id.to_owned() };
        // The client is registered anew when a sign-in goes nowhere, too.
        _ = client::ask::<Value>(&self.connections.env, Identity::GATEWAY, &request).await;
    }

    /// Finds the authorization server of an upstream server, or the gateway's own without one.
    pub async fn discover(&self, server: Option<&Server>, again: bool) -> Result<Discovery, RpcError> {
        let (step, input) = match server {
            Some(server) => ("discover", json!({"url": server.url, "issuer": server.auth.issuer})),
            None => match client::own_issuer(&self.deployment.config) {
                Some(issuer) => ("discoverIssuer", json!({ "issuer": issuer })),
                None => return Err(RpcError::internal("config", "`auth` names no authorization server")),
            },
        };
        let place = [step, " ", &input.to_string()].concat();
        if !again && let Some(kept) = self.store().discovery(&place, clock::now())? {
            let kept = serde_json::from_str(&kept);
            if let Ok(kept) = kept {
                return Ok(kept);
            }
        }
        let (this, name) = (self.clone(), place.clone());
        let find = || {
            async move {
                let found: Value = oauth::step(step, &input).await?;
                let (now, document) = (clock::now(), found.to_string());
                let row = Row { name: &name, sealed: &document, until: now + DISCOVERY_MS };
                this.store().keep_discovery(row, now)?;
                Ok(found)
            }
            .boxed_local()
        };
        let found = self.connections.shared.join(&place, find).await?;
        serde_json::from_value(found)
            .map_err(|_| RpcError::internal("sign_in_metadata", "unreadable metadata"))
    }

    /// Returns what a sign-in needs. Without a client in the file, the gateway's metadata document is its client, or it
    /// registers, once for each issuer and redirect URI.
    pub async fn prepare(&self, wanted: &Preparation, server: Option<&Server>) -> Result<Prepared, RpcError> {
        let discovery = self.discover(server, wanted.again).await?;
        let of_file = match server {
            Some(server) => server.client.clone(),
            None => client::own_client(&self.deployment.config, &self.connections.env)?,
        };
        if let Some(client) = of_file {
            return Ok(Prepared { discovery, client });
        }
        let place = [&discovery.issuer, "\n", &wanted.redirect].concat();
        let (now, mut renewed) = (clock::now(), 0);
        if let Some((sealed, last)) = self.store().client(&place)? {
            let client = self.open_client(&place, &sealed);
            let may_renew = now.saturating_sub(last) >= RENEWAL_MS;
            if let Some(client) = client.filter(|_| !(wanted.again && may_renew)) {
                return Ok(Prepared { discovery, client });
            }
            // An emptied record has counted already.
            renewed = if sealed.is_empty() { last } else { now };
        }
        let document = [&wanted.origin, client::DOCUMENT_PATH].concat();
        let input = json!({
            "server": discovery.server,
            "redirectUri": wanted.redirect,
            "document": document,
            "name": self.deployment.config.server.name(),
        });
        let (this, of_place) = (self.clone(), place.clone());
        let register = || {
            async move {
                let client: Value = oauth::step("register", &input).await?;
                // A metadata document is no registration.
                if client.get("document").is_none() {
                    let sealed = seal(this.key(), PURPOSE, &[&of_place], client.to_string().as_bytes());
                    this.store().save_client(&of_place, &sealed, renewed)?;
                }
                Ok(client)
            }
            .boxed_local()
        };
        let client = self.connections.shared.join(&place, register).await?;
        Ok(Prepared { discovery, client })
    }

    /// Has a client registered anew that its authorization server does not know, unless that was done just now.
    pub fn forget(&self, issuer: &str, id: &str) -> Result<(), RpcError> {
        let now = clock::now();
        for (place, sealed, last) in self.store().clients_of(issuer)? {
            let client = self.open_client(&place, &sealed);
            let is_meant = client.is_none_or(|client| client.get("id").and_then(Value::as_str) == Some(id));
            if is_meant && now.saturating_sub(last) >= RENEWAL_MS {
                self.store().save_client(&place, "", now)?;
            }
        }
        Ok(())
    }

    fn open_client(&self, place: &str, sealed: &str) -> Option<Value> {
        serde_json::from_slice(&open(self.key(), PURPOSE, &[place], sealed)?).ok()
    }
}
