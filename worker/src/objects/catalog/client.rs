//! The catalog of the deployment, in an isolate that takes it over.

use std::{
    cell::{Cell, RefCell},
    sync::Arc,
};

use futures_util::FutureExt;
use mcp_sieve::mcp::{
    Backend, Clock as _, Freshness, Gateway, Observer as _, ROUTE_MS, RpcError, upstream::Fetch as _,
};
use worker::{Env, Method, Result};

use super::{Asked, CATALOG, SURVEY, Surveyed, failure, object};
use crate::{
    host::EdgeHost,
    objects::{lost, send},
};

/// Milliseconds after which the catalog is asked for again while a server is being listed, or cannot be: one that has come
/// back is used within a second.
const RETRY_MS: u64 = 500;
/// Milliseconds for which the object is not asked again after it could not be reached.
const LOST_MS: u64 = 1_000;
/// Milliseconds after which a request no longer waits for another one of its isolate that asks for the catalog: the
/// platform may have ended that one without a word.
const MAX_WAIT_MS: u64 = 10_000;
/// Shortest and longest time, in milliseconds, between two looks for what another request has asked for.
const LOOK_MS: [u64; 2] = [2, 25];
/// Milliseconds for which a name that the catalog does not have counts as unknown without asking again.
const UNKNOWN_MS: u64 = 1_000;

/// What an isolate knows of the catalog of its deployment.
#[derive(Debug)]
pub(crate) struct SharedCatalog {
    key: u128,
    /// Until when what is served is good, in milliseconds since 1970.
    good_until: Cell<u64>,
    /// Since when a request is asking for the catalog; zero while none is.
    asking_since: Cell<u64>,
    /// When it was last asked for with an answer.
    answered_at: Cell<u64>,
    /// Until when the object is not asked, because it could not be reached.
    lost_until: Cell<u64>,
    /// How often the catalog was known to have changed, and how often it had been when it was last asked for.
    changes: Cell<u64>,
    known: Cell<u64>,
    /// The servers that have said that their lists have changed.
    changed: RefCell<Vec<String>>,
    /// Why there is no catalog, if the last answer said so.
    failure: RefCell<Option<RpcError>>,
}

impl SharedCatalog {
    /// The catalog of a deployment, under the hash of all that it is compiled from.
    pub fn new(key: u128) -> Self {
        let (good_until, asking_since, answered_at, lost_until) = Default::default();
        let (changes, known, changed, failure) = Default::default();
        Self { key, good_until, asking_since, answered_at, lost_until, changes, known, changed, failure }
    }

    /// The key under which it is stored.
    pub fn key(&self) -> String {
        format!("{:032x}", self.key)
    }

    /// What is served is known to be out of date: the next request waits for what takes its place.
    pub fn expire(&self) {
        self.changes.set(self.changes.get() + 1);
    }

    /// Whether what is served may be served for `need` without asking again.
    fn is_good(&self, now: u64, need: Freshness) -> bool {
        now < match need {
            Freshness::List => self.good_until.get(),
            Freshness::Route => self.good_until.get().saturating_add(ROUTE_MS),
            Freshness::Unknown => self.answered_at.get().saturating_add(UNKNOWN_MS),
        }
    }

    /// Whether it has been asked for at `since` or later, and since it was last known to have changed.
    fn was_asked(&self, since: u64, changes: u64) -> bool {
        self.answered_at.get() >= since && self.known.get() >= changes
    }

    /// Lets one request at a time ask for it.
    fn begin(&self, now: u64) -> bool {
        let free = now >= self.asking_since.get().saturating_add(MAX_WAIT_MS) && now >= self.lost_until.get();
        if free {
            self.asking_since.set(now);
        }
        free
    }
}

impl EdgeHost {
    /// Returns the catalog of the deployment, which the isolate takes over from the object that keeps it: in the
    /// background, where it has one that is not known to have changed. Where there is none and the object cannot be
    /// reached, the servers are listed here.
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
            if shared.is_good(began, need) {
                return Ok(backend);
            }
            if need != Freshness::Unknown {
                if shared.begin(began) {
                    let host = self.clone();
                    self.net().spawn(async move { host.take_over().await }.boxed_local());
                }
                return Ok(backend);
            }
        }
        let [mut look_ms, longest] = LOOK_MS;
        while !shared.was_asked(began, changes) {
            let now = self.now();
            if shared.begin(now) {
                self.take_over().await;
            } else if now >= began.saturating_add(MAX_WAIT_MS) || now < shared.lost_until.get() {
                break;
            } else {
                self.sleep(look_ms).await;
                look_ms = (look_ms * 2).min(longest);
            }
        }
        match (gateway.held(), shared.failure.borrow().clone()) {
            (Some(backend), _) => Ok(backend),
            (None, Some(failure)) => Err(failure),
            (None, None) => self.listed_backend(gateway, need).await,
        }
    }

    /// Asks for the catalog and takes it over.
    async fn take_over(&self) {
        let (shared, Some(gateway)) = (&self.deployment.shared, &self.deployment.gateway) else { return };
        let changes = shared.changes.get();
        let asked = Asked {
            key: shared.key(),
            have: self.deployment.held().map(|hash| format!("{hash:032x}")),
            changed: shared.changed.take(),
        };
        let answered = ask(&self.env, &asked).await;
        let now = self.now();
        shared.asking_since.set(0);
        let taken = answered.map(|answered| {
            answered.map(|bytes| {
                gateway.adopt(&bytes, &self.deployment.config).map_err(|error| error.to_string())
            })
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
                self.note(&format!("catalog: {problem}; it is asked for again"));
                shared.changed.borrow_mut().extend(asked.changed);
                return shared.lost_until.set(now.saturating_add(LOST_MS));
            }
        };
        shared.good_until.set(now.saturating_add(good_ms.unwrap_or(RETRY_MS)));
        shared.answered_at.set(now);
        shared.known.set(changes);
    }
}

/// Asks for the catalog. Returns its bytes, or why the servers give none; fails where the object gives no answer.
async fn ask(
    env: &Env,
    asked: &Asked,
) -> std::result::Result<std::result::Result<Vec<u8>, RpcError>, String> {
    let sent = async {
        let body = Some(serde_json::to_string(asked)?);
        let mut response = send(&object(env, CATALOG)?, Method::Post, CATALOG, body).await?;
        Ok::<_, worker::Error>((response.status_code(), response.bytes().await?))
    };
    match sent.await.map_err(|error| error.to_string())? {
        (200, bytes) => Ok(Ok(bytes)),
        (503, bytes) => Ok(Err(failure(&bytes))),
        (_, bytes) => Err(failure(&bytes).message),
    }
}

/// Has every server tried, in the object that keeps the catalog.
///
/// # Errors
/// `storage` where the object cannot be reached.
pub(crate) async fn survey(env: &Env) -> std::result::Result<Vec<Surveyed>, RpcError> {
    let sent = async {
        let mut response = send(&object(env, CATALOG)?, Method::Post, SURVEY, None).await?;
        Result::Ok((response.status_code(), response.bytes().await?))
    };
    match sent.await.map_err(|error| lost("the catalog", &error))? {
        (200, bytes) => serde_json::from_slice(&bytes).map_err(|error| lost("the catalog", &error.into())),
        (_, bytes) => Err(failure(&bytes)),
    }
}
