//! Implements the host traits for a JavaScript handler.

use std::{rc::Rc, sync::Arc};

use futures_util::{
    FutureExt, StreamExt,
    future::{self, LocalBoxFuture},
    stream::{self, LocalBoxStream, Stream},
};
use http::HeaderValue;
use js_sys::Float32Array;
use mcp_sieve::{discovery::Candidate, seal::Key};
use mcp_sieve_bindings_fetch::{now, sleep};
use mcp_sieve_gateway::{
    error::RpcError,
    host::{
        Answer, Backends, Call, Caller, Clock, Freshness, Host, Observer, RankerState, Secrets, Sessions,
    },
    session::{Session, SessionStreams, SuspendedCalls},
    streams::{Change, Listeners, SubscriptionFilter, relay_change, upstream_subscription},
    upstream::Backend,
};
use wasm_bindgen_futures::spawn_local;

use super::{
    caller,
    exchange::HandlerConnection,
    handling::{Handling, JsHost},
    thrown::Thrown,
};

/// Time, in milliseconds, between two checks of a listener for lists that have expired or changed.
const CHECK_MS: u64 = 1_000;

/// Returns a change whenever the lists of the handler are due. Announcements during calls are counted, and each listener
/// looks at the count: on some platforms no request may wake another one.
fn expired(handling: Rc<Handling>) -> impl Stream<Item = Change> {
    let every = handling.config.upstream.min_ttl_ms.max(CHECK_MS);
    let known = handling.changes.get();
    stream::unfold((handling, known), move |(handling, known)| async move {
        let until = now().saturating_add(every);
        while now() < until && handling.changes.get() == known {
            sleep(CHECK_MS).await;
        }
        let known = handling.changes.get();
        Some((Change::Tools, (handling, known)))
    })
}

impl JsHost {
    fn connection(&self) -> HandlerConnection {
        HandlerConnection {
            handling: Rc::clone(&self.handling),
            context: self.context.clone(),
            shared: false,
        }
    }

    /// Returns the error for a failed session store. The reason is only logged.
    fn lost(&self, why: &str) -> RpcError {
        self.handling.world.note(why);
        RpcError::internal("storage", "the session store failed")
    }
}

impl Clock for JsHost {
    fn now(&self) -> u64 {
        now()
    }

    async fn sleep(&self, ms: u64) {
        sleep(ms).await;
    }

    fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
        spawn_local(work);
    }
}

impl Secrets for JsHost {
    fn random(&self) -> Result<[u8; 16], RpcError> {
        let bytes = self.handling.world.random().unwrap_or_default();
        bytes.first_chunk().copied().ok_or_else(|| RpcError::internal("storage", "there are no random bytes"))
    }

    fn key(&self) -> &Key {
        &self.handling.key
    }
}

impl Backends for JsHost {
    async fn backend(&self, need: Freshness) -> Result<Arc<Backend>, RpcError> {
        let Handling { gateway, config, .. } = &*self.handling;
        // Nothing follows a listing here: requests wait for the lists that they need, and listeners watch the handler.
        let served =
            gateway.serve(&self.connection(), config, need, || future::ready(()).boxed_local()).await?;
        served.notes.iter().for_each(|note| self.handling.world.note(note));
        Ok(served.backend)
    }

    async fn forward(&self, call: &Call<'_>) -> Result<Answer, RpcError> {
        self.handling.gateway.forward(&self.connection(), call).await
    }

    fn end_sessions(&self, session: &HeaderValue) {
        self.handling.gateway.end_sessions(&self.connection(), session);
    }

    /// Watches the handler separately for each listener: no request may receive changes through the stream of another
    /// one. A handler that announces nothing on that stream is listed again when its lists have expired, or when it has
    /// announced a change during a call.
    async fn changes(
        &self,
        caller: &Caller<'static>,
        wanted: &SubscriptionFilter,
    ) -> Result<LocalBoxStream<'static, Change>, RpcError> {
        let backend = self.backend(Freshness::List).await?;
        let hub = Rc::new(Listeners::default());
        let listened = hub.listen(&self.handling.config, &backend, caller.clone(), wanted.clone(), None)?;
        let all = upstream_subscription(wanted.resources.clone());
        let watched =
            self.handling.gateway.watch(&self.connection(), &all, || stream::pending().boxed_local());
        let expired = expired(Rc::clone(&self.handling)).boxed_local();
        let host = self.clone();
        let relayed = stream::select(watched, expired).filter_map(move |change| {
            let (host, hub) = (host.clone(), Rc::clone(&hub));
            async move {
                relay_change(&host, &host.handling.config, &hub, &change).await;
                None
            }
        });
        Ok(stream::select(listened, relayed).boxed_local())
    }
}

impl Sessions for JsHost {
    fn live(&self, id: &str) -> Option<Rc<SessionStreams>> {
        Some(self.handling.live.borrow_mut().open(id))
    }

    fn resumes(&self) -> bool {
        self.handling.world.resumes(&self.context)
    }

    fn suspended_calls(&self) -> Option<Rc<SuspendedCalls>> {
        self.resumes().then(|| Rc::clone(&self.handling.suspended_calls))
    }

    async fn load_session(&self, id: &str) -> Result<Option<Session>, RpcError> {
        let text = self.handling.world.load(&self.context, id).await;
        let text = text.map_err(|error| self.lost(&Thrown::read(&error).message))?;
        match text.as_string().map(|text| serde_json::from_str(&text)).transpose() {
            // Another version stored it. It has ended, so that its client initializes again.
            Err(error) if error.is_data() => {
                self.lost(&format!("a session in another form has ended: {error}"));
                Ok(None)
            }
            read => read.map_err(|error| {
                self.lost(&format!("the session store returned a session that cannot be read: {error}"))
            }),
        }
    }

    async fn save_session(&self, id: &str, session: &Session) -> Result<(), RpcError> {
        let text = serde_json::to_string(session).map_err(|error| self.lost(&error.to_string()))?;
        let saved = self.handling.world.save(&self.context, id, &text).await;
        saved.map(|_| ()).map_err(|error| self.lost(&Thrown::read(&error).message))
    }

    async fn end_session(&self, id: &str) -> Result<bool, RpcError> {
        let live = self.handling.live.borrow_mut().remove(id);
        live.into_iter().for_each(|live| live.end());
        let held = self.load_session(id).await?.is_some();
        let ended = self.handling.world.end(&self.context, id).await;
        ended.map(|_| held).map_err(|error| self.lost(&Thrown::read(&error).message))
    }
}

impl Observer for JsHost {
    fn note(&self, note: &str) {
        self.handling.world.note(note);
    }
}

impl Host for JsHost {
    fn may_refuse(&self, has_claims: bool) -> bool {
        self.handling.world.has_checks() || (has_claims && self.handling.world.identifies())
    }

    fn takes_tokens(&self) -> bool {
        self.handling.world.identifies()
    }

    fn ranker(&self) -> Option<&RankerState> {
        self.handling.world.ranks().then_some(&self.handling.ranker)
    }

    async fn rank(&self, query: &str, tools: &[Candidate<'_>]) -> Result<Vec<f32>, String> {
        let tools = Candidate::to_json(tools);
        let scores = self.handling.world.rank(&self.context, query, &tools).await;
        scores.map(|scores| Float32Array::new(&scores).to_vec()).map_err(|error| Thrown::read(&error).message)
    }

    async fn check(&self, caller: &Caller<'_>) -> Result<(), RpcError> {
        caller::check(self, caller).await
    }
}
