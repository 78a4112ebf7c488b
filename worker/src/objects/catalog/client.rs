//! The shared catalog in an isolate, which requests it from the Durable Object that keeps it.

use std::{
    cell::{Cell, RefCell},
    pin::pin,
    rc::Rc,
    sync::Arc,
};

use futures_util::{
    FutureExt,
    future::{Either, select},
};
use mcp_sieve_gateway::{
    error::RpcError,
    host::{Backends as _, Clock as _, Freshness, Observer as _, ROUTE_MS},
    upstream::{Backend, Fetch as _, Gateway},
};
use worker::{Context, Env, Method, Result};

use super::keeper::{CATALOG, CatalogRequest, SURVEY, Surveyed, failure, object};
use crate::{
    deployment::Deployment,
    host::EdgeHost,
    objects::{lost, read_body, read_long, send},
};

/// Milliseconds after which the catalog is requested again while a server is being listed or is down, so that a server
/// that recovers is used within a second.
const RETRY_MS: u64 = 500;
/// Milliseconds for which no request is sent to the object after it could not be reached.
const LOST_MS: u64 = 1_000;
/// Milliseconds in which the object answers, beside the wait for the first lists of its servers. In a cluster, the object
/// of a node that ended without notice does not answer until its lease has expired. An isolate then uses the catalog that
/// it has, or lists the servers itself.
const ANSWER_MS: u64 = 3_000;
/// Milliseconds after which a request stops waiting for another one that requests the catalog: the platform may have
/// cancelled that one.
const MAX_WAIT_MS: u64 = 10_000;
/// Shortest and longest interval, in milliseconds, at which a waiting request checks for the catalog.
const LOOK_MS: [u64; 2] = [2, 25];
/// Milliseconds for which a name that is not in the catalog counts as unknown without another request for it.
const UNKNOWN_MS: u64 = 1_000;

/// The state of the shared catalog in an isolate.
#[derive(Debug)]
pub(crate) struct SharedCatalog {
    key: u128,
    /// When the catalog expires, in milliseconds since 1970.
    good_until: Cell<u64>,
    /// When the request for the catalog that is under way was sent; zero if there is none.
    requested_at: Cell<u64>,
    /// When the object last answered.
    answered_at: Cell<u64>,
    /// Until when no request is sent, because the object could not be reached.
    lost_until: Cell<u64>,
    /// The number of changes that were announced, and how many of them the last answer includes.
    changes: Cell<u64>,
    known: Cell<u64>,
    /// The servers that have announced that their lists changed.
    changed: RefCell<Vec<String>>,
    /// The failure that the object answered with, if it has no catalog.
    failure: RefCell<Option<RpcError>>,
}

impl SharedCatalog {
    /// Creates the state for a deployment with this hash of its configuration and version.
    pub fn new(key: u128) -> Self {
        let (good_until, requested_at, answered_at, lost_until) = Default::default();
        let (changes, known, changed, failure) = Default::default();
        Self { key, good_until, requested_at, answered_at, lost_until, changes, known, changed, failure }
    }

    /// Returns the key under which the catalog is stored.
    pub fn key(&self) -> String {
        format!("{:032x}", self.key)
    }

    /// Marks the catalog as changed: the next request waits for the new one.
    pub fn expire(&self) {
        self.changes.set(self.changes.get() + 1);
    }

    /// Returns whether the catalog is fresh enough for `need`.
    fn is_fresh(&self, now: u64, need: Freshness) -> bool {
        now < match need {
            Freshness::List => self.good_until.get(),
            Freshness::Route => self.good_until.get().saturating_add(ROUTE_MS),
            Freshness::Unknown => self.answered_at.get().saturating_add(UNKNOWN_MS),
        }
    }

    /// Returns whether a list can be answered from the catalog that the isolate has, without a request for it.
    pub fn is_current(&self, now: u64) -> bool {
        self.known.get() >= self.changes.get() && self.is_fresh(now, Freshness::List)
    }

    /// Returns whether the object has answered at `since` or later, with all announced changes up to `changes`.
    fn is_answered(&self, since: u64, changes: u64) -> bool {
        self.answered_at.get() >= since && self.known.get() >= changes
    }

    /// Returns whether the caller may request the catalog now: one request is under way at a time.
    fn try_begin(&self, now: u64) -> bool {
        let free = now >= self.requested_at.get().saturating_add(MAX_WAIT_MS) && now >= self.lost_until.get();
        if free {
            self.requested_at.set(now);
        }
        free
    }
}

