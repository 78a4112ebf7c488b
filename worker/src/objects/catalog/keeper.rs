//! The Durable Object class that lists the upstream servers, and stores and shares the catalog.

#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

use std::{cell::Cell, rc::Rc, time::Duration};

use futures_util::{FutureExt, future::LocalBoxFuture};
use http::StatusCode;
use mcp_sieve_gateway::{
    error::RpcError,
    host::Freshness,
    upstream::{Gateway, ListProblem, Listing, Served, Survey, Upstream},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use worker::{
    Delay, DurableObject, Env, Method, Request, Response, Result, State, Stub, durable_object,
    wasm_bindgen_futures::spawn_local, web_sys,
};

use super::store::CatalogStore;
use crate::objects::{
    failure_from_json,
    listeners::{self, News},
    lost, read_long, respond, send,
};
use crate::{clock, console, deployment::Deployment, fetch::EdgeFetch};

/// Paths of the object: returns the catalog, tries every server for the operator, returns the last lists of one server, and
/// lists one server, which may have reported that its lists changed.
pub(super) const CATALOG: &str = "/catalog";
pub(super) const SURVEY: &str = "/survey";
const KEPT: &str = "/kept";
const LIST: &str = "/list";
const LIST_CHANGED: &str = "/list/changed";
/// The binding of the objects. Without it every isolate lists the servers itself.
pub(crate) const BINDING: &str = "CATALOG";

/// Delay between an answer from the storage and listing the servers. A process that starts has other code to compile
/// until its first answer is sent.
const LATE: Duration = Duration::from_millis(25);

/// The catalog of a deployment, or the lists of one of its servers.
#[durable_object(fetch)]
#[derive(Debug)]
pub struct CatalogObject(Rc<Keeper>);

/// The catalog and its storage.
#[derive(Debug)]
struct Keeper {
    env: Env,
    store: CatalogStore,
    /// Whether the gateway has loaded the stored catalog.
    is_loaded: Cell<bool>,
    /// Whether loading is scheduled, after an answer from the storage.
    is_late: Cell<bool>,
}

/// A request for the catalog.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CatalogRequest {
    /// The deployment's key: the catalog of another configuration or version is not returned.
    pub(super) key: String,
    /// The hash of the catalog that the isolate has, in hex.
    pub(super) have: Option<String>,
    /// The servers that have announced that their lists changed.
    pub(super) changed: Vec<String>,
}

/// One attempt to list a server, for the operator.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Surveyed {
    pub name: String,
    /// Milliseconds that the attempt took.
    pub ms: u64,
    /// The JSON-RPC error of a failed attempt.
    pub failure: Option<Value>,
    /// The lists that are missing or incomplete.
    pub problems: Vec<ListProblem>,
}

impl Surveyed {
    pub fn new(survey: Survey) -> Self {
        let failure = survey.failure.map(|failure| {
            let message = failure.operator_text();
            let mut failure = failure.for_caller();
            failure.message = message;
            failure.to_json()
        });
        Self { name: survey.name, ms: survey.took_ms, failure, problems: survey.problems }
    }
}

impl DurableObject for CatalogObject {
    fn new(state: State, env: Env) -> Self {
        let store = CatalogStore::new(state.storage().sql());
        let (is_loaded, is_late) = Default::default();
        Self(Rc::new(Keeper { env, store, is_loaded, is_late }))
    }

    async fn fetch(&self, mut request: Request) -> Result<Response> {
        let answered = match request.path().as_str() {
            CATALOG => self.0.answer(&request.json().await?).await,
            SURVEY => self.0.survey().boxed_local().await.map(|bytes| respond(&bytes)),
            KEPT => self.0.kept(&request.text().await?).await.map(|bytes| respond(&bytes)),
            LIST | LIST_CHANGED => self.0.list(request).boxed_local().await?.map(|bytes| respond(&bytes)),
            _ => return Response::error("no such path", 404),
        };
        match answered {
            Ok(response) => Ok(response.into()),
            Err(failure) => Response::error(failure.to_json().to_string(), failure.status.as_u16()),
        }
    }
}

