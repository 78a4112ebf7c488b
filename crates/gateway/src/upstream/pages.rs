//! The lists of an upstream server, fetched page by page.

use std::{
    cell::Cell,
    future::poll_fn,
    sync::{Arc, atomic::Ordering},
    task::Poll,
};

use futures_util::{
    FutureExt,
    future::{LocalBoxFuture, join},
};
use mcp_sieve::{
    Kind,
    catalog::Lists,
    json::{self, Members, Raw},
};

use crate::{
    backend::{features::Features, introduction::Introduction, status::ListProblem},
    protocol::error::RpcError,
    upstream::{
        Declarations, Fetch, SendFailure, Upstream, admission::Sender, collected_lists::Collected,
        connection::Connection, fetch::within, lease::Lease, list_pages::ListRequest, lock, revisions,
        sessions::SessionOwner,
    },
};

/// Milliseconds after which the next list is requested, although the server has not finished the one before.
const SLOW_LIST_MS: u64 = 1_000;

/// The lists of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// A JSON array of list results, for [`Lists::read`](mcp_sieve::catalog::Lists::read). Primitives are the bytes
    /// that the server sent.
    pub lists: String,
    /// The lifetime of the lists, in milliseconds.
    pub ttl_ms: u64,
    /// What the server offers beside its primitives.
    pub features: Features,
    /// The description that the server gives of itself.
    pub introduction: Introduction,
    /// The groups, tags and concerns that the server declares.
    pub declared: Declarations,
    /// The lists that are missing or incomplete.
    pub problems: Vec<ListProblem>,
}

impl Listing {
    /// Keeps the content that failed lists had before. A list that ended early had the same end before, unless its
    /// content was complete then.
    pub(crate) fn keep(&mut self, before: &Self) {
        let Self { lists, problems, .. } = self;
        for problem in problems.iter_mut().filter(|problem| !problem.is_final()) {
            let Some(kind) = problem.kind() else { continue };
            let known = before.problems.iter().find(|known| known.list == problem.list);
            let was_whole = known.is_none_or(|known| known.kept);
            if was_whole || !results(lists).iter().any(|result| lists_kind(result, kind)) {
                problem.kept = was_whole;
                *lists = with_list_of(lists, &before.lists, kind);
            }
        }
    }

    /// Returns whether two listings are equal apart from their lifetime.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.lists == other.lists
            && self.features == other.features
            && self.introduction == other.introduction
            && self.declared == other.declared
            && self.problems == other.problems
    }
}

/// Returns the output of the first future that ends, and removes it; `None` if there is no future.
async fn first_of<T>(running: &mut Vec<LocalBoxFuture<'_, T>>) -> Option<T> {
    poll_fn(|context| {
        let mut ready = None;
        running.retain_mut(|work| {
            if ready.is_none()
                && let Poll::Ready(output) = work.as_mut().poll(context)
            {
                ready = Some(output);
                return false;
            }
            true
        });
        if ready.is_some() || running.is_empty() { Poll::Ready(ready) } else { Poll::Pending }
    })
    .await
}

/// Returns the list results in an array.
fn results(lists: &str) -> Vec<Raw<'_>> {
    Raw::parse_deep(lists).ok().and_then(json::Raw::elements).unwrap_or_default()
}

/// Returns whether a list result has primitives of this kind. Reports are no list.
fn lists_kind(result: &Raw<'_>, kind: Kind) -> bool {
    Members::read(*result).is_some_and(|members| {
        members.get(kind.list_key()).is_some() && members.get(Lists::REPORTS_KEY).is_none()
    })
}

/// Returns list results with those of one kind taken from `before`.
fn with_list_of(lists: &str, before: &str, kind: Kind) -> String {
    let (new, old) = (results(lists), results(before));
    let kept = new.iter().filter(|result| !lists_kind(result, kind));
    let kept = kept.chain(old.iter().filter(|result| lists_kind(result, kind)));
    let kept: Vec<&str> = kept.map(|result| result.get()).collect();
    ["[", &kept.join(","), "]"].concat()
}

