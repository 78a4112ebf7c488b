//! The lists of an upstream server, fetched page by page.

use std::{
    borrow::Cow,
    collections::BTreeSet,
    sync::{Arc, atomic::Ordering},
};

use futures_util::{FutureExt, future::join};
use mcp_sieve::{
    Digest, Kind,
    json::{Members, Raw},
};

use crate::{
    backend::introduction::Introduction,
    protocol::error::{METHOD_NOT_FOUND, RpcError},
    upstream::{
        Declarations, Fetch, MAX_CURSOR, MAX_LISTS, SendFailure, Upstream, admission::Sender,
        collected_lists::Collected, connection::Connection, fetch::within, lease::Lease, lock, meta,
        revisions, sessions::SessionOwner,
    },
};

/// The lists of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// A JSON array of list results, for [`Lists::read`](mcp_sieve::catalog::Lists::read). Primitives are the bytes
    /// that the server sent.
    pub lists: String,
    /// The lifetime of the lists, in milliseconds.
    pub ttl_ms: u64,
    /// Whether the server answers `completion/complete`.
    pub completions: bool,
    /// Whether the server has skills, some of which may be unlisted.
    pub skills: bool,
    /// Whether the server answers `resources/directory/read`.
    pub directory_read: bool,
    /// The description that the server gives of itself.
    pub introduction: Introduction,
    /// The groups, tags and concerns that the server declares.
    pub declared: Declarations,
}

impl Listing {
    /// Returns whether two listings are equal apart from their lifetime.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let features = |listing: &Self| [listing.completions, listing.skills, listing.directory_read];
        self.lists == other.lists
            && features(self) == features(other)
            && self.introduction == other.introduction
            && self.declared == other.declared
    }
}

impl Upstream {
    /// Fetches all lists of the server.
    ///
    /// # Errors
    /// Fails if the server does not answer, returns an error, or its lists do not end. The [module](super) names the
    /// reasons.
    pub async fn lists<F: Fetch>(&self, fetch: &F) -> Result<Listing, RpcError> {
        let fetch = &fetch.shared();
        let ms = self.endpoint.list_timeout_ms;
        let until = fetch.now().saturating_add(ms);
        let work = async {
            match self.known() {
                Some(connection) if connection.is_outdated(fetch.now()) => {
                    self.list_and_discover(fetch, connection, until).await
                }
                _ => self.list(fetch, self.connection(fetch).await?, until).await,
            }
        };
        let work =
            async { within(fetch, ms, work).await.unwrap_or_else(|| Err(self.endpoint.lists_late(ms))) };
        self.guard(fetch, Sender::Gateway, work).await
    }

