//! Several upstream servers as one: their lists are merged into one catalog, and each request goes to the server that
//! owns its subject.
//!
//! Servers are listed concurrently and in the background; their last lists are served meanwhile. A server that cannot
//! be listed does not block the others. Its last lists stay, so that its names cannot come to mean another server's
//! tools during an outage. The results of lists report the status of each server.

pub(crate) mod backend;
pub(crate) mod declared;
pub(crate) mod introductions;
pub(crate) mod lister;
pub(crate) mod listing_state;
pub mod local;
pub(crate) mod report;
pub(crate) mod serve;
pub(crate) mod shared;
pub(crate) mod status;
pub(crate) mod upstream_slot;

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, atomic::AtomicU64},
};

use futures_util::{
    StreamExt,
    future::join_all,
    stream::{self, LocalBoxStream},
};
use http::HeaderValue;

use crate::{
    catalog::{Catalog, Kind, skill_root, template_matches},
    config, json,
    mcp::{
        gateway::{backend::Backend, serve::CompiledLists, upstream_slot::UpstreamSlot},
        host::{Answer, Call, SubscriptionFilter},
        protocol::error::RpcError,
        request::resource::server_uri,
        streams::change::Change,
        upstream::{Fetch, Upstream, lock, pages::Listing},
    },
    small_collect::small_collect,
};

pub use crate::mcp::gateway::declared::{MAX_ABOVE, ServerDeclarations};
pub use crate::mcp::gateway::lister::Lister;
pub use crate::mcp::gateway::listing_state::MAX_FIRST_PAUSE_MS;
pub use crate::mcp::gateway::serve::{SETTLE_MS, Served};
pub use crate::mcp::gateway::shared::Adopted;
pub use crate::mcp::gateway::status::{Outage, Status, Survey, UpstreamState};

/// Maximum number of changes of a server that are handled together.
const MAX_TOGETHER: usize = 64;

/// The upstream servers, and the lists that they returned last.
#[derive(Debug)]
pub struct Gateway {
    members: Vec<Arc<UpstreamSlot>>,
    kept: Arc<Mutex<Option<CompiledLists>>>,
    /// The time until which a request waits for lists, in milliseconds since 1970; zero while none does.
    waiting_until: AtomicU64,
    /// The time until which lists that arrive in the background are collected, in milliseconds since 1970; zero while
    /// none are.
    settling_until: AtomicU64,
}

