//! The class `Selection`: the primitives of one kind that a filter selects.

use tsify::Ts;
use wasm_bindgen::prelude::*;

use crate::{
    failure::{Failure, json_object, object, objects},
    types::{Explanation, Ignored, Match, Tokens, UnknownName},
};

/// The primitives of one kind that a filter keeps, in the order of the server's list.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Selection {
    core: mcp_sieve::Selection,
    /// The entries that had no effect whatever the catalog, such as unknown fields.
    ignored: Vec<mcp_sieve::Ignored>,
}

#[wasm_bindgen]
impl Selection {
    /// The number of primitives.
    #[wasm_bindgen(getter)]
    pub fn count(&self) -> usize {
        self.core.len()
    }

    /// Returns the names. Resources go by their `uri`, templates by their `uriTemplate`.
    pub fn names(&self) -> Vec<String> {
        self.core.names().map(str::to_owned).collect()
    }

    /// Returns the list result as text: `{"tools":[…]}`, each primitive as its server wrote it, with the groups, tags
    /// and concerns that the configuration adds.
    pub fn list(&self) -> String {
        self.core.json()
    }

    /// Returns how many tokens of a model's context the primitives take.
    pub fn tokens(&self) -> Result<Ts<Tokens>, Failure> {
        object(&Tokens::from(self.core.tokens()))
    }

    /// Returns whether a primitive is selected, and the first reason if it is not.
    pub fn explain(&self, name: &str) -> Result<Ts<Explanation>, Failure> {
        object(&Explanation::from(self.core.explain(name)))
    }

    /// Returns the primitives that match words, best first, at most `limit` (10).
    pub fn search(&self, words: &str, limit: Option<u32>) -> Result<Vec<Ts<Match>>, Failure> {
        let limit = limit.unwrap_or(10) as usize;
        objects(self.core.search(words, limit).iter().map(Match::from))
    }

    /// Returns the filter as it is applied, in canonical form: sorted, and without entries that have no effect.
    #[wasm_bindgen(unchecked_return_type = "AppliedFilter")]
    pub fn filter(&self) -> Result<JsValue, Failure> {
        json_object(&self.core.filter().to_string())
    }

    /// Returns the entries of the filter that had no effect, such as unknown fields.
    pub fn ignored(&self) -> Result<Vec<Ts<Ignored>>, Failure> {
        objects(self.ignored.iter().chain(self.core.ignored()).map(Ignored::from))
    }

    /// Returns the names in the filter that match nothing, such as an unknown group.
    pub fn unknown(&self) -> Result<Vec<Ts<UnknownName>>, Failure> {
        objects(self.core.unknown().iter().map(UnknownName::from))
    }
}

impl Selection {
    pub(crate) fn new(core: mcp_sieve::Selection, ignored: Vec<mcp_sieve::Ignored>) -> Self {
        Self { core, ignored }
    }
}
