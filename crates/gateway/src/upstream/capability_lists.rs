//! The lists of a server for clients with different capabilities.
//!
//! A server may list a tool only to clients that declare, for example, `sampling` or `io.modelcontextprotocol/ui`. The
//! gateway lists the server without capabilities, and with all of those that it [offers](OfferedCapabilities). If this
//! shows more primitives, it lists with few capabilities at a time, until it has found some that suffice for each.

use std::{cell::Cell, collections::BTreeSet, sync::Arc};

use futures_util::{
    FutureExt,
    future::{Either, LocalBoxFuture, join_all, ready, select},
};
use http::HeaderMap;
use mcp_sieve::Kind;

use crate::{
    protocol::error::RpcError,
    upstream::{
        Fetch, MAX_LISTS, SendFailure, Upstream,
        capability_memory::{self, ShownLists},
        collected_lists::{Collected, ids},
        conditional_primitives::merge,
        connection::Connection,
        fetch::within,
        list_pages::ListRequest,
        meta::NO_CAPABILITIES,
        offered_capabilities::{MAX_OFFERED_PAGES, OfferedCapabilities},
    },
};

/// Number of listings with few capabilities that run at once. Each may be a process of a local server.
const PARALLEL: usize = 3;
/// The first listing of a server waits for the listing with capabilities for this part of `timeoutMs`.
const FIRST_WAIT: u64 = 4;
/// The reasons of failures by the size of the lists, which is no fault of a capability.
const SIZE_REASONS: [&str; 2] = ["upstream_too_large", "upstream_too_many_pages"];

/// The result of a listing with capabilities.
type Listed = Result<Collected, RpcError>;

