//! A host with its configuration and state.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
    sync::Arc,
    task::Waker,
};

use futures_util::future::LocalBoxFuture;
use mcp_sieve::{Kind, discovery::Candidate, seal::Key};
use mcp_sieve_gateway::{
    audit::{AllowedCall, Operation},
    config::Config,
    error::RpcError,
    host::{Caller, Freshness, RankerState},
    session::{Session, SessionStreams, SuspendedCalls},
    streams::Listeners,
    upstream::Backend,
};
use serde_json::{Map, Value};

use crate::store::Store;

/// The header with the address that a request came from.
pub const ADDRESS: &str = "cf-connecting-ip";

/// A fixture world: a host with its configuration and state. Clones share it.
#[derive(Clone)]
pub struct World(pub(super) Rc<Inner>);

impl std::ops::Deref for World {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

/// A custom check of the host.
type Check = Rc<dyn Fn(&World, &Caller<'_>) -> LocalBoxFuture<'static, Result<(), RpcError>>>;

/// A custom ranking model of the host.
pub type Model =
    Rc<dyn Fn(&World, &str, &[Candidate<'_>]) -> LocalBoxFuture<'static, Result<Vec<f32>, String>>>;

pub struct Inner {
    pub(super) check: RefCell<Option<Check>>,
    pub ranker: RefCell<Option<Model>>,
    pub ranker_state: RankerState,
    pub config: Config,
    pub tokens: BTreeMap<String, Map<String, Value>>,
    pub(super) backend: RefCell<Arc<Backend>>,
    /// The freshness of the catalog that each request required.
    pub needs: RefCell<Vec<Freshness>>,
    /// The parameters of the requests forwarded to the upstream server.
    pub forwarded: RefCell<Vec<String>>,
    /// The concerns of the callers of these requests, as JSON.
    pub forwarded_concerns: RefCell<Vec<String>>,
    pub hub: Listeners,
    /// The number of responses that were reported as equal for all callers.
    pub same_for_all: Cell<usize>,
    /// The tasks that wait for the clock.
    pub(super) sleepers: RefCell<Vec<Waker>>,
    pub(super) suspended_calls: Rc<SuspendedCalls>,
    /// Whether calls can be suspended.
    pub can_suspend: Cell<bool>,
    /// The task store, if there is one.
    pub store: RefCell<Option<Rc<Store>>>,
    /// Ends the streams of changes.
    pub(super) over: Cell<bool>,
    pub(super) known: Vec<(Kind, String)>,
    /// `serverInfo` as every caller receives it.
    pub server_info: Value,
    /// The skills of the upstream server, including those that it does not list.
    pub(super) skills: Vec<Value>,
    pub(super) key: Key,
    pub(super) counter: Cell<u128>,
    /// Milliseconds since 1970.
    pub clock: Cell<u64>,
    /// The audit entries of rejected requests.
    pub operations: RefCell<Vec<Operation>>,
    /// The entries of allowed calls.
    pub calls: RefCell<Vec<AllowedCall>>,
    /// The audit entries of middleware functions.
    #[allow(dead_code, reason = "rows do not show them")]
    pub runs: Rc<RefCell<Vec<Operation>>>,
    /// Other lines of the operator's log.
    pub notes: RefCell<Vec<String>>,
    /// The lines of the request log.
    pub lines: RefCell<Vec<Map<String, Value>>>,
    pub(super) sessions: RefCell<BTreeMap<String, Session>>,
    pub(super) live: RefCell<BTreeMap<String, Rc<SessionStreams>>>,
    /// Background work.
    pub(super) work: RefCell<Vec<LocalBoxFuture<'static, ()>>>,
}
