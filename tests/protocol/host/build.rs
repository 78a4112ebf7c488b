//! Construction of worlds.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
    sync::Arc,
};

use mcp_sieve::{
    Kind,
    catalog::{Lists, Source},
    policy::Predicate,
    seal::Key,
};
use mcp_sieve_gateway::{
    config::{Config, Transport},
    host::RankerState,
    session::SuspendedCalls,
    streams::Listeners,
    upstream::{Backend, Features, Introduction, Status, UpstreamState},
};
use serde_json::{Map, Value};

use super::{
    fixture::{WorldFixture, read_fixture},
    world::{Inner, World},
};
use crate::upstream_skills;

/// Returns the capabilities of an upstream server that reports all changes, with the members that the world gives.
fn announced(says: Option<&Value>) -> Value {
    let list = serde_json::json!({"listChanged": true, "subscribe": true});
    let mut all =
        serde_json::json!({"tools": list, "resources": list, "prompts": list, "logging": {}, "tasks": {}});
    for (key, value) in says.and_then(Value::as_object).into_iter().flatten() {
        all[key] = value.clone();
    }
    all
}

impl World {
    /// Returns the fixture world with this name.
    pub fn named(name: &str) -> Self {
        Self::from_fixture(read_fixture(name))
    }

    /// Returns a world with only a configuration.
    pub fn configured(config: Value) -> Self {
        let Value::Object(config) = config else { panic!("a configuration is an object") };
        Self::from_fixture(WorldFixture {
            config,
            lists: serde_json::json!({"tools": []}),
            ..WorldFixture::default()
        })
    }

    /// Returns a world with these lists and this configuration.
    pub fn listing(lists: Value, config: Map<String, Value>) -> Self {
        Self::with_tokens(lists, config, BTreeMap::new())
    }

    /// Like [`World::listing`], with bearer tokens and their claims.
    pub fn with_tokens(
        lists: Value,
        config: Map<String, Value>,
        tokens: BTreeMap<String, Map<String, Value>>,
    ) -> Self {
        // A server without prompts and templates has nothing to complete.
        let has = |kind: &str| lists[kind].as_array().is_some_and(|list| !list.is_empty());
        let completions = Some(has("prompts") || has("resourceTemplates"));
        Self::from_fixture(WorldFixture { config, lists, completions, tokens, ..WorldFixture::default() })
    }

    /// Returns the fixture world with this name, under a predicate beside its policies.
    pub fn judged(name: &str, predicate: impl Predicate + 'static) -> Self {
        let world = read_fixture(name);
        let mut config = Config::parse(&Value::Object(world.config.clone()).to_string()).unwrap();
        config.engine.predicates.add(predicate);
        Self::under(config, world)
    }

    fn from_fixture(world: WorldFixture) -> Self {
        let config = Config::parse(&Value::Object(world.config.clone()).to_string()).unwrap();
        Self::under(config, world)
    }

    fn under(config: Config, world: WorldFixture) -> Self {
        let listed = world.lists.to_string();
        let source = Source { server: &config.upstream.name, lists: Lists::read(&listed).unwrap() };
        // The upstream server can read what it lists, whatever the operator hides.
        let known = [Kind::Resource, Kind::Template].into_iter().flat_map(|kind| {
            let items: Vec<Value> = source
                .lists
                .primitives(kind)
                .iter()
                .map(|raw| serde_json::from_str(raw.get()).unwrap())
                .collect();
            items.into_iter().map(move |item| (kind, item[kind.id_key()].as_str().unwrap().to_owned()))
        });
        let mut known: Vec<(Kind, String)> = known.collect();
        let listed_skills = source.lists.primitives(Kind::Skill).into_iter();
        let mut skills: Vec<Value> =
            listed_skills.map(|raw| serde_json::from_str(raw.get()).unwrap()).collect();
        skills.extend(world.unlisted_skills);
        known.extend(upstream_skills::files(&skills).map(|uri| (Kind::Resource, uri.to_owned())));
        let says = world.says.unwrap_or_else(|| serde_json::json!({}));
        let has_skills = world.lists.get("skills").is_some();
        let features = Features {
            completions: world.completions.unwrap_or(true),
            skills: has_skills,
            directory_read: has_skills,
            // The server of these rows over HTTP has sessions.
            keeps_sessions: true,
            ..Features::read(&announced(says.get("capabilities")))
        };
        let mut backend = Backend::compile(vec![source], &config, features);
        // An upstream server has a status; a local one has none.
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
    #[allow(dead_code, reason = "the rows share their worlds, and a replay of one row has its own")]
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
            forwarded_concerns: RefCell::default(),
            hub: Listeners::default(),
            same_for_all: Cell::default(),
            sleepers: RefCell::default(),
            suspended_calls: Rc::new(SuspendedCalls::new("here")),
            can_suspend: Cell::new(true),
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
            calls: Default::default(),
            runs: Rc::default(),
            notes: Default::default(),
            lines: Default::default(),
            sessions: Default::default(),
            live: Default::default(),
            work: Default::default(),
        }
    }

    /// Returns the same world in its initial state, reached over stdio.
    pub fn over_stdio(&self) -> Self {
        let mut inner = self.blank();
        inner.config.transport = Transport::Stdio;
        Self(Rc::new(inner))
    }

    /// Returns the same world and its state with other keys.
    #[allow(dead_code, reason = "replays of rows use one key")]
    pub fn rekeyed(&self, key: Key) -> Self {
        let mut inner = self.blank();
        inner.key = key;
        inner.clock = self.clock.clone();
        inner.suspended_calls = Rc::clone(&self.suspended_calls);
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
}
