//! The gateway: its upstream servers, their last known lists, and the routing of calls.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use futures_util::future::join_all;
use http::HeaderValue;
use mcp_sieve::{Error, json};

use crate::{
    backend::{guarded_catalog::Backend, status::Survey},
    config,
    gateway::{
        caller_gateways::CallerGateways, lister::Lister, recorded_names::RecordedNames, serve::CompiledLists,
        upstream_slot::UpstreamSlot,
    },
    host::{Answer, Call},
    protocol::error::RpcError,
    upstream::{Fetch, Upstream, lock, pages::Listing},
};

/// Maximum number of servers that a survey lists at the same time. With hundreds at once, each would wait for the others
/// until its time limit has passed.
const MAX_SURVEYED: usize = 64;

/// The number of the next gateway.
static MADE: AtomicU64 = AtomicU64::new(1);

/// The upstream servers, and the lists that they returned last.
#[derive(Debug)]
pub struct Gateway {
    pub(super) members: Vec<Arc<UpstreamSlot>>,
    pub(super) kept: Arc<Mutex<Option<CompiledLists>>>,
    /// The servers that had each name first. `None` in a process that keeps no record of them.
    pub(super) names: Mutex<Option<RecordedNames>>,
    /// The lists of servers for the catalogs of single sessions, in a process that has not listed them otherwise. Each has
    /// the hash of the catalog of all clients at that time.
    pub(super) spare: Mutex<HashMap<String, (u128, Arc<Listing>)>>,
    /// The time until which a request waits for lists, in milliseconds since 1970; zero while none does.
    pub(super) waiting_until: AtomicU64,
    /// The time until which lists that arrive in the background are collected, in milliseconds since 1970; zero while
    /// none are.
    pub(super) settling_until: AtomicU64,
    /// The gateways of single callers.
    pub(super) callers: CallerGateways,
    /// The number of this gateway, which no other one in this process has.
    pub(super) number: u64,
}

