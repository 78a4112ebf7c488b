//! Policies that are written in JavaScript.

use std::cell::RefCell;

use js_sys::Function;
use mcp_sieve::{
    Kind,
    catalog::Primitive,
    policy::{CallerContext, Predicate, PredicateError, Predicates},
};
use wasm_bindgen::prelude::*;

thread_local! {
    /// The functions of the predicates in use. Predicates must be shareable between threads, which JavaScript functions
    /// are not, so a predicate only has the index of its function in this list.
    static TESTS: RefCell<Vec<Function>> = const { RefCell::new(Vec::new()) };
}

/// The JavaScript predicates of a new engine.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Judges {
    list: Vec<JsPredicate>,
    tests: Vec<Function>,
}

#[wasm_bindgen]
impl Judges {
    /// Creates an empty list.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a predicate for the `kinds`, which are indices in [`Kind::ALL`].
    ///
    /// `test` is called with a primitive as JSON, the list key of its kind, such as `tools`, and its server. It returns
    /// `true`, `false`, or a text with the reason why it cannot decide.
    pub fn add(&mut self, name: String, priority: i32, kinds: &[u8], fails_open: bool, test: Function) {
        let kinds = kinds.iter().filter_map(|place| Kind::ALL.get(usize::from(*place)).copied()).collect();
        self.list.push(JsPredicate { name, priority, kinds, fails_open, place: self.tests.len() });
        self.tests.push(test);
    }
}

impl Judges {
    /// Runs `work` with these predicates. They fail when they are evaluated outside of it.
    pub(super) fn during<T>(self, work: impl FnOnce(&Predicates) -> T) -> T {
        let mut predicates = Predicates::default();
        self.list.into_iter().for_each(|predicate| predicates.add(predicate));
        // A predicate may itself compile a catalog with other predicates.
        let before = TESTS.replace(self.tests);
        let done = work(&predicates);
        TESTS.set(before);
        done
    }
}

#[derive(Debug)]
struct JsPredicate {
    name: String,
    priority: i32,
    kinds: Vec<Kind>,
    fails_open: bool,
    place: usize,
}

impl Predicate for JsPredicate {
    fn name(&self) -> &str {
        &self.name
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn fails_open(&self) -> bool {
        self.fails_open
    }

    fn holds(&self, primitive: &Primitive<'_>, _: &dyn CallerContext) -> Result<bool, PredicateError> {
        let test = TESTS.with_borrow(|tests| tests.get(self.place).cloned());
        let test = test.ok_or_else(|| PredicateError::new("the predicate was removed"))?;
        let (json, kind) = (JsValue::from_str(primitive.json()), primitive.kind().list_key());
        let result = test.call3(&JsValue::NULL, &json, &kind.into(), &primitive.server().into());
        let result = result.map_err(|_| PredicateError::new("the predicate threw an error"))?;
        result.as_bool().ok_or_else(|| PredicateError::new(result.as_string().unwrap_or_default()))
    }
}
