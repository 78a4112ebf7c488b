//! The catalog of one caller: the lists of all callers, with those of servers that list to each caller on its own.

use std::{rc::Rc, sync::Arc};

use futures_util::future::LocalBoxFuture;
use http::StatusCode;
use mcp_sieve::catalog::{Catalog, NameRecord};

use crate::{
    backend::{guarded_catalog::Backend, status::Status},
    config::Config,
    gateway::{Gateway, lister::Lister, serve::CompiledLists, upstream_slot::UpstreamSlot},
    host::Freshness,
    protocol::error::RpcError,
    upstream::{Identity, lock, pages::Listing},
};

impl Gateway {
    /// Returns the gateway of a caller and its catalog: `shared`, with the lists that servers have for this caller. The
    /// servers are listed as for [`Gateway::serve`], with the caller's credentials.
    ///
    /// # Errors
    /// Fails if the lists cannot be compiled, and if a server to which the caller's token is passed refuses the caller.
    pub async fn caller_backend<F: Lister>(
        &self,
        fetch: &F,
        config: &Config,
        need: Freshness,
        identity: &Rc<Identity>,
        shared: Arc<Backend>,
        after: impl Fn() -> LocalBoxFuture<'static, ()>,
    ) -> Result<(Arc<Self>, Arc<Backend>), RpcError> {
        let own = self.of_caller(identity);
        let acting = fetch.acting_for(identity);
        let members: Vec<_> = own.members.iter().filter(|member| member.lists_callers).collect();
        own.list_due(&acting, need, after, members).await;
        own.require_token()?;
        let mut listings = Vec::with_capacity(own.members.len());
        for (member, all) in own.members.iter().zip(&self.members) {
            listings.push(match member.lists_callers {
                true => member.shown(),
                false => match all.listing() {
                    Some(listing) => Some(listing),
                    None => self.spare_listing(fetch, all, &shared).await,
                },
            });
        }
        let backend = own.gather_caller(config, listings, &shared)?;
        Ok((own, backend))
    }

    /// Fails if a server to which the caller's token is passed refuses the caller with 401. Its challenge is the only way
    /// for a client to learn where to get a token.
    fn require_token(&self) -> Result<(), RpcError> {
        let refusals =
            self.members.iter().filter(|member| member.passes_token).filter_map(|member| member.failure());
        let mut refusals = refusals.filter(|failure| failure.status == StatusCode::UNAUTHORIZED);
        refusals.next().map_or(Ok(()), |refusal| Err(refusal.for_caller()))
    }

    /// Returns the catalog of these lists, compiled again only if a list changed.
    fn gather_caller(
        &self,
        config: &Config,
        listings: Vec<Option<Arc<Listing>>>,
        shared: &Backend,
    ) -> Result<Arc<Backend>, RpcError> {
        let upstreams = self.caller_status(shared);
        let mut kept = lock(&self.kept);
        let known = kept.as_ref().filter(|kept| super::serve::same(&kept.listings, &listings));
        let backend = match known {
            Some(kept) if kept.backend.upstreams == upstreams => return Ok(Arc::clone(&kept.backend)),
            Some(kept) => kept.backend.with_status(upstreams),
            None => {
                let mut record = NameRecord::default();
                shared.guarded.catalog().record_names(&mut record);
                let compiled = self.compile_with(&listings, config, Some(&record))?;
                self.learn_caller_marks(compiled.guarded.catalog());
                Backend { upstreams, ..compiled }
            }
        };
        let backend = Arc::new(backend);
        let problems = Vec::new();
        *kept =
            Some(CompiledLists { backend: Arc::clone(&backend), listings, without_lists: false, problems });
        Ok(backend)
    }

    /// Stores which tool arguments a server wants repeated as headers, for the servers that another process lists.
    fn learn_caller_marks(&self, catalog: &Catalog) {
        let own = self.members.iter().filter(|member| member.lists_callers);
        let own: Vec<&str> = own.map(|member| member.name.as_str()).collect();
        let mut marking = super::shared::marking(catalog);
        marking.retain(|server| own.contains(&server.as_str()));
        self.learn_marks(catalog, &marking);
    }

    /// Returns the status of each server: of its own for servers that list to each caller.
    fn caller_status(&self, shared: &Backend) -> Vec<Status> {
        let of_all = |member: &UpstreamSlot| {
            shared.upstreams.iter().find(|status| status.name == member.name).cloned()
        };
        let status = |member: &Arc<UpstreamSlot>| match member.lists_callers {
            true => Some(member.status()),
            false => of_all(member),
        };
        self.members.iter().filter_map(status).collect()
    }
}
