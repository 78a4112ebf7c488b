//! What a Worker serves of its own where no server stands behind: the tracker, unless another says so.

use std::{cell::Cell, rc::Rc};

use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve::{
    error::Error,
    mcp::{
        RpcError,
        local::{LocalRequest, LocalServer, Reply},
    },
    middleware::Registry,
};
use worker::Env;

use crate::tracker;

/// Makes what is served, for the bindings of the Worker.
pub type Make = fn(&Env) -> Rc<dyn LocalServer>;

thread_local! {
    static MAKE: Cell<Make> = const { Cell::new(built_in) };
}

/// Serves what `make` makes instead of the tracker. Belongs in the Worker's `start` event, which each of its
/// isolates has before any request; Durable Objects have isolates of their own.
pub fn serve(make: Make) {
    MAKE.set(make);
}

/// Adds functions of context middleware to those that there are.
pub type Extend = fn(&mut Registry) -> Result<(), Error>;

thread_local! {
    static EXTEND: Cell<Option<Extend>> = const { Cell::new(None) };
}

/// Offers functions of the Worker's own beside the built-in ones. Belongs in the `start` event, as [`serve`].
pub fn extend(extend: Extend) {
    EXTEND.set(Some(extend));
}

pub(crate) fn functions() -> Result<Registry, Error> {
    let mut registry = Registry::built_in();
    EXTEND.get().map_or(Ok(()), |extend| extend(&mut registry)).map(|()| registry)
}

pub(crate) fn of(env: &Env) -> Rc<dyn LocalServer> {
    MAKE.get()(env)
}

/// The tracker, for a Worker that serves it in a manner of its own.
pub fn built_in(env: &Env) -> Rc<dyn LocalServer> {
    Rc::new(Tracker(env.clone()))
}

/// The tracker, which lives in a Durable Object.
struct Tracker(Env);

impl LocalServer for Tracker {
    fn lists(&self) -> String {
        format!("[{}]", tracker::lists().join(","))
    }

    fn config(&self) -> &str {
        tracker::CONFIG
    }

    fn answer(&self, ask: LocalRequest) -> LocalBoxFuture<'static, Result<Reply, RpcError>> {
        let env = self.0.clone();
        async move { tracker::ask(&env, &ask).await }.boxed_local()
    }
}