impl Gateway {
    /// Creates a gateway to servers, in their order. `variable` returns the values of variables in their headers.
    ///
    /// # Errors
    /// As for [`Upstream::new`].
    pub fn new(
        upstreams: &[config::Upstream],
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, RpcError> {
        let members = upstreams
            .iter()
            .map(|settings| Ok(Arc::new(UpstreamSlot::new(settings, Upstream::new(settings, variable)?))));
        Ok(Self::of(members.collect::<Result<_, RpcError>>()?))
    }

    /// Creates a gateway to a handler in the same process.
    ///
    /// # Errors
    /// As for [`Upstream::in_process`].
    pub fn in_process(settings: &config::Upstream) -> Result<Self, RpcError> {
        let member = UpstreamSlot::new(settings, Upstream::in_process(settings)?);
        Ok(Self::of(vec![Arc::new(member)]))
    }

    fn of(members: Vec<Arc<UpstreamSlot>>) -> Self {
        let (kept, waiting_until, settling_until) = Default::default();
        Self { members, kept, waiting_until, settling_until }
    }

    /// Lists all servers concurrently and reports the result of each, in the order of the configuration.
    pub async fn survey<F: Lister>(&self, fetch: &F) -> Vec<Survey> {
        join_all(self.members.iter().map(|member| member.survey(fetch))).await
    }

    /// Sends a call to its servers in order, until one answers anything but that it does not know the resource. Only
    /// calls about unlisted resources have several servers.
    ///
    /// # Errors
    /// Fails if the last server that was tried cannot be reached.
    pub async fn forward<F: Fetch>(&self, fetch: &F, call: &Call<'_>) -> Result<Answer, RpcError> {
        let uri = call.params.as_ref().and_then(|params| params.get("uri"));
        let uri = uri.and_then(json::text).unwrap_or_default();
        let mut answered = Ok(Answer::Error(RpcError::resource(&uri, call.caller.protocol.era())));
        let named = |name: &String| self.members.iter().find(|member| member.name == *name);
        for member in call.servers.iter().filter_map(named) {
            answered = member.call(fetch, call).await;
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

    /// Ends the sessions at the servers that only the client with this `Mcp-Session-Id` uses. Clients with a principal,
    /// and those that cannot be asked, share theirs.
    pub fn end_sessions<F: Fetch>(&self, fetch: &F, session: &HeaderValue) {
        self.members.iter().for_each(|member| member.upstream.end_sessions(fetch, session));
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

    /// Returns whether a server has reported that its lists changed, and they have not been listed since.
    pub fn has_changed(&self) -> bool {
        self.members.iter().any(|member| member.has_changed())
    }

    /// Returns the servers that have reported changed lists since the last call, for a host that lists them elsewhere.
    pub fn take_changed(&self) -> Vec<String> {
        let changed = self.members.iter().filter(|member| member.take_changed());
        changed.map(|member| member.name.clone()).collect()
    }

    /// Lists the server with this name, for the process that stores the lists of all servers.
    ///
    /// # Errors
    /// As for [`Upstream::lists`], and `upstream_missing` if there is no such server.
    pub async fn list<F: Fetch>(&self, fetch: &F, name: &str) -> Result<Listing, RpcError> {
        match self.members.iter().find(|member| member.name == name) {
            Some(member) => member.upstream.lists(fetch).await,
            None => {
                Err(RpcError::internal("upstream_missing", format!("no upstream server is named `{name}`")))
            }
        }
    }

    /// Returns the changes that the servers report while the stream is read. `more` is called for each server and
    /// returns a stream of filters, each of which replaces the last. Changed lists are marked as due.
    pub fn watch<F: Fetch>(
        &self,
        fetch: &F,
        wanted: &SubscriptionFilter,
        mut more: impl FnMut() -> LocalBoxStream<'static, SubscriptionFilter>,
    ) -> LocalBoxStream<'static, Change> {
        let watched = self.members.iter().map(|member| {
            let asked_of = member.name.clone();
            let (kept, asked) = (Arc::clone(&self.kept), Arc::clone(member));
            let share = move |wanted: SubscriptionFilter| share(&kept, &asked, wanted);
            let wanted = share(wanted.clone());
            let changes = member.upstream.watch(fetch, wanted, more().map(share).boxed_local());
            let (member, kept) = (Arc::clone(member), Arc::clone(&self.kept));
            let changes = changes.map(move |change| match change {
                Change::Resource(uri) => Change::Resource(public(&kept, &asked_of, uri)),
                list => list,
            });
            // The server is listed once for lists that changed together.
            let together = changes.ready_chunks(MAX_TOGETHER).flat_map(move |changes| {
                if changes.iter().any(|change| !matches!(change, Change::Resource(_))) {
                    member.expire();
                }
                stream::iter(changes)
            });
            together.boxed_local()
        });
        stream::select_all(watched.collect::<Vec<_>>()).boxed_local()
    }
}

/// Returns the part of a filter that one server can report on: its own resources, and all lists.
fn share(
    kept: &Mutex<Option<CompiledLists>>,
    member: &UpstreamSlot,
    mut wanted: SubscriptionFilter,
) -> SubscriptionFilter {
    let backend = lock(kept).as_ref().map(|kept| Arc::clone(&kept.backend));
    let Some(backend) = backend else { return SubscriptionFilter { resources: BTreeSet::new(), ..wanted } };
    let catalog = backend.guarded.catalog();
    let own = wanted.resources.into_iter().filter_map(|uri| match owner(catalog, &uri) {
        Some((server, own)) => (server == member.name).then_some(own),
        None => {
            let servers: Vec<_> = generating(catalog, &uri).collect();
            let reports = match servers.is_empty() {
                true => backend.unlisted.contains(&member.name),
                false => servers.contains(&Some(member.name.as_str())),
            };
            reports.then_some(uri)
        }
    });
    wanted.resources = small_collect(own);
    wanted
}

/// Returns the servers whose templates generate a URI. Which of them a caller reads depends on its view.
fn generating<'a>(catalog: &'a Catalog, uri: &str) -> impl Iterator<Item = Option<&'a str>> {
    let templates = catalog.kind_index(Kind::Template);
    let matching = templates.ids().enumerate().filter(move |(_, template)| template_matches(template, uri));
    matching.map(|(index, _)| templates.server(index))
}

/// Returns the server of a listed resource or of a file of a skill, and the server's own URI for it.
fn owner<'a>(catalog: &'a Catalog, uri: &str) -> Option<(&'a str, String)> {
    let [resources, skills] = [Kind::Resource, Kind::Skill].map(|kind| catalog.kind_index(kind));
    if let Some(index) = resources.find(uri) {
        return Some((resources.server(index)?, resources.own_id(index)?.to_owned()));
    }
    let index = skills.ids().position(|id| is_in_skill(id, uri))?;
    let (own, id) = (skills.own_id(index)?, skills.id(index)?);
    Some((skills.server(index)?, server_uri(own, id, uri)))
}

/// Returns the URI under which callers know a resource that its server calls `uri`.
fn public(kept: &Mutex<Option<CompiledLists>>, server: &str, uri: String) -> String {
    let backend = lock(kept).as_ref().map(|kept| Arc::clone(&kept.backend));
    let Some(backend) = backend else { return uri };
    let skills = backend.guarded.catalog().kind_index(Kind::Skill);
    let holds = |index: &usize| {
        skills.server(*index) == Some(server)
            && skills.own_id(*index).is_some_and(|own| is_in_skill(own, &uri))
    };
    let ids =
        (0..skills.len()).find(holds).and_then(|index| Some((skills.own_id(index)?, skills.id(index)?)));
    ids.map_or_else(|| uri.clone(), |(own, id)| server_uri(id, own, &uri))
}

/// Returns whether a URI is inside the directory of the skill `id`.
fn is_in_skill(id: &str, uri: &str) -> bool {
    let path = skill_root(id).and_then(|root| uri.strip_prefix(root));
    path.is_some_and(|path| path.starts_with('/'))
}