impl Upstream {
    /// Returns the lifetime of lists of the server, in milliseconds.
    pub fn lifetime_ms(&self, listing: &Listing) -> u64 {
        listing.ttl_ms.max(self.endpoint.min_ttl_ms)
    }

    /// Fetches all lists of the server.
    ///
    /// # Errors
    /// Fails if the server does not answer, or none of its lists can be fetched. The [module](super) names the reasons.
    /// If only some lists fail, the others are returned, with the [problems](Listing::problems).
    pub async fn lists<F: Fetch>(&self, fetch: &F) -> Result<Listing, RpcError> {
        let fetch = &fetch.shared();
        let ms = self.endpoint.list_timeout_ms;
        let until = fetch.now().saturating_add(ms);
        let work = async {
            match self.known() {
                Some(known) if !known.is_adopted() && known.is_outdated(fetch.now()) => {
                    self.list_and_discover(fetch, known, until).await
                }
                known => {
                    // What another process has shared does not say which groups, tags and concerns the server lists.
                    let lease = match known.is_some_and(|known| known.is_adopted()) {
                        true => self.connect(fetch).boxed_local().await?,
                        false => self.connection(fetch).boxed_local().await?,
                    };
                    self.list(fetch, lease, until).await
                }
            }
        };
        let work =
            async { within(fetch, ms, work).await.unwrap_or_else(|| Err(self.endpoint.lists_late(ms))) };
        self.guard(fetch, Sender::Gateway, work).await
    }

    async fn list<F: Fetch>(&self, fetch: &F, lease: Lease<F>, until: u64) -> Result<Listing, RpcError> {
        let stateless = lease.negotiated.stateless().is_some();
        let tries = Cell::new(0);
        let own = self.steady(fetch, lease, async |connection| {
            let retries = tries.replace(1) == 0;
            self.gather_declared(fetch, connection, until, retries).boxed_local().await
        });
        let (own, beside) = match stateless {
            true => join(own, self.list_beside(fetch, until).boxed_local()).await,
            false => (own.await, Ok(None)),
        };
        let (lease, mut own) = own?;
        if !stateless && lease.has_session() && !self.is_in_process() {
            self.endpoint.note_sessions();
        }
        let mut beside = beside.unwrap_or_else(|failure| {
            // The names that these lists alone have would otherwise go to another server.
            own.fail_all(lease.listed_kinds(), &failure);
            None
        });
        if let Some(failure) = own.failure.take().filter(|_| !own.has_lists())
            && !beside.as_ref().is_some_and(Collected::has_lists)
        {
            return Err(failure);
        }
        if let Some(beside) = &mut beside {
            own.declared.complete(&beside.declared);
            own.add_problems(std::mem::take(&mut beside.problems));
        }
        let left_ms = until.saturating_sub(fetch.now());
        self.learn_concerns(fetch, &lease, beside.is_some(), &mut own, until - left_ms / 4)
            .boxed_local()
            .await;
        let introduction = std::mem::take(&mut own.introduction);
        let introduction = match &mut beside {
            Some(beside) => introduction.or(std::mem::take(&mut beside.introduction)),
            None => introduction,
        };
        let listing = Listing {
            lists: revisions::lists(&own, beside.as_ref()),
            ttl_ms: own.ttl_ms.unwrap_or(self.endpoint.ttl_ms),
            features: beside.as_ref().map_or(own.features, |beside| own.features.beside(beside.features)),
            introduction,
            declared: own.declared,
            problems: own.problems,
        };
        let are_tools_whole = listing.problems.iter().all(|problem| problem.kind() != Some(Kind::Tool));
        lock(&self.header_params).renew(own.header_params, are_tools_whole);
        Ok(listing)
    }

