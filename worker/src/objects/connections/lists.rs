//! The lists of servers to the holder, which all isolates share. They are fetched with the holder's credentials and kept for
//! their lifetime.

use std::{collections::BTreeMap, rc::Rc};

use futures_util::FutureExt;
use mcp_sieve_gateway::{
    config::AuthKind,
    error::RpcError,
    upstream::{Identity, Listing, Upstream},
};
use serde::{Deserialize, Serialize};

use super::{HolderConnections, settings::Server, tokens::sign_in_needed};
use crate::{auth::sha256, clock, console, fetch::EdgeFetch};

/// Maximum length, in bytes, of the lists of one server that are kept. Longer ones are fetched for each request.
const MAX_KEPT: usize = 4 * 1024 * 1024;

/// A request for the lists of a server to the holder.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListsRequest {
    pub(super) holder: String,
    pub(super) server: String,
    /// The headers of the caller that the server gets.
    pub(super) headers: BTreeMap<String, String>,
    /// The token of the caller that is exchanged.
    pub(super) subject: Option<String>,
}

impl HolderConnections {
    /// Returns the lists of a server, as [`Upstream::read_listing`] reads them.
    pub async fn lists(&self, wanted: ListsRequest) -> Result<Vec<u8>, RpcError> {
        let since = self.connected_elsewhere(&wanted.server).boxed_local().await?;
        // Headers may hold tokens, which are stored nowhere in clear.
        let headers = serde_json::to_vec(&(&wanted.headers, since)).unwrap_or_default();
        let name = [&sha256(&headers), " ", &wanted.server].concat();
        let now = clock::now();
        if let Some((bytes, until)) = self.store().lists(&name, now)? {
            return Ok(shortened(bytes, until.saturating_sub(now)));
        }
        let this = self.clone();
        let key = name.clone();
        let list = || async move { this.list(&name, wanted).await.map(Rc::new) }.boxed_local();
        let listed = self.connections.lists.join(&key, list).await?;
        Ok(Rc::try_unwrap(listed).unwrap_or_else(|shared| shared.to_vec()))
    }

    /// Returns since when the holder is signed in to a server, if a service has the connections: the command signs in and
    /// out in another process, and the lists of an earlier sign-in may be those of another account.
    ///
    /// # Errors
    /// `upstream_sign_in` if the holder is not signed in any more.
    async fn connected_elsewhere(&self, server: &str) -> Result<Option<u64>, RpcError> {
        if self.store().service(&self.holder).is_none() {
            return Ok(None);
        }
        let env = &self.connections.env;
        let Some(server) = Server::find(&self.deployment, env, server, &[AuthKind::User])? else {
            return Ok(None);
        };
        match self.open(&server).await? {
            Some((connection, _)) => Ok(Some(connection.since)),
            None => Err(sign_in_needed(&server.name)),
        }
    }

    /// Lists a server and keeps the lists.
    async fn list(&self, name: &str, wanted: ListsRequest) -> Result<Vec<u8>, RpcError> {
        let env = &self.connections.env;
        let identity = Rc::new(wanted.identity());
        let client = self.client(name, &wanted.server, &identity)?;
        let fetch = EdgeFetch::with_connections(env);
        let fetch = EdgeFetch { identity: Some(identity), ..fetch };
        let began = self.store().changes(&wanted.server)?;
        let listing = client.lists(&fetch).boxed_local().await;
        client.take_oddities().iter().for_each(|note| console::warn(&format!("upstreams: {note}")));
        let listing = listing?;
        let bytes = client.write_listing(&listing);
        let ms = client.lifetime_ms(&listing);
        // A sign-in, a sign-out or a change meanwhile may have made the lists outdated.
        if bytes.len() <= MAX_KEPT && self.store().changes(&wanted.server)? == began {
            let until = clock::now().saturating_add(ms);
            self.store().keep_lists(name, &wanted.server, &bytes, until)?;
        }
        Ok(bytes)
    }

    /// Returns the client of this object for a server.
    fn client(&self, name: &str, server: &str, identity: &Identity) -> Result<Rc<Upstream>, RpcError> {
        if let Some(known) = self.connections.clients.borrow().get(name) {
            return Ok(Rc::clone(known));
        }
        let gateway = self.deployment.gateway.as_ref();
        let client = gateway.and_then(|gateway| gateway.caller_client(server, identity));
        let client = Rc::new(client.ok_or_else(|| {
            RpcError::internal("config", format!("the server `{server}` has no lists of single callers"))
        })?);
        let mut clients = self.connections.clients.borrow_mut();
        clients.insert(name.to_owned(), Rc::clone(&client));
        Ok(client)
    }

    /// Forgets the lists of a server, because the holder has signed in or out. A failure of the storage is logged: the lists
    /// expire soon.
    pub async fn lists_may_differ(&self, server: &str) {
        if let Err(failure) = self.changed(server).await {
            console::warn(&format!("lists of `{server}`: {}", failure.message));
        }
    }

    /// Forgets the lists of a server, and notifies the listeners of this holder.
    pub async fn changed(&self, server: &str) -> Result<(), RpcError> {
        self.store().drop_lists(server)?;
        self.tell(server).await;
        Ok(())
    }
}

impl ListsRequest {
    /// Returns the request for the lists of a server in the name of a caller.
    pub fn new(identity: &Identity, server: &str) -> Self {
        let text = |value: &http::HeaderValue| value.to_str().ok().map(str::to_owned);
        let headers = identity.headers.iter();
        Self {
            holder: identity.holder.clone(),
            server: server.to_owned(),
            headers: headers.filter_map(|(name, value)| Some((name.to_string(), text(value)?))).collect(),
            subject: identity.subject.as_ref().and_then(text),
        }
    }

    fn identity(&self) -> Identity {
        let header = |(name, value): (&String, &String)| Some((name.parse().ok()?, value.parse().ok()?));
        Identity {
            holder: self.holder.clone(),
            headers: self.headers.iter().filter_map(header).collect(),
            subject: self.subject.as_ref().and_then(|subject| subject.parse().ok()),
        }
    }
}

/// Returns kept lists with the rest of their lifetime, in milliseconds.
fn shortened(bytes: Vec<u8>, ms: u64) -> Vec<u8> {
    match Listing::read(&bytes) {
        Ok(listing) => Listing { ttl_ms: listing.ttl_ms.min(ms), ..listing }.to_bytes(),
        Err(_) => bytes,
    }
}
