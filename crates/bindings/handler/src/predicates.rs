//! JavaScript predicates in front of a handler. They are called for each primitive at every request, with its caller.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use mcp_sieve::{
    Error, ErrorKind, Kind,
    catalog::Primitive,
    policy::{CallerContext, Predicate, PredicateError, Reads},
};
use mcp_sieve_gateway::config::Config;
use serde::Deserialize;
use wasm_bindgen::JsValue;

use super::World;

thread_local! {
    /// The worlds of the handlers that have predicates. Predicates must be shareable between threads, which worlds are
    /// not, so a predicate only has the number of its world.
    static WORLDS: RefCell<BTreeMap<u32, World>> = const { RefCell::new(BTreeMap::new()) };
    static NEXT: Cell<u32> = const { Cell::new(0) };
}

/// The registration of a handler's world, which is removed when it is dropped.
pub(super) struct Registration(u32);

impl Drop for Registration {
    fn drop(&mut self) {
        WORLDS.with_borrow_mut(|worlds| worlds.remove(&self.0));
    }
}

/// The declaration of a predicate in JavaScript.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Declared {
    name: String,
    priority: i32,
    /// Indices in [`Kind::ALL`].
    kinds: Vec<usize>,
    fail_open: bool,
}

struct JsPredicate {
    declared: Declared,
    kinds: Vec<Kind>,
    world: u32,
    place: u32,
}

/// Adds the predicates of a world to the configuration.
///
/// # Errors
/// [`ErrorKind::Config`] for declarations of predicates that cannot be parsed.
pub(super) fn register(config: &mut Config, world: &World) -> Result<Registration, Error> {
    let number = NEXT.replace(NEXT.get().wrapping_add(1));
    let registration = Registration(number);
    let Some(text) = world.predicates().as_string() else { return Ok(registration) };
    let declared: Vec<Declared> = serde_json::from_str(&text)
        .map_err(|error| Error::new(ErrorKind::Config, format!("predicates: {error}")))?;
    for (declared, place) in declared.into_iter().zip(0..) {
        let kinds = declared.kinds.iter().filter_map(|place| Kind::ALL.get(*place).copied()).collect();
        config.engine.predicates.add(JsPredicate { declared, kinds, world: number, place });
    }
    WORLDS.with_borrow_mut(|worlds| worlds.insert(number, world.clone()));
    Ok(registration)
}

impl Predicate for JsPredicate {
    fn name(&self) -> &str {
        &self.declared.name
    }

    fn priority(&self) -> i32 {
        self.declared.priority
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn reads(&self) -> Reads<'_> {
        Reads::Request
    }

    fn fails_open(&self) -> bool {
        self.declared.fail_open
    }

    fn holds(&self, primitive: &Primitive<'_>, asking: &dyn CallerContext) -> Result<bool, PredicateError> {
        let world = WORLDS.with_borrow(|worlds| worlds.get(&self.world).cloned());
        let world = world.ok_or_else(|| PredicateError::new("its handler is gone"))?;
        let caller = asking.describe().ok_or_else(|| PredicateError::new("there is no request"))?;
        let kind = primitive.kind().list_key();
        let result: JsValue = world.test(self.place, primitive.json(), kind, primitive.server(), &caller);
        result.as_bool().ok_or_else(|| PredicateError::new(result.as_string().unwrap_or_default()))
    }
}
