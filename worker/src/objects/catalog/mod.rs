//! The Durable Object that keeps what the upstream servers list, for all isolates of a deployment.
//!
//! The object named `catalog` holds the compiled catalog and stores it: an isolate that begins to serve takes it over
//! and knows its tools at once, also while servers are down. It has the servers listed by one object for each of them,
//! because the platform bounds how many requests and connections one invocation may have.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

mod client;
mod store;

use std::{cell::Cell, rc::Rc};

use futures_util::{FutureExt, future::LocalBoxFuture};
use http::StatusCode;
use mcp_sieve::mcp::{
    Freshness, Gateway, RpcError, Served, Survey,
    upstream::{Fetch as _, Listing},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use worker::{DurableObject, Env, Method, Request, Response, Result, State, Stub, durable_object};

use super::{
    failure_from_json,
    listeners::{self, News},
    lost, send,
};
use crate::{console, deployment::Deployment, fetch::EdgeFetch};

pub(crate) use client::{SharedCatalog, survey};
use store::CatalogStore;

/// Where the catalog is asked for, every server is tried for the operator, and one server is listed.
const CATALOG: &str = "/catalog";
const SURVEY: &str = "/survey";
const LIST: &str = "/list";
/// The binding of the objects. Without it every isolate lists the servers itself.
pub(crate) const BINDING: &str = "CATALOG";

/// The catalog of a deployment, or the lists of one of its servers.
#[durable_object(fetch)]
#[derive(Debug)]
pub struct CatalogObject(Rc<Keeper>);

/// What keeps the catalog.
#[derive(Debug)]
struct Keeper {
    env: Env,
    store: CatalogStore,
    /// Whether what was stored has been read.
    is_loaded: Cell<bool>,
}

/// What an isolate asks for.
#[derive(Debug, Serialize, Deserialize)]
struct Asked {
    /// The deployment's key: what another configuration or version compiled is not served.
    key: String,
    /// The hash of the catalog that the isolate has, in hex.
    have: Option<String>,
    /// The servers that have said that their lists have changed.
    changed: Vec<String>,
}

/// How one server could be listed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Surveyed {
    pub name: String,
    /// Milliseconds that the attempt took.
    pub ms: u64,
    /// The JSON-RPC error of a failed attempt.
    pub failure: Option<Value>,
}

impl Surveyed {
    pub fn new(survey: Survey) -> Self {
        let failure = survey.failure.map(|failure| failure.to_json());
        Self { name: survey.name, ms: survey.took_ms, failure }
    }
}

impl DurableObject for CatalogObject {
    fn new(state: State, env: Env) -> Self {
        let store = CatalogStore::new(state.storage().sql());
        Self(Rc::new(Keeper { env, store, is_loaded: Cell::new(false) }))
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let answered = match request.path().as_str() {
            CATALOG => self.0.answer(&request.json().await?).await,
            SURVEY => self.0.survey().await,
            LIST => self.0.list(&request.text().await?).await,
            _ => return Response::error("no such path", 404),
        };
        match answered {
            Ok(bytes) => Response::from_bytes(bytes),
            Err(failure) => Response::error(failure.to_json().to_string(), failure.status.as_u16()),
        }
    }
}

impl Keeper {
    /// Returns what is served, as [`Gateway::share`] writes it.
    async fn answer(self: &Rc<Self>, asked: &Asked) -> std::result::Result<Vec<u8>, RpcError> {
        let deployment = Deployment::of(&self.env).await.map_err(unserved)?;
        if asked.key != deployment.shared.key() {
            let message = "the catalog is kept by another version of the deployment";
            return Err(RpcError::request(StatusCode::CONFLICT, "storage", message));
        }
        let gateway = gateway(&deployment)?;
        self.load(&deployment, gateway);
        asked.changed.iter().for_each(|server| gateway.expire_server(server));
        let fetch = EdgeFetch::by_objects(&self.env);
        let served = gateway.serve(&fetch, &deployment.config, Freshness::List, || Rc::clone(self).settle());
        self.serve(gateway, served.await.map_err(unserved)?).await;
        let have = asked.have.as_ref().and_then(|hash| u128::from_str_radix(hash, 16).ok());
        gateway.share(fetch.now(), have).ok_or_else(|| lost("the catalog", &"nothing is served".into()))
    }

