//! Changes that a test makes to a world.

use std::{rc::Rc, sync::Arc, task::Waker};

use futures_util::future::{self, LocalBoxFuture};
use mcp_sieve::{
    Kind,
    catalog::{Lists, ResourceUri, Source},
};
use mcp_sieve_gateway::{
    config::Config,
    error::RpcError,
    host::Caller,
    streams::Change,
    upstream::{Backend, Declarations, Facet, Features, ServerDeclarations},
};
use serde_json::Value;

use super::world::World;

impl World {
    /// Sets the custom check.
    pub fn checks_by(
        &self,
        check: impl Fn(&Self, &Caller<'_>) -> LocalBoxFuture<'static, Result<(), RpcError>> + 'static,
    ) {
        self.check.replace(Some(Rc::new(check)));
    }

    /// Sets the declarations and the lists of the upstream server.
    #[allow(dead_code, reason = "only the walk declares something")]
    pub fn declare(self, declared: &Value, lists: &Value) -> Self {
        let facet = |key: &str| {
            let items = declared[key].as_array().unwrap().iter().map(Value::to_string).collect();
            Facet { items, problem: None }
        };
        let (groups, tags, concerns) = (facet("groups"), facet("tags"), facet("concerns"));
        let server = self.config.upstream.name.clone();
        let declared =
            vec![(server.clone(), Declarations { groups, tags, concerns, ..Declarations::default() })];
        let declared = ServerDeclarations::new(declared, &self.config);
        let listed = lists.to_string();
        let source = Source { server: &server, lists: Lists::read(&listed).unwrap() };
        let before = Arc::clone(&self.backend.borrow());
        let features = before.features[0].1;
        let backend = Backend::compile_declared(vec![source], &self.config, declared, features);
        self.backend.replace(Arc::new(backend));
        self
    }

    /// Replaces the lists and the configuration, and notifies the listeners.
    pub fn relist(&self, lists: &Value, config: &Value) {
        let (listed, config) = (lists.to_string(), Config::parse(&config.to_string()).unwrap());
        let server = config.upstream.name.clone();
        let source = Source { server: &server, lists: Lists::read(&listed).unwrap() };
        // The declarations of the server stay.
        let declared = ServerDeclarations::clone(&self.backend.borrow().declared);
        let backend = Backend::compile_declared(vec![source], &config, declared, Features::of_host());
        self.run(self.hub.refreshed(self, &self.config, &backend));
        self.backend.replace(Arc::new(backend));
    }

    /// Replaces the configuration, and notifies the listeners.
    pub fn reconfigure(&self, config: &Config) {
        let backend = Arc::clone(&self.backend.borrow());
        self.run(self.hub.refreshed(self, config, &backend));
    }

    /// Replaces the backend, which may have several servers.
    pub fn serve(&self, backend: Backend) {
        self.backend.replace(Arc::new(backend));
    }

    /// Reports a change by the upstream server.
    pub fn changed(&self, change: &Change) {
        self.hub.changed(&self.config, &self.backend.borrow(), change);
    }

    /// Advances the clock and runs the work that waited for it.
    pub fn advance(&self, ms: u64) {
        self.clock.set(self.clock.get() + ms);
        self.sleepers.take().into_iter().for_each(Waker::wake);
        self.settle(future::pending::<()>());
    }

    /// Runs spawned work up to its timers, which then start at the current time.
    pub fn start_timers(&self) {
        self.advance(0);
    }

    /// Ends every stream of changes at the next change.
    pub fn close(&self) {
        self.over.set(true);
        Change::LISTS.iter().for_each(|(_, change)| self.changed(change));
    }

    /// Returns whether the upstream server can read a URI.
    pub(super) fn knows(&self, uri: &str) -> bool {
        self.known.iter().any(|(kind, id)| match kind {
            Kind::Template => ResourceUri::matches_template(id, uri),
            _ => id == uri,
        })
    }
}
