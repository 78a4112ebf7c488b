//! The world in memory: a catalog, a few tokens, and sessions in a map.

use std::{cell::Cell, collections::BTreeMap, sync::Arc};

use mcp_sieve::{
    catalog::{Catalog, Kind, Lists, Source, template_matches},
    config::Config,
    mcp::{Answer, Backend, Call, Failure, Host, Session},
    policy::Guarded,
    seal::Key,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::behind;

pub struct World {
    pub config: Config,
    pub tokens: BTreeMap<String, Map<String, Value>>,
    backend: Arc<Backend>,
    known: Vec<(Kind, String)>,
    key: Key,
    counter: Cell<u128>,
    sessions: std::cell::RefCell<BTreeMap<String, Session>>,
}

/// A world as it is written, in either file.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Written {
    like: Option<String>,
    lists: Value,
    config: Map<String, Value>,
    tokens: BTreeMap<String, Map<String, Value>>,
    completions: Option<bool>,
}

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
    }
    world
}

impl World {
    pub fn named(name: &str) -> Self {
        let world = written(name);
        let config = Config::parse(&Value::Object(world.config).to_string()).unwrap();
        let listed = world.lists.to_string();
        let source = Source { server: &config.upstream.name, lists: Lists::read(&listed).unwrap() };
        // What the server behind can read is what it lists, whatever the operator hides of it.
        let known = [Kind::Resource, Kind::Template].into_iter().flat_map(|kind| {
            let items: Vec<Value> =
                source.lists.of(kind).iter().map(|raw| serde_json::from_str(raw.get()).unwrap()).collect();
            items.into_iter().map(move |item| (kind, item[kind.id_key()].as_str().unwrap().to_owned()))
        });
        let known = known.collect();
        let catalog = Catalog::compile(&[source], &config.assignments);
        let guarded = Guarded::new(catalog, config.policies.clone());
        Self {
            backend: Arc::new(Backend { guarded, completions: world.completions.unwrap_or(true) }),
            config,
            tokens: world.tokens,
            known,
            key: Key::new(b"the key of the corpus").unwrap(),
            counter: Cell::new(1),
            sessions: Default::default(),
        }
    }

    fn knows(&self, uri: &str) -> bool {
        self.known.iter().any(|(kind, id)| match kind {
            Kind::Template => template_matches(id, uri),
            _ => id == uri,
        })
    }
}

impl Host for World {
    fn now(&self) -> u64 {
        1_800_000_000_000
    }

    fn random(&self) -> Result<[u8; 16], Failure> {
        self.counter.set(self.counter.get() + 1);
        Ok(self.counter.get().to_le_bytes())
    }

    fn key(&self) -> &Key {
        &self.key
    }

    async fn backend(&self) -> Result<Arc<Backend>, Failure> {
        Ok(Arc::clone(&self.backend))
    }

    async fn forward(&self, call: &Call<'_>) -> Result<Answer, Failure> {
        Ok(behind::answer(call, |uri| self.knows(uri)))
    }

    async fn load_session(&self, id: &str) -> Result<Option<Session>, Failure> {
        Ok(self.sessions.borrow().get(id).cloned())
    }

    async fn save_session(&self, id: &str, session: &Session) -> Result<(), Failure> {
        self.sessions.borrow_mut().insert(id.to_owned(), session.clone());
        Ok(())
    }

    async fn end_session(&self, id: &str) -> Result<bool, Failure> {
        Ok(self.sessions.borrow_mut().remove(id).is_some())
    }
}