    /// Takes note of lists that came in the background.
    fn settle(self: Rc<Self>) -> LocalBoxFuture<'static, ()> {
        async move {
            let Ok(deployment) = Deployment::of(&self.env).await else { return };
            let Ok(gateway) = gateway(&deployment) else { return };
            // A failure is told to those who ask for the catalog.
            if let Some(Ok(served)) = gateway.settle(&deployment.config, EdgeFetch::default().now()) {
                self.serve(gateway, served).await;
            }
        }
        .boxed_local()
    }

    /// Stores what is new, and tells listeners of it.
    async fn serve(&self, gateway: &Gateway, served: Served) {
        served.notes.iter().for_each(|note| console::warn(note));
        let hash = served.backend.guarded.catalog().hash();
        if let Err(error) = self.store.write(gateway, hash) {
            console::warn(&format!("catalog: it could not be stored: {error}"));
        }
        if served.replaced
            && let Err(error) = listeners::tell(&self.env, &News::new(&[], Some(hash))).await
        {
            console::warn(&format!("changes: {error}"));
        }
    }

    /// Takes in what was stored, if it is of this deployment.
    fn load(&self, deployment: &Deployment, gateway: &Gateway) {
        if self.is_loaded.replace(true) {
            return;
        }
        if let Err(error) = self.store.load(&deployment.shared.key(), gateway, &deployment.config) {
            console::warn(&format!("catalog: what was stored cannot be read: {error}"));
        }
    }

    async fn survey(&self) -> std::result::Result<Vec<u8>, RpcError> {
        let deployment = Deployment::of(&self.env).await.map_err(unserved)?;
        let gateway = gateway(&deployment)?;
        self.load(&deployment, gateway);
        let surveys = gateway.survey(&EdgeFetch::by_objects(&self.env)).await;
        let surveyed: Vec<_> = surveys.into_iter().map(Surveyed::new).collect();
        Ok(serde_json::to_vec(&surveyed).unwrap_or_default())
    }

    /// Lists one server, in the object that is that server's.
    async fn list(&self, server: &str) -> std::result::Result<Vec<u8>, RpcError> {
        let deployment = Deployment::of(&self.env).await.map_err(unserved)?;
        let listing = gateway(&deployment)?.list(&EdgeFetch::default(), server).await;
        listing.map(|listing| listing.to_bytes()).map_err(unserved)
    }
}

fn gateway(deployment: &Deployment) -> std::result::Result<&Gateway, RpcError> {
    deployment.gateway.as_ref().ok_or_else(|| lost("the catalog", &"no upstream server is configured".into()))
}

/// A failure as objects send it: by its status, since theirs is not read as a response of the protocol.
fn unserved(failure: RpcError) -> RpcError {
    failure.under(StatusCode::SERVICE_UNAVAILABLE)
}

fn object(env: &Env, name: &str) -> Result<Stub> {
    env.durable_object(BINDING)?.get_by_name(name)
}

/// Has a server listed by its own object.
///
/// # Errors
/// The server's failure; `storage` where the object cannot be reached.
pub(crate) async fn list(env: &Env, server: &str) -> std::result::Result<Listing, RpcError> {
    let sent = async {
        let stub = object(env, &format!("server {server}"))?;
        let mut response = send(&stub, Method::Post, LIST, Some(server.to_owned())).await?;
        let status = response.status_code();
        Ok::<_, worker::Error>((status, response.bytes().await?))
    };
    let (status, bytes) = sent.await.map_err(|error| lost("the server's lists", &error))?;
    if status != 200 {
        return Err(failure(&bytes));
    }
    Listing::read(&bytes).map_err(|error| lost("the server's lists", &error.to_string().into()))
}

/// The failure that an object sent.
fn failure(bytes: &[u8]) -> RpcError {
    failure_from_json(&serde_json::from_slice(bytes).unwrap_or_default())
}