    async fn list<F: Fetch>(&self, fetch: &F, lease: Lease<F>, until: u64) -> Result<Listing, RpcError> {
        let stateless = lease.negotiated.stateless().is_some();
        let own = self.steady(fetch, lease, async |connection| {
            self.gather_declared(fetch, connection, until).boxed_local().await
        });
        let (own, beside) = match stateless {
            true => join(own, self.list_beside(fetch, until).boxed_local()).await,
            false => (own.await, Ok(None)),
        };
        let ((_, mut own), mut beside) = (own?, beside?);
        beside.iter().for_each(|beside| own.declared.complete(&beside.declared));
        let introduction = std::mem::take(&mut own.introduction);
        let introduction = match &mut beside {
            Some(beside) => introduction.or(std::mem::take(&mut beside.introduction)),
            None => introduction,
        };
        let listing = Listing {
            lists: revisions::lists(&own, beside.as_ref()),
            ttl_ms: own.ttl_ms.unwrap_or(self.endpoint.ttl_ms),
            completions: own.completions || beside.as_ref().is_some_and(|beside| beside.completions),
            skills: own.skills || beside.as_ref().is_some_and(|beside| beside.skills),
            directory_read: own.directory_read || beside.as_ref().is_some_and(|beside| beside.directory_read),
            introduction,
            declared: own.declared,
        };
        *lock(&self.header_params) = own.header_params;
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
        for _ in 0..2 {
            let lease = match self.session_beside(fetch, &SessionOwner::gateway()).await {
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
            match self.gather_declared(fetch, &lease, until).boxed_local().await {
                Ok(collected) => {
                    self.lists_sessions.store(true, Ordering::Relaxed);
                    return Ok(Some(collected));
                }
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

    /// Lists as a client with these capabilities, given as JSON. They apply to stateless requests; in a session, those
    /// of the session apply. `bytes` is the size of previous listings.
    pub(super) async fn gather<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        capabilities: &str,
        bytes: usize,
    ) -> Result<Collected, SendFailure> {
        let mut all = Collected {
            completions: connection.completes(),
            skills: connection.lists(Kind::Skill),
            directory_read: connection.reads_directories(),
            bytes,
            introduction: connection.introduction.clone(),
            ..Collected::default()
        };
        for kind in Kind::ALL {
            if connection.lists(kind) {
                self.fetch_list(fetch, connection, kind, capabilities, &mut all).await?;
            }
        }
        all.bytes -= bytes;
        Ok(all)
    }

    /// Fetches one list, from its first page to its last.
    async fn fetch_list<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        kind: Kind,
        capabilities: &str,
        all: &mut Collected,
    ) -> Result<(), SendFailure> {
        let method = kind.list_method();
        let mut cursors = BTreeSet::new();
        let mut cursor = None;
        for page in 1..=self.endpoint.max_pages {
            let response = self.page(fetch, connection, method, capabilities, cursor.as_deref()).await?;
            let result = match response {
                Ok(result) => result,
                // Templates have no capability of their own, a server with skills need not list them, and frameworks
                // announce methods that nothing implements.
                Err(error) if kind != Kind::Tool && error.code == METHOD_NOT_FOUND => return Ok(()),
                Err(error) => {
                    connection.doubt();
                    return Err(self.endpoint.refused(method, &error).into());
                }
            };
            let next = self.append_page(&result, connection, kind, page, all)?;
            let Some(next) = next else { return Ok(()) };
            if !cursors.insert(Digest::of(next.as_bytes())) {
                return Err(self.endpoint.cursor_loop(method, page).into());
            }
            cursor = Some(next);
        }
        Err(self.endpoint.too_many_pages(method).into())
    }

    /// Requests one page of a list. Returns the result, or the error with which the server answered.
    pub(super) async fn page<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        method: &str,
        capabilities: &str,
        cursor: Option<&str>,
    ) -> Result<Result<Vec<u8>, RpcError>, SendFailure> {
        let params = meta::listing(connection.negotiated.stateless(), capabilities, cursor);
        let headers = connection.negotiated.headers(method, None);
        match self
            .ask(
                fetch,
                connection,
                self.request(connection, method, headers, Some(params), self.endpoint.timeout_ms),
            )
            .await?
        {
            Ok(replies) => Ok(replies.response().await?),
            Err(error) => Ok(Err(error)),
        }
    }

    /// Appends the primitives of a page. Returns the cursor of the next page.
    fn append_page(
        &self,
        result: &[u8],
        connection: &Connection,
        kind: Kind,
        page: usize,
        all: &mut Collected,
    ) -> Result<Option<String>, RpcError> {
        let method = kind.list_method();
        let lacks = |member: &str| self.endpoint.lacks(method, member);
        let result = std::str::from_utf8(result).ok().and_then(Members::parse);
        let result = result.ok_or_else(|| lacks(kind.list_key()))?;
        // Some servers write an empty list as `null`.
        let is_list = |raw: &Raw<'_>| raw.get().starts_with('[') || raw.is_null();
        let primitives = result.get(kind.list_key()).filter(is_list);
        let primitives = primitives.ok_or_else(|| lacks(kind.list_key()))?;
        let ttl_ms = result.get("ttlMs").and_then(|raw| raw.get().parse().ok());
        if let (Some(ttl_ms), Some(_)) = (ttl_ms, connection.negotiated.stateless()) {
            all.ttl_ms = Some(all.ttl_ms.map_or(ttl_ms, |before: u64| before.min(ttl_ms)));
        }
        if kind == Kind::Tool && connection.negotiated.stateless().is_some() {
            all.header_params.learn(primitives);
        }
        let next = result.get("nextCursor").filter(|cursor| !cursor.is_null());
        let next = next.map(|cursor| cursor.text().ok_or_else(|| lacks("nextCursor"))).transpose()?;
        // Only the stateless era defines the empty string as a cursor. Servers of earlier revisions use it to mean no
        // cursor.
        let next = next.filter(|cursor| connection.negotiated.stateless().is_some() || !cursor.is_empty());
        let cursor_bytes = next.as_deref().map_or(0, str::len);
        if cursor_bytes > MAX_CURSOR {
            return Err(self.endpoint.cursor_too_large(method, MAX_CURSOR));
        }
        if page == 1 {
            all.introduction.learn_list(kind, &result);
        }
        all.bytes += primitives.get().len() + cursor_bytes;
        if all.bytes > MAX_LISTS {
            return Err(self.endpoint.lists_too_large(MAX_LISTS));
        }
        all.pages.push((kind, primitives.get().to_owned()));
        Ok(next.map(Cow::into_owned))
    }
}
