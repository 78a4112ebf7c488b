//! Several servers as one: what each lists is gathered into one catalog, and what is asked goes to the server
//! that owns it.
//!
//! Servers are listed side by side and in the background: what they listed last is served meanwhile. One that cannot be
//! listed keeps no caller from the others. What it listed last stays, since a name must not come to mean another
//! server's tool while its own is down; and the results of lists say how it stands.

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

use crate::{
    catalog::{Catalog, Kind, skill_root, template_matches},
    config,
    json::{self, Members},
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

/// The servers behind, and what they listed last.
#[derive(Debug)]
pub struct Gateway {
    members: Vec<Arc<UpstreamSlot>>,
    kept: Arc<Mutex<Option<CompiledLists>>>,
    /// Until when a request waits for lists, in milliseconds since 1970; zero while none does.
    waiting_until: AtomicU64,
    /// Until when lists that arrive in the background are collected, in milliseconds since 1970; zero while none are.
    settling_until: AtomicU64,
}

impl Gateway {
    /// The gateway to servers in their order; `variable` knows what their headers refer to.
    ///
    /// # Errors
    /// As [`Upstream::new`].
    pub fn new(
        upstreams: &[config::Upstream],
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, RpcError> {
        let members = upstreams
            .iter()
            .map(|settings| Ok(Arc::new(UpstreamSlot::new(settings, Upstream::new(settings, variable)?))));
        Ok(Self::of(members.collect::<Result<_, RpcError>>()?))
    }

    /// The gateway to a handler in the same process.
    ///
    /// # Errors
    /// As [`Upstream::in_process`].
    pub fn in_process(settings: &config::Upstream) -> Result<Self, RpcError> {
        let member = UpstreamSlot::new(settings, Upstream::in_process(settings)?);
        Ok(Self::of(vec![Arc::new(member)]))
    }

    fn of(members: Vec<Arc<UpstreamSlot>>) -> Self {
        let (kept, waiting_until, settling_until) = Default::default();
        Self { members, kept, waiting_until, settling_until }
    }

    /// Lists every server, side by side, and reports how each attempt went, in the order of the configuration.
    pub async fn survey<F: Lister>(&self, fetch: &F) -> Vec<Survey> {
        join_all(self.members.iter().map(|member| member.survey(fetch))).await
    }

    /// Asks the server that owns what the call is about; for a resource that no list mentions those that may
    /// have such, one after the other.
    ///
    /// # Errors
    /// A server that cannot be reached.
    pub async fn forward<F: Fetch>(&self, fetch: &F, call: &Call<'_>) -> Result<Answer, RpcError> {
        let uri = call.params.and_then(Members::read).and_then(|params| params.get("uri"));
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

    /// Whether a server behind may ask its client while a call is open: those of the stateless era do not.
    pub fn may_ask(&self) -> bool {
        self.members.iter().any(|member| !member.upstream.is_stateless())
    }

    /// What is served now, in date or not.
    pub fn held(&self) -> Option<Arc<Backend>> {
        lock(&self.kept).as_ref().map(|kept| Arc::clone(&kept.backend))
    }

    /// Has every server listed again: what is served is known to be out of date.
    pub fn expire(&self) {
        self.members.iter().for_each(|member| member.expire());
    }

    /// Has the server of this name listed again: it has said that its lists have changed.
    pub fn expire_server(&self, name: &str) {
        self.members.iter().filter(|member| member.name == name).for_each(|member| member.expire());
    }

    /// Whether a server has said that its lists have changed, and they have not been listed since.
    pub fn has_changed(&self) -> bool {
        self.members.iter().any(|member| member.has_changed())
    }

    /// Returns the servers that have said since the last call that their lists have changed, for a host that has them
    /// listed elsewhere.
    pub fn take_changed(&self) -> Vec<String> {
        let changed = self.members.iter().filter(|member| member.take_changed());
        changed.map(|member| member.name.clone()).collect()
    }

    /// Lists the server of this name, for the process that keeps what all list.
    ///
    /// # Errors
    /// As [`Upstream::lists`]; `upstream_missing` where there is no such server.
    pub async fn list<F: Fetch>(&self, fetch: &F, name: &str) -> Result<Listing, RpcError> {
        match self.members.iter().find(|member| member.name == name) {
            Some(member) => member.upstream.lists(fetch).await,
            None => {
                Err(RpcError::internal("upstream_missing", format!("no upstream server is named `{name}`")))
            }
        }
    }

    /// What the servers say has changed, for as long as the stream is read; `more`, called for each server,
    /// brings what is wanted in place of what was. Lists that have changed are due from then on.
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
            let noted = changes.inspect(move |change| match change {
                Change::Resource(_) => {}
                _ => member.expire(),
            });
            noted.boxed_local()
        });
        stream::select_all(watched.collect::<Vec<_>>()).boxed_local()
    }
}

/// Of what is wanted, the part that one server can tell of: its own resources, and the lists of all.
fn share(
    kept: &Mutex<Option<CompiledLists>>,
    member: &UpstreamSlot,
    mut wanted: SubscriptionFilter,
) -> SubscriptionFilter {
    let backend = lock(kept).as_ref().map(|kept| Arc::clone(&kept.backend));
    let Some(backend) = backend else { return SubscriptionFilter { resources: BTreeSet::new(), ..wanted } };
    let own = wanted.resources.into_iter().filter_map(|uri| match owner(backend.guarded.catalog(), &uri) {
        Some((server, own)) => (server == member.name).then_some(own),
        None => backend.unlisted.contains(&member.name).then_some(uri),
    });
    wanted.resources = small_collect(own);
    wanted
}

/// The server of a resource, by what is listed, and what it calls the resource.
fn owner<'a>(catalog: &'a Catalog, uri: &str) -> Option<(&'a str, String)> {
    let [resources, templates, skills] =
        [Kind::Resource, Kind::Template, Kind::Skill].map(|kind| catalog.kind_index(kind));
    if let Some(index) = resources.find(uri) {
        return Some((resources.server(index)?, resources.own_id(index)?.to_owned()));
    }
    if let Some(index) = skills.ids().position(|id| is_in_skill(id, uri)) {
        let (own, id) = (skills.own_id(index)?, skills.id(index)?);
        return Some((skills.server(index)?, server_uri(own, id, uri)));
    }
    let index = templates.ids().position(|template| template_matches(template, uri))?;
    Some((templates.server(index)?, uri.to_owned()))
}

/// What callers call what a server calls `uri`.
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

/// Whether a URI is in the directory of a skill that goes by `id`.
fn is_in_skill(id: &str, uri: &str) -> bool {
    let path = skill_root(id).and_then(|root| uri.strip_prefix(root));
    path.is_some_and(|path| path.starts_with('/'))
}
