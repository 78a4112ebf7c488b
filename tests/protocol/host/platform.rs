//! The services of the platform.

use std::{rc::Rc, sync::Arc, task::Poll};

use futures_util::{
    StreamExt,
    future::{self, LocalBoxFuture},
    stream::LocalBoxStream,
};
use mcp_sieve::{discovery::Candidate, seal::Key};
use mcp_sieve_gateway::{
    audit::{AllowedCall, Operation},
    error::RpcError,
    host::{
        Answer, Backends, Call, Caller, Freshness, Host, MiddlewareRuntime, Observer, RankerState, Secrets,
        Sessions,
    },
    middleware::Registry,
    session::{Session, SessionStreams, SuspendedCalls},
    streams::{Change, SubscriptionFilter},
    tasks::TaskStore,
    upstream::Backend,
};
use serde_json::{Map, Value};

use super::{
    event_log::Memory,
    middleware::{Clock, Editor},
    world::{ADDRESS, World},
};
use crate::{store::Shared, upstream_server, upstream_skills};

impl mcp_sieve_gateway::host::Clock for World {
    fn now(&self) -> u64 {
        self.clock.get()
    }

    async fn sleep(&self, ms: u64) {
        let world = self.clone();
        let until = self.now() + ms;
        future::poll_fn(move |context| {
            world.sleepers.borrow_mut().push(context.waker().clone());
            if world.now() < until { Poll::Pending } else { Poll::Ready(()) }
        })
        .await
    }

    fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
        self.work.borrow_mut().push(work);
    }
}

impl Secrets for World {
    fn random(&self) -> Result<[u8; 16], RpcError> {
        self.counter.set(self.counter.get() + 1);
        Ok(self.counter.get().to_le_bytes())
    }

    fn key(&self) -> &Key {
        &self.key
    }
}

impl Backends for World {
    async fn backend(&self, need: Freshness) -> Result<Arc<Backend>, RpcError> {
        self.needs.borrow_mut().push(need);
        Ok(Arc::clone(&self.backend.borrow()))
    }

    async fn forward(&self, call: &Call<'_>) -> Result<Answer, RpcError> {
        self.forwarded.borrow_mut().extend(call.params.as_ref().map(|params| params.raw().get().to_owned()));
        self.forwarded_concerns.borrow_mut().push(call.caller.concerns.to_string());
        let of_skills = upstream_skills::answer(call, &self.skills);
        Ok(of_skills.unwrap_or_else(|| upstream_server::answer(call, |uri| self.knows(uri))))
    }

    async fn changes(
        &self,
        caller: &Caller<'static>,
        wanted: &SubscriptionFilter,
    ) -> Result<LocalBoxStream<'static, Change>, RpcError> {
        let (caller, wanted, address) = (caller.clone(), wanted.clone(), caller.header(ADDRESS));
        let told = self.hub.listen(&self.config, &self.backend.borrow(), caller, wanted, address)?;
        let world = self.clone();
        Ok(told.take_while(move |_| future::ready(!world.over.get())).boxed_local())
    }
}

impl Sessions for World {
    fn suspended_calls(&self) -> Option<Rc<SuspendedCalls>> {
        self.can_suspend.get().then(|| Rc::clone(&self.suspended_calls))
    }

    fn live(&self, id: &str) -> Option<Rc<SessionStreams>> {
        let mut live = self.live.borrow_mut();
        Some(Rc::clone(live.entry(id.to_owned()).or_insert_with(|| SessionStreams::new(Memory::default()))))
    }

    async fn load_session(&self, id: &str) -> Result<Option<Session>, RpcError> {
        Ok(self.sessions.borrow().get(id).cloned())
    }

    async fn save_session(&self, id: &str, session: &Session) -> Result<(), RpcError> {
        self.sessions.borrow_mut().insert(id.to_owned(), session.clone());
        Ok(())
    }

    async fn end_session(&self, id: &str) -> Result<bool, RpcError> {
        Ok(self.sessions.borrow_mut().remove(id).is_some())
    }
}

impl Observer for World {
    fn log(&self, attributes: Map<String, Value>) {
        self.lines.borrow_mut().push(attributes);
    }

    fn record(&self, operation: Operation) {
        self.operations.borrow_mut().push(operation);
    }

    fn record_call(&self, call: AllowedCall) {
        self.calls.borrow_mut().push(call);
    }

    fn note(&self, note: &str) {
        self.notes.borrow_mut().push(note.to_owned());
    }
}

impl Host for World {
    fn may_keep(&self, _: &Arc<Backend>) {
        self.same_for_all.set(self.same_for_all.get() + 1);
    }

    fn takes_tokens(&self) -> bool {
        !self.tokens.is_empty()
    }

    fn middleware_runtime(&self) -> Option<MiddlewareRuntime> {
        let clock = Rc::new(Clock { now: self.clock.get(), runs: Rc::clone(&self.runs) });
        let mut registry = Registry::built_in();
        registry.add(Rc::new(Editor)).unwrap();
        Some(MiddlewareRuntime {
            registry: Rc::new(registry),
            environment: Rc::clone(&clock) as _,
            trail: clock,
            calls: Rc::default(),
        })
    }

    fn tasks(&self) -> Option<Rc<dyn TaskStore>> {
        let store = self.store.borrow().clone()?;
        store.clock.set(self.clock.get());
        Some(Rc::new(Shared(store)))
    }

    fn ranker(&self) -> Option<&RankerState> {
        self.ranker.borrow().is_some().then_some(&self.ranker_state)
    }

    async fn rank(&self, query: &str, tools: &[Candidate<'_>]) -> Result<Vec<f32>, String> {
        let model = self.ranker.borrow().clone();
        model.ok_or("there is none")?(self, query, tools).await
    }

    async fn check(&self, caller: &Caller<'_>) -> Result<(), RpcError> {
        let check = self.check.borrow().clone();
        match check {
            Some(check) => check(self, caller).await,
            None => Ok(()),
        }
    }
}
