//! A host for the protocol core with one catalog: no upstream server, no sessions, and a clock that never advances.

use std::{error::Error, rc::Rc, sync::Arc};

use futures_util::{
    StreamExt,
    future::{self, LocalBoxFuture},
    stream::{self, LocalBoxStream},
};
use mcp_sieve::{
    catalog::{Lists, Source},
    seal::Key,
};
use mcp_sieve_gateway::{
    config::Config,
    error::RpcError,
    host::{Answer, Backends, Call, Caller, Clock, Freshness, Host, Observer, Secrets, Sessions},
    session::{Session, SessionStreams, SuspendedCalls},
    streams::{Change, SubscriptionFilter},
    upstream::{Backend, Features},
};

/// A deployment in front of one server.
#[derive(Clone)]
pub struct OneServer {
    backend: Arc<Backend>,
    key: Arc<Key>,
}

impl OneServer {
    /// Creates a deployment for a server that returns `lists`.
    pub fn new(lists: &str, config: &Config) -> Result<Self, Box<dyn Error>> {
        let source = Source { server: &config.upstream.name, lists: Lists::read(lists)? };
        let key = Key::new(b"the key of the cases").ok_or("a key is too short")?;
        let backend = Arc::new(Backend::compile(vec![source], config, Features::default()));
        Ok(Self { backend, key: Arc::new(key) })
    }
}

fn absent() -> RpcError {
    RpcError::internal("absent", "this host only lists")
}

impl Clock for OneServer {
    fn now(&self) -> u64 {
        1_800_000_000_000
    }

    async fn sleep(&self, _: u64) {}

    fn spawn(&self, _: LocalBoxFuture<'static, ()>) {}
}

impl Secrets for OneServer {
    fn random(&self) -> Result<[u8; 16], RpcError> {
        Ok([7; 16])
    }

    fn key(&self) -> &Key {
        &self.key
    }
}

impl Backends for OneServer {
    async fn backend(&self, _: Freshness) -> Result<Arc<Backend>, RpcError> {
        Ok(Arc::clone(&self.backend))
    }

    async fn forward(&self, _: &Call<'_>) -> Result<Answer, RpcError> {
        Err(absent())
    }

    async fn changes(
        &self,
        _: &Caller<'static>,
        _: &SubscriptionFilter,
    ) -> Result<LocalBoxStream<'static, Change>, RpcError> {
        Ok(stream::once(future::pending()).boxed_local())
    }
}

impl Sessions for OneServer {
    fn suspended_calls(&self) -> Option<Rc<SuspendedCalls>> {
        None
    }

    fn live(&self, _: &str) -> Option<Rc<SessionStreams>> {
        None
    }

    async fn load_session(&self, _: &str) -> Result<Option<Session>, RpcError> {
        Ok(None)
    }

    async fn save_session(&self, _: &str, _: &Session) -> Result<(), RpcError> {
        Err(absent())
    }

    async fn end_session(&self, _: &str) -> Result<bool, RpcError> {
        Ok(false)
    }
}

impl Observer for OneServer {}

impl Host for OneServer {}
