//! Several servers as one: what each lists is gathered into one catalog, and what is asked goes to the server
//! that owns it.
//!
//! Servers are listed side by side. One that cannot be listed keeps nobody from the others. What it listed
//! last stays, since a name must not come to mean another server's tool while its own is down; and the results
//! of lists say how it stands.

pub(crate) mod backend;
pub mod local;
pub(crate) mod report;
pub(crate) mod status;
pub(crate) mod upstream_slot;

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use futures_util::{
    StreamExt,
    future::join_all,
    stream::{self, LocalBoxStream},
};

use crate::{
    catalog::{Catalog, Kind, Lists, Source, template_matches},
    config::{self, Config},
    json::{self, Members},
    mcp::{
        gateway::{backend::Backend, upstream_slot::UpstreamSlot},
        host::{Answer, Call, Freshness, SubscriptionFilter},
        protocol::error::RpcError,
        streams::change::Change,
        upstream::{Fetch, Upstream, lock, pages::Listing},
    },
};

pub use crate::mcp::gateway::status::{Outage, Status, Survey, UpstreamState};
pub use crate::mcp::gateway::upstream_slot::MAX_FIRST_PAUSE_MS;

/// The servers behind, and what they listed last.
#[derive(Debug)]
pub struct Gateway {
    members: Vec<Arc<UpstreamSlot>>,
    kept: Arc<Mutex<Option<CompiledLists>>>,
}

/// A compiled catalog, and the lists that it is of.
#[derive(Debug)]
struct CompiledLists {
    backend: Arc<Backend>,
    listings: Vec<Option<Arc<Listing>>>,
}

/// What a gateway serves now.
#[derive(Debug)]
pub struct Served {
    /// The catalog of all servers.
    pub backend: Arc<Backend>,
    /// Whether it takes the place of another catalog, so that listeners are to be told.
    pub replaced: bool,
    /// What the operator is to be told, a line each.
    pub notes: Vec<String>,
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
        Ok(Self { members: members.collect::<Result<_, RpcError>>()?, kept: Arc::default() })
    }

    /// The gateway to a handler in the same process.
    ///
    /// # Errors
    /// As [`Upstream::in_process`].
    pub fn in_process(settings: &config::Upstream) -> Result<Self, RpcError> {
        let member = UpstreamSlot::new(settings, Upstream::in_process(settings)?);
        Ok(Self { members: vec![Arc::new(member)], kept: Arc::default() })
    }

    /// The catalog of all servers. Those whose lists are due are listed, side by side.
    ///
    /// # Errors
    /// The first server's, where none has ever been listed.
    pub async fn serve<F: Fetch>(
        &self,
        fetch: &F,
        config: &Config,
        need: Freshness,
    ) -> Result<Served, RpcError> {
        let now = fetch.now();
        let spare = self.members.iter().any(|member| member.listing().is_some());
        let due = self.members.iter().filter(|member| member.is_due(now, need, spare));
        let notes = join_all(due.map(|member| member.list(fetch))).await;
        let dropped = self.members.iter().filter_map(|member| member.dropped());
        self.gather(config, notes.into_iter().flatten().chain(dropped).collect())
    }

    /// Lists every server, side by side, and reports how each attempt went, in the order of the configuration.
    pub async fn survey<F: Fetch>(&self, fetch: &F) -> Vec<Survey> {
        join_all(self.members.iter().map(|member| member.survey(fetch))).await
    }

    /// What there is to serve of what the servers listed last.
    fn gather(&self, config: &Config, mut notes: Vec<String>) -> Result<Served, RpcError> {
        let listings: Vec<_> = self.members.iter().map(|member| member.listing()).collect();
        if listings.iter().all(Option::is_none) {
            let failure = self.members.iter().find_map(|member| member.failure());
            return Err(failure.unwrap_or_else(|| RpcError::internal("config", "there is no server behind")));
        }
        let upstreams: Vec<Status> = self.members.iter().map(|member| member.status()).collect();
        let mut kept = lock(&self.kept);
        let mut replaced = false;
        let backend = match kept.as_ref() {
            Some(kept) if same(&kept.listings, &listings) => {
                let Backend { guarded, completions, unlisted, .. } = kept.backend.as_ref();
                if kept.backend.upstreams == upstreams {
                    return Ok(Served { backend: Arc::clone(&kept.backend), replaced, notes });
                }
                let (guarded, completions) = (Arc::clone(guarded), completions.clone());
                let (reports, unlisted) = (kept.backend.reports.clone(), unlisted.clone());
                Backend { guarded, completions, reports, unlisted, upstreams }
            }
            before => {
                let backend = Backend { upstreams, ..self.compile(&listings, config)? };
                let reports = backend.reports.iter();
                notes.extend(
                    reports.map(|report| {
                        format!("catalog: {} `{}`: {}", report.kind, report.name, report.problem)
                    }),
                );
                if let Some(before) = before {
                    replaced = before.backend.guarded.catalog().hash() != backend.guarded.catalog().hash();
                }
                backend
            }
        };
        let backend = Arc::new(backend);
        *kept = Some(CompiledLists { backend: Arc::clone(&backend), listings });
        Ok(Served { backend, replaced, notes })
    }

    fn compile(&self, listings: &[Option<Arc<Listing>>], config: &Config) -> Result<Backend, RpcError> {
        let (mut sources, mut completions) = (Vec::new(), Vec::new());
        for (member, listing) in self.members.iter().zip(listings) {
            let Some(listing) = listing else { continue };
            let lists = Lists::read(&listing.lists).map_err(|error| member.unreadable(&error))?;
            sources.push(Source { server: &member.name, lists });
            if listing.completions {
                completions.push(member.name.clone());
            }
        }
        let unlisted =
            config.unlisted(self.members.iter().map(|member| (member.name.as_str(), member.unlisted)));
        Ok(Backend { unlisted, ..Backend::compile(sources, config, completions) })
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

    /// Somebody knows that what is served is out of date.
    pub fn expire(&self) {
        self.members.iter().for_each(|member| member.expire());
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
            let (kept, asked) = (Arc::clone(&self.kept), Arc::clone(member));
            let share = move |wanted: SubscriptionFilter| share(&kept, &asked, wanted);
            let wanted = share(wanted.clone());
            let changes = member.upstream.watch(fetch, wanted, more().map(share).boxed_local());
            let member = Arc::clone(member);
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
    wanted.resources.retain(|uri| match owner(backend.guarded.catalog(), uri) {
        Some(server) => server == member.name,
        None => backend.unlisted.contains(&member.name),
    });
    wanted
}

/// Whether no list has come anew.
fn same(one: &[Option<Arc<Listing>>], other: &[Option<Arc<Listing>>]) -> bool {
    one.iter().zip(other).all(|pair| match pair {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    })
}

/// The server of a resource, by what is listed.
fn owner<'a>(catalog: &'a Catalog, uri: &str) -> Option<&'a str> {
    let (resources, templates) = (catalog.kind_index(Kind::Resource), catalog.kind_index(Kind::Template));
    match resources.find(uri) {
        Some(index) => resources.server(index),
        None => templates.server(templates.ids().position(|template| template_matches(template, uri))?),
    }
}
