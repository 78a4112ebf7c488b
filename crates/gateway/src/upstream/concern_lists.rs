//! The names that a server lists for values of a concern.
//!
//! The concerns are sent in the form that the server offers: in `filter` if it announces that field, in `_meta` in the
//! stateless era, and otherwise in sessions that are opened for this purpose and ended afterwards.

use std::{borrow::Cow, cell::Cell, collections::HashSet};

use futures_util::{FutureExt, future::join_all};
use http::HeaderMap;
use mcp_sieve::{
    Kind,
    json::{self, Members, Object, Raw},
    revision::Revision,
};

use crate::{
    protocol::{error::RpcError, method::Method},
    upstream::{
        Fetch, MAX_CURSOR, SendFailure, Upstream,
        collected_lists::id,
        connection::Connection,
        fetch::within,
        learned_concerns::MAX_LEARNING_REQUESTS,
        lease::Lease,
        meta::{self, ConcernParams, NO_CAPABILITIES},
    },
};

/// Number of concurrent requests.
const AT_ONCE: usize = 4;

/// The primitives of one kind in the plain lists.
pub(super) struct ListedNames {
    pub kind: Kind,
    pub names: Vec<String>,
    pub pages: usize,
}

/// The reason why a concern was not learned.
pub(super) struct Missed {
    pub problem: String,
    /// Whether the next listing may succeed.
    pub again: bool,
}

impl Missed {
    pub fn for_good(problem: String) -> Self {
        Self { problem, again: false }
    }
}

/// The form in which a server takes concerns.
#[derive(Clone, Copy)]
enum Channel {
    /// In each request. `in_filter` sends them in `params.filter`, and otherwise they are sent in `_meta`. `unsets` states
    /// that `null` unsets a concern, so that the defaults of other concerns do not apply.
    Request { in_filter: bool, unsets: bool },
    /// In a session of its own for each concern.
    Session(Revision),
}

/// Lists a server for values of concerns.
pub(super) struct ConcernLister<'a, F: Fetch> {
    upstream: &'a Upstream,
    fetch: &'a F,
    connection: &'a Connection,
    kinds: &'a [ListedNames],
    channel: Channel,
    /// Another form, which is tried if the lists do not depend on a concern in the first.
    other: Option<Channel>,
    /// Whether the server has no `updateConcerns`, so that each value needs a session.
    refuses_updates: bool,
    /// The number of requests so far.
    sent: Cell<usize>,
    /// The time at which learning ends, in milliseconds since 1970.
    until: u64,
}

impl<'a, F: Fetch> ConcernLister<'a, F> {
    pub fn new(
        upstream: &'a Upstream,
        fetch: &'a F,
        connection: &'a Connection,
        kinds: &'a [ListedNames],
        until: u64,
    ) -> Self {
        let announced = connection.announced();
        let channel = match connection.negotiated.session() {
            Some(version) if !announced.filters_concerns && !announced.has_concern_extension => {
                Channel::Session(version)
            }
            _ => Channel::Request {
                in_filter: announced.filters_concerns,
                unsets: announced.filters_concerns || announced.has_concern_extension,
            },
        };
        let sent = Cell::new(0);
        Self { upstream, fetch, connection, kinds, channel, other: None, refuses_updates: false, sent, until }
    }

    /// Sets that the server keeps sessions too, which may know concerns that its requests do not.
    pub fn offer_sessions(&mut self) {
        if matches!(self.channel, Channel::Request { in_filter: false, unsets: false }) {
            self.other = Some(Channel::Session(Revision::LATEST_WITH_SESSIONS));
        }
    }

    /// Exchanges both forms. Returns false if there is only one.
    pub fn swap_form(&mut self) -> bool {
        let Some(other) = &mut self.other else { return false };
        std::mem::swap(&mut self.channel, other);
        true
    }

    /// Uses only the current form from now on.
    pub fn keep_form(&mut self) {
        self.other = None;
    }

