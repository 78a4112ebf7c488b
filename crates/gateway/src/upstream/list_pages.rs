//! One list of a server, fetched from its first page to its last. A page that is wrong, late or missing ends the list:
//! the pages before it stay, and the other lists of the server are not affected.

use std::{borrow::Cow, cell::Cell, collections::BTreeSet};

use mcp_sieve::{
    Digest, Kind,
    json::{self, Members, Raw},
};

use crate::{
    protocol::error::{METHOD_NOT_FOUND, RpcError},
    upstream::{
        Fetch, MAX_CURSOR, MAX_LISTS, SendFailure, Upstream,
        collected_lists::{ListPages, id},
        connection::Connection,
        fetch::within,
        meta,
    },
};

/// How a server is listed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListRequest<'a> {
    /// The capabilities of the client to list for, as JSON. They apply to stateless requests; in a session, those of
    /// the session apply.
    pub capabilities: &'a str,
    /// The kinds to list; all that the server lists if this is `None`.
    pub kinds: Option<&'a [Kind]>,
    /// The number of further pages, of all lists together, that may be requested; no limit if this is `None`.
    pub pages_left: Option<&'a Cell<usize>>,
    /// The time at which the lists end, in milliseconds since 1970.
    pub until: u64,
    /// Whether an invalid connection is reported, so that the caller opens another one.
    pub retries: bool,
}

/// The end of a page.
enum Next {
    /// The list is complete.
    End,
    /// The list continues at this cursor.
    Page(String),
}

impl Upstream {
    /// Fetches one list. Adds its size to `bytes`, which counts all lists of the server.
    ///
    /// # Errors
    /// Returns [`SendFailure::Stale`] if the connection is invalid and the request retries. All other failures are
    /// problems of the list.
    pub(super) async fn fetch_list<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        kind: Kind,
        request: ListRequest<'_>,
        bytes: &Cell<usize>,
    ) -> Result<ListPages, SendFailure> {
        let mut list =
            ListPages { kind, pages: Vec::new(), first: None, ttl_ms: None, private: false, problem: None };
        let ms = request.until.saturating_sub(fetch.now());
        let followed = within(fetch, ms, self.follow(fetch, connection, request, bytes, &mut list)).await;
        match followed {
            Some(Ok(())) => {}
            Some(Err(SendFailure::Stale(failure))) if request.retries => {
                return Err(SendFailure::Stale(failure));
            }
            Some(Err(_)) if !connection.announces_lists() => {}
            Some(Err(failure)) => list.problem = Some(failure.into_failure()),
            None => list.problem = Some(self.endpoint.unfinished(kind.list_method(), ms)),
        }
        Ok(list)
    }

    async fn follow<F: Fetch>(
        &self,
        fetch: &F,
        connection: &Connection,
        request: ListRequest<'_>,
        bytes: &Cell<usize>,
        list: &mut ListPages,
    ) -> Result<(), SendFailure> {
        let method = list.kind.list_method();
        let mut cursors = BTreeSet::new();
        let mut cursor: Option<String> = None;
        for page in 1..=self.endpoint.max_pages {
            if let Some(left) = request.pages_left {
                let rest = left.get().checked_sub(1).ok_or_else(|| self.endpoint.too_many_relisted())?;
                left.set(rest);
            }
            let response =
                self.page(fetch, connection, method, request.capabilities, cursor.as_deref()).await?;
            let result = match response {
                Ok(result) => result,
                // Templates have no capability of their own, a server with skills need not list them, and frameworks
                // announce methods that nothing implements.
                Err(error) if list.kind != Kind::Tool && error.code == METHOD_NOT_FOUND => return Ok(()),
                Err(_) if !connection.announces_lists() => return Ok(()),
                // Servers that write an empty cursor for none need not accept it.
                Err(_) if cursor.as_deref() == Some("") => return Ok(()),
                Err(error) => {
                    connection.doubt();
                    return Err(self.endpoint.refused(method, &error).into());
                }
            };
            fetch.received(method, &result);
            let Next::Page(next) = self.append_page(result, cursor.as_deref(), bytes, list)? else {
                return Ok(());
            };
            if !cursors.insert(Digest::of(next.as_bytes())) {
                // A server that writes an empty cursor on every page has one page.
                return if next.is_empty() {
                    Ok(())
                } else {
                    Err(self.endpoint.cursor_loop(method, page).into())
                };
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

    /// Appends the primitives of the page at `cursor`. Returns where the list continues. The primitives stay if only
    /// the cursor is unusable.
    fn append_page(
        &self,
        page: Vec<u8>,
        cursor: Option<&str>,
        bytes: &Cell<usize>,
        list: &mut ListPages,
    ) -> Result<Next, RpcError> {
        let (method, key) = (list.kind.list_method(), list.kind.list_key());
        let lacks = |member: &str| self.endpoint.lacks(method, member);
        let result = std::str::from_utf8(&page).ok().and_then(Members::parse);
        let result = result.ok_or_else(|| lacks(key))?;
        // Some servers write an empty list as `null`.
        let is_list = |raw: &Raw<'_>| raw.get().starts_with('[') || raw.is_null();
        let primitives = result.get(key).filter(is_list).ok_or_else(|| lacks(key))?;
        let room = MAX_LISTS.saturating_sub(bytes.get());
        if primitives.get().len() > room {
            return Err(self.endpoint.lists_too_large(MAX_LISTS));
        }
        bytes.set(bytes.get() + primitives.get().len());
        if let Some(ttl_ms) = result.get("ttlMs").and_then(|raw| raw.get().parse().ok()) {
            list.ttl_ms = Some(list.ttl_ms.map_or(ttl_ms, |before: u64| before.min(ttl_ms)));
        }
        list.private |= result.get("cacheScope").and_then(json::Raw::text).as_deref() == Some("private");
        // An empty cursor may lead to the first page again.
        if cursor == Some("") {
            list.pages.extend(without_known(list.kind, primitives, &list.pages));
        } else {
            list.pages.push(primitives.get().to_owned());
        }
        let next = result.get("nextCursor").filter(|cursor| !cursor.is_null());
        let next = next.map(|cursor| cursor.text().ok_or_else(|| lacks("nextCursor"))).transpose();
        let next = next.map(|next| next.map(Cow::into_owned));
        if list.first.is_none() {
            list.first = Some(page);
        }
        let Some(next) = next? else { return Ok(Next::End) };
        if next.len() > MAX_CURSOR {
            return Err(self.endpoint.cursor_too_large(method, MAX_CURSOR));
        }
        bytes.set(bytes.get() + next.len());
        Ok(Next::Page(next))
    }
}

/// Returns the array without the primitives that are listed on earlier pages; `None` if none is left.
fn without_known(kind: Kind, array: Raw<'_>, pages: &[String]) -> Option<String> {
    let elements = |array| Raw::parse_deep(array).ok().and_then(json::Raw::elements).unwrap_or_default();
    let known: BTreeSet<Cow<'_, str>> =
        pages.iter().flat_map(|page| elements(page)).filter_map(|primitive| id(kind, primitive)).collect();
    let new = array.elements().unwrap_or_default();
    let new: Vec<&str> = new
        .into_iter()
        .filter(|primitive| id(kind, *primitive).is_none_or(|id| !known.contains(&id)))
        .map(|primitive| primitive.get())
        .collect();
    (!new.is_empty()).then(|| ["[", &new.join(","), "]"].concat())
}