impl Keeper {
    /// Returns the catalog as [`Gateway::share`] writes it.
    async fn answer(
        self: &Rc<Self>,
        wanted: &CatalogRequest,
    ) -> std::result::Result<web_sys::Response, RpcError> {
        let deployment = Deployment::load(&self.env).await.map_err(unserved)?;
        if wanted.key != deployment.shared.key() {
            let message = "the catalog is kept by another version of the deployment";
            return Err(RpcError::request(StatusCode::CONFLICT, "storage", message));
        }
        if !self.is_loaded.get()
            && wanted.changed.is_empty()
            && let Some(stored) = self.stored(&deployment)
        {
            return Ok(stored);
        }
        self.served(&deployment, wanted).boxed_local().await.map(|bytes| respond(&bytes))
    }

    /// Returns the stored catalog unread, for a process that starts. If it has expired, the servers are listed
    /// afterwards.
    fn stored(self: &Rc<Self>, deployment: &Deployment) -> Option<web_sys::Response> {
        let stored = self.store.read_catalog(&deployment.shared.key(), clock::now());
        // A failure is reported when the catalog is loaded.
        let (shared, is_good) = stored.ok()??;
        if !is_good && !self.is_late.replace(true) {
            let keeper = Rc::clone(self);
            spawn_local(async move { keeper.refresh().await }.boxed_local());
        }
        Some(shared)
    }

    /// Loads the stored catalog and lists the servers, after [`LATE`].
    async fn refresh(self: Rc<Self>) {
        Delay::from(LATE).await;
        self.is_late.set(false);
        let Ok(deployment) = Deployment::load(&self.env).await else { return };
        let wanted = CatalogRequest { key: deployment.shared.key(), have: None, changed: Vec::new() };
        // A failure is returned to the next request for the catalog.
        _ = self.list_due(&deployment, &wanted).await;
    }

    /// Returns the catalog that the gateway serves.
    async fn served(
        self: &Rc<Self>,
        deployment: &Deployment,
        wanted: &CatalogRequest,
    ) -> std::result::Result<Vec<u8>, RpcError> {
        let gateway = self.list_due(deployment, wanted).await?;
        let have = wanted.have.as_ref().and_then(|hash| u128::from_str_radix(hash, 16).ok());
        gateway.share(clock::now(), have).ok_or_else(|| lost("the catalog", &"nothing is served".into()))
    }

    /// Lists the servers whose lists expired, and stores the result.
    async fn list_due<'a>(
        self: &Rc<Self>,
        deployment: &'a Deployment,
        wanted: &CatalogRequest,
    ) -> std::result::Result<&'a Gateway, RpcError> {
        let gateway = gateway(deployment)?;
        self.load(deployment, gateway);
        if !wanted.changed.is_empty() {
            wanted.changed.iter().for_each(|server| gateway.expire_server(server));
            stored_or_noted(self.store.expire());
        }
        let fetch = EdgeFetch::by_objects(&self.env);
        let served = gateway.serve(&fetch, &deployment.config, Freshness::List, || Rc::clone(self).settle());
        self.serve(gateway, &served.await.map_err(unserved)?);
        Ok(gateway)
    }

    /// Stores and announces lists that were fetched in the background.
    fn settle(self: Rc<Self>) -> LocalBoxFuture<'static, ()> {
        async move {
            let Ok(deployment) = Deployment::load(&self.env).await else { return };
            let Ok(gateway) = gateway(&deployment) else { return };
            // A failure is returned to the next request for the catalog.
            if let Some(Ok(served)) =
                gateway.settle(&EdgeFetch::with_connections(&self.env), &deployment.config).await
            {
                self.serve(gateway, &served);
            }
        }
        .boxed_local()
    }

    /// Stores a catalog that is new, and notifies listeners.
    fn serve(&self, gateway: &Gateway, served: &Served) {
        served.notes.iter().for_each(|note| console::warn(note));
        stored_or_noted(self.store.write(gateway, &served.backend, clock::now()));
        if served.replaced {
            let hash = served.backend.hash();
            let env = self.env.clone();
            // In the background: the object of the listeners requests the catalog before it answers.
            spawn_local(async move {
                if let Err(error) = listeners::send_news(&env, &News::new(&[], Some(hash))).await {
                    console::warn(&format!("changes: {error}"));
                }
            });
        }
    }

    /// Reads the stored catalog once, if it belongs to this deployment.
    fn load(&self, deployment: &Deployment, gateway: &Gateway) {
        if self.is_loaded.replace(true) {
            return;
        }
        let loaded = self.store.load(&deployment.shared.key(), gateway, &deployment.config, clock::now());
        if let Err(error) = loaded {
            console::warn(&format!("catalog: what was stored cannot be read: {error}"));
        }
    }

    async fn survey(&self) -> std::result::Result<Vec<u8>, RpcError> {
        let deployment = Deployment::load(&self.env).await.map_err(unserved)?;
        let gateway = gateway(&deployment)?;
        self.load(&deployment, gateway);
        let surveys = gateway.survey(&EdgeFetch::by_objects(&self.env)).await;
        let surveyed: Vec<_> = surveys.into_iter().map(Surveyed::new).collect();
        Ok(serde_json::to_vec(&surveyed).unwrap_or_default())
    }

    /// Returns the last lists of a server; empty if there are none.
    async fn kept(&self, server: &str) -> std::result::Result<Vec<u8>, RpcError> {
        let deployment = Deployment::load(&self.env).await.map_err(unserved)?;
        let gateway = gateway(&deployment)?;
        self.load(&deployment, gateway);
        Ok(gateway.kept_listing(server).unwrap_or_default())
    }

    /// Lists one server, in the object that is that server's.
    async fn list(&self, mut request: Request) -> Result<std::result::Result<Vec<u8>, RpcError>> {
        let (text, has_changed) = (request.text().await?, request.path() == LIST_CHANGED);
        let (learned_from, server) = text.split_once('\n').unwrap_or(("", &text));
        let listed = async {
            let deployment = Deployment::load(&self.env).await.map_err(unserved)?;
            let gateway = gateway(&deployment)?;
            if has_changed {
                gateway.forget_conditional(server);
            }
            let listing = gateway.list(&EdgeFetch::with_connections(&self.env), server, learned_from).await;
            gateway.take_notes(server).iter().for_each(|note| console::warn(note));
            listing.map(|listing| gateway.write_listing(server, &listing)).map_err(unserved)
        };
        Ok(listed.await)
    }
}