impl Gateway {
    /// Creates a gateway to servers, in their order. `variable` returns the values of variables in their headers. A
    /// server for which one is not set is left out: it cannot be listed, and the others are served.
    ///
    /// # Errors
    /// As for [`Upstream::new`], but fails for variables that are not set only if that leaves no server.
    pub fn new(
        upstreams: &[config::Upstream],
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, RpcError> {
        let (replies, is_one_of_several) = (Arc::default(), upstreams.len() > 1);
        let mut clients = Vec::new();
        for settings in upstreams {
            clients.push(Upstream::one_of_several(settings, variable)?.beside(is_one_of_several, &replies));
        }
        if clients.iter().all(Upstream::is_left_out) {
            clients = clients.into_iter().map(Upstream::complete).collect::<Result<_, _>>()?;
        }
        let members = upstreams.iter().zip(clients);
        let members = members.map(|(settings, client)| Arc::new(UpstreamSlot::new(settings, client)));
        Ok(Self::with_members(members.collect()))
    }

    /// Creates a gateway to a handler in the same process.
    ///
    /// # Errors
    /// As for [`Upstream::in_process`].
    pub fn in_process(settings: &config::Upstream) -> Result<Self, RpcError> {
        let member = UpstreamSlot::new(settings, Upstream::in_process(settings)?);
        Ok(Self::with_members(vec![Arc::new(member)]))
    }

    pub(super) fn with_members(members: Vec<Arc<UpstreamSlot>>) -> Self {
        let (kept, spare, waiting_until, settling_until, callers) = Default::default();
        let names = Mutex::new(Some(RecordedNames::default()));
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        Self { members, kept, names, spare, waiting_until, settling_until, callers, number }
    }

    /// Keeps no record of the servers that had each name first: a name that several servers list belongs to none of
    /// them, unless the file gives it to one. For processes that share no storage.
    pub fn forget_names(&self) {
        *lock(&self.names) = None;
    }

    /// Begins with a stored record of the servers that had each name first. Without one, names belong to the first
    /// server in the file that lists them.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Json`](mcp_sieve::ErrorKind::Json) for other bytes than those of
    /// [`Gateway::changed_names`]. The gateway then begins a new record.
    pub fn restore_names(&self, stored: &[u8]) -> Result<(), Error> {
        let restored = if stored.is_empty() {
            Ok(RecordedNames::default())
        } else {
            RecordedNames::read(stored, &self.addresses())
        };
        let (names, problem) =
            restored.map_or_else(|error| (RecordedNames::default(), Err(error)), |names| (names, Ok(())));
        *lock(&self.names) = Some(names);
        problem
    }

    /// Returns the record as bytes, if it differs from the stored one, until [`Gateway::names_are_stored`].
    pub fn changed_names(&self) -> Option<Vec<u8>> {
        let names = lock(&self.names);
        names.as_ref().filter(|names| names.is_changed).map(|names| names.to_bytes(&self.addresses()))
    }

    /// Notes that the record was stored as [`Gateway::changed_names`] returned it.
    pub fn names_are_stored(&self) {
        lock(&self.names).iter_mut().for_each(|names| names.is_changed = false);
    }

    /// Records the names of a catalog that no server had before. Waits until each server has answered or failed once,
    /// so that the order of the file decides between servers that are first listed together.
    pub(super) fn record_names(&self, backend: &Backend) {
        if !self.members.iter().any(|member| member.is_pending()) {
            self.record_stored_names(backend);
        }
    }

    /// Records the names of a catalog that was served before, for a store that has no record or a damaged one.
    pub(super) fn record_stored_names(&self, backend: &Backend) {
        lock(&self.names).iter_mut().for_each(|names| names.learn(&backend.guarded));
    }

    /// Returns the name and the address of each server.
    fn addresses(&self) -> Vec<(&str, &str)> {
        self.members.iter().map(|member| (member.name.as_str(), member.address.as_str())).collect()
    }

    /// Lists all servers, 64 at a time, and reports the result of each, in the order of the configuration. Servers that
    /// list to each caller on its own are left out.
    pub async fn survey<F: Lister>(&self, fetch: &F) -> Vec<Survey> {
        let mut surveys = Vec::with_capacity(self.members.len());
        for members in self.members.chunks(MAX_SURVEYED) {
            let listed = members.iter().filter(|member| !member.lists_callers);
            surveys.extend(join_all(listed.map(|member| member.survey(fetch))).await);
        }
        surveys
    }

    /// Sends a call to its servers in order, until one answers anything but that it does not know the resource. Only
    /// calls about unlisted resources have several servers.
    ///
    /// # Errors
    /// Fails if the last server that was tried cannot be reached.
    pub async fn forward<F: Fetch>(&self, fetch: &F, call: &Call<'_>) -> Result<Answer, RpcError> {
        let uri = call.params.as_ref().and_then(|params| params.get("uri"));
        let uri = uri.and_then(json::Raw::text).unwrap_or_default();
        let mut answered = Ok(Answer::Error(RpcError::resource(&uri, call.caller.protocol.era())));
        let named = |name: &String| self.members.iter().find(|member| member.name == *name);
        for member in call.servers.iter().filter_map(named) {
            if member.signs_in(call) {
                return member.sign_in(fetch, call).await;
            }
            let outside = self.outside(fetch, member, call);
            answered = member.call(fetch, call, outside.as_ref()).await;
            let elsewhere = match &answered {
                Ok(Answer::Error(failure)) => failure.is_resource_not_found(true),
                Ok(_) => false,
                Err(_) => true,
            };
            if !elsewhere {
                break;
            }
        }
        answered
    }

    /// Ends the sessions at the servers that belong to the client with this `Mcp-Session-Id`.
    pub fn end_sessions<F: Fetch>(&self, fetch: &F, session: &HeaderValue) {
        self.members.iter().for_each(|member| member.upstream.end_sessions(fetch, session));
        self.each_caller(fetch, |acting, member| member.upstream.end_sessions(acting, session));
    }

    /// Returns whether an upstream server may send requests to the client during a call. Servers of the stateless era
    /// do not.
    pub fn may_ask(&self) -> bool {
        self.members.iter().any(|member| !member.upstream.is_stateless())
    }

    /// Returns the current catalog, even if it has expired.
    pub fn held(&self) -> Option<Arc<Backend>> {
        lock(&self.kept).as_ref().map(|kept| Arc::clone(&kept.backend))
    }

    /// Marks the lists of all servers as due.
    pub fn expire(&self) {
        self.members.iter().for_each(|member| member.expire());
    }

    /// Marks the lists of the server with this name as due, because the server reported that they changed.
    pub fn expire_server(&self, name: &str) {
        self.members.iter().filter(|member| member.name == name).for_each(|member| member.expire());
    }

    /// Lets the next listing of the server with this name find anew what the server lists only to clients with some
    /// capabilities, because the server reported changed lists to another process.
    pub fn forget_conditional(&self, name: &str) {
        self.members
            .iter()
            .filter(|member| member.name == name)
            .for_each(|member| member.upstream.expire_capable());
    }

    /// Returns whether a server has reported that its lists changed, and they have not been listed since.
    pub fn has_changed(&self) -> bool {
        self.members.iter().any(|member| member.has_changed())
    }

    /// Returns the servers that have reported changed lists since the last call, for a host that lists them elsewhere.
    pub fn take_changed(&self) -> Vec<String> {
        let changed = self.members.iter().filter(|member| member.take_changed());
        changed.map(|member| member.name.clone()).collect()
    }

    /// Removes and returns the notes for the operator about what listing the server with this name has shown.
    pub fn take_notes(&self, name: &str) -> Vec<String> {
        self.members.iter().filter(|member| member.name == name).flat_map(|member| member.notes()).collect()
    }

    /// Lists the server with this name, for the process that stores the lists of all servers. That process has the
    /// concern values that were learned from the lists with the hash `learned_from`.
    ///
    /// # Errors
    /// As for [`Upstream::lists`], and `upstream_missing` if there is no such server.
    pub async fn list<F: Fetch>(
        &self,
        fetch: &F,
        name: &str,
        learned_from: &str,
    ) -> Result<Listing, RpcError> {
        match self.members.iter().find(|member| member.name == name) {
            Some(member) => {
                member.upstream.set_learned_from(learned_from);
                member.upstream.lists(fetch).await
            }
            None => {
                Err(RpcError::internal("upstream_missing", format!("no upstream server is named `{name}`")))
            }
        }
    }
}