impl EdgeHost {
    /// Returns the catalog that the Durable Object keeps. If the isolate has an expired one, returns that and requests
    /// the new one in the background; if a change was announced, waits for the new one. If it has none and the object
    /// cannot be reached, lists the servers itself.
    ///
    /// # Errors
    /// As [`Gateway::serve`].
    pub(crate) async fn shared_backend(
        &self,
        gateway: &Gateway,
        need: Freshness,
    ) -> std::result::Result<Arc<Backend>, RpcError> {
        let (shared, began) = (&self.deployment.shared, self.now());
        let changed = gateway.take_changed();
        if !changed.is_empty() {
            shared.changed.borrow_mut().extend(changed);
            shared.expire();
        }
        let changes = shared.changes.get();
        if let Some(backend) = gateway.held().filter(|_| shared.known.get() >= changes) {
            if shared.is_fresh(began, need) {
                return Ok(backend);
            }
            if need != Freshness::Unknown {
                if shared.try_begin(began) {
                    let host = self.clone();
                    self.net().spawn(async move { host.fetch_shared().await }.boxed_local());
                }
                return Ok(backend);
            }
        }
        let [mut look_ms, longest] = LOOK_MS;
        while !shared.is_answered(began, changes) {
            let now = self.now();
            if shared.try_begin(now) {
                self.fetch_shared().boxed_local().await;
            } else if now >= began.saturating_add(MAX_WAIT_MS) || now < shared.lost_until.get() {
                break;
            } else {
                self.sleep(look_ms).await;
                look_ms = (look_ms * 2).min(longest);
            }
        }
        let failure = shared.failure.borrow().clone();
        match (gateway.held(), failure) {
            (Some(backend), _) => Ok(backend),
            (None, Some(failure)) => Err(failure),
            (None, None) => self.listed_backend(gateway, need).boxed_local().await,
        }
    }

    /// Requests the catalog and serves it from then on.
    async fn fetch_shared(&self) {
        let (shared, Some(gateway)) = (&self.deployment.shared, &self.deployment.gateway) else { return };
        let changes = shared.changes.get();
        let wanted = CatalogRequest {
            key: shared.key(),
            have: self.deployment.held().map(|hash| format!("{hash:032x}")),
            changed: shared.changed.take(),
        };
        let config = &self.deployment.config;
        let servers = config.upstreams.iter().chain([&config.upstream]);
        let longest = servers.map(|server| server.list_wait_ms).max().unwrap_or_default();
        let late = self.sleep(longest.saturating_add(ANSWER_MS));
        let answered = match select(pin!(request_catalog(&self.env, &wanted)), pin!(late)).await {
            Either::Left((answered, _)) => answered,
            Either::Right(_) => Err("its object does not answer".to_owned()),
        };
        let now = self.now();
        shared.requested_at.set(0);
        let taken = answered.map(|answered| {
            answered
                .map(|bytes| gateway.adopt(bytes, &self.deployment.config).map_err(|error| error.to_string()))
        });
        let good_ms = match taken {
            Ok(Ok(Ok(adopted))) => {
                shared.failure.replace(None);
                adopted.good_ms
            }
            Ok(Err(failure)) => {
                shared.failure.replace(Some(failure));
                None
            }
            Ok(Ok(Err(problem))) | Err(problem) => {
                self.note(&format!("catalog: {problem}; it is requested again"));
                shared.changed.borrow_mut().extend(wanted.changed);
                return shared.lost_until.set(now.saturating_add(LOST_MS));
            }
        };
        shared.good_until.set(now.saturating_add(good_ms.unwrap_or(RETRY_MS)));
        shared.answered_at.set(now);
        shared.known.set(changes);
    }
}

/// Serves the catalog with the lists that a server has changed, and notifies listeners if it differs. `context` is the
/// request in which the change was announced.
pub(crate) async fn refresh(env: Env, context: Option<Rc<Context>>) {
    let Some(deployment) = Deployment::built() else { return };
    let host = EdgeHost { context, ..EdgeHost::new(deployment, &env) };
    // A failure is returned to the next request for the catalog.
    _ = host.backend(Freshness::List).await;
}

/// Requests the catalog. Returns its bytes, or the failure of the servers; fails if the object does not answer.
async fn request_catalog(
    env: &Env,
    wanted: &CatalogRequest,
) -> std::result::Result<std::result::Result<Vec<u8>, RpcError>, String> {
    let sent = async {
        let wanted = Some(serde_json::to_string(wanted)?);
        let response = send(&object(env, CATALOG)?, Method::Post, CATALOG, wanted).await?;
        Ok::<_, worker::Error>((response.status_code(), read_long(response).await?))
    };
    match sent.await.map_err(|error| error.to_string())? {
        (200, bytes) => Ok(Ok(bytes)),
        (503, bytes) => Ok(Err(failure(&bytes))),
        (_, bytes) => Err(failure(&bytes).message),
    }
}

/// Lists every server now, in the object that keeps the catalog, and reports each attempt.
///
/// # Errors
/// `storage` where the object cannot be reached.
pub(crate) async fn survey(env: &Env) -> std::result::Result<Vec<Surveyed>, RpcError> {
    let sent = async {
        let response = send(&object(env, CATALOG)?, Method::Post, SURVEY, None).await?;
        Result::Ok((response.status_code(), read_body(response).await?))
    };
    match sent.await.map_err(|error| lost("the catalog", &error))? {
        (200, bytes) => serde_json::from_slice(&bytes).map_err(|error| lost("the catalog", &error.into())),
        (_, bytes) => Err(failure(&bytes)),
    }
}