impl Upstream {
    /// Lists all primitives of a server in the revision of a connection, for clients of any capabilities. If a listing
    /// with capabilities fails, the lists are those for clients without.
    pub(super) async fn gather_capable<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        request: ListRequest<'_>,
    ) -> Result<Collected, SendFailure> {
        match self.offered(connection, fetch.now()) {
            Some(offered) if self.capable.with(connection, |known| known.was_listed) => {
                self.list_again(fetch, connection, request, &offered).boxed_local().await
            }
            Some(offered) => {
                let listed = self.list_first(fetch, connection, request, offered).boxed_local().await;
                let was_listed = match &listed {
                    Ok(own) => own.has_lists(),
                    // The other session may have ended this one.
                    Err(failure) => matches!(failure, SendFailure::Stale(_)),
                };
                self.capable.with(connection, |known| known.was_listed = was_listed);
                listed
            }
            None => {
                let mut own = self.gather(fetch, connection, request, 0).boxed_local().await?;
                self.apply_shown(fetch, connection, &mut own, true);
                Ok(own)
            }
        }
    }

    /// Lists a server for the first time. Nothing of the server is served before this ends, so the listings without and
    /// with capabilities run at once.
    async fn list_first<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        request: ListRequest<'_>,
        offered: OfferedCapabilities,
    ) -> Result<Collected, SendFailure> {
        let with = offered.all.clone();
        let all = self.gather_with(fetch, connection, request, &with, MAX_LISTS / 2).boxed_local();
        let own = self.gather(fetch, connection, request, 0).boxed_local();
        let (mut own, all) = match select(own, all).await {
            Either::Left((own, all)) => (own?, all),
            Either::Right((all, own)) => (own.await?, ready(all).boxed_local()),
        };
        let shown = self.complete_listing(fetch, connection, request, &own, offered, all).boxed_local();
        match within(fetch, self.endpoint.timeout_ms / FIRST_WAIT, shown).await {
            Some(shown) => shown.into_iter().for_each(|shown| shown.apply(&mut own)),
            // The next listing takes its time, because these lists are served meanwhile.
            None => own.ttl_ms = Some(0),
        }
        Ok(own)
    }

    /// Lists a server again: without capabilities, and with them if the result may be another one. One follows the
    /// other, because some servers keep the newest session alone.
    async fn list_again<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        request: ListRequest<'_>,
        offered: &OfferedCapabilities,
    ) -> Result<Collected, SendFailure> {
        let mut own = self.gather(fetch, connection, request, 0).boxed_local().await?;
        if self.apply_shown(fetch, connection, &mut own, false) {
            return Ok(own);
        }
        let all = self.gather_with(fetch, connection, request, &offered.all, own.bytes).boxed_local();
        let left_ms = request.until.saturating_sub(fetch.now()) / 2;
        let shown =
            self.complete_listing(fetch, connection, request, &own, offered.clone(), all).boxed_local();
        let reason = || format!("upstream `{}` cannot be listed in time", self.endpoint.name);
        match within(fetch, left_ms, shown).await {
            Some(shown) => shown.into_iter().for_each(|shown| shown.apply(&mut own)),
            None => self.leave_out(fetch, connection, offered, &reason()),
        }
        Ok(own)
    }

    /// Gives the lists without capabilities the primitives that the last listing with them showed, if these are known.
    /// Expired ones are taken if `any_age` is set.
    fn apply_shown<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        own: &mut Collected,
        any_age: bool,
    ) -> bool {
        if !self.capable.with(connection, |known| known.has_shown()) {
            return false;
        }
        let about = capability_memory::about(own, connection);
        let shown = self.capable.with(connection, |known| known.shown(about, fetch.now(), any_age));
        shown.inspect(|shown| shown.apply(own)).is_some()
    }

    /// Returns the capabilities to list the server with.
    fn offered(&self, connection: &Connection, now: u64) -> Option<OfferedCapabilities> {
        let is_stateless = connection.negotiated.stateless().is_some();
        let mut configured = self.endpoint.capabilities.clone();
        // Without a session, a server cannot remember for whom it lists.
        configured.relayed &= is_stateless || connection.has_session();
        let tasks = !is_stateless && connection.has_tasks();
        let left_out = self.capable.with(connection, |known| known.left_out(now));
        OfferedCapabilities::new(&configured, self.endpoint.questions, tasks, &left_out)
    }

    /// Completes a listing with the capabilities `offered`: finds those that make it fail, and those that each primitive
    /// requires. Returns `None` if the server can only be listed without.
    async fn complete_listing<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        request: ListRequest<'_>,
        own: &Collected,
        mut offered: OfferedCapabilities,
        all: LocalBoxFuture<'_, Listed>,
    ) -> Option<Arc<ShownLists>> {
        // A server that lists nothing now is not asked more.
        if !own.has_lists() {
            return None;
        }
        let about = capability_memory::about(own, connection);
        let mut all = all.await;
        if let Some(failure) = fault(own, &all) {
            let left = self.without_faults(fetch, connection, request, own, &offered, &failure);
            let Some(left) = left.boxed_local().await else {
                // The lists that were complete before are shown on.
                return self.capable.with(connection, |known| known.shown(about, fetch.now(), true));
            };
            (offered, all) = left;
        }
        let all = all.ok()?;
        let kinds = missing_kinds(own, &all, &[]);
        let mut parts: Vec<(String, Collected)> = Vec::new();
        if offered.parts.len() > 1 && !kinds.is_empty() {
            let narrow = ListRequest { kinds: Some(&kinds), ..request };
            for chunk in offered.parts.chunks(PARALLEL) {
                let listings = chunk.iter().map(|part| {
                    let listed = self.gather_with(fetch, connection, narrow, part, own.bytes + all.bytes);
                    async move { (part, listed.boxed_local().await) }.boxed_local()
                });
                // Without one of them, its primitives are shown to clients with more capabilities.
                let listed = join_all(listings).await.into_iter();
                parts.extend(listed.filter_map(|(part, listed)| Some((part.clone(), listed.ok()?))));
                if missing_kinds(own, &all, &parts).is_empty() {
                    break;
                }
            }
        }
        parts.push((offered.all, all));
        let merged = merge(own, &parts, self.endpoint.hides_conditional);
        let shown = Arc::new(ShownLists::new(about, connection, merged, fetch.now()));
        self.capable.with(connection, |known| known.show(&shown));
        Some(shown)
    }

    /// Finds the capabilities that make the server fail, and lists it with the others. Returns `None` if there are none.
    async fn without_faults<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        request: ListRequest<'_>,
        own: &Collected,
        offered: &OfferedCapabilities,
        failure: &RpcError,
    ) -> Option<(OfferedCapabilities, Listed)> {
        let leave_out = |reason: &str| self.leave_out(fetch, connection, offered, reason);
        if failure.reason().is_some_and(|reason| SIZE_REASONS.contains(&reason)) {
            leave_out(&failure.message);
            return None;
        }
        let listed = async |capabilities: &str| {
            let listed = self.gather_with(fetch, connection, request, capabilities, own.bytes);
            listed.boxed_local().await
        };
        if connection.has_session()
            && let Some(failure) = fault(own, &listed(NO_CAPABILITIES).await)
        {
            leave_out(&format!("{} in a second session", failure.message));
            return None;
        }
        let mut culprits = BTreeSet::new();
        for name in offered.names() {
            let Some(single) = offered.single(&name, &culprits) else { continue };
            if let Some(failure) = fault(own, &listed(&single).await) {
                let way = format!("{} for clients with `{name}`", failure.message);
                self.endpoint.oddities.report(way, "it is listed without this capability");
                culprits.insert(name);
            }
        }
        if !culprits.is_empty() {
            let now = fetch.now();
            self.capable.with(connection, |known| known.leave_out(culprits, now));
            let left = self.offered(connection, now)?;
            let all = listed(&left.all).await;
            if fault(own, &all).is_none() {
                return Some((left, all));
            }
        }
        leave_out(&format!("{} for clients with several capabilities", failure.message));
        None
    }

    /// Lists the server without the capabilities `offered` for a while.
    fn leave_out<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        offered: &OfferedCapabilities,
        reason: &str,
    ) {
        self.endpoint.oddities.report(reason.to_owned(), "it is listed for clients without capabilities");
        self.capable.with(connection, |known| known.leave_out(offered.names(), fetch.now()));
    }

    /// Lists as a client with these capabilities. If the server keeps sessions, this uses a session of its own, which
    /// ends with the listing.
    async fn gather_with<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        request: ListRequest<'_>,
        capabilities: &str,
        bytes: usize,
    ) -> Listed {
        let pages = Cell::new(MAX_OFFERED_PAGES);
        let pages_left = self.endpoint.capabilities.parts.is_empty().then_some(&pages);
        let request = ListRequest { retries: false, pages_left, ..request };
        let Some(version) = connection.negotiated.session() else {
            let request = ListRequest { capabilities, ..request };
            let listed = self.gather(fetch, connection, request, bytes).boxed_local().await;
            return listed.map_err(SendFailure::into_failure);
        };
        let caller = HeaderMap::new();
        let shaken = self.shake_hands(fetch, version, capabilities.as_bytes(), &caller, None);
        let lease = self.lease(fetch, Arc::new(shaken.boxed_local().await?));
        self.confirm(fetch, &lease, None).await;
        lease.retire();
        self.gather(fetch, &lease, request, bytes).boxed_local().await.map_err(SendFailure::into_failure)
    }
}

/// Returns the failure of a listing with capabilities in which the listing without did not fail.
fn fault(own: &Collected, all: &Listed) -> Option<RpcError> {
    match all {
        Err(failure) => Some(failure.clone()),
        Ok(all) => {
            let is_new = all.problems.iter().any(|problem| own.problem(problem.kind()).is_none());
            all.failure.clone().filter(|_| is_new)
        }
    }
}

/// Returns the kinds of which `all` has primitives that no other listing has. Lists that failed without capabilities say
/// nothing about them.
fn missing_kinds(own: &Collected, all: &Collected, parts: &[(String, Collected)]) -> Vec<Kind> {
    let mut missing = ids(all);
    missing.retain(|(kind, _)| own.problem(Some(*kind)).is_none());
    for listed in parts.iter().map(|(_, listed)| listed).chain([own]) {
        ids(listed).iter().for_each(|id| _ = missing.remove(id));
    }
    Kind::ALL.into_iter().filter(|kind| missing.iter().any(|(missing, _)| missing == kind)).collect()
}