    /// Returns the names of each kind that the server lists for each value, given as JSON.
    pub async fn list_each(
        &mut self,
        concern: &str,
        values: &[String],
        others: &[&str],
    ) -> Result<Vec<Vec<HashSet<String>>>, Missed> {
        let pages: usize = self.kinds.iter().map(|kind| kind.pages).sum();
        let extra = match self.channel {
            Channel::Request { .. } => 0,
            Channel::Session(_) if self.refuses_updates => 2 * values.len(),
            Channel::Session(_) => 2 + values.len(),
        };
        let needed = (values.len() * pages).saturating_add(extra);
        let left = MAX_LEARNING_REQUESTS.saturating_sub(self.sent.get());
        if needed > left {
            let problem = format!(
                "its values take {needed} requests, and {left} of the {MAX_LEARNING_REQUESTS} for one listing are left"
            );
            return Err(Missed::for_good(problem));
        }
        let ms = self.until.saturating_sub(self.fetch.now());
        let fetch = self.fetch;
        let work = async {
            match self.channel {
                Channel::Request { in_filter, unsets } => {
                    let others = if unsets { others } else { &[] };
                    self.list_in_requests(concern, values, others, in_filter).boxed_local().await
                }
                Channel::Session(version) => {
                    self.list_in_sessions(version, concern, values).boxed_local().await
                }
            }
        };
        within(fetch, ms, work).await.unwrap_or_else(|| {
            Err(Missed { problem: format!("its lists did not end within {ms} ms"), again: true })
        })
    }

    async fn list_in_requests(
        &self,
        concern: &str,
        values: &[String],
        others: &[&str],
        in_filter: bool,
    ) -> Result<Vec<Vec<HashSet<String>>>, Missed> {
        let wanted: Vec<String> = values.iter().map(|value| configuration(concern, value, others)).collect();
        let jobs: Vec<(&str, Kind)> = wanted
            .iter()
            .flat_map(|wanted| self.kinds.iter().map(|kind| (wanted.as_str(), kind.kind)))
            .collect();
        let mut listed = Vec::with_capacity(jobs.len());
        for some in jobs.chunks(AT_ONCE) {
            let lists = some.iter().map(|(concerns, kind)| {
                let names_only = self.connection.announced().filters_fields;
                let sent = match in_filter {
                    true => ConcernParams::Filter { concerns, names_only },
                    false => ConcernParams::Meta(concerns),
                };
                self.names(self.connection, *kind, sent).boxed_local()
            });
            for names in join_all(lists).await {
                listed.push(names?);
            }
        }
        let mut listed = listed.into_iter();
        Ok(values.iter().map(|_| listed.by_ref().take(self.kinds.len()).collect()).collect())
    }

    async fn list_in_sessions(
        &mut self,
        version: Revision,
        concern: &str,
        values: &[String],
    ) -> Result<Vec<Vec<HashSet<String>>>, Missed> {
        let (mut lease, mut listed): (Option<Lease<F>>, _) = (None, Vec::with_capacity(values.len()));
        for value in values {
            let wanted = configuration(concern, value, &[]);
            let is_set = match &lease {
                Some(lease) if !self.refuses_updates => self.update(lease, &wanted).await?,
                _ => false,
            };
            if !is_set {
                let opened = self.open(version, &wanted).await?;
                // The server may know either form alone.
                if !self.refuses_updates {
                    self.refuses_updates = !self.update(&opened, &wanted).await?;
                }
                lease = Some(opened);
            }
            let Some(lease) = &lease else { continue };
            let lists =
                self.kinds.iter().map(|kind| self.names(lease, kind.kind, ConcernParams::None).boxed_local());
            listed.push(join_all(lists).await.into_iter().collect::<Result<Vec<_>, _>>()?);
        }
        Ok(listed)
    }

