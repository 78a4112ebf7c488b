//! An in-memory host for the protocol: a catalog, a few tokens, and sessions in a map.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    pin::pin,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    task::{Context, Poll, Wake, Waker},
};

use futures_util::{
    StreamExt,
    future::{self, LocalBoxFuture},
    stream::{FuturesUnordered, LocalBoxStream},
};

use http::{Request, Response};
use mcp_sieve::{
    catalog::{Kind, Lists, Source, template_matches},
    config::Config,
    discovery::Candidate,
    error::Error,
    json::Raw,
    mcp::{
        Answer, AuditSink, Backend, Backends, Body, Call, Caller, Change, EventLog, Freshness, FunctionRun,
        Host, Inbound, Listeners, LoggedEvent, MAX_READ, MiddlewareRuntime, Observer, Operation, RankerState,
        RpcError, Secrets, ServerDeclarations, Session, SessionStreams, Sessions, Status, SubscriptionFilter,
        SuspendedCalls, TaskStore, UpstreamState,
        upstream::{Declarations, Facet, Introduction},
    },
    middleware::{self, Content, Environment, Function, Outcome, Registry},
    policy::Predicate,
    seal::Key,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    behind, skills_behind,
    store::{Shared, Store},
};

/// The header with the address that a request came from.
pub const ADDRESS: &str = "cf-connecting-ip";

/// A fixture world: a host with its configuration and state. Clones share it.
#[derive(Clone)]
pub struct World(Rc<Inner>);

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
    check: RefCell<Option<Check>>,
    pub ranker: RefCell<Option<Model>>,
    pub ranker_state: RankerState,
    pub config: Config,
    pub tokens: BTreeMap<String, Map<String, Value>>,
    backend: RefCell<Arc<Backend>>,
    /// The freshness of the catalog that each request required.
    pub needs: RefCell<Vec<Freshness>>,
    /// The parameters of the requests forwarded to the upstream server.
    pub forwarded: RefCell<Vec<String>>,
    pub hub: Listeners,
    /// The number of responses that were reported as equal for all callers.
    pub same_for_all: Cell<usize>,
    /// The tasks that wait for the clock.
    sleepers: RefCell<Vec<Waker>>,
    parked: Rc<SuspendedCalls>,
    /// Whether calls can be suspended.
    pub parks: Cell<bool>,
    /// The task store, if there is one.
    pub store: RefCell<Option<Rc<Store>>>,
    /// Ends the streams of changes.
    over: Cell<bool>,
    known: Vec<(Kind, String)>,
    /// `serverInfo` as every caller receives it.
    pub server_info: Value,
    /// The skills of the upstream server, including those that it does not list.
    skills: Vec<Value>,
    key: Key,
    counter: Cell<u128>,
    /// Milliseconds since 1970.
    pub clock: Cell<u64>,
    /// The audit entries of rejected requests.
    pub operations: RefCell<Vec<Operation>>,
    /// The audit entries of middleware functions.
    #[allow(dead_code, reason = "rows do not show them")]
    pub runs: Rc<RefCell<Vec<Operation>>>,
    /// Other lines of the operator's log.
    pub notes: RefCell<Vec<String>>,
    /// The lines of the request log.
    pub lines: RefCell<Vec<Map<String, Value>>>,
    sessions: RefCell<BTreeMap<String, Session>>,
    live: RefCell<BTreeMap<String, Rc<SessionStreams>>>,
    /// Background work.
    work: RefCell<Vec<LocalBoxFuture<'static, ()>>>,
}

/// A world as it is written in either fixture file.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Written {
    like: Option<String>,
    lists: Value,
    config: Map<String, Value>,
    tokens: BTreeMap<String, Map<String, Value>>,
    completions: Option<bool>,
    #[serde(rename = "unlistedSkills")]
    unlisted_skills: Vec<Value>,
    /// The self-description of the upstream server.
    says: Option<Value>,
}

