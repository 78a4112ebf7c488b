//! The catalog that a gateway serves, and the schedule on which its servers are listed again.

use std::{
    mem,
    pin::pin,
    sync::{Arc, atomic::Ordering},
};

use futures_channel::oneshot;
use futures_util::{
    FutureExt, StreamExt,
    future::{LocalBoxFuture, select},
    stream::FuturesUnordered,
};
use mcp_sieve::catalog::{Lists, NameRecord, Source};

use crate::{
    backend::{declared::ServerDeclarations, guarded_catalog::Backend, introductions, status::Status},
    config::Config,
    gateway::{Gateway, changed, lister::Lister, upstream_slot::UpstreamSlot},
    host::Freshness,
    protocol::error::RpcError,
    upstream::{lock, pages::Listing},
};

/// Milliseconds after which a request first looks for lists that another request is fetching. The interval doubles up
/// to [`MAX_LOOK_MS`]. Each request polls with its own timer, because on some platforms one request may not wake
/// another.
const FIRST_LOOK_MS: u64 = 2;
/// Longest interval between two looks, in milliseconds.
const MAX_LOOK_MS: u64 = 25;
/// Milliseconds for which lists that arrive in the background are collected before they are compiled. Refreshes of
/// several servers begin together, and each would otherwise compile the whole catalog.
pub const SETTLE_MS: u64 = 50;
/// Seconds after which a caller should retry while no server has answered its first attempt.
const PENDING_S: u64 = 1;

/// A compiled catalog, and the lists that it was compiled from.
#[derive(Debug)]
pub(crate) struct CompiledLists {
    pub backend: Arc<Backend>,
    pub listings: Vec<Option<Arc<Listing>>>,
    /// Whether the catalog came from another process or storage, and this process has no lists of any server.
    pub without_lists: bool,
    /// The problems of these lists, which the operator knows. They are reported again only if they were gone.
    pub problems: Vec<String>,
}

/// The result of serving: the current catalog, and reports about it.
#[derive(Debug)]
pub struct Served {
    /// The catalog of all servers.
    pub backend: Arc<Backend>,
    /// Whether the catalog replaced a different one, so that listeners must be notified.
    pub replaced: bool,
    /// The notes for the operator, one line each.
    pub notes: Vec<String>,
}

impl Gateway {
    /// Returns the catalog of all servers, as far as it is known. Servers whose lists are due are listed in the
    /// background, each by one request at a time. `after` returns the work that the host runs when one of them is done.
    ///
    /// Waits for the first lists of a server, and for lists that a server reported as changed, at most as long as its
    /// settings allow. Does not wait for a server whose last lists are known.
    ///
    /// # Errors
    /// If no server has ever been listed, returns the first server's error or `upstream_pending`.
    pub async fn serve<F: Lister>(
        &self,
        fetch: &F,
        config: &Config,
        need: Freshness,
        after: impl Fn() -> LocalBoxFuture<'static, ()>,
    ) -> Result<Served, RpcError> {
        let members = self.members.iter().filter(|member| !member.lists_callers).collect();
        self.list_due(fetch, need, after, members).await;
        self.gather(config)
    }