/// Reports a catalog that could not be stored.
fn stored_or_noted(stored: Result<()>) {
    if let Err(error) = stored {
        console::warn(&format!("catalog: it could not be stored: {error}"));
    }
}

fn gateway(deployment: &Deployment) -> std::result::Result<&Gateway, RpcError> {
    deployment
        .gateway
        .as_deref()
        .ok_or_else(|| lost("the catalog", &"no upstream server is configured".into()))
}

/// Sets the status by which the caller of an object recognizes a failure.
fn unserved(failure: RpcError) -> RpcError {
    failure.under(StatusCode::SERVICE_UNAVAILABLE)
}

pub(super) fn object(env: &Env, name: &str) -> Result<Stub> {
    env.durable_object(BINDING)?.get_by_name(name)
}

/// Lists a server in the Durable Object of that server. The caller has the concern values that were learned from the
/// lists with the hash `learned_from`.
///
/// # Errors
/// The server's failure; `storage` where the object cannot be reached.
pub(crate) async fn list(env: &Env, upstream: &Upstream) -> std::result::Result<Listing, RpcError> {
    let sent = async {
        let server = upstream.name();
        let path = if upstream.take_changed() { LIST_CHANGED } else { LIST };
        let stub = object(env, &format!("server {server}"))?;
        let text = [&upstream.learned_from(), "\n", server].concat();
        let response = send(&stub, Method::Post, path, Some(text)).await?;
        let status = response.status_code();
        Ok::<_, worker::Error>((status, read_long(response).await?))
    };
    let (status, bytes) = sent.await.map_err(|error| lost("the server's lists", &error))?;
    if status != 200 {
        return Err(failure(&bytes));
    }
    upstream.read_listing(&bytes).map_err(|error| lost("the server's lists", &error.to_string().into()))
}

/// Returns the last lists of a server that the object of the catalog has, or lists the server.
///
/// # Errors
/// As for [`list`].
pub(crate) async fn kept(env: &Env, upstream: &Upstream) -> std::result::Result<Listing, RpcError> {
    let sent = async {
        let server = upstream.name().to_owned();
        let response = send(&object(env, CATALOG)?, Method::Post, KEPT, Some(server)).await?;
        let status = response.status_code();
        Ok::<_, worker::Error>((status, read_long(response).await?))
    };
    match sent.await {
        Ok((200, bytes)) if !bytes.is_empty() => upstream
            .read_listing(&bytes)
            .map_err(|error| lost("the server's lists", &error.to_string().into())),
        _ => list(env, upstream).await,
    }
}

/// Reads a failure that an object returned.
pub(super) fn failure(bytes: &[u8]) -> RpcError {
    failure_from_json(&serde_json::from_slice(bytes).unwrap_or_default())
}