/// Reads a world from the fixture files. One with `like` takes the lists of that world and extends its configuration.
fn written(name: &str) -> Written {
    let own: BTreeMap<String, Value> =
        serde_json::from_str(include_str!("../fixtures/protocol-worlds.json")).unwrap();
    let common: BTreeMap<String, Value> =
        serde_json::from_str(include_str!("../fixtures/worlds.json")).unwrap();
    let found =
        own.get(name).or_else(|| common.get(name)).unwrap_or_else(|| panic!("no world is called {name}"));
    let mut world: Written = serde_json::from_value(found.clone()).unwrap();
    if let Some(like) = &world.like {
        let mut model = written(like);
        model.config.append(&mut world.config);
        (world.lists, world.config) = (model.lists, model.config);
        world.says = world.says.or(model.says);
    }
    world
}

impl World {
    /// Returns the fixture world with this name.
    pub fn named(name: &str) -> Self {
        Self::of(written(name))
    }

    /// Returns a world with only a configuration.
    pub fn configured(config: Value) -> Self {
        let Value::Object(config) = config else { panic!("a configuration is an object") };
        Self::of(Written { config, lists: serde_json::json!({"tools": []}), ..Written::default() })
    }

    /// Returns a world with these lists and this configuration.
    pub fn listing(lists: Value, config: Map<String, Value>) -> Self {
        Self::asked_by(lists, config, BTreeMap::new())
    }

    /// Like [`World::listing`], with bearer tokens and their claims.
    pub fn asked_by(
        lists: Value,
        config: Map<String, Value>,
        tokens: BTreeMap<String, Map<String, Value>>,
    ) -> Self {
        // A server without prompts and templates has nothing to complete.
        let has = |kind: &str| lists[kind].as_array().is_some_and(|list| !list.is_empty());
        let completions = Some(has("prompts") || has("resourceTemplates"));
        Self::of(Written { config, lists, completions, tokens, ..Written::default() })
    }

    /// Returns the fixture world with this name, under a predicate beside its policies.
    pub fn judged(name: &str, predicate: impl Predicate + 'static) -> Self {
        let world = written(name);
        let mut config = Config::parse(&Value::Object(world.config.clone()).to_string()).unwrap();
        config.predicates.add(predicate);
        Self::under(config, world)
    }

    fn of(world: Written) -> Self {
        let config = Config::parse(&Value::Object(world.config.clone()).to_string()).unwrap();
        Self::under(config, world)
    }

    fn under(config: Config, world: Written) -> Self {
        let listed = world.lists.to_string();
        let source = Source { server: &config.upstream.name, lists: Lists::read(&listed).unwrap() };
        // The upstream server can read what it lists, whatever the operator hides.
        let known = [Kind::Resource, Kind::Template].into_iter().flat_map(|kind| {
            let items: Vec<Value> =
                source.lists.of(kind).iter().map(|raw| serde_json::from_str(raw.get()).unwrap()).collect();
            items.into_iter().map(move |item| (kind, item[kind.id_key()].as_str().unwrap().to_owned()))
        });
        let mut known: Vec<(Kind, String)> = known.collect();
        let listed_skills = source.lists.of(Kind::Skill).into_iter();
        let mut skills: Vec<Value> =
            listed_skills.map(|raw| serde_json::from_str(raw.get()).unwrap()).collect();
        skills.extend(world.unlisted_skills);
        known.extend(skills_behind::files(&skills).map(|uri| (Kind::Resource, uri.to_owned())));
        let completions = world.completions.unwrap_or(true).then(|| config.upstream.name.clone());
        let backend = Backend::compile(vec![source], &config, completions.into_iter().collect());
        let mut backend = backend;
        if world.lists.get("skills").is_some() {
            backend.skills = vec![config.upstream.name.clone()];
            backend.directory_read.clone_from(&backend.skills);
        }
        // An upstream server has a status; a local one has none.
        let says = world.says.unwrap_or_else(|| serde_json::json!({}));
        if says.as_object().is_some_and(|says| !says.is_empty()) || !config.upstream.pass_methods.is_empty() {
            let name = config.upstream.name.clone();
            backend.upstreams = vec![Status { name: name.clone(), state: UpstreamState::Ok }];
            backend.introductions = vec![(name, Introduction::read(says.to_string().as_bytes()))];
        }
        let backend = Arc::new(backend);
        let mut inner = Self::fresh(config, world.tokens, backend, known, skills);
        if let (None, Some(info)) = (&inner.config.server.name, says.get("serverInfo")) {
            inner.server_info = info.clone();
        }
        Self(Rc::new(inner))
    }

