//! Watches upstream servers for changes of their lists and resources.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use futures_util::{
    StreamExt,
    stream::{self, LocalBoxStream},
};
use mcp_sieve::{
    Kind,
    catalog::{Catalog, ResourceUri},
};

use crate::small_collect::small_collect;

use crate::{
    gateway::{serve::CompiledLists, upstream_slot::UpstreamSlot, upstreams::Gateway},
    host::SubscriptionFilter,
    session::change::Change,
    upstream::{Fetch, lock},
};

/// Maximum number of changes of a server that are handled together.
const MAX_TOGETHER: usize = 64;

impl Gateway {
    /// Returns the changes that the servers report while the stream is read. `more` is called for each server and
    /// returns a stream of filters, each of which replaces the last. Changed lists are marked as due.
    pub fn watch<F: Fetch>(
        &self,
        fetch: &F,
        wanted: &SubscriptionFilter,
        mut more: impl FnMut() -> LocalBoxStream<'static, SubscriptionFilter>,
    ) -> LocalBoxStream<'static, Change> {
        // A server that lists to each caller on its own has no connection for all of them.
        let watched = self.members.iter().filter(|member| !member.lists_callers).map(|member| {
            let server = member.name.clone();
            let (kept, owner) = (Arc::clone(&self.kept), Arc::clone(member));
            let share = move |wanted: SubscriptionFilter| share(&kept, &owner, wanted);
            let wanted = share(wanted.clone());
            let changes = member.upstream.watch(fetch, wanted, more().map(share).boxed_local());
            let (member, kept) = (Arc::clone(member), Arc::clone(&self.kept));
            let changes = changes.map(move |change| match change {
                Change::Resource(uri) => Change::Resource(public(&kept, &server, uri)),
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
pub(super) fn share(
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
            let reports = {
                let mut servers = generating(catalog, &uri);
                match servers.next() {
                    None => backend.unlisted.contains(&member.name),
                    Some(first) if first != Some(&member.name) => false,
                    Some(first) => catalog.is_recorded() || servers.all(|server| server == first),
                }
            };
            reports.then_some(uri)
        }
    });
    wanted.resources = small_collect(own);
    wanted
}

/// Returns the servers whose templates generate a URI. It belongs to the first of them, or to none where no record has
/// their order.
fn generating<'a>(catalog: &'a Catalog, uri: &str) -> impl Iterator<Item = Option<&'a str>> {
    let templates = catalog.kind_index(Kind::Template);
    let matching =
        templates.ids().enumerate().filter(move |(_, template)| ResourceUri::matches_template(template, uri));
    matching.map(|(index, _)| templates.server(index))
}

/// Returns the server of a listed resource, of a page or of a file of a skill, and the server's own URI for it.
fn owner<'a>(catalog: &'a Catalog, uri: &str) -> Option<(&'a str, String)> {
    let [resources, skills] = [Kind::Resource, Kind::Skill].map(|kind| catalog.kind_index(kind));
    if let Some(index) = resources.find(uri) {
        return Some((resources.server(index)?, resources.own_id(index)?.to_owned()));
    }
    if let Some((server, _, own)) = catalog.find_page(uri).and_then(|number| catalog.page(number)) {
        return Some((server, own.to_owned()));
    }
    let index = skills.ids().position(|id| is_in_skill(id, uri))?;
    let (own, id) = (skills.own_id(index)?, skills.id(index)?);
    Some((skills.server(index)?, ResourceUri::moved(uri, id, own)))
}

/// Returns the URI under which callers know a resource that its server calls `uri`.
pub(super) fn public(kept: &Mutex<Option<CompiledLists>>, server: &str, uri: String) -> String {
    let backend = lock(kept).as_ref().map(|kept| Arc::clone(&kept.backend));
    let Some(backend) = backend else { return uri };
    let catalog = backend.guarded.catalog();
    if let Some(page) = catalog.public_page(server, &uri) {
        return page.to_owned();
    }
    let skills = catalog.kind_index(Kind::Skill);
    let holds = |index: &usize| {
        skills.server(*index) == Some(server)
            && skills.own_id(*index).is_some_and(|own| is_in_skill(own, &uri))
    };
    let ids =
        (0..skills.len()).find(holds).and_then(|index| Some((skills.own_id(index)?, skills.id(index)?)));
    ids.map_or_else(|| uri.clone(), |(own, id)| ResourceUri::moved(&uri, own, id))
}

/// Returns whether a URI is inside the directory of the skill `id`.
fn is_in_skill(id: &str, uri: &str) -> bool {
    let path = ResourceUri::skill_root(id).and_then(|root| uri.strip_prefix(root));
    path.is_some_and(|path| path.starts_with('/'))
}