    /// Returns the lists of a stateless server in a session, if it keeps sessions. Retries once, since the server may
    /// have lost the session.
    ///
    /// # Errors
    /// Fails if these lists were available before: without them, the names that they alone have would go to another
    /// server.
    async fn list_beside<F: Fetch>(&self, fetch: &F, until: u64) -> Result<Option<Collected>, RpcError> {
        let mut failure = None;
        for retries in [true, false] {
            let lease = match self.session_beside(fetch, &SessionOwner::gateway(), None).await {
                Ok(Some(lease)) => lease,
                Ok(None) => {
                    self.lists_sessions.store(false, Ordering::Relaxed);
                    return Ok(None);
                }
                Err(failed) => {
                    failure = Some(failed);
                    break;
                }
            };
            match self.gather_declared(fetch, &lease, until, retries).boxed_local().await {
                Ok(mut collected) => match collected.failure.take().filter(|_| !collected.has_lists()) {
                    Some(failed) => failure = Some(failed),
                    None => {
                        self.lists_sessions.store(true, Ordering::Relaxed);
                        return Ok(Some(collected));
                    }
                },
                Err(failed) => {
                    lock(&self.sessions).forget(lease.connection());
                    failure = Some(failed.into_failure());
                }
            }
        }
        match failure.filter(|_| self.lists_sessions.load(Ordering::Relaxed)) {
            Some(failure) => Err(failure),
            None => Ok(None),
        }
    }

    /// Lists the server with its known capabilities, and concurrently asks for the current ones. If these differ, lists
    /// it again.
    async fn list_and_discover<F: Fetch>(
        &self,
        fetch: &F,
        connection: Arc<Connection>,
        until: u64,
    ) -> Result<Listing, RpcError> {
        let listed = self.list(fetch, self.lease(fetch, Arc::clone(&connection)), until);
        // Boxed, since both futures are large.
        let (listed, discovered) = join(listed.boxed_local(), self.connect(fetch).boxed_local()).await;
        match discovered {
            Ok(lease)
                if lease.capabilities != connection.capabilities
                    || lease.negotiated.stateless() != connection.negotiated.stateless() =>
            {
                self.list(fetch, lease, until).await
            }
            Ok(lease) => listed.map(|listing| Listing {
                introduction: lease.introduction.clone().or(listing.introduction),
                ..listing
            }),
            // The lists are valid even if the server cannot describe itself now.
            Err(_) => listed,
        }
    }

    /// Fetches the lists that the server announces, one after the other. A slow list does not hold up the next one.
    /// `bytes` is the size of previous listings.
    ///
    /// # Errors
    /// As [`Upstream::fetch_list`]. Failures of single lists are [problems](Collected::problems).
    pub(super) async fn gather<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        request: ListRequest<'_>,
        bytes: usize,
    ) -> Result<Collected, SendFailure> {
        let counted = Cell::new(bytes);
        let (mut running, mut lists) = (Vec::new(), Vec::new());
        let is_wanted = |kind: &Kind| request.kinds.is_none_or(|kinds| kinds.contains(kind));
        for kind in connection.listed_kinds().filter(is_wanted) {
            running.push(self.fetch_list(fetch, connection, kind, request, &counted).boxed_local());
            if let Some(Some(list)) = within(fetch, SLOW_LIST_MS, first_of(&mut running)).await {
                lists.push(list?);
            }
        }
        while let Some(list) = first_of(&mut running).await {
            lists.push(list?);
        }
        drop(running);
        let mut all = Collected {
            // Clients that share a session keep no state apart, however they connect.
            features: connection.features().in_sessions(!self.endpoint.shares_sessions),
            bytes: counted.get() - bytes,
            introduction: connection.introduction.clone(),
            ..Collected::default()
        };
        lists.sort_by_key(|list| Kind::ALL.into_iter().position(|kind| kind == list.kind));
        let is_stateless = connection.negotiated.stateless().is_some();
        lists.into_iter().for_each(|list| all.add(list, is_stateless));
        Ok(all)
    }
}