    /// Returns the same world in its initial state.
    #[allow(dead_code, reason = "the rows share their worlds; whoever replays one row alone does not")]
    pub fn anew(&self) -> Self {
        Self(Rc::new(self.blank()))
    }

    fn fresh(
        config: Config,
        tokens: BTreeMap<String, Map<String, Value>>,
        backend: Arc<Backend>,
        known: Vec<(Kind, String)>,
        skills: Vec<Value>,
    ) -> Inner {
        let server = &config.server;
        let mut server_info = serde_json::json!({"name": server.name(), "version": server.version()});
        server.title.iter().for_each(|title| server_info["title"] = title.as_str().into());
        Inner {
            server_info,
            check: RefCell::default(),
            ranker: RefCell::default(),
            ranker_state: RankerState::default(),
            backend: RefCell::new(backend),
            needs: RefCell::default(),
            forwarded: RefCell::default(),
            hub: Listeners::default(),
            same_for_all: Cell::default(),
            sleepers: RefCell::default(),
            parked: Rc::new(SuspendedCalls::new("here")),
            parks: Cell::new(true),
            store: RefCell::new(Some(Rc::default())),
            over: Cell::new(false),
            config,
            tokens,
            known,
            skills,
            key: Key::new(b"the key of the corpus").unwrap(),
            counter: Cell::new(1),
            clock: Cell::new(1_800_000_000_000),
            operations: Default::default(),
            runs: Rc::default(),
            notes: Default::default(),
            lines: Default::default(),
            sessions: Default::default(),
            live: Default::default(),
            work: Default::default(),
        }
    }

    /// Returns the same world and its state with other keys.
    #[allow(dead_code, reason = "whoever replays rows keeps to one key")]
    pub fn rekeyed(&self, key: Key) -> Self {
        let mut inner = self.blank();
        inner.key = key;
        inner.clock = self.clock.clone();
        inner.parked = Rc::clone(&self.parked);
        inner.sessions = self.sessions.clone();
        Self(Rc::new(inner))
    }

    /// Returns a copy in its initial state.
    fn blank(&self) -> Inner {
        let fresh = Self::fresh(
            self.config.clone(),
            self.tokens.clone(),
            Arc::clone(&self.backend.borrow()),
            self.known.clone(),
            self.skills.clone(),
        );
        Inner { server_info: self.server_info.clone(), ..fresh }
    }

    /// Answers a request at the MCP endpoint.
    pub async fn handle(
        &self,
        claims: Result<Option<&Map<String, Value>>, RpcError>,
        request: &Request<Vec<u8>>,
    ) -> Response<Body> {
        mcp_sieve::mcp::handle(&self.config, self, claims, &Inbound::read(request)).await
    }

    /// Runs a future to its end, together with spawned work.
    #[track_caller]
    pub fn run<T>(&self, wanted: impl Future<Output = T>) -> T {
        self.settle(wanted).expect("waits for what nobody will bring")
    }