    /// Opens a session with these concerns, which ends with its last use.
    async fn open(&self, version: Revision, concerns: &str) -> Result<Lease<F>, Missed> {
        self.count(2)?;
        let opened =
            self.upstream.shake_hands(self.fetch, version, b"{}", &HeaderMap::new(), Some(concerns)).await;
        let lease = self.upstream.lease(self.fetch, opened.map_err(failed)?.into());
        self.upstream.confirm(self.fetch, &lease, Some(concerns)).await;
        lease.retire();
        Ok(lease)
    }

    /// Sets the concerns of a session. Returns whether the server accepted them.
    async fn update(&self, lease: &Lease<F>, concerns: &str) -> Result<bool, Missed> {
        let method = Method::UpdateConcernsAsProposed.name();
        let mut params = Vec::new();
        let mut object = Object::open(&mut params);
        object.raw("concerns", concerns.as_bytes());
        object.close();
        self.send(lease, method, params).await.map(|answer| answer.is_ok())
    }

    /// Returns the names of a list, from its first page to its last.
    async fn names(
        &self,
        connection: &Connection,
        kind: Kind,
        concerns: ConcernParams<'_>,
    ) -> Result<HashSet<String>, Missed> {
        let method = kind.list_method();
        let mut names = HashSet::new();
        let mut cursor: Option<String> = None;
        loop {
            let version = connection.negotiated.stateless();
            let params = meta::concern_listing(version, NO_CAPABILITIES, cursor.as_deref(), concerns);
            let answer = self.send(connection, method, params).await?;
            let result = answer.map_err(|error| {
                Missed::for_good(format!("`{method}` with a value of it is refused: {}", error.message))
            })?;
            let unusable =
                || Missed::for_good(format!("`{method}` with a value of it is answered with no list"));
            let result = std::str::from_utf8(&result).ok().and_then(Members::parse).ok_or_else(unusable)?;
            let listed = result.get(kind.list_key()).and_then(Raw::elements).ok_or_else(unusable)?;
            names.extend(listed.into_iter().filter_map(|raw| id(kind, raw)).map(Cow::into_owned));
            let next = result.get("nextCursor").and_then(json::Raw::text);
            match next.filter(|next| !next.is_empty() && next.len() <= MAX_CURSOR) {
                Some(next) => cursor = Some(next.into_owned()),
                None => return Ok(names),
            }
        }
    }

    /// Sends a request. The inner error is one that the server returned.
    async fn send(
        &self,
        connection: &Connection,
        method: &str,
        params: Vec<u8>,
    ) -> Result<Result<Vec<u8>, RpcError>, Missed> {
        self.count(1)?;
        let headers = connection.negotiated.headers(method, None);
        let timeout_ms = self.upstream.endpoint.timeout_ms;
        let request = self.upstream.request(connection, method, headers, Some(params), timeout_ms);
        match self.upstream.ask(self.fetch, connection, request).await {
            Ok(Ok(replies)) => replies.response().await.map_err(failed),
            Ok(Err(error)) => Ok(Err(error)),
            Err(failure) => Err(failed(SendFailure::into_failure(failure))),
        }
    }

    fn count(&self, more: usize) -> Result<(), Missed> {
        let sent = self.sent.get() + more;
        if sent > MAX_LEARNING_REQUESTS {
            let problem =
                format!("its values take more than the {MAX_LEARNING_REQUESTS} requests for one listing");
            return Err(Missed::for_good(problem));
        }
        self.sent.set(sent);
        Ok(())
    }
}

/// Returns a configuration that wants one value, given as JSON, and unsets others.
fn configuration(concern: &str, value: &str, others: &[&str]) -> String {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.raw(concern, value.as_bytes());
    others.iter().for_each(|other| object.raw(other, b"null"));
    object.close();
    String::from_utf8(out).unwrap_or_default()
}

fn failed(failure: RpcError) -> Missed {
    Missed { problem: failure.message, again: true }
}