    /// Lists those of the servers whose lists are due, and waits for them as [`Gateway::serve`] does.
    pub(super) async fn list_due<F: Lister>(
        &self,
        fetch: &F,
        need: Freshness,
        after: impl Fn() -> LocalBoxFuture<'static, ()>,
        members: Vec<&Arc<UpstreamSlot>>,
    ) {
        let any_listed = self.members.iter().any(|member| member.listing().is_some());
        let mut unasked = members.clone();
        let mut own = FuturesUnordered::new();
        let mut look_ms = FIRST_LOOK_MS;
        loop {
            // Each server is listed at most once here. Otherwise one that keeps changing or failing would hold the
            // request forever.
            unasked.retain(|member| match member.begin(fetch, need, any_listed) {
                Some(attempt) => {
                    let (after, (done, listed)) = (after(), oneshot::channel());
                    own.push(listed);
                    // A request that no longer waits has dropped the receiver.
                    fetch.spawn(
                        async move {
                            attempt.await;
                            _ = done.send(());
                            after.await
                        }
                        .boxed_local(),
                    );
                    false
                }
                None => true,
            });
            let now = fetch.now();
            let awaited = members.iter().filter_map(|member| member.awaited(now, any_listed));
            let Some(until) = awaited.max() else { break };
            self.waiting_until.fetch_max(until, Ordering::Relaxed);
            let look = fetch.sleep(look_ms.min(until - now));
            match own.is_empty() {
                true => look.await,
                false => _ = select(own.next(), pin!(look)).await,
            }
            look_ms = (look_ms * 2).min(MAX_LOOK_MS);
            // Lists that arrived meanwhile are fresh, unless their server reported a change during the attempt.
            unasked.retain(|member| member.has_changed());
        }
        self.waiting_until.store(0, Ordering::Relaxed);
    }

    /// Returns the catalog after lists have arrived in the background. Lists that arrive within [`SETTLE_MS`] are
    /// compiled together, by the call for the first of them; the other calls return `None`. `None` is also returned
    /// while a request waits for lists, since that request compiles everything that arrived.
    pub async fn settle<F: Lister>(&self, fetch: &F, config: &Config) -> Option<Result<Served, RpcError>> {
        let now = fetch.now();
        // The time limit ends the collection even if the platform cancels the call that waits.
        if now < self.settling_until.load(Ordering::Relaxed) {
            return None;
        }
        self.settling_until.store(now.saturating_add(2 * SETTLE_MS), Ordering::Relaxed);
        fetch.sleep(SETTLE_MS).await;
        self.settling_until.store(0, Ordering::Relaxed);
        (fetch.now() >= self.waiting_until.load(Ordering::Relaxed)).then(|| self.gather(config))
    }

    /// Returns the milliseconds until the catalog expires; `None` if a server is being listed or its last attempt
    /// failed.
    pub fn good_for(&self, now: u64) -> Option<u64> {
        let listed = self.members.iter().filter(|member| !member.lists_callers);
        let each = listed.map(|member| member.good_for(now));
        // Without a server of all callers, nothing expires.
        each.reduce(|one, other| Some(one?.min(other?))).unwrap_or(Some(u64::from(u32::MAX)))
    }

    /// Returns the catalog of the last lists of all servers, compiled again only if a list changed.
    fn gather(&self, config: &Config) -> Result<Served, RpcError> {
        let mut notes: Vec<String> = self.members.iter().flat_map(|member| member.notes()).collect();
        let listings: Vec<_> = self.members.iter().map(|member| member.listing()).collect();
        let is_listed = |member: &Arc<UpstreamSlot>| !member.lists_callers;
        if listings.iter().all(Option::is_none)
            && (self.members.is_empty() || self.members.iter().any(is_listed))
        {
            return Err(self.missing(config));
        }
        let upstreams: Vec<Status> = self.members.iter().map(|member| member.status()).collect();
        let mut kept = lock(&self.kept);
        let mut replaced = false;
        let (backend, problems) = match kept.as_mut() {
            Some(kept) if same(&kept.listings, &listings) => {
                self.record_names(&kept.backend);
                if kept.backend.upstreams == upstreams {
                    return Ok(Served { backend: Arc::clone(&kept.backend), replaced, notes });
                }
                (kept.backend.with_status(upstreams), mem::take(&mut kept.problems))
            }
            before => {
                let backend = Backend { upstreams, ..self.compile(&listings, config)? };
                self.record_names(&backend);
                let problems = problems(config, &backend, listings.iter().all(Option::is_some));
                let mut known: &[String] = &[];
                if let Some(before) = before {
                    replaced = before.backend.hash() != backend.hash();
                    notes.extend(changed::changes(&before.backend, &backend));
                    known = &before.problems;
                }
                notes.extend(problems.iter().filter(|problem| !known.contains(problem)).cloned());
                (backend, problems)
            }
        };
        let backend = Arc::new(backend);
        *kept =
            Some(CompiledLists { backend: Arc::clone(&backend), listings, without_lists: false, problems });
        Ok(Served { backend, replaced, notes })
    }