    /// Runs a future and spawned work until neither can continue; returns the result if there is one.
    pub fn settle<T>(&self, wanted: impl Future<Output = T>) -> Option<T> {
        let mut wanted = pin!(wanted);
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        let mut work: FuturesUnordered<_> = self.work.take().into_iter().collect();
        let settled = loop {
            woken.0.store(false, Relaxed);
            if let Poll::Ready(value) = wanted.as_mut().poll(&mut context) {
                break Some(value);
            }
            let done = matches!(work.poll_next_unpin(&mut context), Poll::Ready(Some(())));
            let begun = self.work.take();
            if !done && begun.is_empty() && !woken.0.load(Relaxed) {
                break None;
            }
            work.extend(begun);
        };
        // Unfinished work continues with the next wait.
        self.work.borrow_mut().extend(work);
        settled
    }

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
        let declared = vec![(server.clone(), Declarations { groups, tags, concerns })];
        let declared = ServerDeclarations::new(declared, &self.config);
        let listed = lists.to_string();
        let source = Source { server: &server, lists: Lists::read(&listed).unwrap() };
        let before = Arc::clone(&self.backend.borrow());
        let completions = before.completions.clone();
        let backend = Backend::compile_declared(vec![source], &self.config, declared, completions);
        let (skills, directory_read) = (before.skills.clone(), before.directory_read.clone());
        self.backend.replace(Arc::new(Backend { skills, directory_read, ..backend }));
        self
    }

    /// Replaces the lists and the configuration, and notifies the listeners.
    pub fn relist(&self, lists: &Value, config: &Value) {
        let (listed, config) = (lists.to_string(), Config::parse(&config.to_string()).unwrap());
        let server = config.upstream.name.clone();
        let source = Source { server: &server, lists: Lists::read(&listed).unwrap() };
        // The declarations of the server stay.
        let declared = ServerDeclarations::clone(&self.backend.borrow().declared);
        let backend = Backend::compile_declared(vec![source], &config, declared, vec![server.clone()]);
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
    pub fn pass(&self, ms: u64) {
        self.clock.set(self.clock.get() + ms);
        self.sleepers.take().into_iter().for_each(Waker::wake);
        self.settle(future::pending::<()>());
    }

    /// Ends every stream of changes at the next change.
    pub fn close(&self) {
        self.over.set(true);
        Change::LISTS.iter().for_each(|(_, change)| self.changed(change));
    }

    /// Returns whether the upstream server can read a URI.
    fn knows(&self, uri: &str) -> bool {
        self.known.iter().any(|(kind, id)| match kind {
            Kind::Template => template_matches(id, uri),
            _ => id == uri,
        })
    }
}

/// The environment of context middleware: a clock and an audit sink.
struct Clock {
    now: u64,
    runs: Rc<RefCell<Vec<Operation>>>,
}

impl Environment for Clock {
    fn now(&self) -> u64 {
        self.now
    }
}

impl AuditSink for Clock {
    fn note(&self, run: &FunctionRun<'_>) {
        self.runs.borrow_mut().push(run.operation(self.now));
    }
}

impl mcp_sieve::mcp::Clock for World {
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
        let of_skills = skills_behind::answer(call, &self.skills);
        Ok(of_skills.unwrap_or_else(|| behind::answer(call, |uri| self.knows(uri))))
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
    fn parked(&self) -> Option<Rc<SuspendedCalls>> {
        self.parks.get().then(|| Rc::clone(&self.parked))
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

    fn note(&self, note: &str) {
        self.notes.borrow_mut().push(note.to_owned());
    }
}

/// A function that leaves out the members `draft` beside the blocks of a result, and adds one.
struct Editor;

impl Function for Editor {
    const NAME: &'static str = "editor";
    const DESCRIPTION: &'static str = "Edits.";

    async fn run<'a>(&'a self, call: middleware::Call<'a>) -> Result<Outcome<'a>, Error> {
        let mut items: Vec<Value> = serde_json::from_str(&call.content.to_json()).unwrap();
        for item in &mut items {
            if let Some(beside) = item.get_mut("structuredContent").and_then(Value::as_object_mut) {
                beside.remove("draft");
                beside.insert("edited".to_owned(), true.into());
            }
        }
        let edited = Value::from(items).to_string();
        Ok(Outcome::new(Content::read(Raw::parse(&edited).unwrap()).unwrap().into_owned()))
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

/// Whether anything has asked to be polled again.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Relaxed);
    }
}

/// The events of a session in a list; the number of an event is its position, counted from 1.
#[derive(Default)]
struct Memory(RefCell<Vec<(u64, LoggedEvent)>>);

impl EventLog for Memory {
    fn append(&self, stream: Option<u64>, body: &[u8], last: bool) -> Result<u64, RpcError> {
        let mut entries = self.0.borrow_mut();
        let event = entries.len() as u64 + 1;
        entries.push((stream.unwrap_or(event), LoggedEvent { event, body: body.to_vec(), last }));
        Ok(event)
    }

    fn read(&self, stream: u64, after: u64) -> Result<Vec<LoggedEvent>, RpcError> {
        let entries = self.0.borrow();
        let behind = entries.iter().filter(|(of, entry)| *of == stream && entry.event > after);
        Ok(behind.take(MAX_READ).map(|(_, entry)| entry.clone()).collect())
    }
}
