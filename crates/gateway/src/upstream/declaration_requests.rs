//! Requests for the groups, tags and concerns that a server declares.
//!
//! Declarations are an addition to the lists: if such a request fails, the failure is reported and the lists are served
//! without them.

use std::collections::BTreeSet;

use futures_util::FutureExt;
use mcp_sieve::{
    Digest,
    json::{self, Members, Raw},
};

use crate::{
    backend::declarations::{Declarations, Facet},
    config::ConcernUse,
    protocol::{
        error::{METHOD_NOT_FOUND, RpcError},
        method::Method,
    },
    upstream::{
        Fetch, MAX_CURSOR, SendFailure, Upstream, collected_lists::Collected, connection::Connection,
        fetch::within, list_pages::ListRequest, meta::NO_CAPABILITIES,
    },
};

impl Upstream {
    /// Lists the primitives of a server, then its declarations, until `until` at most, in milliseconds since 1970. Lists
    /// use at most three quarters of the time, and declarations half of the rest, so that a slow one of them cannot
    /// make the listing fail. `retries` is as in [`ListRequest`].
    pub(super) async fn gather_declared<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        until: u64,
        retries: bool,
    ) -> Result<Collected, SendFailure> {
        let left = until.saturating_sub(fetch.now());
        let request = ListRequest {
            capabilities: NO_CAPABILITIES,
            kinds: None,
            pages_left: None,
            until: until - left / 4,
            retries,
        };
        let mut all = self.gather_capable(fetch, connection, request).boxed_local().await?;
        let now = fetch.now();
        let deadline = now + until.saturating_sub(now) / 2;
        all.declared = self.declarations(fetch, connection, deadline).boxed_local().await;
        Ok(all)
    }

    /// Requests the groups, tags and concerns that the server announces, until `deadline` at most, in milliseconds
    /// since 1970.
    pub(crate) async fn declarations<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        deadline: u64,
    ) -> Declarations {
        let mut all = Declarations::default();
        let announced = connection.announced();
        let Declarations { groups, tags, concerns, toolbox, .. } = &mut all;
        if announced.groups {
            self.declared(fetch, connection, &[Method::ListGroups], "groups", deadline, groups).await;
        }
        if announced.tags {
            self.declared(fetch, connection, &[Method::ListTags], "tags", deadline, tags).await;
        }
        let uses_concerns = self.endpoint.concerns != ConcernUse::Ignore;
        if announced.concerns && uses_concerns {
            let methods = [Method::ListConcernsAsProposed, Method::ListConcerns];
            self.declared(fetch, connection, &methods, "concerns", deadline, concerns).await;
        }
        // Its methods exist only in the stateless era.
        if announced.toolbox && connection.negotiated.stateless().is_some() {
            self.toolbox_groups(fetch, connection, deadline, toolbox).await;
        }
        let declared = announced.declared_concerns.as_ref().filter(|_| uses_concerns);
        if let Some(declared) = declared.filter(|_| concerns.items.is_empty()) {
            concerns.clone_from(declared);
        }
        all
    }

    /// Fetches a list with the first of `methods` that the server supports, until the deadline.
    async fn declared<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        methods: &[Method],
        key: &str,
        deadline: u64,
        facet: &mut Facet,
    ) {
        let ms = deadline.saturating_sub(fetch.now()).min(self.endpoint.timeout_ms);
        let work = async {
            for (at, method) in methods.iter().enumerate() {
                match self.follow_declared(fetch, connection, method.name(), key, facet).await {
                    Ok(()) => return,
                    Err(failure) if failure.code == METHOD_NOT_FOUND && at + 1 < methods.len() => {}
                    Err(failure) => return facet.failed(&failure.message),
                }
            }
        };
        if within(fetch, ms, work).await.is_none() {
            let method = methods.first().map_or(key, |method| method.name());
            facet.failed(&format!("`{method}` did not end within {ms} ms"));
        }
    }

    /// Adds the declarations of a list, from its first page to its last.
    async fn follow_declared<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        method: &str,
        key: &str,
        facet: &mut Facet,
    ) -> Result<(), RpcError> {
        let (mut cursors, mut cursor) = (BTreeSet::new(), None::<String>);
        for page in 1..=self.endpoint.max_pages {
            let answer = self.page(fetch, connection, method, NO_CAPABILITIES, cursor.as_deref()).await;
            let result = answer.map_err(SendFailure::into_failure)??;
            let lacks = |member: &str| self.endpoint.lacks(method, member);
            let result = std::str::from_utf8(&result).ok().and_then(Members::parse);
            let result = result.ok_or_else(|| lacks(key))?;
            let items = result.get(key).and_then(json::Raw::elements).ok_or_else(|| lacks(key))?;
            let room = facet.add(items.into_iter().map(|item: Raw<'_>| item.get().to_owned()));
            let next = result.get("nextCursor").filter(|cursor| !cursor.is_null());
            let next = next.map(|cursor| cursor.text().ok_or_else(|| lacks("nextCursor"))).transpose()?;
            let Some(next) = next.filter(|next| room && !next.is_empty()) else { return Ok(()) };
            if next.len() > MAX_CURSOR {
                return Err(self.endpoint.cursor_too_large(method, MAX_CURSOR));
            }
            if !cursors.insert(Digest::of(next.as_bytes())) {
                return Err(self.endpoint.cursor_loop(method, page));
            }
            cursor = Some(next.into_owned());
        }
        Err(self.endpoint.too_many_pages(method))
    }
}