    /// Returns the error if no lists can be served: the first failure, or `upstream_pending`. The failure names its
    /// server, which may be hidden from the caller unless nothing is hidden.
    fn missing(&self, config: &Config) -> RpcError {
        if self.members.is_empty() {
            return RpcError::internal("config", "no upstream server is configured");
        }
        match self.members.iter().find_map(|member| member.failure()) {
            Some(failure) if config.engine.is_open() => failure.for_caller(),
            Some(failure) => {
                let reason = failure.reason().unwrap_or("upstream_pending");
                RpcError::internal(reason, "no upstream server could be listed").retry_after(PENDING_S)
            }
            None => {
                let message =
                    "no upstream server has answered its first lists yet; they are being waited for";
                RpcError::internal("upstream_pending", message).retry_after(PENDING_S)
            }
        }
    }

    fn compile(&self, listings: &[Option<Arc<Listing>>], config: &Config) -> Result<Backend, RpcError> {
        let record = lock(&self.names);
        self.compile_with(listings, config, record.as_ref().map(|names| &names.record))
    }

    /// Compiles lists, with a record of the servers that had each name first.
    pub(super) fn compile_with(
        &self,
        listings: &[Option<Arc<Listing>>],
        config: &Config,
        record: Option<&NameRecord>,
    ) -> Result<Backend, RpcError> {
        let listed = || self.members.iter().zip(listings);
        let listed = || listed().filter_map(|(member, listing)| Some((member, listing.as_ref()?)));
        let declared = listed().map(|(member, listing)| (member.name.clone(), listing.declared.clone()));
        let declared = ServerDeclarations::new(declared.collect(), config);
        let texts: Vec<_> =
            listed().map(|(member, listing)| declared.rename(config, &member.name, &listing.lists)).collect();
        let (mut sources, mut features, mut introductions) = (Vec::new(), Vec::new(), Vec::new());
        for ((member, listing), text) in listed().zip(&texts) {
            let lists = Lists::read(text).map_err(|error| member.unreadable(&error))?;
            introductions.push((member.name.clone(), listing.introduction.clone()));
            sources.push(Source { server: &member.name, lists });
            features.push((member.name.clone(), listing.features));
        }
        let compiled = Backend::compile_recorded(sources, config, (declared, record), features);
        let (unlisted, is_of_caller) = (self.unlisted(config), self.lists_callers());
        Ok(Backend { unlisted, introductions, is_of_caller, ..compiled })
    }

    /// Returns the servers that may be asked for resources that are not listed.
    pub(super) fn unlisted(&self, config: &Config) -> Vec<String> {
        config.unlisted(self.members.iter().map(|member| (member.name.as_str(), member.unlisted)))
    }
}

/// Returns the problems of the lists, one line each.
fn problems(config: &Config, backend: &Backend, is_complete: bool) -> Vec<String> {
    let reports = backend.reports.iter();
    let reports =
        reports.map(|report| format!("catalog: {} `{}`: {}", report.kind, report.name, report.problem));
    let declared = backend.declared.problems().iter().map(|problem| format!("declarations: {problem}"));
    let idle = backend.declared.idle_concerns(config, backend.guarded.catalog(), is_complete);
    let idle = idle.into_iter().map(|note| format!("concerns: {note}"));
    reports.chain(introductions::notes(config, &backend.introductions)).chain(declared).chain(idle).collect()
}

/// Returns whether all lists are the same objects as before.
pub(super) fn same(one: &[Option<Arc<Listing>>], other: &[Option<Arc<Listing>>]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|pair| match pair {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        })
}
